//! `train --compact`: a smaller file that every command reads, and that predicts nearly the same.

use crate::run::{failure, folder, generate, json, read, root, run, stdout, write};
use crate::schema;

/// The tickets of the examples.
fn tickets() -> String {
    root().join("examples/tickets.tsv").to_str().expect("UTF-8").to_string()
}

#[test]
fn a_compact_model_is_smaller_and_predicts_nearly_the_same() {
    let (folder, data) = (folder(), tickets());
    for learner in ["auto", "arow", "logistic/diagonal", "cw-var/diagonal:top=2"] {
        let train = ["train", &data, "--learner", learner, "--progress", "never"];
        json(folder.path(), &[&train[..], &["-o", "whole"]].concat());
        let report =
            json(folder.path(), &[&train[..], &["-o", "small", "--compact", "--test", &data]].concat());
        schema::check(&schema::load("train.json"), &report);
        let bytes = |name: &str| read(folder.path(), name).len();
        assert_eq!(report["compact"]["bytes"]["before"], bytes("whole"), "{learner}");
        assert_eq!(report["compact"]["bytes"]["after"], bytes("small"), "{learner}");
        // The members of `auto` are in single precision already, and with few tickets each word says something to one of them.
        let most = if learner == "auto" { bytes("whole") } else { bytes("whole") * 3 / 4 };
        assert!(bytes("small") <= most, "{learner}: {} of {}", bytes("small"), bytes("whole"));
        let costs = &report["compact"]["test"]["error_rate"];
        let cost = costs["after"].as_f64().expect("a number") - costs["before"].as_f64().expect("a number");
        assert!(cost < 0.05, "{learner}: {costs}");
        assert!(report["compact"]["test"]["log_loss"]["after"].is_number());
        // Every command reads it.
        for command in [
            &["predict", "small", &data, "--scores", "--votes", "--probabilities"][..],
            &["test", "small", &data],
            &["explain", "small", &data],
            &["inspect", "small", "--all"],
            &["merge", "small", "small", "-o", "merged"],
            &["train", &data, "--resume", "small", "-o", "on"],
        ] {
            assert!(run(folder.path(), command).status.success(), "{learner}: {command:?}");
        }
        assert!(bytes("on") >= bytes("small"), "{learner}: what was dropped is met again");
    }
}

#[test]
fn what_says_something_is_kept_as_it_was() {
    let folder = folder();
    // Every word speaks for a label, but for one that stands with both.
    let rows = "good\tfine film and fine play\nbad\tdull film and dull play\n".repeat(40);
    write(folder.path(), "d.tsv", rows);
    write(folder.path(), "one.tsv", "good\tfine fine dull\n");
    for learner in
        ["arow", "ensemble(arow@sqrt+l2; scw1@none)", "ensemble(arow/compact@sqrt+l2; logistic/compact@none)"]
    {
        json(folder.path(), &["train", "d.tsv", "--learner", learner, "-o", "whole"]);
        json(folder.path(), &["train", "d.tsv", "--learner", learner, "-o", "small", "--compact"]);
        let weights = |name: &str| stdout(folder.path(), &["inspect", name, "--all"]);
        assert!(weights("small").contains("fine\t") && weights("small").contains("(bias)\t"));
        let score = |name: &str| {
            let line = stdout(folder.path(), &["predict", name, "one.tsv", "--scores"]);
            let score: f64 = line.split('\t').nth(1).expect("a score").parse().expect("a number");
            score
        };
        let (whole, small) = (score("whole"), score("small"));
        assert!((whole - small).abs() < 1e-5 * whole.abs().max(1.0), "{learner}: {whole} {small}");
    }
}

#[test]
fn people_are_told_what_it_costs() {
    let folder = folder();
    let tickets = tickets();
    let train = ["train", &tickets, "--compact", "-o", "m", "--progress", "never"];
    let said = stdout(folder.path(), &train);
    assert!(said.contains("compact: ") && said.contains("train with --test FILE"), "{said}");
    let said = stdout(folder.path(), &[&train[..], &["--test", &tickets]].concat());
    assert!(said.contains("held-out examples: error ") && said.contains(", log loss "), "{said}");
}

#[test]
fn hashed_and_scaled_features_stay_and_other_stores_are_refused() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "300"]);
    for flags in [&["--bits", "10"][..], &["--scale-features", "rms"], &["--scale-features", "standardize"]] {
        let train = [&["train", "points.svm", "--learner", "arow", "--compact", "-o", "m"], flags].concat();
        json(folder.path(), &train);
        stdout(folder.path(), &["test", "m", "points.svm"]);
        assert!(run(folder.path(), &["train", "points.svm", "--resume", "m"]).status.success(), "{flags:?}");
    }
    for learner in ["arow/full", "arow/factored", "pa/identity"] {
        let (code, message) =
            failure(folder.path(), &["train", "points.svm", "--learner", learner, "--compact", "-o", "x"]);
        assert!(code == Some(2) && message.contains("--compact is for auto and the stores"), "{message}");
        assert!(!folder.path().join("x").exists());
    }
    // Dense rows: one has joined that cannot be made smaller, and nothing is lost.
    write(folder.path(), "dense.svm", "1 1:1 2:2 3:0.5\n-1 1:2 2:1 3:1\n".repeat(80));
    let output = run(folder.path(), &["train", "dense.svm", "--compact", "-o", "whole"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("saved whole"), "{said}");
    assert!(run(folder.path(), &["inspect", "whole"]).status.success());
}
