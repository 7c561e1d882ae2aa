//! python/surefoot/_parameters.py has the parameters of the core's tables, so that a new one is written once.
//! `SUREFOOT_REGENERATE=1 cargo test -p surefoot --test python_parameters` writes it anew.

use std::fmt::Write as _;
use std::path::Path;

use surefoot::core::param::{Param, Range};
use surefoot::core::{Spec, rule::RULES, store::STORES};

const HEAD: &str = "\"\"\"The parameters of the rules, the stores and the schedules of many classes, from the tables of the Rust core.

Generated: ``SUREFOOT_REGENERATE=1 cargo test -p surefoot --test python_parameters`` writes this file anew.
\"\"\"

from __future__ import annotations

from typing import TypedDict
";

/// The longest line of the Python sources.
const WIDTH: usize = 120;

/// A parameter with the rules and stores that have it.
struct Entry {
    param: &'static Param,
    rules: Vec<&'static str>,
    stores: Vec<&'static str>,
}

/// Every parameter once: those of the rules, those of the stores, those of every learner, those of many classes.
fn entries() -> Vec<Entry> {
    let of_rules =
        RULES.iter().flat_map(|rule| rule.params.iter().map(|param| (param, Some(rule.name), None)));
    let of_stores =
        STORES.iter().flat_map(|store| store.params.iter().map(|param| (param, None, Some(store.name))));
    // What every learner has, and many classes.
    let own =
        |param: &&Param| RULES[0].params.iter().chain(STORES[0].params).any(|own| own.name == param.name);
    let spec = Spec::new(RULES[0].name, Some(STORES[0].name)).expect("a rule on a store");
    let of_all = spec.tables().filter(|param| !own(param)).map(|param| (param, None, None));
    let mut entries: Vec<Entry> = Vec::new();
    for (param, rule, store) in of_rules.chain(of_stores).chain(of_all) {
        let at = entries.iter().position(|entry| entry.param.name == param.name).unwrap_or_else(|| {
            entries.push(Entry { param, rules: Vec::new(), stores: Vec::new() });
            entries.len() - 1
        });
        let entry = &mut entries[at];
        let same = entry.param.range == param.range && entry.param.default == param.default;
        assert!(same && entry.param.help == param.help, "`{}` means one thing everywhere", param.name);
        entry.rules.extend(rule);
        entry.stores.extend(store);
    }
    entries
}

/// What Python calls a parameter: a keyword has no hyphen.
fn keyword(param: &Param) -> String {
    param.name.replace('-', "_")
}

/// Python's type of a parameter.
fn kind(range: Range) -> &'static str {
    match range {
        Range::Between(..) | Range::Positive | Range::Real => "float | None",
        Range::FromOr(..) => "float | str | None",
        Range::Count(_) => "int | None",
        Range::CountOr(..) => "int | str | None",
        Range::Word(_) => "str | None",
        Range::Flag => "bool | None",
    }
}

/// What the rule takes if nothing is said.
fn default(param: &Param) -> String {
    let mut text = param.default.to_string();
    for rule in RULES {
        let own = rule.defaults.iter().find(|(name, own)| *name == param.name && *own != param.default);
        own.iter().for_each(|(_, own)| _ = write!(text, "; {own} for {}", rule.name));
    }
    text
}

/// Who has a parameter.
fn owners(entry: &Entry) -> String {
    match (&entry.rules[..], &entry.stores[..]) {
        ([], []) => "of every learner".into(),
        (rules, []) => format!("of {}", rules.join(", ")),
        (_, [store]) => format!("of the store {store}"),
        (_, stores) => format!("of the stores {}", stores.join(", ")),
    }
}

/// Words in lines of the width, each behind the margin.
fn wrapped(text: &str, margin: &str) -> String {
    let (mut out, mut line) = (String::new(), margin.to_string());
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            _ = writeln!(out, "{line}");
            line = margin.to_string();
        }
        let blank = if line == margin { "" } else { " " };
        line.push_str(blank);
        line.push_str(word);
    }
    out + &line + "\n"
}

fn file() -> String {
    let entries = entries();
    let fields: String = entries
        .iter()
        .map(|own| format!("    {}: {}\n", keyword(own.param), kind(own.param.range)))
        .collect();
    let about: String = entries
        .iter()
        .map(|own| {
            let (Param { range, help, .. }, name) = (own.param, keyword(own.param));
            let text = format!("{help}. Takes {range}; {}. Default: {}.", owners(own), default(own.param));
            format!("    {name}\n{}", wrapped(&text, "        "))
        })
        .collect();
    let more = wrapped(
        "Keywords that the estimators take for the learner. None, or nothing, is the rule's own default; a parameter that rule and \
         store do not have is an error.",
        "    ",
    );
    let more = more.trim_start();
    format!(
        "{HEAD}\n\nclass LearnerParameters(TypedDict, total=False):\n    \"\"\"{more}\n{about}    \"\"\"\n\n{fields}\n\n\
         class LearnerAttributes:\n    \"\"\"The same as attributes of an estimator.\"\"\"\n\n{fields}\n\n\
         #: Their names.\nLEARNER_PARAMETERS: tuple[str, ...] = tuple(LearnerAttributes.__annotations__)\n"
    )
}

#[test]
fn the_parameters_of_python_are_those_of_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/surefoot/_parameters.py");
    let file = file();
    if std::env::var_os("SUREFOOT_REGENERATE").is_some() {
        std::fs::write(&path, &file).expect("the file is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == file, "python/surefoot/_parameters.py is out of date; see the head of this test");
}
