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
    insta::assert_snapshot!(plot::error_curve(&curve(100, 1), "mail.tsv · arow").to_svg());
}

#[test]
fn an_evaluation() {
    let mail = "spam\tcheap pills\nham\tlunch today\nspam\tcheap watches\nlist\t<b>news</b> of today\n";
    let found = evaluation(mail, &format!("{mail}ham\tcheap lunch\nodd\tlunch & pills\n"));
    insta::assert_snapshot!(plot::evaluation(&found, "mail.tsv · arow").to_svg());
}

#[test]
fn passes_stand_side_by_side() {
    let svg = plot::error_curve(&curve(64, 3), "mail.tsv · arow").to_svg();
    assert!(["pass 1", "pass 2", "pass 3", "held-out error"].iter().all(|name| svg.contains(name)), "{svg}");
    assert!(!plot::error_curve(&curve(64, 30), "mail.tsv · arow").to_svg().contains("pass 30"));
}

#[test]
fn empty_figures_are_figures() {
    let mut nothing = Curve::default();
    for _ in 0..2 {
        let svg = plot::error_curve(&nothing, "mail.tsv · arow").to_svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        nothing.end_pass();
    }
    let svg = plot::evaluation(&evaluation("a\tb\nc\td\n", ""), "mail.tsv · arow").to_svg();
    assert!(!svg.contains("NaN"), "{svg}");
}

#[test]
fn a_thousand_labels_do_not_make_a_million_cells() {
    let line = |n: u32| format!("label{n}\tword{n} word{}\n", n % 9);
    let data: String = (0..1000).map(line).collect();
    let svg = plot::evaluation(&evaluation(&data, &data), "mail.tsv · arow").to_svg();
    assert!(svg.contains("800 rarer labels left out"));
    assert!(svg.len() < 100_000, "{} bytes", svg.len());
}

#[test]
fn only_svg_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let figure = plot::error_curve(&curve(10, 1), "mail.tsv · arow");
    let error = figure.save(&folder.path().join("error.jpg")).expect_err("not SVG").to_string();
    assert!(error.contains("error.jpg' does not end with .svg"), "{error}");
    figure.save(&folder.path().join("error.SVG")).expect("written");
    let nowhere = figure.save(&folder.path().join("no/error.svg")).expect_err("no such folder").to_string();
    assert!(nowhere.contains("cannot be written"), "{nowhere}");
}

/// The value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    element.split_once(&format!(" {name}=\""))?.1.split_once('"').map(|(value, _)| value)
}

/// The boxes of all texts of a picture: left, top, right, bottom, of level ones alone; with the text.
fn level_texts(svg: &str) -> Vec<([f64; 4], String)> {
    let number = |element: &str, name: &str| {
        attribute(element, name).and_then(|v| v.parse::<f64>().ok()).unwrap_or(0.0)
    };
    let texts = svg.lines().filter(|line| line.starts_with("<text") && !line.contains("rotate("));
    let boxed = |line: &str| {
        let text = line.split_once('>').map_or("", |(_, rest)| rest.trim_end_matches("</text>"));
        let size = number(line, "font-size");
        // Half the size is what a letter takes on average.
        let wide = 0.5 * size * text.chars().count() as f64;
        let left = match attribute(line, "text-anchor") {
            Some("end") => number(line, "x") - wide,
            Some("middle") => number(line, "x") - wide / 2.0,
            _ => number(line, "x"),
        };
        ([left, number(line, "y") - 0.7 * size, left + wide, number(line, "y")], text.to_string())
    };
    texts.map(boxed).collect()
}

/// No text leaves the sheet, and none stands on another.
fn assert_readable(svg: &str) {
    let head = svg.lines().next().unwrap_or_default();
    let side = |name: &str| attribute(head, name).and_then(|v| v.parse::<f64>().ok()).expect("a size");
    let (width, height, texts) = (side("width"), side("height"), level_texts(svg));
    for (at, (own, text)) in texts.iter().enumerate() {
        let inside = own[0] >= 0.0 && own[1] >= 0.0 && own[2] <= width && own[3] <= height;
        assert!(inside, "{text:?} at {own:?} leaves {width}×{height}");
        for (other, with) in &texts[..at] {
            let apart = own[2] <= other[0] || other[2] <= own[0] || own[3] <= other[1] || other[3] <= own[1];
            assert!(apart, "{text:?} at {own:?} stands on {with:?} at {other:?}");
        }
    }
}

/// Examples of so many labels with names that begin and end alike.
fn long_names(labels: u32) -> String {
    let label = |n: u32| format!("<script>{}{n:02}{}</script>", "a".repeat(40), "z".repeat(40));
    (0..10 * labels).map(|n| format!("{}\tword{} and{}\n", label(n % labels), n % labels, n % 7)).collect()
}

#[test]
fn names_of_twenty_labels_stay_apart() {
    for data in [long_names(20), long_names(2), long_names(40)] {
        let svg = plot::evaluation(&evaluation(&data, &data), "mail.tsv · arow").to_svg();
        assert_readable(&svg);
        assert!(!svg.contains("<script"), "{svg}");
    }
    let data = long_names(20);
    let svg = plot::evaluation(&evaluation(&data, &data), "mail.tsv · arow").to_svg();
    let rows = svg.lines().filter(|line| line.contains("text-anchor=\"end\"") && line.contains('…'));
    let rows: std::collections::BTreeSet<&str> =
        rows.filter_map(|line| line.split_once('>')).map(|(_, text)| text).collect();
    assert_eq!(rows.len(), 20, "{rows:?}");
}

