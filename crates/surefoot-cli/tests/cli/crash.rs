//! `kill -9` at any moment of a checkpointing run: the model on disk is whole, and the run goes on from it.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::run::{PROGRAM, folder, generate, json, read};

const TRIALS: u64 = 100;

#[test]
fn a_killed_run_leaves_a_model_that_goes_on() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["zipf", "-n", "1500"]);
    let whole = json(folder.path(), &["train", "points.svm", "-o", "whole", "--task", "binary"]);
    let mut random = surefoot::data::Random::new(1);
    let (mut early, mut midway) = (0, 0);
    for _ in 0..TRIALS {
        let _ = std::fs::remove_file(folder.path().join("m"));
        let mut child = Command::new(PROGRAM)
            .args(["train", "points.svm", "-o", "m", "--task", "binary", "--checkpoint-every", "20"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_micros(random.below(60_000)));
        child.kill().expect("a signal");
        child.wait().expect("it ends");
        if !folder.path().join("m").exists() {
            early += 1;
            continue;
        }
        let seen = json(folder.path(), &["inspect", "m"])["counts"]["examples"].as_u64().expect("a count");
        assert!(seen.is_multiple_of(20) || seen == 1500, "a checkpoint, or the end: {seen}");
        midway += u64::from(seen < 1500);
        let rest =
            json(folder.path(), &["train", "points.svm", "--resume", "m", "--skip", "seen", "-o", "m"]);
        assert_eq!(rest["examples"].as_u64(), Some(1500 - seen));
        assert_eq!(read(folder.path(), "m"), read(folder.path(), "whole"));
    }
    assert_eq!(whole["examples"], 1500);
    assert!(early + midway > 0, "no run was interrupted");
}
