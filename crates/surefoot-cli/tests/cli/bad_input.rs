//! Bad input is an error that says where and what to do, never a panic, and never a changed file.

use std::io::Write;

use crate::run::{failure, folder, generate, json, read, run, run_with, stdout, write};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn files_that_cannot_be_read() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("d")).expect("a folder");
    write(folder.path(), "empty.svm", "");
    let whole = gzip(&b"+1 1:1 2:0.5 7:0.25\n-1 3:1\n".repeat(200));
    write(folder.path(), "cut.svm.gz", &whole[..whole.len() / 2]);
    write(folder.path(), "bad.svm", "+1 1:1\n-1 1:x\n");
    for (name, said) in [
        ("d", "is a directory"),
        ("missing.svm", "missing.svm: no such file"),
        ("empty.svm", "no labels to learn from"),
        ("cut.svm.gz", "cut.svm.gz: compressed data ends too early"),
        ("bad.svm", "bad.svm:2:6: expected a number"),
    ] {
        let (code, message) = failure(folder.path(), &["train", name, "-o", "m"]);
        assert_eq!(code, Some(1), "{message}");
        assert!(message.starts_with("error: ") && message.contains(said), "{message}");
        assert!(!folder.path().join("m").exists());
    }
}

#[test]
fn lines_that_are_no_text_or_have_no_label_are_named() {
    let folder = folder();
    let no_label = ":2: no label to learn from";
    for (name, content, said) in [
        ("two.tsv", &b"spam\tcheap pills\nlunch today\n"[..], no_label),
        ("two.ft", b"__label__a b c\nno label here\n", no_label),
        ("two.svm", b"+1 1:1\n2:1\n", no_label),
        ("two.csv", b"label,a\nx,1\n,2\n", ":3: no label to learn from"),
        ("two.jsonl", b"{\"label\": \"x\", \"a\": 2}\n{\"a\": 3}\n", no_label),
        ("nul.tsv", b"spam\tcheap pills\n\0\0\0\nham\tlunch\n", ":2:1: expected text, found 3 NUL bytes"),
        ("nul.svm", b"+1 1:1\n\0\0\n-1 2:1\n", ":2:1: expected text, found 2 NUL bytes"),
        ("nul.csv", b"label,a\n\0\0,\0\ny,2\n", ":2:1: expected text, found 2 NUL bytes"),
        ("nul.ft", b"__label__a b\n__label__b c\n\0\n", ":3:1: expected text, found 1 NUL byte"),
        ("nul.vw", b"1 |a b\n\0\0\n-1 |a c\n", ":2:1: expected text, found 2 NUL bytes"),
        ("nul.jsonl", b"{\"label\": 1}\n\0\0\n", ":2:1: expected text, found 2 NUL bytes"),
        ("all.tsv", b"\0\0\n\0\0\n", ":1:1: expected text, found 2 NUL bytes"),
    ] {
        write(folder.path(), name, content);
        let (code, message) = failure(folder.path(), &["train", name, "-o", "m"]);
        assert!(code == Some(1) && message.contains(&format!("{name}{said}")), "{message}");
    }
    // One label alone is still said to be one, where every line has it.
    write(folder.path(), "one.tsv", "spam\tcheap pills\nspam\tcheap watches\n");
    assert!(failure(folder.path(), &["train", "one.tsv"]).1.contains("there is only one label, 'spam'"));
}

#[test]
fn weights_beyond_reason() {
    let folder = folder();
    write(folder.path(), "w.vw", "1 1e308 |a b\n-1 1 |a c\n");
    write(folder.path(), "d.vw", "1 1e10 |a b\n-1 1 |a c\n");
    for (arguments, code, said) in [
        (&["w.vw"][..], 1, "w.vw:1:1: the importance weight is 1e308; it must be a number from 0 to 1e12"),
        (&["d.vw", "--class-weight", "1=1e308"], 2, "expected LABEL=WEIGHT with a weight from 0 to 1e12"),
        (
            &["d.vw", "--class-weight", "1=1e10"],
            1,
            "importance weight 1e20, of the example times that of its label",
        ),
    ] {
        let (found, message) = failure(folder.path(), &[&["train"], arguments, &["-o", "m"]].concat());
        assert!(found == Some(code) && message.contains(said), "{message}");
        assert!(!folder.path().join("m").exists());
    }
    json(folder.path(), &["train", "d.vw", "-o", "m", "--class-weight", "1=100"]);
    stdout(folder.path(), &["inspect", "m"]);
}

