//! Files that are replaced as a whole: a temporary file in the same folder, synced and then renamed.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, BufWriter, ErrorKind, IntoInnerError, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// As many symbolic links in a row are followed; more are a circle.
const LINK_LIMIT: usize = 40;

/// Bytes that are collected before they are written; larger pieces are written as they come.
const BUFFER: usize = 1 << 18;

/// Whether a file could be put at this path: what is there may be replaced, and its folder takes new files. Finds out
/// by creating a temporary file, which is removed again.
pub fn check_replaceable(target: &Path) -> io::Result<()> {
    AtomicFile::create(target).map(drop)
}

/// Puts these bytes at a path: a crash at any moment leaves the old file or the new one.
pub fn replace_file(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(target)?;
    file.write_all(bytes)?;
    file.commit()
}

/// A file that takes its place only when it is complete. A reader of the path finds the old file or the new one, never
/// a part of one; a file that is dropped before its commit leaves no trace.
///
/// The temporary file has a name of its own, so several threads or processes may write one path: the last commit stays.
pub(crate) struct AtomicFile {
    out: BufWriter<NamedTempFile>,
    target: PathBuf,
}

impl AtomicFile {
    /// Starts a file that will replace `target`, which need not exist. A symbolic link is kept, and the file that it points
    /// to is replaced; the new file has the permissions of the old one.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let target = resolve_links(target)?;
        let old = replaceable(&target)?;
        let name = target.file_name().ok_or_else(|| invalid("the path names no file"))?;
        let mut prefix = name.to_os_string();
        prefix.push(".");
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(".tmp")
            .make_in(folder(&target), |path| create_new(path, old.is_some()))?;
        if let Some(old) = old {
            file.as_file().set_permissions(old.permissions())?;
        }
        Ok(AtomicFile { out: BufWriter::with_capacity(BUFFER, file), target })
    }

    /// Puts the file in its place. It is on disk before it can be seen.
    pub(crate) fn commit(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.target).map_err(|failed| failed.error)?;
        // Not every platform can sync a folder; the rename itself has happened.
        let _ = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Where a path leads when symbolic links are followed; the file itself need not exist.
fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_path_buf();
    for _ in 0..LINK_LIMIT {
        match fs::read_link(&place) {
            Ok(next) => place = folder(&place).join(next),
            Err(_) => return Ok(place),
        }
    }
    Err(invalid("symbolic links that lead nowhere; name another file"))
}

/// The file that is to be replaced, if there is one. A rename needs no right to write the old file, so write protection has to
/// be asked for; and a rename over a device or a pipe would remove it.
fn replaceable(target: &Path) -> io::Result<Option<Metadata>> {
    let old = match fs::metadata(target) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        old => old?,
    };
    if !old.is_file() {
        return Err(invalid(&format!("is {}, which is not replaced; name a file", kind(old.file_type()))));
    }
    if old.permissions().readonly() {
        let problem = "is write-protected; allow writing, or name another file";
        return Err(io::Error::new(ErrorKind::PermissionDenied, problem));
    }
    Ok(Some(old))
}

/// A path that no file can be put at.
fn invalid(problem: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, problem)
}

/// Creates a file that must not exist yet, with the permissions that new files have. If it will get those of an older file, only its
/// owner can open it until then.
fn create_new(path: &Path, private: bool) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    options.open(path)
}

/// What is at a path where a file was expected.
fn kind(found: FileType) -> &'static str {
    if found.is_dir() {
        return "a directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return "a named pipe";
        }
        if found.is_socket() {
            return "a socket";
        }
    }
    "a device"
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
