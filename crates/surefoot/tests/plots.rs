//! The pictures of `train` and `test`, letter for letter, and what they do with much and with little.

use surefoot::data::Source;
use surefoot::train::{Curve, Silent};
use surefoot::{Evaluation, Reading, evaluate, plot, prelude::*};

/// A run whose error falls, over some passes.
fn curve(examples: u64, passes: u64) -> Curve {
    let mut curve = Curve::default();
    for pass in 0..passes {
        for round in 0..examples {
            curve.round(round % (2 + round / 16 + 8 * pass) == 0);
        }
        curve.end_pass();
        curve.add_held_out(0.2 / (1.0 + pass as f64));
    }
    curve
}

fn evaluation(train_on: &str, test_on: &str) -> Evaluation {
    let source = |text: &str| vec![Source::memory("mail.tsv", text.as_bytes())];
    let (model, _) = train(source(train_on), &TrainOptions::default(), &mut Silent).expect("a model");
    evaluate(&model, source(test_on), &Reading::default()).expect("an evaluation")
}

#[test]
fn the_error_curve() {
    insta::assert_snapshot!(plot::error_curve(&curve(100, 1)).to_svg());
}

#[test]
fn reliability_and_confusion() {
    let mail = "spam\tcheap pills\nham\tlunch today\nspam\tcheap watches\nlist\t<b>news</b> of today\n";
    let found = evaluation(mail, &format!("{mail}ham\tcheap lunch\nodd\tlunch & pills\n"));
    insta::assert_snapshot!(plot::reliability_and_confusion(&found).to_svg());
}

#[test]
fn passes_stand_side_by_side() {
    let svg = plot::error_curve(&curve(64, 3)).to_svg();
    assert!(["pass 1", "pass 2", "pass 3", "held-out error"].iter().all(|name| svg.contains(name)), "{svg}");
    assert!(!plot::error_curve(&curve(64, 30)).to_svg().contains("pass 30"));
}

#[test]
fn empty_figures_are_figures() {
    let mut nothing = Curve::default();
    for _ in 0..2 {
        let svg = plot::error_curve(&nothing).to_svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        nothing.end_pass();
    }
    let svg = plot::reliability_and_confusion(&evaluation("a\tb\nc\td\n", "")).to_svg();
    assert!(!svg.contains("NaN"), "{svg}");
}

#[test]
fn a_thousand_labels_do_not_make_a_million_cells() {
    let line = |n: u32| format!("label{n}\tword{n} word{}\n", n % 9);
    let data: String = (0..1000).map(line).collect();
    let svg = plot::reliability_and_confusion(&evaluation(&data, &data)).to_svg();
    assert!(svg.contains("800 rarer labels left out"));
    assert!(svg.len() < 100_000, "{} bytes", svg.len());
}

#[test]
fn only_svg_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let figure = plot::error_curve(&curve(10, 1));
    let error = figure.save(&folder.path().join("error.png")).expect_err("not SVG").to_string();
    assert!(error.contains("error.png' does not end with .svg"), "{error}");
    figure.save(&folder.path().join("error.SVG")).expect("written");
    let nowhere = figure.save(&folder.path().join("no/error.svg")).expect_err("no such folder").to_string();
    assert!(nowhere.contains("cannot be written"), "{nowhere}");
}