#[test]
fn a_column_of_a_file_without_columns() {
    let folder = folder();
    write(folder.path(), "d.tsv", "good\tfine film\nbad\tdull film\n");
    let said =
        "d.tsv:1:1: expected a column \"kind\", found the format text (label, tab, running text; no header)";
    for flag in ["--label-column", "--weight-column", "--id-column", "--text-column", "--category-column"] {
        for command in [&["train", "d.tsv", "-o", "m"][..], &["compare", "d.tsv", "--learner", "arow"]] {
            let (code, message) = failure(folder.path(), &[command, &[flag, "kind"]].concat());
            assert!(code == Some(1) && message.contains(said), "{flag}: {message}");
        }
        assert!(!folder.path().join("m").exists());
    }
    // A model keeps the names of the table that it learned from, and still reads files without columns.
    write(folder.path(), "d.csv", "kind,text\ngood,fine film\nbad,dull film\n");
    json(folder.path(), &["train", "d.csv", "--label-column", "kind", "-o", "m"]);
    for command in [&["test", "m", "d.tsv"][..], &["train", "d.tsv", "--resume", "m"]] {
        assert!(run(folder.path(), command).status.success(), "{command:?}");
    }
    // `convert` names the columns of what it writes.
    stdout(folder.path(), &["convert", "d.tsv", "out.csv", "--label-column", "kind"]);
    assert_eq!(read(folder.path(), "out.csv"), read(folder.path(), "d.csv"));
}

#[test]
fn models_that_cannot_be_read() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "20"]);
    json(folder.path(), &["train", "points.svm", "-o", "m"]);
    let model = read(folder.path(), "m");
    write(folder.path(), "half", &model[..model.len() / 2]);
    let mut flipped = model.clone();
    *flipped.last_mut().expect("bytes") ^= 1;
    write(folder.path(), "flipped", flipped);
    for name in ["half", "flipped", "points.svm", "missing"] {
        for command in
            [&["predict", name, "points.svm"][..], &["inspect", name], &["test", name, "points.svm"]]
        {
            let (code, message) = failure(folder.path(), command);
            assert!(code == Some(1) && message.contains(name), "{message}");
        }
    }
    let (_, message) = failure(folder.path(), &["inspect", "points.svm"]);
    assert!(message.contains("it begins like text"), "{message}");
}

#[test]
fn wrong_usage_ends_with_2() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "20"]);
    json(folder.path(), &["train", "points.svm", "--learner", "arow", "-o", "m"]);
    for (arguments, said) in [
        (&["train"][..], "<DATA>..."),
        (&["train", "points.svm", "--learner", "best"], "unknown rule `best`; known: arow, "),
        (&["train", "points.svm", "--learner", "arow:c=1"], "unknown parameter of arow/diagonal `c`"),
        (&["train", "points.svm", "--rule", "arow", "--c", "1"], "unknown parameter of arow/diagonal `c`"),
        (&["train", "points.svm", "--confidence", "2"], "strictly between 0.5 and 1"),
        (&["train", "points.svm", "--passes", "0"], "at least 1"),
        (&["train", "points.svm", "--ngrams", "3-1"], "word n-grams 3-1"),
        (&["train", "points.svm", "--checkpoint-every", "9"], "--output"),
        (&["train", "points.svm", "--skip", "seen"], "--resume"),
        (&["train", "points.svm", "--resume", "m", "--normalize", "none"], "other feature settings"),
        (&["train", "points.svm", "--resume", "m", "--no-bias"], "other feature settings"),
        (&["train", "points.svm", "--resume", "m", "--learner", "pa1"], "another learner"),
        (&["compare", "points.svm", "--learner", "arow", "--folds", "1"], "1"),
        (
            &["tune", "points.svm", "--metric", "calibration-error"],
            "[possible values: error-rate, log-loss, ",
        ),
        (&["tune", "points.svm", "--budget=-1"], "expected a number of seconds, 0 or more"),
        (&["generate", "noise"], "there is no stream 'noise'"),
        (&["generate", "coins", "sides=3"], "no parameter 'sides'"),
        (&["generate", "coins", "copies=1.5"], "copies is 1.5; it must be a whole number"),
        (&["train", "points.svm", "--labels", "1,1"], "label '1' is declared twice"),
        (&["train", "points.svm", "--learner", "arow:r=1,r=2"], "parameter `r` is given twice"),
        (&["train", "points.svm", "--learner", "arow/kernel:budget=5e9"], "at least 1, at most 4294967295"),
        (&["convert", "points.svm", "points.xyz"], "--to"),
        (&["rules", "best"], "unknown rule"),
        (&["predict", "m", "points.svm", "--format", "xml"], "expected auto or one of"),
        (&["fly"], "unrecognized subcommand"),
    ] {
        let (code, message) = failure(folder.path(), arguments);
        assert!(code == Some(2) && message.contains(said), "{arguments:?}: {message}");
    }
    let same = ["train", "points.svm", "--resume", "m", "--bias", "--learner", "arow"];
    assert!(run(folder.path(), &same).status.success(), "saying the same again is fine");
}

