//! Files that appear whole or not at all.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// So many symbolic links one after the other, and they lead nowhere.
const LINKS: usize = 40;

/// Whether a file could be put in this place: what stands there may be replaced, and its folder takes new files. Finds out
/// by starting a replacement, and leaves no trace.
pub fn check_replaceable(target: &Path) -> io::Result<()> {
    Replacement::create(target).map(drop)
}

/// A file being written beside the one that it will replace. Whoever reads the path finds the old file or the new
/// one, never half of one; a replacement that is dropped before its commit leaves no trace.
pub(crate) struct Replacement {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    committed: bool,
}

impl Replacement {
    /// Starts a replacement of `target`, which need not exist. A symbolic link stays, and what it points to is replaced; the
    /// new file may be read and written by whoever could read and write the old one.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let target = destination(target)?;
        let old = replaceable(&target)?;
        let name = target.file_name().ok_or_else(|| unfit("the path names no file"))?;
        let mut temporary = name.to_os_string();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = folder(&target).join(temporary);
        let file = File::create(&temporary)?;
        let replacement = Replacement { file, temporary, target, committed: false };
        if let Some(old) = old {
            // Before there is anything to read in it.
            replacement.file.set_permissions(old.permissions())?;
        }
        Ok(replacement)
    }

    /// The same file again, past the page cache: addresses, lengths and places must be multiples of a block there.
    #[cfg(target_os = "linux")]
    pub(crate) fn past_cache(&self) -> io::Result<File> {
        use std::os::unix::fs::OpenOptionsExt;
        File::options().write(true).custom_flags(libc::O_DIRECT).open(&self.temporary)
    }

    /// Elsewhere there is no such way.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn past_cache(&self) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// From now on nothing can be written.
    #[cfg(test)]
    pub(crate) fn refuse(&mut self) {
        self.file = File::open(&self.temporary).unwrap();
        fs::remove_file(&self.temporary).unwrap();
    }

    /// Puts the file in its place, on disk before anyone can see it.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        self.committed = true;
        // Not every platform can sync a folder; the rename itself has happened.
        let _ = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Replacement {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.file.seek(place)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.committed {
            // Whoever dropped it has a better error to report.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Where a path leads, past symbolic links; the file itself need not exist.
fn destination(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::read_link(&place) {
            Ok(next) => place = folder(&place).join(next),
            Err(_) => return Ok(place),
        }
    }
    Err(unfit("symbolic links that lead nowhere; name another file"))
}

/// The file that is to be replaced, if there is one. Only a file that may be written is: whoever took the right to write away
/// meant to keep it, and a device that turns into a file is lost to everybody.
fn replaceable(target: &Path) -> io::Result<Option<Metadata>> {
    let old = match fs::metadata(target) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        old => old?,
    };
    if !old.is_file() {
        return Err(unfit(&format!("is {}, which is not replaced; name a file", kind(old.file_type()))));
    }
    if old.permissions().readonly() {
        let problem = "is write-protected; allow writing, or name another file";
        return Err(io::Error::new(ErrorKind::PermissionDenied, problem));
    }
    Ok(Some(old))
}

/// A path that no file can be put at, whoever asks.
fn unfit(problem: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, problem)
}

/// What stands in a place where a file was expected.
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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn put(path: &Path, text: &str) -> io::Result<()> {
        let mut file = Replacement::create(path)?;
        file.write_all(text.as_bytes())?;
        file.commit()
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_link_stays_and_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, chain] = ["there/file", "link", "chain"].map(|name| folder.path().join(name));
        fs::create_dir(folder.path().join("there")).unwrap();
        symlink("there/file", &link).unwrap();
        symlink(&link, &chain).unwrap();
        // At first the links lead to a file that does not exist.
        for (path, text) in [(&link, "one"), (&chain, "two")] {
            put(path, text).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert!(link.is_symlink() && chain.is_symlink());
        }
        let circle = folder.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(put(&circle, "").is_err() && circle.is_symlink());
    }

    #[test]
    fn who_may_read_a_file_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for mode in [0o600, 0o640, 0o666] {
            fs::write(&path, "old").unwrap();
            set_mode(&path, mode);
            put(&path, "new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
        set_mode(&path, 0o444);
        assert!(put(&path, "newer").unwrap_err().to_string().contains("write-protected"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn only_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, socket] = ["pipe", "socket"].map(|name| folder.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for (path, said) in
            [(&pipe, "a named pipe"), (&socket, "a socket"), (&folder.path().into(), "a directory")]
        {
            let refused = put(path, "").unwrap_err().to_string();
            assert!(refused.contains(said), "{refused}");
            assert!(check_replaceable(path).is_err());
        }
        assert!(!fs::metadata(&pipe).unwrap().is_file() && !fs::metadata(&socket).unwrap().is_file());
        check_replaceable(&folder.path().join("new")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside them");
    }
}
