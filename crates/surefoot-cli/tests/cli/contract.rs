//! The contracts that other programs rely on: DESIGN's `--json`, `--predictions`, `inspect --json`, `predict`.

use serde_json::Value;

use crate::run::{folder, generate, json, read, run_with, stdout, write};
use crate::schema;

const PAPER: [&str; 5] =
    ["--learner", "cw-stdev/full:confidence=0.9,floor=0", "--no-bias", "--normalize", "none"];

#[test]
fn train_prints_one_object() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["ellipse", "-n", "150"]);
    let arguments = [&["train", "points.svm", "-o", "m"], &PAPER[..]].concat();
    let report = json(folder.path(), &arguments);
    schema::check(&schema::load("train.json"), &report);
    assert_eq!(report["examples"], 150);
    assert_eq!(report["learner"], "cw-stdev/full:confidence=0.9,floor=0,prior=1,projection=covariance");
    assert_eq!(
        (&report["model"], &report["labels"], &report["features"]),
        (&"m".into(), &2.into(), &20.into())
    );
}

#[test]
fn predictions_are_one_line_a_round() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["ellipse", "-n", "150"]);
    let arguments = [&["train", "points.svm", "--predictions", "p"], &PAPER[..]].concat();
    let report = json(folder.path(), &arguments);
    let text = String::from_utf8(read(folder.path(), "p")).expect("UTF-8");
    let points = String::from_utf8(read(folder.path(), "points.svm")).expect("UTF-8");
    let mut mistakes = 0;
    for (line, point) in text.lines().zip(points.lines()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [label, score, variance, probability] = cells[..] else { panic!("four cells: {line}") };
        let [score, variance, probability] =
            [score, variance, probability].map(|cell| cell.parse::<f64>().expect("a number"));
        assert_eq!(label, if score >= 0.0 { "1" } else { "-1" });
        assert!(variance > 0.0 && (0.5..=1.0).contains(&probability));
        mistakes += u64::from(point.split(' ').next() != Some(label));
    }
    assert_eq!(text.lines().count(), 150);
    assert_eq!(report["mistakes"], mistakes);
    // The first round knows nothing: mean 0, variance the squared length of the point.
    let first: f64 = points.lines().next().map_or(0.0, squared_length);
    let variance: f64 =
        text.lines().next().and_then(|l| l.split('\t').nth(2)?.parse().ok()).expect("a number");
    assert!((first - variance).abs() < 1e-12 * first);
}

fn squared_length(line: &str) -> f64 {
    line.split(' ').filter_map(|pair| pair.split_once(':')?.1.parse::<f64>().ok()).map(|x| x * x).sum()
}

#[test]
fn every_pass_writes_its_predictions() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "30"]);
    json(folder.path(), &["train", "points.svm", "--passes", "3", "--predictions", "p"]);
    assert_eq!(read(folder.path(), "p").split(|&b| b == b'\n').count(), 91);
}

#[test]
fn inspect_gives_every_weight_in_feature_order() {
    let folder = folder();
    write(folder.path(), "d.svm", "1 10:1 9:1\n2 2:1\n3 9:2 4000000000:1\n");
    json(folder.path(), &["train", "d.svm", "-o", "m"]);
    let shown = json(folder.path(), &["inspect", "m", "--all"]);
    schema::check(&schema::load("inspect.json"), &shown);
    let weights = shown["weights"].as_array().expect("a list");
    let names: Vec<(&str, &str)> = weights
        .iter()
        .map(|w| (w["feature"].as_str().unwrap_or(""), w["label"].as_str().unwrap_or("")))
        .collect();
    let features = ["2", "9", "10", "4000000000", "(bias)"];
    let expected: Vec<(&str, &str)> =
        features.iter().flat_map(|feature| ["1", "2", "3"].map(|label| (*feature, label))).collect();
    assert_eq!(names, expected);
    let lines = stdout(folder.path(), &["inspect", "m", "--all"]);
    assert_eq!(lines.lines().count(), 15);
    assert!(lines.starts_with("2\t1\t"));
}

#[test]
fn inspect_of_two_labels_has_no_label_in_its_weights() {
    let folder = folder();
    write(folder.path(), "d.svm", "1 1:1\n-1 2:1\n");
    json(folder.path(), &["train", "d.svm", "-o", "m", "--no-bias", "--rule", "arow", "--r", "1"]);
    let shown = json(folder.path(), &["inspect", "m", "--all"]);
    let weight =
        |feature: &str, mean: f64| serde_json::json!({ "feature": feature, "mean": mean, "variance": 0.5 });
    assert_eq!(shown["weights"], Value::Array(vec![weight("1", 0.5), weight("2", -0.5)]));
    assert_eq!(shown["labels"], serde_json::json!(["-1", "1"]));
}

#[test]
fn predict_echoes_ids_and_ignores_labels() {
    let folder = folder();
    write(folder.path(), "d.vw", "1 a|f x\n-1 b|f y\n1 c|f x\n");
    json(folder.path(), &["train", "d.vw", "-o", "m"]);
    assert_eq!(stdout(folder.path(), &["predict", "m", "d.vw"]), "a\t1\nb\t-1\nc\t1\n");
    let wrong =
        run_with(folder.path(), &["predict", "m", "-", "--format", "vw"], b"-1 q|f x\n|f y\n99 |f x\n");
    assert_eq!(String::from_utf8_lossy(&wrong.stdout), "q\t1\n-1\n1\n");
}