#[test]
fn nothing_to_learn_and_nothing_to_test() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "20"]);
    write(folder.path(), "empty.svm", "");
    json(folder.path(), &["train", "points.svm", "-o", "m"]);
    let before = read(folder.path(), "m");
    let (code, message) = failure(folder.path(), &["train", "points.svm", "--skip", "20", "-o", "m"]);
    assert!(code == Some(1) && message.contains("among the first 20, which --skip leaves out"), "{message}");
    assert_eq!(read(folder.path(), "m"), before, "a model is not replaced by one of nothing");
    let (code, message) = failure(folder.path(), &["test", "m", "empty.svm"]);
    assert!(code == Some(1) && message.contains("no examples to test on"), "{message}");
    let on = ["train", "points.svm", "--resume", "m", "-o", "m", "--skip"];
    assert_eq!(failure(folder.path(), &[&on[..], &["20"]].concat()).0, Some(1));
    let again = run(folder.path(), &[&on[..], &["seen"]].concat());
    assert!(again.status.success(), "what was seen may be all there is");
    assert_eq!(read(folder.path(), "m"), before);
}

#[test]
fn blank_lines_before_a_header_are_no_header() {
    let folder = folder();
    write(folder.path(), "d.csv", "\n\r\nlabel,a\nx,1\ny,2\n");
    assert_eq!(json(folder.path(), &["train", "d.csv"])["examples"], 2);
    write(folder.path(), "e.csv", "\n\r\nlabel,a\nx,1\ny,2,3\n");
    let (_, message) = failure(folder.path(), &["train", "e.csv"]);
    assert!(message.contains("e.csv:5:"), "lines are counted from the first: {message}");
    write(folder.path(), "f.csv", "\nname,a\nx,1\n");
    let (_, message) = failure(folder.path(), &["train", "f.csv"]);
    assert!(message.contains("f.csv:2:1: expected a column for the label"), "{message}");
}

#[test]
fn a_third_label_says_what_to_do() {
    let folder = folder();
    write(folder.path(), "d.svm", "+1 1:1\n-1 2:1\n5 1:1\n+1 1:1\n");
    let binary = ["train", "d.svm", "--task", "binary"];
    let (code, message) = failure(folder.path(), &binary);
    assert!(code == Some(1) && message.contains("d.svm:3: label '5' is a third label"), "{message}");
    assert!(message.contains("--task multiclass"), "{message}");
    let skip = [&binary[..], &["--on-bad-line", "skip", "--rejects", "r"]].concat();
    let report = json(folder.path(), &skip);
    assert_eq!((&report["examples"], &report["bad_lines"]), (&3.into(), &1.into()));
    let rejects = String::from_utf8(read(folder.path(), "r")).expect("UTF-8");
    assert!(rejects.starts_with("d.svm:3: label '5'") && rejects.ends_with("\t5 1:1\n"), "{rejects}");
}

