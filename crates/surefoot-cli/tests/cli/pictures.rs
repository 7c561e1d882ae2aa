//! What is drawn and written for people to look at: plots of every command that has one, and pages that stand alone.

use std::path::Path;

use crate::run::{folder, run, stdout};

/// Mail of two labels, one of them markup.
fn mail(folder: &Path) {
    let line = |n: usize| match n % 5 {
        0 => format!("<script>\tcheap <img src=x> pills for {n}\n"),
        _ => format!("ham\tlunch at {n}, see you {}\n", n % 7),
    };
    std::fs::write(folder.join("mail.tsv"), (0..200).map(line).collect::<String>()).expect("written");
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_plot_says_of_what_it_is() {
    let folder = folder();
    mail(folder.path());
    let draw = |arguments: &[&str]| {
        stdout(folder.path(), &[arguments, &["--plot", "plot.svg"]].concat());
        let svg = read(folder.path(), "plot.svg");
        assert!(svg.contains("mail.tsv"), "{svg}");
        svg
    };
    let curve = draw(&["train", "mail.tsv", "--learner", "arow", "-o", "m"]);
    assert!(curve.contains("mail.tsv · arow") && curve.contains("error in the last 10 examples"), "{curve}");
    let test = draw(&["test", "m", "mail.tsv"]);
    assert!(test.contains("Precision and recall") && test.contains("ROC"), "{test}");
    let compare = draw(&["compare", "mail.tsv", "--learner", "arow", "--learner", "pa"]);
    assert!(compare.contains("Error against time"), "{compare}");
    assert!(draw(&["tune", "mail.tsv", "--learner", "arow:r=0.1|1"]).contains("Error against r"));
    let refused = run(folder.path(), &["compare", "mail.tsv", "--plot", "mail.tsv"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn pages_need_nothing_but_themselves() {
    let folder = folder();
    mail(folder.path());
    stdout(folder.path(), &["train", "mail.tsv", "-o", "m", "--report", "train.html", "--json"]);
    stdout(folder.path(), &["test", "m", "mail.tsv", "--report", "test.html"]);
    for name in ["train.html", "test.html"] {
        let page = read(folder.path(), name);
        let outside = ["http", " src=\"", "<script", "<img", "<link", "@import", "url(http"];
        outside.iter().for_each(|word| assert!(!page.contains(word), "{word} in {page}"));
        let parts =
            ["Labels", "What decides", "Members of the ensemble", "ROC", "--report", "&lt;script&gt;"];
        parts.iter().for_each(|part| assert!(page.contains(part), "{part} is not in {page}"));
    }
    let page = read(folder.path(), "train.html");
    assert!(page.contains("How the error fell") && page.contains("Least certain"), "{page}");
    let refused = run(folder.path(), &["test", "m", "mail.tsv", "--report", "m"]);
    assert_eq!(refused.status.code(), Some(2), "a page over the model");
}
