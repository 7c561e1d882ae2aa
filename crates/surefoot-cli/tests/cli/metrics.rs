//! The list of metrics is what users meet: in JSON, in the text of `test`, in the reference and in the schemas. The schemas
//! have their metrics from the list: `SUREFOOT_REGENERATE=1 cargo test -p surefoot-cli` writes them anew. What Python shows
//! is compared with those schemas by python/tests/test_metrics.py.

use std::fmt::Write as _;

use serde_json::{Value, json};
use surefoot::core::metric::{METRICS, MetricSpec, Tasks, ValueScale};

use crate::run::{folder, generate, json as run_json, root, stdout};

/// A model and its data in a folder, of so many classes as a metric is for.
fn tested(tasks: Tasks, look: impl Fn(&std::path::Path, &[&str])) {
    let folder = folder();
    points(folder.path(), tasks);
    run_json(folder.path(), &["train", "points.svm", "-o", "m"]);
    look(folder.path(), &["test", "m", "points.svm"]);
}

/// 300 rows of such a task.
fn points(folder: &std::path::Path, tasks: Tasks) {
    match tasks {
        Tasks::TwoClasses => generate(folder, "points.svm", &["coins", "-n", "300"]),
        Tasks::OneClass => generate(folder, "points.svm", &["zipf-classes", "-n", "300"]),
        Tasks::Labels => {
            let labels = ["1", "1,2", "2", "2,3", "3", "1,3"];
            let row = |n: usize| format!("{} {}:1 7:1\n", labels[n % 6], n % 6 + 1);
            std::fs::write(folder.join("points.svm"), (0..300).map(row).collect::<String>())
                .expect("written");
        }
    }
}

/// Whether a metric has a value for such a task.
fn is_for(spec: &MetricSpec, tasks: Tasks) -> bool {
    match spec.tasks {
        Tasks::TwoClasses => tasks == Tasks::TwoClasses,
        Tasks::OneClass => tasks != Tasks::Labels,
        Tasks::Labels => tasks == Tasks::Labels,
    }
}

#[test]
fn every_metric_of_the_list_is_in_the_json_of_test() {
    for tasks in [Tasks::TwoClasses, Tasks::OneClass, Tasks::Labels] {
        tested(tasks, |folder, arguments| {
            let found = run_json(folder, arguments);
            for spec in METRICS {
                let value =
                    found.get(spec.key).unwrap_or_else(|| panic!("`{}` is missing in {found}", spec.key));
                let fits = match spec.scale {
                    // Nothing was counted.
                    ValueScale::Count if !is_for(spec, tasks) => value.is_null() || *value == json!(0),
                    _ if !is_for(spec, tasks) => value.is_null(),
                    ValueScale::Count => value.is_u64(),
                    ValueScale::Share => value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)),
                    ValueScale::Positive => value.as_f64().is_some_and(|number| number >= 0.0),
                };
                assert!(fits, "{}: {value}", spec.key);
            }
            if tasks == Tasks::Labels {
                return;
            }
            let wrong = found["mistakes"].as_f64().unwrap_or(f64::NAN) / 300.0;
            let accuracy = found["accuracy"].as_f64().unwrap_or(f64::NAN);
            assert_eq!(found["error_rate"].as_f64(), Some(wrong));
            assert!((accuracy - (1.0 - wrong)).abs() < 1e-12, "{accuracy}");
        });
    }
}

#[test]
fn every_metric_of_the_list_is_in_the_text_of_test() {
    for tasks in [Tasks::TwoClasses, Tasks::Labels] {
        tested(tasks, |folder, arguments| {
            let text = stdout(folder, arguments);
            let headline = ["mistakes", "error-rate", "subset-accuracy"];
            let shown = METRICS.iter().filter(|spec| is_for(spec, tasks) && !headline.contains(&spec.name));
            for spec in shown {
                assert!(text.lines().any(|line| line.starts_with(spec.title)), "{} in\n{text}", spec.title);
            }
            let first = text.lines().next().unwrap_or_default();
            assert!(first.contains(" in 300 examples") && first.contains("mistake"), "{text}");
        });
    }
}

