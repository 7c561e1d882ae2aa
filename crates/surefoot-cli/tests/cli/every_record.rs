//! `predict` gives one line for every record, so that its output stands beside the data.

use serde_json::Value;

use crate::run::{folder, json, root, run, run_with, stdout, write};
use crate::schema;

/// A model of the tickets, and one of a table with an id.
fn models(folder: &std::path::Path) {
    let tickets = root().join("examples/tickets.tsv");
    json(folder, &["train", tickets.to_str().expect("UTF-8"), "-o", "text"]);
    write(folder, "t.csv", "order,city,age,label\nA1,Bern,3,a\nA2,Basel,4,b\nA3,Bern,5,a\n");
    json(folder, &["train", "t.csv", "--value-column", "order", "--ignore", "order", "-o", "table"]);
    write(folder, "s.svm", "1 1:1\n-1 2:1\n1 1:1\n");
    json(folder, &["train", "s.svm", "-o", "numbers"]);
    write(folder, "s.vw", "1 |a x:1\n-1 |a y:1\n");
    json(folder, &["train", "s.vw", "-o", "named"]);
}

#[test]
fn blank_records_are_examples_without_features() {
    let folder = folder();
    models(folder.path());
    // A line end at the end of a file ends the last record; a header is none, and comments of svmlight are none.
    for (model, name, data, records) in [
        ("text", "a.txt", "\nmy card was charged twice\n\n   \nwhere is my parcel\n\n", 6),
        ("text", "b.txt", "my card\n\nmy parcel", 3),
        ("text", "tab.tsv", "refund\tmy card\n\t\n\nrefund\tmy parcel\n", 4),
        ("text", "c.jsonl", "{\"text\": \"my card\"}\n\n{\"text\": \"my parcel\"}\n  \n", 4),
        ("text", "d.ft", "__label__refund my card\n\nmy parcel\n", 3),
        ("text", "crlf.txt", "my card\r\n\r\nmy parcel\r\n", 3),
        ("table", "e.csv", "\norder,city,age\nB1,Bern,3\n\nB2,\"Ba\nsel\",1\n", 3),
        ("numbers", "f.svm", "# a comment\n1:1\n\n2:1 # another\n\n", 4),
        ("named", "g.vw", "|a x:1\n\n'tag |a y:1\n", 3),
        ("text", "empty.txt", "", 0),
        ("text", "blank.txt", "\n\n", 2),
    ] {
        write(folder.path(), name, data);
        for threads in ["1", "3"] {
            let said = stdout(folder.path(), &["predict", model, name, "--threads", threads]);
            assert_eq!(said.lines().count(), records, "{name}: {said}");
            assert!(said.lines().all(|line| !line.is_empty()), "{name}: {said}");
        }
        let lines = stdout(folder.path(), &["predict", model, name, "--json"]);
        assert_eq!(lines.lines().count(), records, "{name}: {lines}");
        for line in lines.lines() {
            schema::check(&schema::load("predict.json"), &serde_json::from_str(line).expect("JSON"));
        }
    }
    let piped = run_with(folder.path(), &["predict", "text", "-", "--format", "text"], b"\nmy card\n\n");
    assert_eq!(String::from_utf8_lossy(&piped.stdout).lines().count(), 3);
    // Training and testing leave them out as ever.
    write(folder.path(), "gaps.tsv", "\na\tone\n\nb\ttwo\n\n");
    assert_eq!(json(folder.path(), &["train", "gaps.tsv"])["examples"], 2);
}

#[test]
fn a_line_that_is_skipped_keeps_its_place() {
    let folder = folder();
    models(folder.path());
    write(folder.path(), "bad.svm", "1:1\n1:one\n\n2:1\n");
    let skip = ["predict", "numbers", "bad.svm", "--on-bad-line", "skip", "--rejects", "r"];
    assert_eq!(stdout(folder.path(), &skip).lines().collect::<Vec<_>>(), ["1", "", "1", "-1"]);
    let rejects = std::fs::read_to_string(folder.path().join("r")).expect("rejects");
    assert!(rejects.starts_with("bad.svm:2:") && rejects.lines().count() == 1, "{rejects}");
    let lines = stdout(folder.path(), &[&skip[..], &["--json"]].concat());
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    lines.iter().for_each(|line| schema::check(&schema::load("predict.json"), line));
    let skipped: Vec<bool> = lines.iter().map(|line| line["skipped"] == true).collect();
    assert_eq!(skipped, [false, true, false, false]);
    assert!(lines[1]["label"].is_null());
}

