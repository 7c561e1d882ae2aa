use proptest::prelude::*;

use super::*;
use crate::encode::task::{DETECTION_EXAMPLES, DETECTION_FEATURES, Task, TaskDetector};

fn texts(labels: &Labels) -> Vec<String> {
    labels.names().iter().map(Label::to_string).collect()
}

fn decided(task: Option<Task>, stream: &[&str]) -> (Labels, usize) {
    decided_with(task, stream, 1)
}

/// The labels, and how many examples of so many features it took to decide on them.
fn decided_with(task: Option<Task>, stream: &[&str], features: usize) -> (Labels, usize) {
    let mut detector = TaskDetector::new(task);
    for (at, label) in stream.iter().enumerate() {
        if let Some(labels) = detector.see(Some(label.as_bytes()), features) {
            return (labels, at + 1);
        }
    }
    (detector.end().unwrap(), stream.len() + 1)
}

#[test]
fn order_is_numbers_by_value_then_words() {
    let mut labels = Labels::open();
    for label in ["b", "10", "9", "-3", "a", "B", "nan", "0.5"] {
        labels.meet(label.as_bytes()).unwrap();
    }
    let ordered: Vec<String> = labels.order().iter().map(|&class| labels.name(class).to_string()).collect();
    assert_eq!(ordered, ["-3", "0.5", "9", "10", "B", "a", "b", "nan"]);
}

#[test]
fn one_number_is_one_label_however_it_is_spelt() {
    let mut labels = Labels::open();
    for label in ["+1", "1", "1.0", "1e0", "01"] {
        assert_eq!(labels.meet(label.as_bytes()).unwrap(), 0);
    }
    assert_eq!(labels.meet(b"-0").unwrap(), labels.meet(b"0").unwrap());
    assert_eq!(texts(&labels), ["1", "0"]);
    // Too large to be told apart as numbers.
    assert_ne!(labels.meet(b"10000000000000000001").unwrap(), labels.meet(b"10000000000000000002").unwrap());
}

#[test]
fn auto_decides_by_the_first_ten_thousand() {
    let (labels, at) = decided(None, &["pos", "neg", "pos"]);
    assert!(labels.is_binary() && at == 4);
    assert_eq!(texts(&labels), ["neg", "pos"]);
    let (labels, at) = decided(None, &["pos", "neg", "other", "pos"]);
    assert!(!labels.is_binary() && labels.is_empty() && at == 3);
    let many: Vec<&str> = ["2", "1"].into_iter().cycle().take(DETECTION_EXAMPLES + 5).collect();
    let (labels, at) = decided(None, &many);
    assert_eq!((texts(&labels), at), (vec!["1".to_string(), "2".to_string()], DETECTION_EXAMPLES));
}

#[test]
fn auto_keeps_fewer_examples_of_many_features() {
    let mixed: Vec<&str> = ["2", "1"].into_iter().cycle().take(DETECTION_EXAMPLES).collect();
    let (labels, at) = decided_with(None, &mixed, DETECTION_FEATURES / 100);
    assert_eq!((texts(&labels), at), (vec!["1".to_string(), "2".to_string()], 101));
    // A third label is still found wherever the labels come one after the other.
    let sorted: Vec<&str> = ["a", "b", "c"].into_iter().flat_map(|label| [label; 1000]).collect();
    let (labels, at) = decided_with(None, &sorted, DETECTION_FEATURES / 100);
    assert!(!labels.is_binary() && at == 2001);
    // And nobody waits for a change that does not come.
    let (labels, at) = decided_with(None, &vec!["-1"; DETECTION_EXAMPLES + 100], DETECTION_FEATURES);
    assert!(labels.is_binary() && at == DETECTION_EXAMPLES);
}

