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
