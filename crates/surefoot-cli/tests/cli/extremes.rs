//! Values and weights of any size: what is written can be read, and what is printed is a number. Every rule on every store,
//! with rows as they are, so that nothing but the arithmetic stands between a value of 1e308 and a weight.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;
use surefoot::core::rule::RULES;
use surefoot::core::store::STORES;
use surefoot::core::{Spec, Task};

use crate::run::{folder, run, write};

const SIZES: [&str; 12] =
    ["5e-324", "1e-310", "1e-200", "1e-50", "1e-9", "1", "3.7", "1e9", "1e50", "1e150", "1e300", "1e308"];
const WEIGHTS: [&str; 6] = ["0", "1e-300", "1", "1", "1e6", "1e12"];

/// Whole numbers that only look random, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Rows of values of all sizes and both signs, with labels of so many classes and importance weights.
fn rows(seed: u64, classes: usize) -> String {
    let (mut random, mut text) = (Random(seed), String::new());
    for row in 0..32 {
        // Every label is there, with some weight.
        let (label, weight) =
            if row < classes { (row, "1") } else { (random.below(classes), WEIGHTS[random.below(6)]) };
        let _ = write!(text, "{label} {weight} |n");
        for feature in 0..7 {
            if random.below(5) > 1 {
                let sign = ["", "-"][random.below(2)];
                let _ = write!(text, " f{feature}:{sign}{}", SIZES[random.below(SIZES.len())]);
            }
        }
        text.push('\n');
    }
    text
}

/// What a run prints, or nothing where it refuses a line of the data by its name.
fn tried(folder: &Path, arguments: &[&str], context: &str) -> Option<String> {
    let output = run(folder, arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Some(String::from_utf8(output.stdout).expect("UTF-8"));
    }
    let named = message.contains(".vw:") || message.contains("non-linear kernel");
    assert!(
        output.status.code() == Some(1) && named,
        "{context}: surefoot {}: {:?} {message}",
        arguments.join(" "),
        output.status.code()
    );
    None
}

/// No word of a text is what programs print where there is no number.
fn numbers_only(text: &str, context: &str) {
    let wrong =
        |word: &&str| ["nan", "inf", "-inf", "infinity", "null"].contains(&word.to_lowercase().as_str());
    let apart = |c: char| c.is_whitespace() || ",:[]{}\"=()±".contains(c);
    let found = text.lines().find(|line| line.split(apart).any(|word| wrong(&word)));
    assert_eq!(found, None, "{context}");
}

/// Members that are null where there are none of them, and settings.
const MAY_BE_MISSING: [&str; 5] = ["runner_up", "member", "lead", "columns", "recipe"];

/// Every number of a line of JSON is one: what is not finite would have become null.
fn json_numbers_only(text: &str, context: &str) {
    fn walk(name: &str, value: &Value, context: &str) {
        match value {
            _ if MAY_BE_MISSING.contains(&name) => {}
            Value::Null => panic!("{context}: `{name}` is null"),
            Value::Array(all) => all.iter().for_each(|inner| walk(name, inner, context)),
            Value::Object(all) => all.iter().for_each(|(name, inner)| walk(name, inner, context)),
            _ => {}
        }
    }
    for line in text.lines() {
        walk("", &serde_json::from_str(line).expect("JSON"), context);
    }
}

/// Trains with a learner and does everything with the model that can be done with one.
fn exercise(folder: &Path, learner: &str, rows: &[&str]) {
    let whole = format!("{learner} {rows:?}");
    let mut train = vec!["train", rows[0], "--learner", learner, "-o", "m", "--predictions", "p"];
    train.extend(["--normalize", "none", "--values", "none", "--json"]);
    // A folder is used again: an earlier model is not to be taken for this one.
    let _ = std::fs::remove_file(folder.join("m"));
    if tried(folder, &train, &whole).is_none() {
        return;
    }
    let predictions = std::fs::read_to_string(folder.join("p")).expect("predictions");
    numbers_only(&predictions, &format!("{whole}: train --predictions\n{predictions}"));
    for data in rows {
        for arguments in [
            &["predict", "m", data, "--scores", "--probabilities", "--votes", "--all-labels"][..],
            &["predict", "m", data, "--scores", "--probabilities", "--votes", "--json", "--all-labels"],
            &["explain", "m", data, "--json"],
            &["test", "m", data, "--json"],
        ] {
            let context = format!("{whole}: {arguments:?}");
            match tried(folder, arguments, &context) {
                Some(text) if !arguments.contains(&"--json") => numbers_only(&text, &context),
                // A metric of labels that are not there has no number, and says so.
                Some(text) if arguments[0] != "test" => json_numbers_only(&text, &context),
                _ => {}
            }
        }
    }
    // What was written can be read.
    let text = tried(folder, &["inspect", "m"], &whole);
    numbers_only(&text.expect("a model that can be read"), &whole);
    let text = tried(folder, &["inspect", "m", "--json", "--all"], &whole);
    json_numbers_only(&text.expect("a model that can be read"), &whole);
    let on = ["train", rows[1], "--resume", "m", "-o", "m", "--json"];
    if tried(folder, &on, &whole).is_some() {
        assert!(tried(folder, &["inspect", "m"], &whole).is_some(), "{whole}: not readable after --resume");
    }
}

/// Every rule on every store that takes it, and the default.
fn learners() -> Vec<String> {
    let pairs = RULES.iter().flat_map(|rule| STORES.iter().map(move |store| (rule.name, store.name)));
    let specs = pairs.map(|(rule, store)| format!("{rule}/{store}"));
    let taken = specs.filter(|spec| Spec::parse(spec).is_ok_and(|spec| spec.build(Task::Binary, 2).is_ok()));
    let more = [
        "perceptron:average=true",
        "arow/kernel:budget=4",
        "pa/kernel:kernel=poly",
        "nherd/factored:rank=2,buffer=2",
        "auto",
    ];
    taken.chain(more.map(String::from)).collect()
}

fn exercise_all(classes: usize) {
    let folder = folder();
    let learners = learners();
    assert!(learners.len() > 40, "{learners:?}");
    for (i, learner) in learners.iter().enumerate() {
        let (one, other) = (format!("a{i}.vw"), format!("b{i}.vw"));
        write(folder.path(), &one, rows(2 * i as u64 + 1, classes));
        write(folder.path(), &other, rows(1000 + i as u64, classes));
        exercise(folder.path(), learner, &[&one, &other]);
    }
}

#[test]
fn two_classes_of_values_of_any_size() {
    exercise_all(2);
}

#[test]
fn many_classes_of_values_of_any_size() {
    exercise_all(3);
}
