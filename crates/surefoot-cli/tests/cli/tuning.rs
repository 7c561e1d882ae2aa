//! `compare` and `tune` beside the default, and what `tune` saves.

use std::path::Path;

use crate::run::{failure, folder, generate, json, read, run, run_with, stdout, write};
use crate::schema;

/// Mail whose label is the order of its words.
fn orders(folder: &Path) {
    let line = |i: usize| match (i * 37 % 1009) % 2 {
        0 => format!("yes\tgood {} not bad\n", i % 3),
        _ => format!("no\tbad {} not good\n", i % 3),
    };
    write(folder, "orders.tsv", (0..300).map(line).collect::<String>());
}

/// The learners of the rows of a table, and which is the default.
fn learners(table: &serde_json::Value) -> Vec<(String, bool)> {
    let rows = table["rows"].as_array().expect("rows");
    let learner = |row: &serde_json::Value| row["learner"].as_str().expect("a learner").to_string();
    rows.iter().map(|row| (learner(row), row["default"].as_bool().expect("a flag"))).collect()
}

#[test]
fn the_default_is_compared_too() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "90"]);
    let compared =
        |flags: &[&str]| learners(&json(folder.path(), &[&["compare", "points.svm"], flags].concat()));
    let every = compared(&[]);
    assert_eq!(every.last(), Some(&("auto".to_string(), true)));
    assert_eq!(every.iter().filter(|(_, default)| *default).count(), 1);
    let some =
        |names: &[&str]| names.iter().map(|name| (name.to_string(), *name == "auto")).collect::<Vec<_>>();
    assert_eq!(compared(&["--learner", "arow"]), some(&["arow", "auto"]));
    assert_eq!(compared(&["--learner", "auto", "--learner", "pa"]), some(&["auto", "pa"]));
    assert_eq!(compared(&["--learner", "arow", "--no-default"]), some(&["arow"]));
    let text = stdout(folder.path(), &["compare", "points.svm", "--learner", "arow"]);
    assert!(text.contains(" auto, the default  "), "{text}");
}

#[test]
fn the_default_is_compared_as_the_flags_make_it() {
    let folder = folder();
    orders(folder.path());
    for flags in
        [&["--values", "binary"][..], &["--ngrams", "1-2"], &["--scale-features", "rms", "--no-bias"]]
    {
        let plain = json(folder.path(), &[&["train", "orders.tsv"], flags].concat());
        for command in [&["compare", "orders.tsv", "--learner", "auto"][..], &["tune", "orders.tsv"]] {
            let table = json(folder.path(), &[command, flags].concat());
            let row =
                table["rows"].as_array().and_then(|rows| rows.iter().find(|row| row["default"] == true));
            let figures = |row: &serde_json::Value| (row["mistakes"].clone(), row["log_loss"].clone());
            assert_eq!(row.map(figures), Some(figures(&plain)), "{command:?} {flags:?}");
        }
    }
}

/// The command that `tune` says is next.
fn next(text: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("  surefoot train ")).expect("a next line");
    let words = line.split(' ').map(|word| word.trim_matches('\'').replace("MODEL", "next"));
    std::iter::once("train".to_string()).chain(words).collect()
}