#[test]
fn the_most_probable_labels_come_first() {
    let folder = folder();
    models(folder.path());
    write(folder.path(), "new.txt", "my card was charged twice\n");
    let all = stdout(folder.path(), &["predict", "text", "new.txt", "--all-labels"]);
    let all: Vec<&str> = all.trim_end().split('\t').collect();
    for count in [1, 3, 6, 100] {
        let top = stdout(folder.path(), &["predict", "text", "new.txt", "--top", &count.to_string()]);
        assert_eq!(top.trim_end().split('\t').collect::<Vec<_>>(), all[..all.len().min(2 * count)]);
    }
    let line = json(folder.path(), &["predict", "text", "new.txt", "--top", "2"]);
    schema::check(&schema::load("predict.json"), &line);
    assert_eq!(line["probabilities"].as_object().map(serde_json::Map::len), Some(2));
    let scores = stdout(folder.path(), &["predict", "text", "new.txt", "--top", "2", "--scores"]);
    assert_eq!(scores.split('\t').count(), 6);
    for wrong in [&["--top", "0"][..], &["--top", "2", "--all-labels"]] {
        let output = run(folder.path(), &[&["predict", "text", "new.txt"], wrong].concat());
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_label_is_predicted_from_its_threshold_on() {
    let folder = folder();
    models(folder.path());
    let tickets = root().join("examples/tickets.tsv");
    let tickets = tickets.to_str().expect("UTF-8");
    let predict = |more: &[&str]| {
        let said = stdout(folder.path(), &[&["predict", "text", tickets, "--json", "-a"], more].concat());
        said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>()
    };
    let plain = predict(&[]);
    let label = plain[0]["label"].as_str().expect("a label").to_string();
    let p = |line: &Value| line["probabilities"][&label].as_f64().expect("a probability");
    for least in [1e-4, 0.99] {
        let mut changed = 0;
        for (line, before) in predict(&["--threshold", &format!("{label}={least}")]).iter().zip(&plain) {
            assert_eq!(line["label"] == label.as_str(), p(line) >= least, "{line}");
            assert!(
                line["label"] == before["label"] || (before["label"] == label.as_str()) != (p(line) >= least)
            );
            let told = line["label"].as_str().expect("a label");
            assert_eq!(line["probability"], line["probabilities"][told]);
            assert_eq!(
                (&line["score"], &line["variance"]),
                (&line["scores"][told], &line["variances"][told])
            );
            // The others are told best first, as ever.
            if line["label"] != before["label"] && before["label"] == label.as_str() {
                let others =
                    line["probabilities"].as_object().expect("all").iter().filter(|(own, _)| **own != label);
                let best = others.map(|(_, p)| p.as_f64().expect("a number")).fold(0.0, f64::max);
                assert_eq!(line["probability"], best);
            }
            changed += usize::from(line["label"] != before["label"]);
        }
        assert!(changed > 0, "{least} changes nothing");
    }
    // Of two labels, too; the score stays the one number.
    write(folder.path(), "two.svm", "1:1\n2:1\n");
    let always = stdout(folder.path(), &["predict", "numbers", "two.svm", "--threshold", "-1=0", "--scores"]);
    let as_ever = stdout(folder.path(), &["predict", "numbers", "two.svm", "--scores"]);
    assert_eq!(always.lines().map(|line| &line[..2]).collect::<Vec<_>>(), ["-1", "-1"]);
    let score = |text: &str| {
        text.lines().map(|line| line.split_once('\t').map(|(_, rest)| rest.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(score(&always), score(&as_ever));
    for (wrong, says) in [
        ("eggs=0.5", "no label `eggs`"),
        ("1=1.5", "expected LABEL=P"),
        ("1", "as LABEL=P"),
        ("1=0.5,-1=0.5", "every label has a threshold"),
    ] {
        let output = run(folder.path(), &["predict", "numbers", "two.svm", "--threshold", wrong]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && errors.contains(says), "{wrong}: {errors}");
    }
}

#[test]
fn any_column_can_be_echoed() {
    let folder = folder();
    models(folder.path());
    write(folder.path(), "n.csv", "id,order,city,age\n7,B1,Bern,3\n8,,Basel,4\n\n");
    let as_ever = stdout(folder.path(), &["predict", "table", "n.csv", "--scores"]);
    let told = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.rsplitn(4, '\t').take(3).collect::<Vec<_>>().join(" ")).collect()
    };
    // A column that the model learned from is echoed and still learned from.
    for (column, ids) in [("order", ["B1", "", ""]), ("city", ["Bern", "Basel", ""]), ("id", ["7", "8", ""])]
    {
        let said = stdout(folder.path(), &["predict", "table", "n.csv", "--scores", "--id-column", column]);
        let first: Vec<&str> = said.lines().filter_map(|line| line.split('\t').next()).collect();
        assert_eq!(first, ids, "{said}");
        assert_eq!(told(&said)[..2], told(&as_ever)[..2], "{column}");
    }
    write(
        folder.path(),
        "n.jsonl",
        "{\"id\": 1, \"city\": \"Bern\", \"order\": 12, \"age\": 3}\n{\"age\": 4, \"order\": null}\n",
    );
    let said = stdout(folder.path(), &["predict", "table", "n.jsonl", "--id-column", "order"]);
    assert_eq!(said.lines().filter_map(|line| line.split('\t').next()).collect::<Vec<_>>(), ["12", ""]);
    let line = stdout(folder.path(), &["predict", "table", "n.jsonl", "--id-column", "city", "--json"]);
    assert!(line.starts_with("{\"id\":\"Bern\""), "{line}");
    let missing = run(folder.path(), &["predict", "table", "n.csv", "--id-column", "name"]);
    let errors = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(missing.status.code() == Some(1) && errors.contains("expected a column \"name\""), "{errors}");
    let none = run(folder.path(), &["predict", "table", "n.jsonl", "--id-column", "name"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("no record has an id in `name`"));
    write(folder.path(), "n.txt", "my card\n");
    let columnless = run(folder.path(), &["predict", "text", "n.txt", "--id-column", "name"]);
    assert_eq!(columnless.status.code(), Some(1));
}
