//! What the program printed before its insides were rebuilt, and whether it still prints it.
//!
//! `corpus.txt` lists the cases: command lines of the program, run one after the other in a folder of their own.
//! `records/CASE.txt` is what a case printed once: exit codes, both outputs, and the files that it shows. The data are
//! made by `data.rs`, the same at every run.
//!
//! Texts have to be equal, numbers only up to the tolerance of the case; times are left out, and so is the version of
//! the model format. A message that is reworded on purpose gets a line in `wording.rs`, not a new record.
//!
//! ```text
//! cargo test -p surefoot-cli --test frozen                                    compare all cases
//! SUREFOOT_CASE=auto cargo test -p surefoot-cli --test frozen                 only those with `auto` in their name
//! SUREFOOT_RECORD=/path/to/surefoot cargo test -p surefoot-cli --test frozen  record anew, with that program
//! ```

mod compare;
mod corpus;
mod data;
mod rows;
mod transcript;
mod wording;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use corpus::Case;

/// Cases that run at the same time.
const WORKERS: usize = 2;

/// Mismatches that are printed in full.
const SHOWN: usize = 12;

fn record_of(case: &Case) -> PathBuf {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/records");
    records.join(format!("{}.txt", case.name))
}

/// The program under test, and whether its output is to be recorded.
fn program() -> (PathBuf, bool) {
    match std::env::var_os("SUREFOOT_RECORD") {
        Some(path) => (path.into(), true),
        None => (env!("CARGO_BIN_EXE_surefoot").into(), false),
    }
}

/// Runs one case; what differs from its record.
fn check(case: &Case, program: &Path, record: bool) -> Vec<String> {
    let found = transcript::run(case, program);
    let path = record_of(case);
    if record {
        std::fs::write(&path, transcript::to_text(&found)).expect("the record is written");
        return Vec::new();
    }
    match std::fs::read_to_string(&path) {
        Ok(text) => compare::differences(case, &transcript::from_text(&text), &found),
        Err(error) => vec![format!("case {}: no record: {}: {error}\n", case.name, path.display())],
    }
}

#[test]
fn every_case_prints_what_was_recorded() {
    let wanted = std::env::var("SUREFOOT_CASE").unwrap_or_default();
    let cases: Vec<Case> = corpus::cases().into_iter().filter(|case| case.name.contains(&wanted)).collect();
    assert!(!cases.is_empty(), "no case has {wanted:?} in its name");
    let (program, record) = program();
    let next = AtomicUsize::new(0);
    let differences = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = check(case, &program, record);
                    differences.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
                }
            });
        }
    });
    let differences = differences.into_inner().unwrap_or_else(PoisonError::into_inner);
    let shown = differences.iter().take(SHOWN).cloned().collect::<String>();
    let mut names: Vec<&str> = differences.iter().filter_map(|text| text.split([' ', ':']).nth(1)).collect();
    names.dedup();
    let count = differences.len();
    assert!(differences.is_empty(), "differences: {count}, in {names:?}, of which the first\n\n{shown}");
}

#[test]
fn every_record_belongs_to_a_case() {
    let cases: Vec<PathBuf> = corpus::cases().iter().map(record_of).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/records");
    for entry in std::fs::read_dir(folder).expect("the records") {
        let path = entry.expect("an entry").path();
        assert!(cases.contains(&path), "{} is the record of no case of corpus.txt", path.display());
    }
}