#[test]
fn skipped_lines_are_counted_and_kept() {
    let folder = folder();
    write(folder.path(), "d.svm", "+1 1:1\nwhat is this\n-1 2:1\n+1 1:\n");
    let flags = ["--on-bad-line", "skip", "--rejects", "r"];
    let report = json(folder.path(), &[&["train", "d.svm", "-o", "m"], &flags[..]].concat());
    assert_eq!((&report["examples"], &report["bad_lines"]), (&2.into(), &2.into()));
    let rejects = String::from_utf8(read(folder.path(), "r")).expect("UTF-8");
    let lines: Vec<&str> =
        rejects.lines().filter_map(|line| line.split_once('\t')).map(|(_, line)| line).collect();
    assert_eq!(lines, ["what is this", "+1 1:"]);
    let predictions = run(folder.path(), &[&["predict", "m", "d.svm"], &flags[..]].concat());
    assert_eq!(String::from_utf8_lossy(&predictions.stdout), "1\n\n-1\n\n");
    assert_eq!(String::from_utf8_lossy(&predictions.stderr), "2 bad lines skipped\n");
}

#[test]
fn lines_without_a_label_are_kept_too() {
    let folder = folder();
    write(folder.path(), "d.tsv", "a\tx\n\ty\nb\tz\n");
    for flags in [&["--threads", "1"][..], &["--threads", "2"], &["--passes", "2"]] {
        let skip = ["train", "d.tsv", "--on-bad-line", "skip", "--rejects", "r"];
        assert_eq!(json(folder.path(), &[&skip[..], flags].concat())["bad_lines"], 1);
        let rejects = String::from_utf8(read(folder.path(), "r")).expect("UTF-8");
        assert!(rejects.starts_with("d.tsv:2: ") && rejects.ends_with("\t\ty\n"), "{rejects}");
    }
}

#[test]
fn every_command_counts_what_it_skips() {
    let folder = folder();
    write(folder.path(), "d.tsv", "a\tx\n\ty\nb\tz\n");
    write(folder.path(), "d.svm", "+1 1:1\nwhat is this\n-1 2:1\n+1 1:\n");
    json(folder.path(), &["train", "d.tsv", "--on-bad-line", "skip", "-o", "t"]);
    json(folder.path(), &["train", "d.svm", "--on-bad-line", "skip", "-o", "s"]);
    for (arguments, skipped) in [
        (&["test", "t", "d.tsv"][..], 1),
        (&["test", "s", "d.svm"], 2),
        (&["compare", "d.tsv", "--learner", "arow"], 1),
        (&["compare", "d.svm", "--learner", "arow", "--learner", "pa1@none"], 2),
        (&["compare", "d.svm", "--learner", "arow", "--folds", "2"], 2),
        (&["tune", "d.tsv"], 1),
        (&["tune", "d.svm", "--passes", "2"], 2),
    ] {
        let skip = [arguments, &["--on-bad-line", "skip"]].concat();
        assert_eq!(json(folder.path(), &skip)["bad_lines"], skipped, "{arguments:?}");
        let noted = String::from_utf8(run(folder.path(), &skip).stderr).expect("UTF-8");
        assert!(noted.starts_with(&format!("{skipped} bad line")) && noted.ends_with("skipped\n"), "{noted}");
    }
}

#[test]
fn several_labels_a_line_are_refused_where_the_task_has_one() {
    let folder = folder();
    write(folder.path(), "d.txt", "__label__a __label__b some text\n");
    let flags = ["train", "d.txt", "--format", "fasttext", "--task", "multiclass"];
    let (code, message) = failure(folder.path(), &flags);
    assert!(
        code == Some(1) && message.contains("d.txt") && message.contains("--task multilabel"),
        "{message}"
    );
    assert_eq!(json(folder.path(), &flags[..4])["labels"], 2);
}

#[test]
fn huge_ids_cost_nothing() {
    let folder = folder();
    write(folder.path(), "d.svm", "1 4000000000:1\n-1 18446744073709551614:1\n");
    assert_eq!(json(folder.path(), &["train", "d.svm", "--no-bias"])["features"], 2);
}

#[test]
fn standard_input_is_data_like_any_other() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "50"]);
    let points = read(folder.path(), "points.svm");
    for flags in [&["--passes", "1"][..], &["--passes", "3"], &["--passes", "2", "--shuffle"]] {
        let from_file = [&["train", "points.svm", "-o", "a"], flags].concat();
        stdout(folder.path(), &from_file);
        let piped = [&["train", "-", "-o", "b"], flags].concat();
        assert!(run_with(folder.path(), &piped, &points).status.success());
        assert_eq!(read(folder.path(), "a"), read(folder.path(), "b"));
    }
}
