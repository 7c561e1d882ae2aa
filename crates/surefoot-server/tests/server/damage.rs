//! Damage of files: it is repaired where it can only be the end of what was never acknowledged, and refused otherwise. It never
//! becomes another model, and never a panic.

use std::fs;
use std::path::{Path, PathBuf};

use surefoot::Model;
use surefoot_server::{Error, Served, ServerFolder, SnapshotPolicy};

use crate::common::{CASES, bytes, learn, open, policy, prepare, trained};

/// A folder with 12 examples behind a model, in two segments of 6, with a snapshot between them or without.
fn folder(snapshot: bool) -> (tempfile::TempDir, Vec<Vec<u8>>) {
    let case = &CASES[0];
    let folder = quick_folder();
    prepare(folder.path(), &case.model());
    let mut states = vec![case.model().to_bytes().expect("bytes")];
    for part in 0..2 {
        let (_lock, served) = open(folder.path(), policy());
        for n in 0..6 {
            learn(&served, &[(case.row)(6 * part + n)]);
            states.push(bytes(&served));
        }
        served.stop();
    }
    if !snapshot {
        for entry in fs::read_dir(folder.path().join("models/m/epoch-0001/snap")).expect("a folder") {
            fs::remove_file(entry.expect("a file").path()).expect("removed");
        }
    }
    (folder, states)
}

/// A folder in memory, where there is one: these tests start a server for every byte.
fn quick_folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder")
}

fn try_open(folder: &Path) -> Result<(u64, Vec<u8>, Vec<String>), Error> {
    let server = ServerFolder::open(folder)?;
    let model = server.models()?.remove(0);
    let (served, notes) = Served::open(model, folder, policy(), 1, Default::default())?;
    let found = (served.state().sequence, bytes(&served), notes);
    served.stop();
    Ok(found)
}

/// A copy of a folder, to be damaged.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let (from, entry) = (entry.as_ref().expect("an entry").path(), entry.expect("an entry"));
        let to = to.join(entry.file_name());
        if from.is_dir() { copy(&from, &to) } else { fs::copy(&from, &to).map(drop).expect("copied") }
    }
}

fn segment(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("models/m/epoch-0001/log/{first:012}.log"))
}

#[test]
fn a_flipped_bit_in_the_journal_is_repaired_at_its_end_and_refused_elsewhere() {
    let (whole, states) = folder(false);
    let mut outcomes = [0, 0];
    for first in [1u64, 7] {
        let good = fs::read(segment(whole.path(), first)).expect("a segment");
        let last_line = good[..good.len() - 1].iter().rposition(|&byte| byte == b'\n').expect("lines") + 1;
        for byte in 0..good.len() {
            let other = quick_folder();
            copy(whole.path(), other.path());
            let mut bad = good.clone();
            bad[byte] ^= 1 << (byte % 8);
            fs::write(segment(other.path(), first), &bad).expect("written");
            let is_last = first == 7 && byte >= last_line;
            match try_open(other.path()) {
                Ok((sequence, model, notes)) => {
                    assert!(is_last, "byte {byte} of segment {first}, sequence {sequence}: {notes:?}");
                    assert_eq!((sequence, notes.len()), (11, 1), "{notes:?}");
                    assert!(model == states[11]);
                    let kept = fs::read_dir(other.path().join("models/m/epoch-0001/damaged")).expect("kept");
                    assert_eq!(kept.count(), 1);
                    outcomes[0] += 1;
                }
                Err(error) => {
                    assert!(!is_last, "byte {byte} of segment {first}: {error}");
                    let text = error.to_string();
                    assert!(text.contains("--repair") && text.contains("damaged at byte"), "{text}");
                    outcomes[1] += 1;
                }
            }
        }
    }
    assert!(outcomes[0] > 50 && outcomes[1] > 500, "{outcomes:?}");
}

#[test]
fn a_journal_cut_anywhere_keeps_its_whole_records() {
    let (whole, states) = folder(false);
    let good = fs::read(segment(whole.path(), 7)).expect("a segment");
    for length in 0..good.len() {
        let other = quick_folder();
        copy(whole.path(), other.path());
        // Some file systems leave zeros behind what was written.
        let zeros = vec![0; if length % 3 == 0 { 40 } else { 0 }];
        fs::write(segment(other.path(), 7), [&good[..length], &zeros].concat()).expect("written");
        let records = good[..length].iter().filter(|&&byte| byte == b'\n').count();
        let (sequence, model, _) = try_open(other.path()).expect("repaired");
        assert_eq!(sequence as usize, 6 + records, "{length} bytes");
        assert!(model == states[6 + records], "{length} bytes");
    }
}