#[test]
fn what_is_saved_is_what_training_with_the_flags_of_the_first_row_makes() {
    let folder = folder();
    orders(folder.path());
    generate(folder.path(), "points.svm", &["coins", "-n", "90"]);
    for flags in [
        &["points.svm"][..],
        &["points.svm", "--learner", "arow:r=0.1|1", "--no-default", "--no-bias", "--metric=log-loss"],
        &[
            "points.svm",
            "--learner",
            "arow/full:r=0.1|1",
            "--passes",
            "2",
            "--shuffle",
            "--top=1",
            "--normalize",
            "none",
        ],
        &["orders.tsv", "--learner", "perceptron", "--learner", "pa", "--metric", "log-loss"],
        &["orders.tsv", "--features", "--budget", "1e6", "--keep-case"],
        &["orders.tsv", "--learner", "arow:r=0.1", "--no-default", "--features", "--metric", "roc-auc"],
    ] {
        stdout(folder.path(), &[&["tune"], flags, &["-o", "tuned"]].concat());
        let text = stdout(folder.path(), &[&["tune"], flags].concat());
        let command = next(&text);
        stdout(folder.path(), &command.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(read(folder.path(), "tuned") == read(folder.path(), "next"), "{flags:?}: {command:?}");
    }
}

#[test]
fn it_says_that_the_default_is_better() {
    let folder = folder();
    orders(folder.path());
    let worse = ["tune", "orders.tsv", "--ngrams", "1-2", "--learner", "perceptron", "--metric", "log-loss"];
    let text = stdout(folder.path(), &worse);
    let said = "The default, auto, is better than the best setting found: ";
    assert!(text.contains(said) && text.contains(" of perceptron/"), "{text}");
    assert!(text.contains("  auto, the default\n"), "{text}");
    stdout(folder.path(), &[&worse[..], &["-o", "tuned"]].concat());
    stdout(folder.path(), &["train", "orders.tsv", "--ngrams", "1-2", "-o", "plain"]);
    assert!(read(folder.path(), "tuned") == read(folder.path(), "plain"));
    let alone = stdout(folder.path(), &["tune", "orders.tsv", "--learner", "auto"]);
    assert!(alone.starts_with("1 setting on 300 examples") && !alone.contains(said), "{alone}");
}

#[test]
fn features_are_searched_within_a_budget() {
    let folder = folder();
    orders(folder.path());
    let search = ["tune", "orders.tsv", "--learner", "arow:r=0.1", "--features"];
    let text = stdout(folder.path(), &search);
    assert!(text.contains(" --ngrams 1-") && !text.contains("not tried"), "{text}");
    let first = stdout(folder.path(), &[&search[..], &["--budget", "0"]].concat());
    assert!(first.starts_with("1 setting on 300 examples"), "{first}");
    assert!(
        first.contains("not tried, for lack of time: arow/diagonal") && first.contains("auto --ngrams 1-2"),
        "{first}"
    );
    let table = json(folder.path(), &[&search[..], &["--budget", "0"]].concat());
    schema::check(&schema::load("tune.json"), &table);
    assert!(table["untried"].as_array().is_some_and(|untried| untried.len() > 3), "{table}");
    // What flags settle stays.
    let settled =
        ["--ngrams", "1-1", "--char-ngrams", "none", "--values", "sqrt", "--scale-features", "none"];
    let table = json(folder.path(), &[&search[..], &settled].concat());
    assert_eq!(learners(&table).len(), 2, "{table}");
}

#[test]
fn standard_input_is_compared_without_the_default() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "60"]);
    let points = read(folder.path(), "points.svm");
    for command in ["compare", "tune"] {
        let piped = [command, "-", "--learner", "arow", "--format", "svmlight"];
        let (noted, alone) = (
            run_with(folder.path(), &piped, &points),
            run_with(folder.path(), &[&piped[..], &["--no-default"]].concat(), &points),
        );
        assert!(noted.status.success() && alone.status.success());
        let said = String::from_utf8_lossy(&noted.stderr);
        assert!(said.starts_with("note: standard input can be read only once, so the default"), "{said}");
        assert!(alone.stderr.is_empty());
    }
    let (code, said) =
        failure(folder.path(), &["tune", "-", "--features", "--no-default", "--format", "svmlight"]);
    assert!(
        code == Some(1) && said.contains("read only once") && said.contains("put it into a file"),
        "{said}"
    );
}

#[test]
fn raw_measurements_are_hinted_at() {
    let folder = folder();
    let line =
        |i: usize| format!("{},{},{}\n", ["a", "b"][i % 2], 0.1 + (i % 7) as f64, 10_000 + 999 * (i % 11));
    let table = "label,small,large\n".to_string() + &(0..200).map(line).collect::<String>();
    write(folder.path(), "d.csv", table);
    let said = |flags: &[&str]| {
        let output = run(folder.path(), &[&["train", "d.csv"], flags].concat());
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let note = said(&[]);
    assert!(
        note.starts_with("note: features differ in scale by a factor of ")
            && note.contains("tune … --features"),
        "{note}"
    );
    assert_eq!(said(&["--scale-features", "standardize"]), "");
}
