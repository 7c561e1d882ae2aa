//! What columns are for: by name, by their first rows, and as a model remembers them.

use crate::run::{failure, folder, json, read, run, run_with, write};

/// A line of running text, another for every number.
fn message(n: usize) -> String {
    let words = ["free", "prize", "call", "now"];
    let plain = ["see", "you", "at", "home"];
    let list = if n.is_multiple_of(3) { words } else { plain };
    format!("{} {} {} {}, {n} times", list[n % 4], list[(n + 1) % 4], list[n / 4 % 4], list[n / 7 % 4])
}

fn kind(n: usize) -> &'static str {
    if n.is_multiple_of(3) { "spam" } else { "ham" }
}

/// A table of messages: the header, and what stands between cells.
fn table(header: &str, separator: &str, row: impl Fn(usize) -> Vec<String>) -> String {
    let quoted = |cell: String| if cell.contains([',', ';']) { format!("\"{cell}\"") } else { cell };
    let line = |n| row(n).into_iter().map(quoted).collect::<Vec<_>>().join(separator) + "\n";
    format!("{header}{}", (0..60).map(line).collect::<String>())
}

fn errors(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Kaggle's file of SMS: `v1,v2`.
#[test]
fn a_column_of_text_and_the_label_beside_it_are_told_by_their_cells() {
    let folder = folder();
    let both = |n: usize| vec![kind(n).to_string(), message(n)];
    write(folder.path(), "known.csv", table("label,text\n", ",", both));
    // Words alone: of pairs and characters met once a few more are kept, others under each name.
    json(folder.path(), &["train", "known.csv", "-o", "known", "--fast"]);
    let features = json(folder.path(), &["inspect", "known"])["features"].clone();
    let more = |n: usize| vec![kind(n).to_string(), message(n), String::new(), String::new()];
    let ids = |n: usize| vec![n.to_string(), message(n), kind(n).to_string()];
    let jsonl: String =
        (0..60).map(|n| format!("{{\"label\": \"{}\", \"v2\": \"{}\"}}\n", kind(n), message(n))).collect();
    for (name, content, flags) in [
        ("c.csv", table("v1,v2\n", ",", both), &[][..]),
        ("s.csv", table("v1;v2\n", ";", both), &[]),
        ("k.csv", table("v1,v2,,\n", ",", more), &[]),
        ("r.csv", table("row,v2,kind\n", ",", ids), &[]),
        ("t.tsv", table("v1\tv2\n", "\t", both), &["--format", "tsv"]),
        ("n.csv", table("", ",", both), &["--no-header"]),
        ("n2.csv", table("", ",", both), &["--no-header", "--label-column", "1", "--text-column", "2"]),
        ("j.jsonl", jsonl, &[]),
    ] {
        write(folder.path(), name, content);
        let output = run(folder.path(), &[&["train", name, "-o", "m", "--json", "--fast"], flags].concat());
        let said = errors(&output);
        assert!(output.status.success(), "{name}: {said}");
        assert_eq!(json(folder.path(), &["inspect", "m"])["features"], features, "{name}");
        let told =
            if name == "n2.csv" { said.is_empty() } else { said.contains("is read as text (--text-column") };
        assert!(told && said.lines().count() <= 1, "{name}: {said}");
        // Nothing is looked at again: one row of new data is read as the training data was.
        let plain = run_with(folder.path(), &["predict", "m", "-", "--scores"], b"free prize call\n");
        let known = run_with(folder.path(), &["predict", "known", "-", "--scores"], b"free prize call\n");
        assert_eq!((errors(&plain), plain.stdout), (String::new(), known.stdout), "{name}");
    }
}

#[test]
fn ids_and_dates_are_left_out_and_can_be_kept() {
    let folder = folder();
    let row = |n: usize| {
        vec![
            kind(n).into(),
            format!("A-{n:04}"),
            format!("2024-01-{:02}", n % 28 + 1),
            format!("{}.5", n * 7 % 61),
        ]
    };
    write(folder.path(), "d.csv", table("label,order_no,day,size\n", ",", row));
    let output = run(folder.path(), &["train", "d.csv", "-o", "m"]);
    let said = errors(&output);
    assert!(said.contains("note: column order_no looks like ids and is left out"), "{said}");
    assert!(said.contains("column day looks like dates and is left out"), "{said}");
    assert!(said.contains("--category-column, --value-column say otherwise"), "{said}");
    assert_eq!(json(folder.path(), &["inspect", "m"])["features"], 2, "size and the bias");
    for command in [&["compare", "d.csv", "--learner", "pa"][..], &["tune", "d.csv", "--learner", "pa"]] {
        let output = run(folder.path(), command);
        assert!(output.status.success() && errors(&output) == said, "{command:?}: {}", errors(&output));
    }
    for flag in ["--category-column", "--value-column"] {
        let output = run(folder.path(), &["train", "d.csv", "-o", "m", flag, "order_no,day"]);
        assert_eq!(errors(&output), "");
        assert_eq!(json(folder.path(), &["inspect", "m"])["features"], 60 + 28 + 2, "{flag}");
    }
}

#[test]
fn a_new_file_without_columns_of_the_model_is_refused() {
    let folder = folder();
    let row = |n: usize| vec![kind(n).into(), message(n), ["plus", "free"][n % 2].into()];
    write(folder.path(), "d.csv", table("label,body,plan\n", ",", row));
    json(folder.path(), &["train", "d.csv", "-o", "m"]);
    write(folder.path(), "renamed.csv", table("label,message,plan\n", ",", row));
    let said = "renamed.csv:1:1: expected the column body that the model was trained on, found the columns label, \
                message, plan (name them as in the training data, or say --missing-columns ignore to go on without)";
    for command in [
        &["predict", "m", "renamed.csv"][..],
        &["test", "m", "renamed.csv"],
        &["explain", "m", "renamed.csv", "--json"],
        &["train", "renamed.csv", "--resume", "m"],
    ] {
        let (code, message) = failure(folder.path(), command);
        assert!(code == Some(1) && message.contains(said), "{command:?}: {message}");
        let output = run(folder.path(), &[command, &["--missing-columns", "ignore"]].concat());
        let said = errors(&output);
        assert!(output.status.success(), "{command:?}: {said}");
        assert!(
            said.contains("note: renamed.csv has columns that the model was not trained on: message"),
            "{said}"
        );
    }
    // Other columns, in another order, without a label: no trouble.
    write(folder.path(), "new.csv", "plan,when,body\nplus,2024-01-01,free prize\n");
    let output = run(folder.path(), &["predict", "m", "new.csv"]);
    assert!(output.status.success());
    assert_eq!(errors(&output), "note: new.csv has columns that the model was not trained on: when\n");
}

#[test]
fn keys_that_no_record_has_are_missing() {
    let folder = folder();
    let record = |text: &str, n: usize| {
        format!("{{\"label\": \"{}\", \"{text}\": \"{}\", \"plan\": \"plus\"}}\n", kind(n), message(n))
    };
    write(folder.path(), "d.jsonl", (0..30).map(|n| record("body", n)).collect::<String>());
    json(folder.path(), &["train", "d.jsonl", "-o", "m"]);
    write(folder.path(), "other.jsonl", (0..30).map(|n| record("message", n)).collect::<String>());
    write(folder.path(), "all.jsonl", "{\"a\": 1}\n{\"b\": \"x\"}\n".repeat(15));
    for (file, said) in [
        ("other.jsonl", "other.jsonl: no record has the key body that the model was trained on"),
        ("all.jsonl", "all.jsonl: no record has the keys body, plan that the model was trained on"),
    ] {
        let output = run(folder.path(), &["predict", "m", file]);
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(errors(&output).contains(said), "{}", errors(&output));
        assert!(run(folder.path(), &["predict", "m", file, "--missing-columns", "ignore"]).status.success());
    }
    // A record may lack a key, if others have it; and without text, one may have keys that came late in the training data.
    write(
        folder.path(),
        "n.jsonl",
        (0..30).map(|n| format!("{{\"label\": {}, \"a\": {n}}}\n", n % 2)).collect::<String>(),
    );
    json(folder.path(), &["train", "n.jsonl", "--value-column", "a", "-o", "n"]);
    for (count, code) in [(1, Some(0)), (30, Some(1))] {
        write(folder.path(), "late.jsonl", "{\"b\": 1}\n".repeat(count));
        let output = run(folder.path(), &["predict", "n", "late.jsonl"]);
        assert_eq!(output.status.code(), code, "{}", errors(&output));
    }
    write(folder.path(), "some.jsonl", "{\"plan\": \"plus\"}\n{\"body\": \"free prize\"}\n");
    assert!(run(folder.path(), &["predict", "m", "some.jsonl"]).status.success());
}

#[test]
fn data_that_a_model_does_not_know_is_counted() {
    let folder = folder();
    write(
        folder.path(),
        "d.vw",
        (0..40).map(|n| format!("{} |a w{} w{}\n", n % 2, n % 5, n % 7)).collect::<String>(),
    );
    json(folder.path(), &["train", "d.vw", "-o", "m"]);
    write(
        folder.path(),
        "other.vw",
        (0..40).map(|n| format!("{} |b w{} w{}\n", n % 2, n % 5, n % 7)).collect::<String>(),
    );
    let said = "warning: 40 of 40 examples have no feature that the model knows; was this data made as the training data \
                was? (the model was trained on vw)";
    for command in
        [&["predict", "m", "other.vw"][..], &["test", "m", "other.vw"], &["explain", "m", "other.vw"]]
    {
        let output = run(folder.path(), command);
        assert!(
            output.status.success() && errors(&output).contains(said),
            "{command:?}: {}",
            errors(&output)
        );
    }
    let output = run(folder.path(), &["train", "other.vw", "--resume", "m"]);
    assert!(errors(&output).contains("40 of 40 examples have less than a tenth of their features known"));
    let found = json(folder.path(), &["train", "other.vw", "--resume", "m"]);
    assert_eq!(found["familiarity"]["unknown"], 40);
    let found = json(folder.path(), &["test", "m", "other.vw"]);
    assert_eq!(
        (&found["familiarity"]["unknown"], &found["familiarity"]["with_features"]),
        (&40.into(), &40.into())
    );
    let known = json(folder.path(), &["test", "m", "d.vw"]);
    assert_eq!(known["familiarity"]["mostly_unknown"], 0);
    // New features are natural when learning goes on; half of them is no reason for a word.
    write(
        folder.path(),
        "more.vw",
        (0..40).map(|n| format!("{} |a w{} x{n}\n", n % 2, n % 5)).collect::<String>(),
    );
    assert_eq!(errors(&run(folder.path(), &["train", "more.vw", "--resume", "m"])), "");
    // And a few odd ones among many that are known neither.
    let few = format!("1 |b z\n{}", "1 |a w1\n".repeat(5));
    assert_eq!(errors(&run_with(folder.path(), &["predict", "m", "-"], few.as_bytes())), "");
}

#[test]
fn a_model_knows_its_format() {
    let folder = folder();
    let plain: String = (0..60).map(|n| format!("{}\t{}\n", kind(n), message(n))).collect();
    let prefixed: String = (0..60).map(|n| format!("__label__{} {}\n", kind(n), message(n))).collect();
    let rows = table("label,body\n", ",", |n| vec![kind(n).into(), message(n)]);
    for (name, data) in [("d.tsv", plain), ("d.ft", prefixed), ("d.csv", rows)] {
        write(folder.path(), name, data);
        json(folder.path(), &["train", name, "-o", "m"]);
        // A time of day is no feature of svmlight, a bar no namespace, a comma no table.
        for text in [
            "free prize\n",
            "free prize",
            "12:30\n",
            "call | now\n",
            "free, prize, call now\nsee you, home\n",
        ] {
            let named = run_with(
                folder.path(),
                &["predict", "m", "-", "--scores", "--format", "text"],
                text.as_bytes(),
            );
            let found = run_with(folder.path(), &["predict", "m", "-", "--scores"], text.as_bytes());
            assert!(found.status.success(), "{name} {text}: {}", errors(&found));
            assert_eq!(found.stdout, named.stdout, "{name} {text}");
            write(folder.path(), "new", text);
            let file = run(folder.path(), &["predict", "m", "new", "--scores"]);
            assert_eq!(file.stdout, found.stdout, "{name} {text}");
            write(folder.path(), "new.txt", text);
            let file = run(folder.path(), &["predict", "m", "new.txt", "--scores"]);
            assert_eq!(file.stdout, found.stdout, "{name} {text}");
        }
    }
    // Integers may be words that the model knows: that they are no text is said in any case.
    write(folder.path(), "d.svm", "1 3:1 4:1\n");
    let found = run(folder.path(), &["predict", "m", "d.svm"]);
    assert!(
        errors(&found).starts_with("note: d.svm is svmlight, and the model was trained on csv with"),
        "{}",
        errors(&found)
    );
    // What shows itself to be something else is taken for it.
    let found = run_with(
        folder.path(),
        &["predict", "m", "-"],
        b"{\"body\": \"free prize\"}\n{\"body\": \"home\"}\n",
    );
    assert_eq!(String::from_utf8_lossy(&found.stdout).lines().count(), 2);
    let found = run_with(folder.path(), &["predict", "m", "-"], b"body,label\nfree prize,ham\n");
    assert_eq!(String::from_utf8_lossy(&found.stdout).lines().count(), 1);
    let found = run_with(folder.path(), &["predict", "m", "-"], b"words,class\nfree prize,ham\n");
    assert!(
        !found.status.success() && errors(&found).contains("expected the column body"),
        "{}",
        errors(&found)
    );
}

#[test]
fn roles_that_were_found_are_part_of_cache_and_model() {
    let folder = folder();
    write(folder.path(), "d.csv", table("v1,v2\n", ",", |n| vec![kind(n).into(), message(n)]));
    json(folder.path(), &["train", "d.csv", "-o", "plain"]);
    for _ in 0..2 {
        json(folder.path(), &["train", "d.csv", "--cache", "c", "-o", "cached"]);
        assert!(read(folder.path(), "plain") == read(folder.path(), "cached"));
    }
    let made = read(folder.path(), "c");
    json(
        folder.path(),
        &["train", "d.csv", "--label-column", "v1", "--category-column", "v2", "--cache", "c"],
    );
    assert!(made != read(folder.path(), "c"), "made anew for other roles");
    // A pipe brings the same bytes.
    let output = run_with(folder.path(), &["train", "-", "-o", "piped"], &read(folder.path(), "d.csv"));
    assert!(output.status.success(), "{}", errors(&output));
    assert!(read(folder.path(), "plain") == read(folder.path(), "piped"));
    // Going on is the same as learning all at once, whatever the second part looks like.
    write(folder.path(), "more.csv", "v1,v2\nham,ok\nspam,free\n");
    json(folder.path(), &["train", "d.csv", "more.csv", "-o", "whole"]);
    json(folder.path(), &["train", "more.csv", "--resume", "plain", "-o", "resumed"]);
    assert!(read(folder.path(), "whole") == read(folder.path(), "resumed"));
}

#[test]
fn a_quantity_is_no_class() {
    let folder = folder();
    let data = |price: &dyn Fn(usize) -> String| -> String {
        let row = |n: usize| format!("{},{}\n", price(n), n % 17);
        format!("price,rooms\n{}", (0..700).map(row).collect::<String>())
    };
    let refused = [data(&|n| format!("{}.5", n * 37 % 613)), data(&|n| (n * 7919 % 500_009).to_string())];
    for content in refused {
        write(folder.path(), "d.csv", content);
        let (code, message) = failure(folder.path(), &["train", "d.csv", "--label-column", "price"]);
        assert_eq!(code, Some(1));
        assert!(
            message.contains("the label column `price` holds numbers, 100 different ones in"),
            "{message}"
        );
        assert!(
            message.contains("a quantity, not a class") && message.contains("--task multiclass"),
            "{message}"
        );
        let asked = ["train", "d.csv", "--label-column", "price", "--task", "multiclass", "--learner", "pa"];
        assert!(run(folder.path(), &asked).status.success());
    }
    // Classes by number: many, close together; or far apart, and coming again.
    for content in [data(&|n| (n * 37 % 300).to_string()), data(&|n| (n / 3 * 7919 % 500_009).to_string())] {
        write(folder.path(), "d.csv", content);
        json(folder.path(), &["train", "d.csv", "--label-column", "price", "--learner", "pa"]);
    }
}