#[test]
fn bad_snapshots_are_passed_over() {
    let (whole, states) = folder(true);
    let snap = |n: u64| format!("models/m/epoch-0001/snap/{n:012}.model");
    let good = fs::read(whole.path().join(snap(12))).expect("a snapshot");
    let step = good.len() / 97;
    for byte in (0..good.len()).step_by(step.max(1)).chain(0..64).chain([good.len() - 1]) {
        let other = quick_folder();
        copy(whole.path(), other.path());
        let mut bad = good.clone();
        bad[byte] ^= 1 << (byte % 8);
        fs::write(other.path().join(snap(12)), bad).expect("written");
        let (sequence, model, notes) = try_open(other.path()).expect("recovered from the one before");
        assert_eq!((sequence, notes.len()), (12, 1), "byte {byte}: {notes:?}");
        assert!(model == states[12], "byte {byte}");
    }
    for n in [6, 12] {
        fs::write(whole.path().join(snap(n)), b"nothing").expect("written");
    }
    let (sequence, model, notes) = try_open(whole.path()).expect("recovered from the base model");
    assert!(sequence == 12 && model == states[12] && notes.len() == 2, "{notes:?}");
}

#[test]
fn repair_keeps_what_is_before_the_damage_and_moves_the_rest_aside() {
    let (whole, states) = folder(true);
    let mut bad = fs::read(segment(whole.path(), 1)).expect("a segment");
    let third = bad.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(2).expect("lines").0;
    bad[third + 30] ^= 1;
    fs::write(segment(whole.path(), 1), &bad).expect("written");
    // The snapshot behind it is sound, but the ids in the journal are looked at, too.
    assert!(matches!(try_open(whole.path()), Err(Error::Damaged { .. })));
    assert!(!surefoot_server::check(whole.path(), 1).expect("checked")[0].problems.is_empty());
    let done = surefoot_server::repair(whole.path()).expect("repaired");
    assert!(done.len() == 4 && done[0].contains("kept the records up to 3"), "{done:?}");
    let (sequence, model, notes) = try_open(whole.path()).expect("recovered");
    assert!(sequence == 3 && model == states[3] && notes.is_empty(), "{sequence} {notes:?}");
    assert!(surefoot_server::check(whole.path(), 1).expect("checked")[0].problems.is_empty());
    assert!(surefoot_server::repair(whole.path()).expect("nothing to do").is_empty());
}

#[test]
fn check_notices_a_snapshot_that_no_journal_leads_to() {
    let (whole, states) = folder(true);
    assert!(surefoot_server::check(whole.path(), 1).expect("checked")[0].problems.is_empty());
    fs::write(whole.path().join("models/m/epoch-0001/snap/000000000012.model"), &states[11])
        .expect("written");
    let checked = surefoot_server::check(whole.path(), 1).expect("checked");
    assert!(checked[0].problems[0].contains("is not what the journal makes"), "{checked:?}");
}

#[test]
fn rollbacks_and_versions_are_epochs_of_their_own() {
    let case = &CASES[1];
    let folder = quick_folder();
    prepare(folder.path(), &case.model());
    let snapshots = SnapshotPolicy { examples: 25, ..SnapshotPolicy::default() };
    let (_lock, served) = open(folder.path(), surefoot_server::LearnPolicy { snapshots, ..policy() });
    let mut states = vec![bytes(&served)];
    for n in 0..90 {
        learn(&served, &[(case.row)(n)]);
        states.push(bytes(&served));
        if n == 59 {
            let seq = served.keep_version("sixty".into()).expect("sent").blocking_recv().expect("kept");
            assert_eq!(seq, Ok(60));
        }
    }
    let back = |to| served.roll_back(to).expect("sent").blocking_recv().expect("answered");
    assert!(
        back(surefoot_server::StreamPoint::Sequence(91)).is_err()
            && back(surefoot_server::StreamPoint::Version("no".into())).is_err()
    );
    assert_eq!(back(surefoot_server::StreamPoint::Sequence(77)), Ok(77));
    assert!(bytes(&served) == states[77] && served.state().epoch == 2);
    // What was learned behind it is new again, and what was before is not.
    assert!(matches!(
        learn(&served, &[(case.row)(80)])[..],
        [surefoot_server::Learnt::Learned { seq: 78, .. }]
    ));
    assert!(matches!(
        learn(&served, &[(case.row)(76)])[..],
        [surefoot_server::Learnt::Duplicate { seq: 77, .. }]
    ));
    assert!(bytes(&served) == trained(&served.folder().current().expect("an epoch"), 2));
    assert_eq!(back(surefoot_server::StreamPoint::Version("sixty".into())), Ok(60));
    assert!(bytes(&served) == states[60]);
    served.stop();
    drop(_lock);
    let (sequence, model, _) = try_open(folder.path()).expect("recovered");
    assert!(sequence == 60 && model == states[60]);
    // Ids of the epochs before are known after a start, too.
    let (_lock, served) = open(folder.path(), policy());
    assert!(matches!(
        learn(&served, &[(case.row)(40)])[..],
        [surefoot_server::Learnt::Duplicate { seq: 41, .. }]
    ));
    served.stop();
    let _ = Model::from_bytes(&model).expect("a model");
}
