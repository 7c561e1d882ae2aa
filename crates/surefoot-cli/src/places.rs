//! What a command reads and what it writes: no file may be both, and what cannot be written is found before the work.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use surefoot::Model;
use surefoot::data::{Cache, check_replaceable};

use crate::failure::{Failure, Result};

/// A place that a command writes to.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// How the user says it.
    flag: &'static str,
    path: &'a Path,
    /// Whether it is put there as a whole, as models are, or written as it comes, which may be into a pipe.
    whole: bool,
    /// The input whose place it may take.
    replaced: Option<&'a Path>,
}

impl<'a> Output<'a> {
    /// A file that is put in its place when it is whole.
    pub fn whole(flag: &'static str, path: &'a Path) -> Self {
        Self { flag, path, whole: true, replaced: None }
    }

    /// A file, a pipe, a device or standard output, written as it comes.
    pub fn stream(flag: &'static str, path: &'a Path) -> Self {
        Self { flag, path, whole: false, replaced: None }
    }

    /// It may take the place of this input.
    pub fn replacing(self, input: Option<&'a Path>) -> Self {
        Self { replaced: input, ..self }
    }

    /// Whether it goes to standard output.
    pub fn is_standard(&self) -> bool {
        is_dash(self.path)
    }

    /// Whether bytes could be written there, which is found out without writing any.
    fn try_out(&self) -> io::Result<()> {
        match fs::metadata(self.path) {
            _ if self.whole => check_replaceable(self.path),
            Ok(there) if there.is_file() => File::options().write(true).open(self.path).map(drop),
            // Opening a pipe waits for its reader.
            Ok(there) if !there.is_dir() => Ok(()),
            _ => check_replaceable(self.path),
        }
    }

    fn check_place(&self) -> Result<()> {
        if self.is_standard() {
            return Ok(());
        }
        let folder = folder(self.path);
        if !folder.is_dir() {
            let (path, folder) = (self.path.display(), folder.display());
            return Err(Failure::Data(format!("{path}: there is no folder {folder} to write to")));
        }
        self.try_out().map_err(|error| match error.kind() {
            ErrorKind::InvalidInput => Failure::usage(format!("{self}: {error}")),
            _ => Failure::writing(self.path, &error),
        })
    }
}

impl std::fmt::Display for Output<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.flag, self.path.display())
    }
}

/// Refuses to write over what is read, to write two things to one place, and to work for a place that cannot be written.
pub fn check<'p>(read: impl IntoIterator<Item = &'p PathBuf>, written: &[Output<'_>]) -> Result<()> {
    let read: Vec<&Path> = read.into_iter().map(PathBuf::as_path).collect();
    for (at, output) in written.iter().enumerate() {
        if output.whole && output.is_standard() {
            return Err(Failure::usage(format!("{output}: standard output is no place for it; name a file")));
        }
        let mut inputs = read.iter().filter(|input| Some(**input) != output.replaced);
        if let Some(input) = inputs.find(|input| is_overwritten(input, output)) {
            let input = if is_dash(input) { "standard input".into() } else { input.display().to_string() };
            return Err(Failure::usage(format!(
                "{output} would overwrite {input}, which is read; choose another name"
            )));
        }
        if let Some(other) = written[..at].iter().find(|other| is_shared(other, output)) {
            return Err(Failure::usage(format!(
                "{other} and {output} are the same place; choose another name for one of them"
            )));
        }
    }
    written.iter().try_for_each(Output::check_place)
}

/// Refuses to make a cache of a file that holds something else.
pub fn check_cache(path: &Path) -> Result<()> {
    let used = fs::metadata(path).is_ok_and(|there| there.len() > 0);
    if used && !Cache::is_at(path) {
        let path = path.display();
        return Err(Failure::usage(format!(
            "--cache {path} holds something else than a cache; choose another name"
        )));
    }
    Ok(())
}

/// Loads a model, which is a file: what comes through standard input is data.
pub fn load(path: &Path) -> Result<Model> {
    check_model(path)?;
    Ok(Model::load(path)?)
}

/// Refuses standard input where a model is read.
pub fn check_model(path: &Path) -> Result<()> {
    if is_dash(path) {
        return Err(Failure::usage("- is standard input, and a model is read from a file; name the file"));
    }
    Ok(())
}

/// Whether a path stands for standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn is_overwritten(input: &Path, output: &Output<'_>) -> bool {
    // Standard input may be a file, too.
    let input = if is_dash(input) { Path::new("/dev/stdin") } else { input };
    !output.is_standard() && is_one_place(input, output.path)
}

fn is_shared(one: &Output<'_>, other: &Output<'_>) -> bool {
    match (one.is_standard(), other.is_standard()) {
        (false, false) => is_one_place(one.path, other.path),
        (one, other) => one && other,
    }
}

/// Whether two paths lead to one file, or to the place of one that is still to come. Pipes and devices never do.
fn is_one_place(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(a), Ok(b)) => a.is_file() && b.is_file() && is_one_file((one, &a), (other, &b)),
        (Err(_), Err(_)) => whole_name(one).is_some_and(|name| whole_name(other) == Some(name)),
        _ => false,
    }
}

#[cfg(unix)]
fn is_one_file((_, one): (&Path, &fs::Metadata), (_, other): (&Path, &fs::Metadata)) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_one_file((one, _): (&Path, &fs::Metadata), (other, _): (&Path, &fs::Metadata)) -> bool {
    fs::canonicalize(one).ok().is_some_and(|name| fs::canonicalize(other).is_ok_and(|other| other == name))
}

/// The whole name of a file that need not exist.
fn whole_name(path: &Path) -> Option<PathBuf> {
    Some(fs::canonicalize(folder(path)).ok()?.join(path.file_name()?))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
