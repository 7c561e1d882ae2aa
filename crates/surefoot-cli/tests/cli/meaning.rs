//! Flags and numbers that mean one thing, and say what they mean.

use crate::run::{failure, folder, generate, json, run, stdout, write};

fn errors(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn keep_is_of_features_and_scale_of_a_rule() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "50"]);
    write(folder.path(), "mail.vw", "1 |a x\n2 |b y\n");
    let output = run(folder.path(), &["train", "mail.vw", "-o", "m", "--keep", "best"]);
    assert!(errors(&output).contains("no feature belongs to `best`"), "{}", errors(&output));
    let (code, message) = failure(folder.path(), &["train", "points.svm", "--scale", "rms"]);
    assert!(code == Some(2) && message.contains("features are scaled by --scale-features rms"), "{message}");
}

#[test]
fn a_parameter_without_a_learner_says_whose_it_is() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "50"]);
    let said =
        |flags: &[&str]| errors(&run(folder.path(), &[&["train", "points.svm", "--json"], flags].concat()));
    assert_eq!(
        said(&["--r", "0.1"]),
        "note: --r is of a single learner, so arow learns alone and not auto, the default (--rule or --learner names \
         another)\n"
    );
    assert!(said(&["--covariance", "full"]).starts_with("note: --covariance is of a single learner"));
    for quiet in [&["--rule", "arow", "--r", "0.1"][..], &["--learner", "arow", "--r", "0.1"], &[]] {
        assert_eq!(said(quiet), "");
    }
    let (code, message) = failure(folder.path(), &["train", "points.svm", "--learner", "auto", "--r", "1"]);
    assert!(code == Some(2) && message.contains("an ensemble has no parameters of its own"), "{message}");
}

#[test]
fn weights_are_reported_and_every_other_number_counts_examples() {
    let folder = folder();
    let line = |n: usize, weight: &str| {
        format!("{} {weight} | {} w{}\n", n % 2 + 1, ["a", "b"][n * n / 3 % 2], n % 7)
    };
    let weights = |n: usize| if n.is_multiple_of(5) { "100" } else { "1" };
    write(folder.path(), "even.vw", (0..200).map(|n| line(n, "1")).collect::<String>());
    write(folder.path(), "weighted.vw", (0..200).map(|n| line(n, weights(n))).collect::<String>());
    let even = json(folder.path(), &["train", "even.vw"]);
    assert!(even.get("weighted").is_none());
    let report = json(folder.path(), &["train", "weighted.vw", "--predictions", "p", "-o", "m"]);
    let predicted = std::fs::read_to_string(folder.path().join("p")).expect("predictions");
    let (mut wrong, mut total) = (0.0, 0.0);
    for (n, line) in predicted.lines().enumerate() {
        let weight: f64 = weights(n).parse().expect("a number");
        let label = line.split('\t').next().expect("a label");
        total += weight;
        wrong += if label == (n % 2 + 1).to_string() { 0.0 } else { weight };
    }
    assert_eq!(
        (report["weighted"]["total"].as_f64(), report["weighted"]["error_rate"].as_f64()),
        (Some(total), Some(wrong / total))
    );
    // In the unit of the whole: a member of two that are the same does as both together.
    let twins = ["train", "weighted.vw", "--learner", "ensemble(arow@none; arow@none)"];
    let alone = json(
        folder.path(),
        &["train", "weighted.vw", "--learner", "arow", "--values", "none", "--normalize", "none"],
    );
    let member = json(folder.path(), &twins)["members"][0]["log_loss"].as_f64().expect("a number");
    let whole = alone["log_loss"].as_f64().expect("a number");
    assert!((member - whole).abs() < 1e-9, "{member} {whole}");
    let text = stdout(folder.path(), &["train", "weighted.vw"]);
    assert!(text.contains(" % by importance: weights were used"), "{text}");
}

#[test]
fn explanations_know_the_true_label_and_can_be_of_mistakes_alone() {
    let folder = folder();
    let line = |n: usize| {
        format!(
            "{}\t{} word{}\n",
            ["ham", "spam"][n % 2],
            ["lunch", "pills"][usize::from(n % 2 == 1 || n.is_multiple_of(9))],
            n % 5
        )
    };
    write(folder.path(), "mail.tsv", (0..90).map(line).collect::<String>());
    json(folder.path(), &["train", "mail.tsv", "-o", "m"]);
    let text = stdout(folder.path(), &["explain", "m", "mail.tsv", "--json"]);
    let all: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let wrong = all.iter().filter(|why| why["label"] != why["truth"]).count();
    assert!(all.len() == 90 && (1..45).contains(&wrong), "{wrong}");
    for why in &all {
        let own = why["features"].as_array().expect("features").iter();
        let sum: f64 = own.map(|own| own["contribution"].as_f64().expect("a number")).sum();
        let sum = sum + why["others"]["contribution"].as_f64().expect("a number");
        let p = why["probability"].as_f64().expect("a number");
        assert!((sum - (p / (1.0 - p)).ln()).abs() < 1e-9, "{why}");
    }
    let mistakes = stdout(folder.path(), &["explain", "m", "mail.tsv", "--json", "--mistakes"]);
    assert_eq!(mistakes.lines().count(), wrong);
    let mistakes = stdout(folder.path(), &["explain", "m", "mail.tsv", "--mistakes"]);
    assert_eq!(mistakes.matches("; wrong: it is ham").count(), wrong);
    write(folder.path(), "new.txt", "lunch\npills\n");
    let output = run(folder.path(), &["explain", "m", "new.txt", "--mistakes"]);
    assert!(errors(&output).contains("2 examples without a label"), "{}", errors(&output));
}

#[test]
fn no_probability_short_of_one_is_a_hundred_per_cent() {
    let folder = folder();
    let line = |n: usize| {
        format!("{}\t{} {}\n", ["ham", "spam"][n % 2], ["lunch noon", "pills cheap"][n % 2], n % 3)
    };
    write(folder.path(), "mail.tsv", (0..3000).map(line).collect::<String>());
    let trained = stdout(folder.path(), &["train", "mail.tsv", "-o", "m"]);
    assert!(trained.contains(" at > 99.9 %") || trained.contains(" at 99."), "{trained}");
    let explained = stdout(folder.path(), &["explain", "m", "mail.tsv"]);
    assert!(
        !explained.contains(": 100 %") && explained.contains("> 99.9 % spam, < 0.1 % ham; right"),
        "{explained}"
    );
    let tested = stdout(folder.path(), &["test", "m", "mail.tsv"]);
    let table = tested.split("probability given").nth(1).expect("the table");
    assert!(table.lines().nth(1).expect("a row").starts_with("> 99.9 %"), "{tested}");
}