#[test]
fn two_labels_have_their_curves() {
    let mail =
        "spam\tcheap pills\nham\tlunch today\nham\tcheap lunch\nspam\tcheap watches\nham\tpills today\n";
    let svg = plot::evaluation(&evaluation(mail, mail), "mail.tsv · arow").to_svg();
    assert!(
        ["ROC: area", "Precision and recall: area", "surest"].iter().all(|part| svg.contains(part)),
        "{svg}"
    );
    assert_readable(&svg);
    assert_readable(&plot::error_curve(&curve(5000, 1), "mail.tsv · arow").to_svg());
    assert_readable(&plot::error_curve(&curve(700, 3), &"very long name ".repeat(30)).to_svg());
    let linear = plot::error_curve(&curve(50_000, 1), "mail.tsv · arow").to_svg();
    assert!(linear.contains("error in the last 2,000 examples"), "{linear}");
}

#[test]
fn comparisons_and_searches_draw() {
    let source = Source::memory("mail.tsv", long_names(3).into_bytes());
    let recipe = surefoot::default_recipe();
    let specs = ["arow", "pa", "perceptron"];
    let contenders = specs.map(|spec| surefoot::Contender::parse(spec, &recipe).expect("a SPEC"));
    let options = TrainOptions::default();
    for protocol in [surefoot::Protocol::Progressive, surefoot::Protocol::Folds(3)] {
        let table = surefoot::compare(std::slice::from_ref(&source), &contenders, protocol, &options)
            .expect("a table");
        let svg = plot::comparison(&table, "mail.tsv").to_svg();
        assert!(specs.iter().all(|spec| svg.contains(&format!("{spec} ("))), "{svg}");
        assert_readable(&svg);
    }
    let settings = surefoot::settings("arow:r=0.01|0.1|1|10").expect("settings");
    let mut candidates = vec![surefoot::Contender::default()];
    candidates.extend(surefoot::Contender::all(&settings, &recipe).expect("candidates"));
    let everything = surefoot::FeatureSearch::default().words(true).characters(true).values(true).scale(true);
    for features in [surefoot::FeatureSearch::default(), everything] {
        let search = surefoot::Search::default().candidates(candidates.clone()).features(features);
        let (_, table) = surefoot::tune(std::slice::from_ref(&source), &search, &options).expect("a search");
        let svg = plot::tuning(&table, "mail.tsv").to_svg();
        let parts = ["Error against r", "arow/diagonal:r=0.01", "auto, the default"];
        assert!(parts.iter().all(|part| svg.contains(part)), "{svg}");
        assert_eq!(svg.contains("--ngrams 1-2"), table.rows.iter().any(|row| !row.features.is_empty()));
        assert_readable(&svg);
    }
}

#[test]
fn pages_stand_alone() {
    let data = long_names(3).replace("word1", "<script>alert(1)</script>");
    let source = || vec![Source::memory("<b>.tsv", data.as_bytes())];
    let (model, _) = train(source(), &TrainOptions::default(), &mut Silent).expect("a model");
    let found = evaluate(&model, source(), &Reading::default()).expect("an evaluation");
    let odd = surefoot::page::PageExample {
        line: 3,
        truth: "<i>".into(),
        predicted: "\"quoted\"".into(),
        probability: 0.5,
        text: "<img src=x onerror=alert(1)>".into(),
    };
    let curve = curve(100, 1);
    let page = surefoot::page::ReportPage::new("<b>.tsv", &found, &model)
        .learned(&curve)
        .examples("Odd", vec![odd])
        .command("surefoot train '<b>.tsv'")
        .to_html()
        .expect("a page");
    assert!(
        ["http", " src=\"", "<script", "<img", "<b>", "<i>", "@import"]
            .iter()
            .all(|word| !page.contains(word)),
        "{page}"
    );
    let parts = [
        "How the error fell",
        "Labels",
        "How sure",
        "Members of the ensemble",
        "What decides",
        "Odd",
        "Settings",
    ];
    assert!(
        parts.iter().all(|part| page.contains(part)) && page.contains("prefers-color-scheme: dark"),
        "{page}"
    );
    let ids: Vec<&str> =
        page.split("clipPath id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let different: std::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(ids.len(), different.len(), "{ids:?}");
}

/// A few changes are lines with names; one near the right edge has its name on the left; many are short marks at the upper edge.
#[test]
fn changes_are_marked_and_do_not_hide_the_curve() {
    let drawn = |changes: &[u64]| {
        let mut curve = Curve::default();
        (0..1000).map(|round| curve.round(round % 7 == 0)).for_each(|_| ());
        changes.iter().for_each(|&example| curve.add_change(example));
        curve.end_pass();
        plot::error_curve(&curve, "mail").to_svg()
    };
    let few = drawn(&[300, 980]);
    assert!(few.contains("The data changed where a line stands"));
    let named = |svg: &str, name: &str| {
        svg.lines().find(|line| line.contains(&format!(">data changed near {name}<"))).map(str::to_owned)
    };
    assert!(named(&few, "300").expect("a name").contains("text-anchor=\"start\""), "{few}");
    assert!(named(&few, "980").expect("a name").contains("text-anchor=\"end\""), "{few}");
    let many: Vec<u64> = (1..=50).map(|place| place * 19).collect();
    let many = drawn(&many);
    assert!(many.contains("The data changed 50 times, as marked at the upper edge"), "{many}");
    assert!(!many.contains("data changed near"));
}