#[test]
fn predict_gives_probabilities_votes_and_scores() {
    let folder = folder();
    write(
        folder.path(),
        "d.tsv",
        "b\tsun beach\na\tsnow ski\nc\train mud\nb\tbeach sand\na\tski lift\nc\tmud boots\n",
    );
    json(folder.path(), &["train", "d.tsv", "-o", "m"]);
    let line = |flags: &[&str]| {
        let output = run_with(
            folder.path(),
            &[&["predict", "m", "-", "--format", "text"], flags].concat(),
            b"ski snow\n",
        );
        String::from_utf8(output.stdout).expect("UTF-8").trim_end().to_string()
    };
    assert_eq!(line(&[]), "a");
    for flag in ["--probabilities", "--votes"] {
        let all: Vec<String> = line(&[flag, "--all-labels"]).split('\t').map(str::to_string).collect();
        assert_eq!(line(&[flag]), all[..2].join("\t"), "the winner is the first of all");
        let numbers: Vec<f64> = all.iter().skip(1).step_by(2).map(|p| p.parse().expect("a number")).collect();
        assert!(
            (numbers.iter().sum::<f64>() - 1.0).abs() < 1e-9 && numbers.is_sorted_by(|a, b| a >= b),
            "{numbers:?}"
        );
    }
    assert_eq!(line(&["--scores"]).split('\t').count(), 3);
    let object: Value = serde_json::from_str(&line(&["--json", "--all-labels", "--votes"])).expect("JSON");
    schema::check(&schema::load("predict.json"), &object);
    assert_eq!(object["label"], "a");
}

#[test]
fn other_commands_keep_to_their_schemas() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "60"]);
    json(folder.path(), &["train", "points.svm", "-o", "m"]);
    write(folder.path(), "one.svm", "1 1:1 2:-1 99:1\n");
    for (name, arguments) in [
        ("test.json", &["test", "m", "points.svm"][..]),
        ("compare.json", &["compare", "points.svm", "--learner", "arow", "--learner", "pa1"]),
        ("compare.json", &["compare", "points.svm", "--learner", "arow", "--learner", "pa1", "--folds", "3"]),
        ("tune.json", &["tune", "points.svm", "--learner", "arow"]),
        ("rules.json", &["rules"]),
        ("train.json", &["train", "points.svm", "--learner", "auto", "--test", "points.svm"]),
        ("explain.json", &["explain", "m", "one.svm"]),
        ("merge.json", &["merge", "m", "m", "-o", "both"]),
    ] {
        schema::check(&schema::load(name), &json(folder.path(), arguments));
    }
}

#[test]
fn flags_say_the_same_as_a_spec() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "60"]);
    let model = |flags: &[&str]| {
        json(folder.path(), &[&["train", "points.svm", "-o", "m"], flags].concat());
        read(folder.path(), "m")
    };
    let spec = model(&["--learner", "cw-stdev/full:confidence=0.8,floor=0"]);
    assert_eq!(
        model(&["--rule", "cw-stdev", "--covariance", "full", "--confidence", "0.8", "--floor", "0"]),
        spec
    );
    assert_eq!(model(&["--learner", "cw-stdev/full:floor=0", "--confidence=0.8"]), spec);
    assert_eq!(
        model(&["--rule", "pa1", "--average", "--c", "2"]),
        model(&["--learner", "pa1:c=2,average=true"])
    );
}

const SEQUENTIAL: [&str; 2] = ["--learner", "arow:schedule=sequential"];

#[test]
fn labels_are_declared_or_come() {
    let folder = folder();
    write(folder.path(), "d.svm", "3 1:1\n1 2:1\n3 1:1\n3 1:1\n");
    let declared = json(
        folder.path(),
        &["train", "d.svm", "--labels", "1,2,3", "--no-bias", SEQUENTIAL[0], SEQUENTIAL[1]],
    );
    assert_eq!(
        (&declared["labels"], &declared["mistakes"]),
        (&3.into(), &1.into()),
        "ties go to the smaller label"
    );
    let open = json(
        folder.path(),
        &["train", "d.svm", "--task", "multiclass", "--no-bias", SEQUENTIAL[0], SEQUENTIAL[1]],
    );
    assert_eq!((&open["labels"], &open["mistakes"]), (&2.into(), &3.into()), "a new label is a mistake");
    let weighted = json(folder.path(), &["train", "d.svm", "--class-weight", "1=0,3=2"]);
    assert_eq!(weighted["updates"], 3, "weight 0 skips learning");
}

#[test]
fn an_ensemble_is_saved_whole_or_as_its_best_member() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["zipf-classes", "-n", "300"]);
    let saved = |flags: &[&str]| {
        let report = json(folder.path(), &[&["train", "points.svm", "-o", "m"], flags].concat());
        assert_eq!(report["members"].as_array().map(Vec::len), Some(4));
        json(folder.path(), &["inspect", "m"])["learner"].as_str().unwrap_or_default().to_string()
    };
    assert!(saved(&["--learner", "auto"]).starts_with("ensemble("));
    let best = saved(&["--save", "best"]);
    assert!(!best.contains(';'), "one member, with the scaling that it learned through: {best}");
}

#[test]
fn flags_of_values_and_length_hold_for_the_members_of_an_ensemble() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "50"]);
    let views = |flags: &[&str]| {
        let report = json(folder.path(), &[&["train", "points.svm"], flags].concat());
        let members = report["members"].as_array().expect("members").clone();
        members
            .iter()
            .map(|member| member["view"].as_str().unwrap_or_default().to_string())
            .collect::<Vec<_>>()
    };
    assert!(views(&["--values", "log"]).iter().all(|view| view.contains("log") && !view.contains("nb")));
    assert!(views(&["--normalize", "none"]).iter().all(|view| !view.ends_with("+l2")));
    let one = views(&["--values", "none", "--normalize", "none"]);
    assert!(one.len() < 8, "members that became the same are one: {one:?}");
}
