//! Every console block of the documentation runs, and every command's full output is a snapshot.

use std::path::{Path, PathBuf};

use crate::{console, run};

fn markdown_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(markdown_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn snapshots() {
    let files = markdown_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd"));
    assert!(!files.is_empty());
    files.iter().for_each(|file| console::check(file));
}

#[test]
fn documentation() {
    let root = run::root();
    let mut files = markdown_files(&root.join("docs"));
    files.push(root.join("README.md"));
    files.iter().filter(|file| file.exists()).for_each(|file| console::check(file));
}
