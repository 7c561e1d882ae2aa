//! `--class-weight balanced`: labels count alike, however rare some are.

use crate::run::{folder, json, read, run, stdout, write};

/// Rows of two labels, one of them rare, in which no feature says much.
fn rows(from: usize, to: usize) -> String {
    let label = |at: usize| if at % 13 == 5 { "rare" } else { "usual" };
    let row = |at: usize| format!("{}\tw{} w{} w{}\n", label(at), at % 5, (at * at) % 7, at % 13 % 4);
    (from..to).map(row).collect()
}

#[test]
fn rare_labels_are_found_more_often() {
    let folder = folder();
    write(folder.path(), "d.tsv", rows(0, 900));
    for learner in ["auto", "arow", "logistic"] {
        let recall = |more: &[&str]| {
            json(folder.path(), &[&["train", "d.tsv", "--learner", learner, "-o", "m"], more].concat());
            let found = json(folder.path(), &["test", "m", "d.tsv"]);
            let classes = found["classes"].as_array().expect("classes").clone();
            let rare = classes.iter().find(|own| own["label"] == "rare").expect("the rare label");
            rare["recall"].as_f64().expect("a number")
        };
        let (plain, balanced) = (recall(&[]), recall(&["--class-weight", "balanced"]));
        assert!(balanced > plain, "{learner}: {plain} {balanced}");
    }
}

#[test]
fn the_weights_are_those_of_the_stream_so_far() {
    let folder = folder();
    // The same weights written by hand: n/(K·nₖ) of the examples so far.
    let labels = ["a", "a", "b", "a", "c", "b", "a"];
    let (mut counts, mut by_hand, mut plain) =
        (std::collections::BTreeMap::new(), String::new(), String::new());
    for (before, label) in labels.iter().enumerate() {
        *counts.entry(*label).or_insert(0) += 1;
        let weight = (before + 1) as f64 / (counts.len() as f64 * f64::from(counts[label]));
        by_hand +=
            &format!("{{\"label\": \"{label}\", \"weight\": {weight:?}, \"x\": {before}, \"y\": 1}}\n");
        plain += &format!("{{\"label\": \"{label}\", \"x\": {before}, \"y\": 1}}\n");
    }
    write(folder.path(), "hand.jsonl", by_hand);
    write(folder.path(), "plain.jsonl", plain);
    for learner in ["auto", "arow", "nherd"] {
        let rounds = |data: &str, more: &[&str]| {
            let usual = ["train", data, "--learner", learner, "-o", "m", "--predictions", "rounds", "-q"];
            stdout(folder.path(), &[&usual[..], more].concat());
            String::from_utf8(read(folder.path(), "rounds")).expect("UTF-8")
        };
        assert_eq!(
            rounds("plain.jsonl", &["--class-weight", "balanced"]),
            rounds("hand.jsonl", &[]),
            "{learner}"
        );
        assert_ne!(rounds("plain.jsonl", &[]), rounds("hand.jsonl", &[]), "{learner}");
    }
}

#[test]
fn threads_and_interruptions_make_no_difference() {
    let folder = folder();
    write(folder.path(), "all.tsv", rows(0, 700));
    write(folder.path(), "one.tsv", rows(0, 300));
    write(folder.path(), "two.tsv", rows(300, 700));
    let balanced = ["--class-weight", "balanced,rare=2", "-q"];
    let train = |arguments: &[&str]| stdout(folder.path(), &[&["train"], arguments, &balanced].concat());
    for learner in ["auto", "arow"] {
        train(&["all.tsv", "-o", "all", "--learner", learner, "--threads", "1"]);
        train(&["all.tsv", "-o", "more", "--learner", learner, "--threads", "3"]);
        train(&["one.tsv", "-o", "part", "--learner", learner]);
        train(&["two.tsv", "--resume", "part", "-o", "parts"]);
        assert!(read(folder.path(), "all") == read(folder.path(), "more"), "{learner}");
        assert!(read(folder.path(), "all") == read(folder.path(), "parts"), "{learner}");
        // A model that began so goes on so.
        stdout(
            folder.path(),
            &["train", "two.tsv", "--resume", "part", "-o", "parts", "--class-weight", "rare=2", "-q"],
        );
        assert!(read(folder.path(), "all") == read(folder.path(), "parts"), "{learner}");
        train(&["all.tsv", "-o", "passes", "--learner", learner, "--passes", "3", "--threads", "1"]);
        train(&["all.tsv", "-o", "again", "--learner", learner, "--passes", "3", "--threads", "3"]);
        assert!(read(folder.path(), "passes") == read(folder.path(), "again"), "{learner}");
    }
    // Merged models have counted what each has.
    train(&["one.tsv", "-o", "one", "--learner", "arow"]);
    train(&["two.tsv", "-o", "two", "--learner", "arow"]);
    stdout(folder.path(), &["merge", "one", "two", "-o", "both"]);
    let report = json(folder.path(), &["train", "one.tsv", "--resume", "both"]);
    assert_eq!(report["class_weight"], "balanced");
}

#[test]
fn the_report_says_that_weights_were_used() {
    let folder = folder();
    write(folder.path(), "d.tsv", rows(0, 100));
    let said = stdout(folder.path(), &["train", "d.tsv", "--class-weight", "balanced"]);
    assert!(said.contains("--class-weight balanced"), "{said}");
    let report = json(folder.path(), &["train", "d.tsv", "--class-weight", "balanced"]);
    assert_eq!(report["class_weight"], "balanced");
    assert!(json(folder.path(), &["train", "d.tsv"]).get("class_weight").is_none());
    let unused =
        run(folder.path(), &["train", "d.tsv", "--class-weight", "balanced", "--learner", "cw-stdev"]);
    assert!(String::from_utf8_lossy(&unused.stderr).contains("takes no notice of importance weights"));
    for command in
        [&["compare", "d.tsv", "--learner", "arow"][..], &["tune", "d.tsv", "--learner", "arow:r=1"]]
    {
        let plain = json(folder.path(), command);
        assert_ne!(plain, json(folder.path(), &[command, &["--class-weight", "balanced"]].concat()));
    }
}
