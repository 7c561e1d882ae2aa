//! The folder of a server: `LOCK`, `models/NAME/…` and `trash/`. The layout is part of the contract; docs/reference/server.md has it.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::epoch::Epoch;
use crate::{Error, Result};

/// Longest name of a model or version.
const LONGEST_NAME: usize = 64;

/// The folder of a server, locked for as long as this value lives.
#[derive(Debug)]
pub struct ServerFolder {
    path: PathBuf,
    _lock: File,
}

impl ServerFolder {
    /// Opens a folder, made if it is not there. One server at a time may have it.
    pub fn open(path: &Path) -> Result<Self> {
        make(&path.join("models"))?;
        let lock = path.join("LOCK");
        let mut options = File::options();
        let file = options.create(true).truncate(false).write(true).open(&lock).map_err(Error::io(&lock))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path: path.to_path_buf(), _lock: file }),
            Err(TryLockError::WouldBlock) => Err(Error::InUse(path.to_path_buf())),
            Err(TryLockError::Error(error)) => Err(Error::io(&lock)(error)),
        }
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The models that are there, by name.
    pub fn models(&self) -> Result<Vec<ModelFolder>> {
        let folder = self.path.join("models");
        let mut names = names(&folder)?;
        names.retain(|name| check_name(name).is_ok() && folder.join(name).join("CURRENT").exists());
        Ok(names.into_iter().map(|name| ModelFolder { path: folder.join(name) }).collect())
    }

    /// The place of a model, which need not be there.
    pub fn model(&self, name: &str) -> Result<ModelFolder> {
        check_name(name)?;
        Ok(ModelFolder { path: self.path.join("models").join(name) })
    }

    /// Moves a model into the trash; nothing is deleted. Returns where it is now.
    pub fn discard(&self, name: &str) -> Result<PathBuf> {
        let (from, trash) = (self.model(name)?, self.path.join("trash"));
        make(&trash)?;
        let place = |number: u32| trash.join(format!("{name}.{number}"));
        let to = (1..).map(place).find(|place| !place.exists()).unwrap_or_else(|| place(0));
        fs::rename(&from.path, &to).map_err(Error::io(&from.path))?;
        sync(&trash)?;
        sync(&self.path.join("models"))?;
        Ok(to)
    }
}

/// The folder of one model: `CURRENT`, which names the epoch, `epoch-N/` and `versions/`.
#[derive(Debug, Clone)]
pub struct ModelFolder {
    path: PathBuf,
}

impl ModelFolder {
    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the model.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The epoch that is served.
    pub fn current(&self) -> Result<Epoch> {
        let file = self.path.join("CURRENT");
        let text = fs::read_to_string(&file).map_err(Error::io(&file))?;
        Epoch::open(&self.path.join(text.trim()))
    }

    /// Begins an epoch with a model that has learned `start` examples, and makes it the current one.
    pub fn begin_epoch(&self, base: &[u8], start: u64, why: &str) -> Result<Epoch> {
        let fresh = !self.path.exists();
        make(&self.path)?;
        let number = names(&self.path)?.iter().filter_map(|name| number_of(name)).max().unwrap_or(0) + 1;
        let name = format!("epoch-{number:04}");
        let parent = fs::read_to_string(self.path.join("CURRENT")).ok().map(|name| name.trim().to_string());
        let epoch = Epoch::create(&self.path.join(&name), base, start, why, parent)?;
        sync(&self.path)?;
        put(&self.path.join("CURRENT"), format!("{name}\n").as_bytes())?;
        if fresh {
            self.path.parent().map_or(Ok(()), sync)?;
        }
        Ok(epoch)
    }

    /// Where the named versions are.
    #[must_use]
    pub fn versions(&self) -> PathBuf {
        self.path.join("versions")
    }
}

fn number_of(name: &str) -> Option<u32> {
    name.strip_prefix("epoch-")?.parse().ok()
}

/// Refuses what is no name of a model or version; nothing else ever becomes part of a path.
pub fn check_name(name: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let fits = name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(allowed);
    if fits { Ok(()) } else { Err(Error::Name(name.chars().take(2 * LONGEST_NAME).collect())) }
}

/// Makes a folder that survives a crash, with those above it.
pub(crate) fn make(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
    above.map_or(Ok(()), make)?;
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(Error::io(folder)(error)),
        _ => {}
    }
    above.map_or(Ok(()), sync)
}

/// Names in a folder, sorted; none if the folder is not there.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::io(folder))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(Error::io(folder))?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

/// What was created, renamed or removed in a folder is so after a crash, too.
pub(crate) fn sync(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|file| file.sync_all()).map_err(Error::io(folder))
}

/// Puts a whole file in its place.
pub(crate) fn put(file: &Path, bytes: &[u8]) -> Result<()> {
    surefoot::data::replace_file(file, bytes).map_err(Error::io(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_paths() {
        for good in ["tickets", "A", "0", "a.b_c-d", &"x".repeat(64)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", ".a", "-a", "a/b", "a\\b", "a\0", "ä", " a", "a b", &"x".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_second_server_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = ServerFolder::open(folder.path()).expect("free");
        let refused = ServerFolder::open(folder.path()).expect_err("taken").to_string();
        assert!(refused.contains("another server"), "{refused}");
        drop(first);
        ServerFolder::open(folder.path()).expect("free again");
    }
}