#[test]
fn training_and_comparing_print_the_metrics_that_are_followed() {
    let folder = folder();
    let mut report = Value::Null;
    for tasks in [Tasks::TwoClasses, Tasks::Labels] {
        points(folder.path(), tasks);
        report = run_json(folder.path(), &["train", "points.svm"]);
        let table = run_json(folder.path(), &["compare", "points.svm", "--learner", "arow"]);
        for spec in METRICS.iter().filter(|spec| spec.progressive && is_for(spec, tasks)) {
            assert!(report[spec.key].is_number() && table["rows"][0][spec.key].is_number(), "{}", spec.key);
        }
    }
    let not_followed =
        METRICS.iter().filter(|spec| !spec.progressive && !["mistakes", "error_rate"].contains(&spec.key));
    not_followed.for_each(|spec| assert!(report.get(spec.key).is_none(), "{}", spec.key));
}

#[test]
fn rare_labels_have_their_own_line() {
    let folder = folder();
    let mail = |n: usize| match n % 10 {
        0 => format!("spam\tcheap pills for {n}\n"),
        _ => format!("ham\tlunch at {n}, see you\n"),
    };
    let even = |n: usize| mail(n).replace("ham", if n.is_multiple_of(3) { "ham" } else { "spam" });
    std::fs::write(folder.path().join("rare.tsv"), (0..300).map(mail).collect::<String>()).expect("written");
    std::fs::write(folder.path().join("even.tsv"), (0..300).map(even).collect::<String>()).expect("written");
    let line = "rarest label spam, 10.0 % of the examples: F1 ";
    let trained = stdout(folder.path(), &["train", "rare.tsv", "-o", "m"]);
    let tested = stdout(folder.path(), &["test", "m", "rare.tsv"]);
    for text in [&trained, &tested] {
        let told = text.lines().find(|told| told.trim_start().starts_with(line));
        assert!(told.is_some_and(|told| told.contains(", area under PR ")), "{text}");
    }
    let found = run_json(folder.path(), &["test", "m", "rare.tsv"]);
    assert_eq!(found["rarest_label"], json!({ "label": "spam", "share": 0.1, "rare": true }));
    // Every mail is told apart, so that the numbers of the rare label are perfect too.
    assert_eq!((found["f1"].as_f64(), found["pr_auc"].as_f64()), (Some(1.0), Some(1.0)), "{found}");
    assert!(!stdout(folder.path(), &["train", "even.tsv"]).contains("rarest label"));
}

#[test]
fn every_metric_of_the_list_is_in_the_reference() {
    let page = crate::reference::page();
    let (_, list) =
        page.split_once("Metrics, as --json calls them").expect("the metrics are in the reference");
    for spec in METRICS {
        let line = list.lines().find(|line| line.split_whitespace().any(|word| word == spec.key));
        assert!(line.is_some_and(|line| line.contains(spec.help)), "{}: {line:?}", spec.key);
    }
}

