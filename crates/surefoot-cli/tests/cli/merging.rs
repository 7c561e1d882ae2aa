//! Explaining predictions and merging models.

use super::run::{failure, folder, generate, json, run, write};

#[test]
fn shards_merge_into_one_model() {
    let folder = folder();
    let all: String = {
        generate(folder.path(), "points.svm", &["coins", "-n", "200"]);
        std::fs::read_to_string(folder.path().join("points.svm")).expect("generated")
    };
    let lines: Vec<&str> = all.lines().collect();
    for (name, part) in [("a.svm", &lines[..100]), ("b.svm", &lines[100..])] {
        write(folder.path(), name, &(part.join("\n") + "\n"));
        let model = name.replace(".svm", ".model");
        json(folder.path(), &["train", name, "--learner", "arow", "-o", &model]);
    }
    assert!(run(folder.path(), &["merge", "a.model", "b.model", "-o", "c.model"]).status.success());
    let inspected = run(folder.path(), &["inspect", "c.model", "--json"]);
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).expect("JSON");
    assert_eq!(inspected["counts"]["examples"], 200);
    json(folder.path(), &["train", "b.svm", "--learner", "pa1", "-o", "other.model"]);
    let (code, message) = failure(folder.path(), &["merge", "a.model", "other.model", "-o", "d.model"]);
    assert_eq!(code, Some(1), "{message}");
}

#[test]
fn held_out_rows_recalibrate_what_is_merged() {
    let folder = folder();
    let lines = |from: usize, to: usize| {
        let line = |i: usize| {
            if i.is_multiple_of(3) {
                format!("spam\tcheap w{}\n", i % 7)
            } else {
                format!("ham\tlunch w{}\n", i % 5)
            }
        };
        (from..to).map(line).collect::<String>()
    };
    for (name, from) in [("a.tsv", 0), ("b.tsv", 100), ("held.tsv", 200)] {
        write(folder.path(), name, lines(from, from + 100));
    }
    json(folder.path(), &["train", "a.tsv", "-o", "a.model"]);
    json(folder.path(), &["train", "b.tsv", "-o", "b.model"]);
    let merged = ["merge", "b.model", "a.model", "--recalibrate", "held.tsv", "-o", "c.model"];
    let found: serde_json::Value =
        serde_json::from_slice(&run(folder.path(), &[&merged[..], &["--json"]].concat()).stdout)
            .expect("JSON");
    assert_eq!((found["examples"].as_u64(), found["recalibrated"].as_u64()), (Some(200), Some(100)));
    write(folder.path(), "strange.tsv", "eggs\tlunch\n");
    let (code, message) = failure(
        folder.path(),
        &["merge", "a.model", "b.model", "--recalibrate", "strange.tsv", "-o", "d.model"],
    );
    assert!(code == Some(1) && message.contains("no rows with a label that the model knows"), "{message}");
}

#[test]
fn shards_of_one_machine() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "400"]);
    let train = ["train", "points.svm", "--learner", "arow", "--shards", "3", "--rounds", "2", "--json"];
    let found: serde_json::Value =
        serde_json::from_slice(&run(folder.path(), &[&train[..], &["-o", "one.model"]].concat()).stdout)
            .expect("JSON");
    assert_eq!(found["shards"], 3);
    assert_eq!(found["rounds"][0]["held_out"], 20);
    run(folder.path(), &[&train[..], &["-o", "two.model", "--threads", "2"]].concat());
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).expect("a model");
    assert_eq!(bytes("one.model"), bytes("two.model"));
    let (code, _) = failure(folder.path(), &["train", "points.svm", "--shards", "2", "--passes", "3"]);
    assert_eq!(code, Some(2));
}

#[test]
fn an_explanation_names_the_words_that_decided() {
    let folder = folder();
    write(folder.path(), "mail.tsv", "spam\tcheap pills\nham\tlunch today\nspam\tcheap watches\n");
    json(folder.path(), &["train", "mail.tsv", "--learner", "arow", "-o", "m"]);
    write(folder.path(), "new.txt", "cheap lunch\n");
    let found = run(folder.path(), &["explain", "m", "new.txt", "--format", "text", "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    assert_eq!(found["label"], "spam");
    assert!(found["features"].as_array().is_some_and(|f| f.iter().any(|f| f["feature"] == "cheap")));
}