#[test]
fn auto_waits_for_the_second_label_of_a_sorted_file() {
    let mut sorted = vec!["neg"; DETECTION_EXAMPLES + 100];
    sorted.extend(["pos"; 3]);
    let (labels, at) = decided(None, &sorted);
    assert_eq!((texts(&labels), at), (vec!["neg".to_string(), "pos".to_string()], DETECTION_EXAMPLES + 101));
    let (labels, at) = decided(None, &vec!["-1"; DETECTION_EXAMPLES + 100]);
    assert_eq!((texts(&labels), at), (vec!["-1".to_string(), "1".to_string()], DETECTION_EXAMPLES));
}

#[test]
fn binary_knows_the_usual_labels_beforehand() {
    for (first, expected) in [("-1", ["-1", "1"]), ("+1", ["-1", "1"]), ("0", ["0", "1"])] {
        let (labels, at) = decided(Some(Task::Binary), &[first, "x"]);
        assert_eq!((texts(&labels), at), (expected.map(str::to_string).to_vec(), 1));
    }
    let (labels, at) = decided(Some(Task::Binary), &["1", "1", "2"]);
    assert_eq!((texts(&labels), at), (vec!["1".to_string(), "2".to_string()], 3));
}

#[test]
fn a_lone_one_is_positive_and_takes_either_partner() {
    for partner in ["0", "-1"] {
        let (mut labels, _) = decided(None, &["1", "1"]);
        assert_eq!(labels.meet(b"1").unwrap(), 1);
        assert_eq!(labels.class(partner.as_bytes()), Some(0));
        assert_eq!(labels.meet(partner.as_bytes()).unwrap(), 0);
        assert_eq!(texts(&labels), [partner, "1"]);
        let other = if partner == "0" { "-1" } else { "0" };
        assert!(matches!(labels.meet(other.as_bytes()), Err(LabelProblem::Third { .. })));
    }
}

#[test]
fn too_few_labels_are_refused() {
    let mut detector = TaskDetector::new(None);
    assert_eq!(detector.see(None, 1), None);
    assert_eq!(detector.clone().end(), Err(LabelProblem::None));
    assert_eq!(detector.see(Some(b"spam"), 1), None);
    assert_eq!(detector.end(), Err(LabelProblem::OnlyOne("spam".into())));
    assert_eq!(Labels::declared(&["1", "+1"]), Err(LabelProblem::Twice("1".into())));
}

#[test]
fn declared_labels_are_all_there_is() {
    let mut labels = Labels::declared(&["c", "a", "b"]).unwrap();
    assert_eq!(texts(&labels), ["a", "b", "c"]);
    let refused = labels.meet(b"d").unwrap_err().to_string();
    assert!(refused.starts_with("label 'd' is not among the declared labels a, b, c;"), "{refused}");
    assert!(!Labels::declared_multiclass(&["a", "b"]).unwrap().is_binary());
}

#[test]
fn damaged_labels_are_refused() {
    for text in [
        "",
        r#"{"kind":"binary","names":["a"]}"#,
        r#"{"kind":"binary","names":["b","a"]}"#,
        r#"{"kind":"open","names":["1","1.0"]}"#,
        r#"{"kind":"other","names":[]}"#,
    ] {
        assert!(matches!(Labels::from_json(text), Err(LabelProblem::Stored(_))), "{text}");
    }
}

proptest! {
    #[test]
    fn labels_survive_storage(names in prop::collection::btree_set("[a-c1-3.+-]{1,3}|\\PC{1,4}", 0..12)) {
        let mut labels = Labels::open();
        names.iter().for_each(|name| _ = labels.meet(name.as_bytes()).unwrap());
        prop_assert_eq!(Labels::from_json(&labels.to_json()).unwrap(), labels);
    }

    #[test]
    fn classes_in_order_do_not_depend_on_the_stream(names in prop::collection::vec("[ab12.]{1,2}", 1..12)) {
        let ordered = |names: &mut dyn Iterator<Item = &String>| -> Vec<String> {
            let mut labels = Labels::open();
            names.for_each(|name| _ = labels.meet(name.as_bytes()).unwrap());
            labels.order().into_iter().map(|class| labels.name(class).to_string()).collect()
        };
        prop_assert_eq!(ordered(&mut names.iter()), ordered(&mut names.iter().rev()));
    }
}