/// A schema with metrics.
struct Schema {
    name: &'static str,
    /// The properties between which they are.
    between: [&'static str; 2],
    /// How far those are indented.
    indent: usize,
    wanted: fn(&MetricSpec) -> bool,
    /// What to say before each description.
    kind: &'static str,
}

const SCHEMAS: [Schema; 4] = [
    Schema { name: "test.json", between: ["examples", "classes"], indent: 4, wanted: |_| true, kind: "" },
    Schema {
        name: "train.json",
        between: ["error_rate", "updates"],
        indent: 4,
        wanted: |spec| spec.progressive,
        kind: "progressive ",
    },
    Schema {
        name: "compare.json",
        between: ["error_rate", "seconds"],
        indent: 10,
        wanted: |spec| spec.progressive,
        kind: "",
    },
    Schema {
        name: "tune.json",
        between: ["error_rate", "seconds"],
        indent: 10,
        wanted: |spec| spec.progressive,
        kind: "progressive ",
    },
];

impl Schema {
    /// The schema with the metrics of the list, as required names and as properties.
    fn with_metrics(&self, text: &str) -> String {
        let (margin, [before, after]) = (" ".repeat(self.indent), self.between);
        let specs = || METRICS.iter().filter(|spec| (self.wanted)(spec));
        let names: String = specs().map(|spec| format!("{margin}{},\n", json!(spec.key))).collect();
        let text =
            replaced(text, [&format!("\n{margin}\"{before}\",\n")], &format!("{margin}\"{after}\","), &names);
        let properties: String = specs().map(|spec| property(spec, self.kind, &margin)).collect();
        let end_of_before = [&format!("\n{margin}\"{before}\": {{\n"), &format!("\n{margin}}},\n")];
        replaced(&text, end_of_before, &format!("{margin}\"{after}\": {{"), &properties)
    }
}

/// The text with `by` from the end of the marks, found one after the other, up to the next place of `to`.
fn replaced<const N: usize>(text: &str, marks: [&String; N], to: &str, by: &str) -> String {
    let after = |at: usize, mark: &str| {
        let found = text[at..].find(mark).unwrap_or_else(|| panic!("no {mark:?} after {at}"));
        at + found
    };
    let start = marks.into_iter().fold(0, |at, mark| after(at, mark) + mark.len());
    [&text[..start], by, &text[after(start, to)..]].concat()
}

#[test]
fn the_schemas_have_their_metrics_from_the_list() {
    for schema in SCHEMAS {
        let path = root().join("docs/reference/schema").join(schema.name);
        let text = std::fs::read_to_string(&path).expect("the schema is there");
        let expected = schema.with_metrics(&text);
        serde_json::from_str::<Value>(&expected).expect("a schema is JSON");
        if std::env::var_os("SUREFOOT_REGENERATE").is_some() {
            std::fs::write(&path, &expected).expect("the schema is written");
        } else {
            assert!(text == expected, "{} is out of date; see the head of this test", path.display());
        }
    }
}

/// A metric as a property of a schema.
fn property(spec: &MetricSpec, kind: &str, margin: &str) -> String {
    let number = if spec.scale == ValueScale::Count { "integer" } else { "number" };
    let tasks = if spec.tasks == Tasks::TwoClasses { ", for two classes" } else { "" };
    let mut text = format!("{margin}{}: {{\n{margin}  \"type\": [\n", json!(spec.key));
    let _ = writeln!(text, "{margin}    \"{number}\",\n{margin}    \"null\"\n{margin}  ],");
    let _ = writeln!(
        text,
        "{margin}  \"description\": {},",
        json!(format!("{kind}{}: {}{tasks}", spec.title, spec.help))
    );
    let most =
        if spec.scale == ValueScale::Share { format!(",\n{margin}  \"maximum\": 1") } else { String::new() };
    let _ = writeln!(text, "{margin}  \"minimum\": 0{most}\n{margin}}},");
    text
}

/// Labels that change their meaning half-way are noticed and said; a stream that stays the same says nothing.
#[test]
fn a_change_of_the_data_is_told() {
    let folder = folder();
    let line = |n: usize, flipped: bool| {
        let (class, word) =
            (n * n / 3 % 2, |k: usize| format!("{}{}", ["home", "prize"][n * n / 3 % 2], k % 150));
        let label = ["ham", "spam"][if flipped { 1 - class } else { class }];
        format!("{label}\t{} {} word{}\n", word(n * 7), word(n * n), n % 50)
    };
    let lines = |change: usize| (0..3000).map(|n| line(n, n >= change)).collect::<String>();
    std::fs::write(folder.path().join("same.tsv"), lines(3000)).expect("written");
    std::fs::write(folder.path().join("flip.tsv"), lines(2000)).expect("written");
    // By single words: the beginnings of these words tell so much that the whole of `auto` errs twice, and no more.
    let same = run_json(folder.path(), &["train", "same.tsv", "--fast"]);
    assert!(same.get("changes").is_none(), "{}", same["changes"]);
    let report = run_json(folder.path(), &["train", "flip.tsv", "--fast"]);
    let change = &report["changes"][0];
    let example = change["example"].as_u64().expect("a number");
    assert!((1950..2100).contains(&example), "{change}");
    assert!(change["before"].as_f64() < Some(0.05) && change["after"].as_f64() > Some(0.3), "{change}");
    let text = stdout(folder.path(), &["train", "flip.tsv", "--fast"]);
    assert!(text.contains("  the data changed near example "), "{text}");
}
