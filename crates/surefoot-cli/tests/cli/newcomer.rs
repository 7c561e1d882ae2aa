//! What newcomers type, and what they bring along: nothing is guessed without a word, and nothing that was said is ignored.

use crate::run::{failure, folder, json, read, run, run_with, stdout, write};
use crate::schema::{check, load};

#[test]
fn labels_that_are_called_like_columns() {
    let folder = folder();
    for (first, second) in [("y", "n"), ("target", "other"), ("review", "advert"), ("title", "body")] {
        let lines = format!("{first}\tgood film\n{second}\tbad film\n{first}\tgreat\n");
        write(folder.path(), "d.tsv", lines);
        let report = json(folder.path(), &["train", "d.tsv"]);
        assert_eq!((&report["examples"], &report["labels"]), (&3.into(), &2.into()), "{first}");
    }
    write(folder.path(), "h.tsv", "y\tage\n1\t31\n0\t7\n1\t44\n");
    assert_eq!(json(folder.path(), &["train", "h.tsv"])["examples"], 3, "a header all the same");
}

#[test]
fn a_sentence_with_a_comma_is_no_table() {
    let folder = folder();
    write(folder.path(), "d.tsv", "good\tfine film\nbad\tdull film\n");
    json(folder.path(), &["train", "d.tsv", "-o", "m"]);
    for text in ["fine film, I say\n", "I saw a fine film, and a dull one\nit was a dull evening, I say\n"] {
        // A model of text reads text; without one it cannot be told.
        let output = run_with(folder.path(), &["predict", "m", "-"], text.as_bytes());
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), text.lines().count(), "{text}");
        let output = run_with(folder.path(), &["train", "-"], text.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("the format cannot be told"), "{text}");
    }
}

#[test]
fn parquet_is_read() {
    let folder = folder();
    write(folder.path(), "d.parquet", "PAR1 and then nothing that makes sense PAR1");
    let (code, message) = failure(folder.path(), &["train", "d.parquet"]);
    assert_eq!(code, Some(1));
    assert!(!message.contains("does not read"), "{message}");
    assert!(stdout(folder.path(), &["train", "--help"]).contains("parquet"));
}

#[test]
fn a_model_that_goes_on_does_so_as_it_began() {
    let folder = folder();
    write(folder.path(), "d.svm", "1 1:1\n-1 2:1\n1 1:2 3:1\n");
    json(folder.path(), &["train", "d.svm", "--seed", "7", "-o", "m"]);
    for (said, what) in [
        (&["--task", "multiclass"][..], "another task"),
        (&["--labels", "1,-1,0"], "other labels"),
        (&["--seed", "8"], "another seed"),
        (&["--no-bias"], "other feature settings"),
    ] {
        let (code, message) = failure(folder.path(), &[&["train", "d.svm", "--resume", "m"], said].concat());
        assert!(code == Some(2) && message.contains(what), "{said:?}: {message}");
    }
    let same = ["--task", "binary", "--labels", "1,-1", "--seed", "7"];
    json(folder.path(), &[&["train", "d.svm", "--resume", "m"][..], &same].concat());
}

#[test]
fn control_characters_of_the_data_end_no_line() {
    let folder = folder();
    let lines: String =
        (0..9).map(|_| "{\"label\":\"a\\nb\",\"x\\ny\":1}\n{\"label\":\"c\\td\\u001b\",\"y\":1}\n").collect();
    write(folder.path(), "d.jsonl", lines);
    stdout(folder.path(), &["train", "d.jsonl", "-o", "m", "--learner", "arow", "--predictions", "p"]);
    let predictions = String::from_utf8(read(folder.path(), "p")).expect("text");
    assert_eq!(predictions.lines().count(), 18);
    assert!(predictions.lines().all(|line| line.split('\t').count() == 4), "{predictions}");
    let predicted = stdout(folder.path(), &["predict", "m", "d.jsonl"]);
    assert!(predicted.lines().eq((0..9).flat_map(|_| ["a\\nb", "c\\td\\u{1b}"])), "{predicted}");
    for command in [
        &["inspect", "m", "--all"][..],
        &["inspect", "m"],
        &["test", "m", "d.jsonl"],
        &["explain", "m", "d.jsonl"],
    ] {
        let text = stdout(folder.path(), command);
        assert!(!text.contains('\u{1b}') && !text.contains("x\ny"), "{command:?}: {text}");
    }
    // JSON has its own way.
    let listed = json(folder.path(), &["inspect", "m"]);
    assert_eq!(listed["labels"], serde_json::json!(["a\nb", "c\td\u{1b}"]));
}

#[test]
fn one_rule_as_json_and_the_version_of_a_model() {
    let folder = folder();
    let one = json(folder.path(), &["rules", "arow"]);
    check(&load("rules.json"), &one);
    assert_eq!(one["rules"].as_array().map(Vec::len), Some(1));
    write(folder.path(), "d.svm", "1 1:1\n-1 2:1\n");
    json(folder.path(), &["train", "d.svm", "--learner", "arow", "-o", "m"]);
    let model = json(folder.path(), &["inspect", "m"]);
    check(&load("inspect.json"), &model);
    assert_eq!(model["version"], 1);
}

#[test]
fn what_is_named_and_not_there() {
    let folder = folder();
    write(folder.path(), "d.tsv", "good\tfine film\nbad\tdull film\n");
    let output = run(folder.path(), &["train", "d.tsv", "--class-weight", "god=2,bad=3"]);
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && notes.contains("no example has the label `god`"), "{notes}");
    assert!(!notes.contains("`bad`"), "{notes}");
}

#[test]
fn messages_stay_short_whatever_the_data() {
    let folder = folder();
    let long = "é".repeat(1 << 20);
    write(folder.path(), "d.tsv", format!("{long}a\tx y\n{long}b\tz\n{long}c\tu\n"));
    let (_, message) = failure(folder.path(), &["train", "d.tsv", "--task", "binary"]);
    assert!(message.len() < 1000 && message.contains("third label"), "{} bytes", message.len());
    let report = stdout(folder.path(), &["train", "d.tsv"]);
    assert!(report.len() < 20_000, "{} bytes", report.len());
    write(folder.path(), "u.tsv", [&b"\xff".repeat(1 << 20)[..], b"\tx\nb\ty\n"].concat());
    let (_, message) = failure(folder.path(), &["train", "u.tsv"]);
    assert!(message.len() < 1000 && message.contains("not valid UTF-8"), "{} bytes", message.len());
}
