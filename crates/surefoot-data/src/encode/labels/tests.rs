use proptest::prelude::*;

use super::*;

fn texts(labels: &Labels) -> Vec<String> {
    labels.names().iter().map(Label::to_string).collect()
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
fn declared_labels_are_all_there_is() {
    assert_eq!(Labels::declared(&["1", "+1"]), Err(LabelProblem::Twice("1".into())));
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
        r#"{"kind":"binary","names":["a","a"]}"#,
        r#"{"kind":"half","names":["b","a"]}"#,
        r#"{"kind":"halfpair","names":["a"]}"#,
        r#"{"kind":"open","names":["1","1.0"]}"#,
        r#"{"kind":"other","names":[]}"#,
    ] {
        assert!(matches!(Labels::from_json(text), Err(LabelProblem::Stored(_))), "{text}");
    }
}

#[test]
fn a_pair_keeps_the_label_that_came_first_as_its_positive_one() {
    let mut labels = Labels::open_pair();
    let reloaded = |labels: &Labels| Labels::from_json(&labels.to_json()).unwrap();
    assert_eq!(reloaded(&labels), labels);
    for (label, class) in [("a", 1), ("b", 0), ("a", 1)] {
        assert_eq!(labels.meet(label.as_bytes()).unwrap(), class);
        labels = reloaded(&labels);
    }
    assert_eq!(texts(&labels), ["b", "a"]);
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
