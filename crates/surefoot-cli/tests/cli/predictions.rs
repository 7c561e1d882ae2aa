//! What `predict` says of an example agrees with itself, whatever was asked for.

use serde_json::Value;

use crate::run::{folder, json, root, stdout, write};
use crate::schema;

/// The labels of a line of numbers and labels in turn, and the numbers of each.
fn told(line: &str, numbers: usize) -> Vec<(String, Vec<f64>)> {
    let words: Vec<&str> = line.trim_end().split('\t').collect();
    let number = |word: &&str| word.parse().expect("a number");
    words.chunks(numbers + 1).map(|one| (one[0].to_string(), one[1..].iter().map(number).collect())).collect()
}

#[test]
fn a_tie_is_decided_once() {
    let folder = folder();
    write(folder.path(), "s.svm", "1 1:1\n-1 2:1\n");
    json(folder.path(), &["train", "s.svm", "--no-bias", "--learner", "arow", "-o", "m"]);
    write(folder.path(), "unknown.svm", "1 77:1\n");
    write(folder.path(), "huge.svm", "1 1:1e300\n");
    for name in ["unknown.svm", "huge.svm"] {
        let one = json(folder.path(), &["predict", "m", name]);
        let all = json(folder.path(), &["predict", "m", name, "--all-labels"]);
        assert_eq!((&one["label"], &all["label"]), (&Value::from("1"), &Value::from("1")));
        assert_eq!(one["probability"], all["probability"]);
        assert!(stdout(folder.path(), &["predict", "m", name, "--all-labels"]).starts_with("1\t"));
    }
}

#[test]
fn equal_labels_are_told_in_their_order() {
    let folder = folder();
    write(folder.path(), "s.svm", "3 1:1\n1 2:1\n2 3:1\n");
    write(folder.path(), "e.svm", "1\n");
    for learner in ["arow", "arow:decision=vote", "auto"] {
        json(folder.path(), &["train", "s.svm", "--no-bias", "--learner", learner, "-o", "m"]);
        let said = stdout(folder.path(), &["predict", "m", "e.svm", "--format", "svmlight", "--votes"]);
        assert_eq!(said, "1\t1.0\n", "{learner}");
        let all = stdout(folder.path(), &["predict", "m", "e.svm", "--format", "svmlight", "--votes", "-a"]);
        assert_eq!(all, "1\t1.0\t2\t0.0\t3\t0.0\n", "{learner}");
    }
}

#[test]
fn every_label_has_a_score_and_a_variance() {
    let (folder, data) = (folder(), root().join("examples/tickets.tsv"));
    let data = data.to_str().expect("UTF-8");
    for learner in ["auto", "arow"] {
        json(folder.path(), &["train", data, "--learner", learner, "-o", "m"]);
        let one = stdout(folder.path(), &["predict", "m", data, "--scores"]);
        let all = stdout(folder.path(), &["predict", "m", data, "--scores", "--all-labels"]);
        for (one, all) in one.lines().zip(all.lines()) {
            let (one, all) = (told(one, 2), told(all, 2));
            assert_eq!(one[0], all[0], "{learner}");
            assert_eq!(all.len(), 6);
            assert!(all.iter().all(|(_, numbers)| numbers[0] <= one[0].1[0] && numbers[1] > 0.0), "{all:?}");
            // What members agree on would be 0 if the scores of an ensemble were told as they are.
            assert!(learner != "auto" || one[0].1[0] > 0.0, "{one:?}");
        }
    }
    let lines = stdout(folder.path(), &["predict", "m", data, "--json", "--all-labels"]);
    let line: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line["variances"][line["label"].as_str().expect("a label")], line["variance"]);
    assert_eq!(line["variances"].as_object().map(serde_json::Map::len), Some(6));
}

#[test]
fn what_is_too_large_for_a_number_is_as_the_schema_says() {
    let folder = folder();
    write(folder.path(), "three.svm", "0 1:1e160\n1 2:1e160\n2 3:1e160\n");
    write(folder.path(), "two.svm", "1 1:1\n-1 2:1\n");
    write(folder.path(), "huge.svm", "1 1:1e300\n");
    for (data, learner, raw) in [
        ("three.svm", "auto", false),
        ("three.svm", "arow", true),
        ("two.svm", "auto", false),
        ("two.svm", "arow", true),
    ] {
        let none = if raw { &["--normalize", "none", "--values", "none"][..] } else { &[] };
        json(folder.path(), &[&["train", data, "--learner", learner, "-o", "m"], none].concat());
        for data in [data, "huge.svm"] {
            let said = stdout(folder.path(), &["predict", "m", data, "--json", "--votes", "--all-labels"]);
            for line in said.lines() {
                let line: Value = serde_json::from_str(line).expect("JSON");
                schema::check(&schema::load("predict.json"), &line);
                assert!(line["vote"].is_number() && line["probability"].is_number(), "{line}");
            }
        }
    }
}
