//! `generate --drift`: two files as one stream that changes.

use crate::run::{failure, folder, generate, read, run_with, stdout, write};

/// Rows that say which file they are from, and which of its rows they are.
fn rows(name: &str, count: usize) -> String {
    (1..=count).map(|row| format!("{name}\tword{row}\n")).collect()
}

#[test]
fn abrupt_gradual_and_recurring() {
    let folder = folder();
    write(folder.path(), "a.tsv", rows("a", 200));
    write(folder.path(), "b.tsv", rows("b", 300));
    let drift = |rest: &[&str]| {
        let arguments = [&["generate", "--drift", "a.tsv", "b.tsv"], rest].concat();
        stdout(folder.path(), &arguments)
    };
    let abrupt = drift(&["--at", "150"]);
    assert_eq!(abrupt, rows("a", 150) + &rows("b", 300));
    assert_eq!(drift(&["--at", "150", "--width", "1"]), abrupt);
    assert_eq!(drift(&["--at", "150", "-n", "160"]), rows("a", 150) + &rows("b", 10));
    assert_eq!(drift(&["--at", "0"]), rows("b", 300));
    // Back and forth: each file goes on where it was left, and the stream ends with the one whose turn it is.
    let labels = |text: &str| text.lines().map(|line| &line[..1]).collect::<String>();
    let recurring = drift(&["--at", "100", "--period", "50"]);
    let blocks =
        ["a".repeat(100), "b".repeat(50), "a".repeat(50), "b".repeat(50), "a".repeat(50), "b".repeat(50)];
    assert_eq!(labels(&recurring), blocks.concat());
    assert!(recurring.contains("a\tword101\n") && recurring.contains("b\tword51\n"));
    // Gradually: of both around the change, of one far from it; a seed is a stream.
    let gradual = |seed| drift(&["--at", "100", "--width", "40", "--seed", seed, "-n", "250"]);
    let found = labels(&gradual("1"));
    assert!(found.starts_with(&"a".repeat(30)) && found.ends_with(&"b".repeat(50)), "{found}");
    assert!(found[80..120].contains("ba"), "{found}");
    assert_eq!(gradual("1"), gradual("1"));
    assert_ne!(gradual("1"), gradual("2"));
}

#[test]
fn files_of_any_format_become_one() {
    let folder = folder();
    write(folder.path(), "a.csv", "label,text,size\nspam,\"cheap, pills\",2\nham,lunch,1\n");
    write(
        folder.path(),
        "b.jsonl",
        "{\"label\": \"spam\", \"text\": \"offer\"}\n{\"label\": \"ham\", \"age\": 3}\n",
    );
    let drift = |rest: &[&str]| stdout(folder.path(), &[&["generate", "--drift"], rest].concat());
    // As the first file, as the output is named, as --to says.
    assert_eq!(
        drift(&["a.csv", "b.jsonl", "--at", "1"]),
        "label,text,size,age\nspam,\"cheap, pills\",2,\nspam,offer,,\nham,,,3\n"
    );
    assert_eq!(drift(&["b.jsonl", "a.csv", "--at", "1", "-n", "2"]).lines().count(), 2);
    drift(&["a.csv", "b.jsonl", "--at", "1", "-o", "both.jsonl"]);
    let expected: &[u8] =
        b"{\"label\": \"spam\", \"text\": \"cheap, pills\", \"size\": 2}\n{\"label\": \"spam\", \"text\": \"offer\"}\n{\"label\": \"ham\", \"age\": 3}\n";
    assert_eq!(read(folder.path(), "both.jsonl"), expected);
    // Numbers of both, and a pipe.
    generate(folder.path(), "sea.svm", &["sea", "-n", "50"]);
    generate(folder.path(), "coins.svm", &["coins", "-n", "50"]);
    let mixed = drift(&["sea.svm", "coins.svm", "--at", "20"]);
    let lines = |name: &str, count| {
        let text = String::from_utf8(read(folder.path(), name)).expect("UTF-8");
        text.lines().take(count).map(|line| format!("{line}\n")).collect::<String>()
    };
    assert_eq!(
        mixed.replace(".0 ", " ").replace(".0\n", "\n"),
        (lines("sea.svm", 20) + &lines("coins.svm", 50)).replace(".0 ", " ").replace(".0\n", "\n")
    );
    let piped = run_with(
        folder.path(),
        &["generate", "--drift", "-", "coins.svm", "--at", "20", "--to", "svmlight"],
        &read(folder.path(), "sea.svm"),
    );
    assert_eq!(String::from_utf8(piped.stdout).expect("UTF-8"), mixed);
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = folder();
    write(folder.path(), "a.tsv", rows("a", 5));
    write(folder.path(), "b.tsv", rows("b", 5));
    let drift = ["generate", "--drift", "a.tsv", "b.tsv"];
    for (arguments, code, expected) in [
        ([&drift[..], &["--at", "6"]].concat(), 1, "a.tsv: ends after 5 examples, before the change at 6"),
        ([&drift[..], &["--at", "3", "-n", "3"]].concat(), 2, "does not come to a change"),
        (drift.to_vec(), 2, "--at <N>"),
        ([&drift[..], &["--at", "3", "coins"]].concat(), 2, "not both"),
        (vec!["generate", "sea", "--at", "3"], 2, "--drift <FILE_A> <FILE_B>"),
        (vec!["generate", "sea", "--label-column", "x"], 2, "--drift <FILE_A> <FILE_B>"),
        (vec!["generate"], 2, "name a stream"),
        (vec!["generate", "--drift", "-", "-", "--at", "3"], 2, "standard input can be one"),
        ([&drift[..], &["--at", "3", "-o", "b.tsv"]].concat(), 2, "would overwrite b.tsv"),
        (vec!["generate", "--drift", "a.tsv", "none.tsv", "--at", "3"], 1, "none.tsv: no such file"),
    ] {
        let (found, message) = failure(folder.path(), &arguments);
        assert!(found == Some(code) && message.contains(expected), "{arguments:?}: {found:?} {message}");
    }
    // A bad line is told by its file and place.
    write(folder.path(), "bad.svm", "1 1:1\n1 1:x\n");
    let arguments = ["generate", "--drift", "bad.svm", "bad.svm", "--at", "1"];
    assert_eq!(stdout(folder.path(), &[&arguments[..], &["-n", "2"]].concat()), "1 1:1\n1 1:1\n");
    let (code, message) = failure(folder.path(), &arguments);
    assert!(code == Some(1) && message.contains("bad.svm:2:5"), "{message}");
}
