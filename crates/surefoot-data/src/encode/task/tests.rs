use proptest::prelude::*;

use super::*;

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
    // A change that does not come is not waited for.
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
}

/// What the first labels of a file decide, as far as they make it binary.
fn binary<'l>(task: Option<Task>, first: impl IntoIterator<Item = &'l str>) -> Option<Labels> {
    let mut detector = TaskDetector::new(task);
    let decided = first.into_iter().find_map(|label| detector.see(Some(label.as_bytes()), 0));
    decided.or_else(|| detector.end().ok()).filter(Labels::is_binary)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn how_often_a_label_is_repeated_decides_nothing_where_features_are_not_counted(
        stream in prop::collection::vec(prop::sample::select(vec!["1", "+1", "1.0", "-1", "0", "2", "a"]), 1..6),
        repeats in prop::sample::select(vec![1, 3, DETECTION_EXAMPLES / 3, DETECTION_EXAMPLES]),
    ) {
        let mut once = Vec::new();
        stream.iter().for_each(|label| if !once.contains(label) { once.push(*label) });
        // Of the first label many, and no more in all than are looked at.
        let all = std::iter::repeat_n(stream[0], repeats).chain(stream.iter().copied().cycle());
        let all: Vec<&str> = all.take((repeats + stream.len()).min(DETECTION_EXAMPLES)).collect();
        once.retain(|label| all.contains(label));
        for task in [None, Some(Task::Binary)] {
            prop_assert_eq!(binary(task, once.iter().copied()), binary(task, all.iter().copied()));
        }
    }
}
