//! At any time the served model is what `train` makes of its journal, byte for byte.

use crate::common::{CASES, bytes, learn, open, policy, prepare, trained};
use surefoot_server::{Learnt, SnapshotPolicy};

/// The epoch of a served model.
fn epoch(served: &surefoot_server::Served) -> surefoot_server::Epoch {
    served.folder().current().expect("an epoch")
}

#[test]
fn served_models_are_what_train_makes_of_their_journals() {
    for case in CASES {
        let folder = tempfile::tempdir().expect("a folder");
        prepare(folder.path(), &case.model());
        let (_lock, served) = open(folder.path(), policy());
        let mut next = 0u64;
        for size in [1usize, 1, 5, 70, 1, 200, 333] {
            let rows: Vec<String> = (next..next + size as u64).map(case.row).collect();
            let answers = learn(&served, &rows);
            next += size as u64;
            assert!(
                matches!(answers.last(), Some(Learnt::Learned { seq, .. }) if *seq == next),
                "{answers:?}"
            );
            for threads in [1, 3] {
                assert!(bytes(&served) == trained(&epoch(&served), threads), "{} after {next}", case.name);
            }
        }
        assert_eq!(served.monitor().examples, next);
        served.stop();
    }
}

#[test]
fn and_after_starting_anew_with_and_without_snapshots() {
    for case in CASES {
        let folder = tempfile::tempdir().expect("a folder");
        prepare(folder.path(), &case.model());
        for round in 0..4u64 {
            let snapshots = SnapshotPolicy { examples: 40, ..SnapshotPolicy::default() };
            let (_lock, served) = open(folder.path(), surefoot_server::LearnPolicy { snapshots, ..policy() });
            assert_eq!(served.state().sequence, round * 100);
            assert!(bytes(&served) == trained(&epoch(&served), 2), "{} at start {round}", case.name);
            for n in 0..100 {
                learn(&served, &[(case.row)(round * 100 + n)]);
            }
            assert!(bytes(&served) == trained(&epoch(&served), 2), "{} in round {round}", case.name);
            assert_eq!(served.monitor().examples, (round + 1) * 100, "{}", case.name);
            served.stop();
        }
        let checked = surefoot_server::check(folder.path(), 2).expect("checked");
        assert_eq!(
            (checked[0].records, checked[0].snapshot, checked[0].problems.len()),
            (400, Some(400), 0),
            "{checked:?}"
        );
    }
}

#[test]
fn the_data_of_the_base_model_again_is_learned_again() {
    // `train --resume` would take a file that begins like the model's own data for a repetition. A journal is none.
    let case = &CASES[0];
    let rows: Vec<String> = (0..60).map(case.row).collect();
    let mut model = case.model();
    let source = surefoot::data::Source::memory("rows.jsonl", rows.join("\n").into_bytes());
    let options = surefoot::train::TrainOptions::default();
    (model, _) = surefoot::train::resume(model, vec![source], &options, &mut surefoot::train::Silent)
        .expect("trained");
    let folder = tempfile::tempdir().expect("a folder");
    prepare(folder.path(), &model);
    let (_lock, served) = open(folder.path(), policy());
    learn(&served, &rows);
    assert!(bytes(&served) == trained(&epoch(&served), 2));
    assert_eq!(served.state().model.counts().examples, 120);
    served.stop();
}

#[test]
fn an_id_is_learned_once() {
    let case = &CASES[1];
    let folder = tempfile::tempdir().expect("a folder");
    prepare(folder.path(), &case.model());
    for round in 0..3 {
        let (_lock, served) = open(folder.path(), policy());
        let rows: Vec<String> = (0..50).chain(0..50).map(case.row).collect();
        let answers = learn(&served, &rows);
        let learned = answers.iter().filter(|answer| matches!(answer, Learnt::Learned { .. })).count();
        assert_eq!(learned, if round == 0 { 50 } else { 0 });
        assert!(matches!(answers[63], Learnt::Duplicate { seq: 14, .. }), "{:?}", answers[63]);
        served.stop();
    }
}
