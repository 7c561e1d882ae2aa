//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file being written beside the one that it will replace. Whoever reads the path finds the old file or the new
/// one, never half of one; a replacement that is dropped before its commit leaves no trace.
pub(crate) struct Replacement {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    committed: bool,
}

impl Replacement {
    /// Starts a replacement of `target`, which need not exist.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or_else(|| io::Error::other("the path names no file"))?;
        let mut temporary = name.to_os_string();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = folder(target).join(temporary);
        let file = File::create(&temporary)?;
        Ok(Replacement { file, temporary, target: target.into(), committed: false })
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

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
