//! A record and what the program prints now: texts are equal, numbers nearly.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::corpus::Case;
use crate::transcript::Part;
use crate::wording;

/// Characters of a long line that are shown on either side of a difference.
const CONTEXT: usize = 120;

/// What differs, each with the case, the command line, the place and both texts.
pub fn differences(case: &Case, recorded: &[Part], found: &[Part]) -> Vec<String> {
    let title = |part: &Part| format!("$ {} # {}", part.command, part.name);
    let same = recorded.iter().zip(found).take_while(|(was, is)| title(was) == title(is)).count();
    let pairs = recorded.iter().zip(found).take(same);
    let mut differences: Vec<String> = pairs.filter_map(|(was, is)| difference(case, was, is)).collect();
    if same < recorded.len().max(found.len()) {
        // A command that fails prints other parts than one that does not; the rest would be compared with something else.
        let next = |parts: &[Part]| match parts.get(same) {
            Some(part) => format!("{}\n  {}", title(part), part.lines.first().map_or("", String::as_str)),
            None => "the end".to_string(),
        };
        let (was, is) = (next(recorded), next(found));
        differences.push(format!("case {}: the record goes on with\n  {was}\nfound\n  {is}\n\n", case.name));
    }
    differences
}

/// The first difference of two parts that is not allowed.
fn difference<'a>(case: &Case, was: &'a Part, is: &'a Part) -> Option<String> {
    let mut allowed = if is.name == "file rounds" { case.flips } else { 0 };
    let end = "(no such line)".to_string();
    let kept = |part: &'a Part| -> Vec<&'a String> {
        part.lines.iter().filter(|line| !wording::is_added(line)).collect()
    };
    let (recorded, found) = (kept(was), kept(is));
    let labels: BTreeSet<&str> =
        recorded.iter().filter_map(|line| line.split_once('\t')).map(|(label, _)| label).collect();
    let many = labels.iter().filter(|label| !label.is_empty()).count() > 2;
    for line in 0..recorded.len().max(found.len()) {
        let (old, new) = (*recorded.get(line).unwrap_or(&&end), *found.get(line).unwrap_or(&&end));
        let (of_old, of_new) =
            if is.name == "file rounds" { rounds(old, new, many) } else { (old.into(), new.into()) };
        let Some(why) = unlike(&of_old, &of_new, case) else { continue };
        if allowed > 0 && found.len() == recorded.len() {
            allowed -= 1;
            continue;
        }
        let (old, new) = around_the_difference(old, new);
        return Some(format!(
            "case {0}: records/{0}.txt\n  $ {1}\n  {2}, line {3}: {why}\n  recorded: {old}\n  found:    {new}\n\n",
            case.name,
            is.command,
            is.name,
            line + 1,
        ));
    }
    None
}

/// What is compared of a round of `train --predictions`: the columns that were recorded, because there may be more of them now.
/// Of an ensemble the variance was written as 0, and of many labels the score meant nothing by itself: both are now those of
/// `predict --scores`, which other records show.
fn rounds(old: &str, new: &str, many: bool) -> (String, String) {
    let was: Vec<&str> = old.split('\t').collect();
    let columns = match was.get(2) {
        Some(&"0.0") if many => 1,
        Some(&"0.0") => 2,
        _ => was.len(),
    };
    let cut = |line: &str| line.split('\t').take(columns).collect::<Vec<_>>().join("\t");
    (cut(old), cut(new))
}

/// Long lines are cut to what stands around the first character that differs.
fn around_the_difference(old: &str, new: &str) -> (String, String) {
    let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
    let cut = |line: &str| -> String {
        let start = same.saturating_sub(CONTEXT);
        let middle: String = line.chars().skip(start).take(2 * CONTEXT).collect();
        let before = if start > 0 { "…" } else { "" };
        let after = if line.chars().count() > start + 2 * CONTEXT { "…" } else { "" };
        format!("{before}{middle}{after}")
    };
    (cut(old), cut(new))
}

/// Why two lines are not alike.
fn unlike(old: &str, new: &str, case: &Case) -> Option<String> {
    if old == new {
        return None;
    }
    let (old, new) = (wording::plain(old), wording::plain(new));
    if let (Some(old), Some(new)) = (wording::json(&old), wording::json(&new)) {
        return unlike_json("", &old, &new, case);
    }
    let (old, new) = (tokens(&old), tokens(&new));
    for (old, new) in old.iter().zip(&new) {
        match (old, new) {
            (Token::Number(a), Token::Number(b)) if near(a, b, case) => {}
            (Token::Text(a), Token::Text(b)) if a == b => {}
            _ => return Some(format!("{old} became {new}")),
        }
    }
    let more =
        |tokens: &[Token], from: usize| tokens[from..].iter().map(Token::to_string).collect::<String>();
    match old.len().cmp(&new.len()) {
        std::cmp::Ordering::Less => Some(format!("now followed by {}", more(&new, old.len()))),
        std::cmp::Ordering::Greater => Some(format!("no longer followed by {}", more(&old, new.len()))),
        std::cmp::Ordering::Equal => None,
    }
}

/// Why one JSON value is not the other. The order of an object's keys says nothing, and there may be new ones.
fn unlike_json(path: &str, old: &Value, new: &Value, case: &Case) -> Option<String> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => old.iter().find_map(|(key, value)| match new.get(key) {
            Some(found) => unlike_json(&format!("{path}.{key}"), value, found, case),
            None => Some(format!("{path}.{key} is gone")),
        }),
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            let pairs = old.iter().zip(new).enumerate();
            pairs
                .map(|(at, (old, new))| unlike_json(&format!("{path}[{at}]"), old, new, case))
                .find_map(|why| why)
        }
        (Value::Number(a), Value::Number(b)) if near(&a.to_string(), &b.to_string(), case) => None,
        _ if old == new => None,
        _ => Some(format!("{path}: {old} became {new}")),
    }
}

/// Counts are the same to the last digit, measurements up to the tolerance.
fn near(a: &str, b: &str, case: &Case) -> bool {
    let whole = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if a == b || whole(a) && whole(b) {
        return a == b;
    }
    let (a, b): (f64, f64) = (a.parse().expect("a number"), b.parse().expect("a number"));
    (a - b).abs() <= case.tolerance * a.abs().max(b.abs()) + case.absolute
}

#[derive(Debug, PartialEq)]
enum Token<'t> {
    Number(&'t str),
    Text(&'t str),
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Token::Number(text) | Token::Text(text)) = self;
        write!(f, "`{text}`")
    }
}

/// Cuts a line into numbers and what stands between them. The digit of `pa1` or `l2` is part of a word.
fn tokens(line: &str) -> Vec<Token<'_>> {
    let bytes = line.as_bytes();
    let mut tokens = Vec::new();
    let (mut text, mut at) = (0, 0);
    while at < bytes.len() {
        let word_before = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let length = if word_before { 0 } else { number_length(&bytes[at..]) };
        if length == 0 {
            at += 1;
            continue;
        }
        if text < at {
            tokens.push(Token::Text(&line[text..at]));
        }
        tokens.push(Token::Number(&line[at..at + length]));
        at += length;
        text = at;
    }
    if text < bytes.len() {
        tokens.push(Token::Text(&line[text..]));
    }
    tokens
}

/// How many bytes `-12.5e-7` at the beginning has; 0 where there is no number.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(end);
    if whole == 0 {
        return 0;
    }
    end += whole;
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent = if end + 1 + sign <= bytes.len() { digits(end + 1 + sign) } else { 0 };
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

#[test]
fn numbers_may_be_a_little_apart_and_nothing_else() {
    let exact = crate::corpus::head("usual");
    let same = |a: &str, b: &str| unlike(a, b, &exact).is_none();
    assert!(same("1\t0.5190401210157951\t2e-7", "1\t0.5190401210157952\t2.0000000000000001e-7"));
    assert!(!same("1\t0.5190401210157951", "1\t0.5190401220157951"));
    assert!(!same("1\t0.5", "-1\t0.5"), "a label");
    assert!(!same("1,755 features", "1,756 features"), "a count");
    assert!(!same("a b", "a b 1") && !same("a b 1", "a b"), "something more, something less");
    assert!(!same("scw1/compact", "scw2/compact") && !same("none+l2", "none+l1"), "a name");
    assert!(same("score 0.0", "score -0.0") && same("1", "1.0000000000000002") && !same("0.0", "1e-200"));
    assert!(same("learner     arow", "learner  arow"), "columns are lined up anew");
    assert!(same("bank(arow@none)", "ensemble(arow@none)"));
    assert!(
        same(r#"{"a":1,"b":[0.5]}"#, r#"{"b":[0.5],"c":2,"a":1}"#),
        "keys in any order, and more of them"
    );
    assert!(!same(r#"{"a":1,"b":[0.5]}"#, r#"{"b":[0.5]}"#) && !same(r#"{"b":[0.5]}"#, r#"{"b":[0.6]}"#));
    assert!(!same(r#"{"b":[1]}"#, r#"{"b":[1,2]}"#) && !same(r#"{"b":"x"}"#, r#"{"b":"y"}"#));
    let single = crate::corpus::head("single tolerance=1e-6 absolute=1e-9");
    assert!(unlike("0.25", "0.2500001", &single).is_none() && unlike("0.25", "0.250001", &single).is_some());
    assert!(unlike("1e-10", "3e-10", &single).is_none());
    let cut = tokens("x=-1.5e-3, 12:0.5e pa1 1-2");
    let numbers: Vec<_> = cut.iter().filter(|token| matches!(token, Token::Number(_))).collect();
    let expected = ["-1.5e-3", "12", "0.5", "1", "2"].map(Token::Number);
    assert!(numbers.into_iter().eq(&expected), "{cut:?}");
}

#[test]
fn a_changed_record_is_found() {
    let record = "$ surefoot train a\n# exit code\n 0\n# file rounds\n x\t0.5\n y\t0.25\n";
    let parts = crate::transcript::from_text;
    let count = |case: &str, now: &str| {
        differences(&crate::corpus::head(case), &parts(record), &parts(&record.replacen("x\t0.5", now, 1)))
            .len()
    };
    assert_eq!(count("a", "x\t0.5"), 0);
    assert_eq!((count("a", "y\t0.5"), count("a", "x\t0.51"), count("a", "x\t0.5\n x\t0.5")), (1, 1, 1));
    assert_eq!((count("a flips=1", "y\t-0.5"), count("a flips=1", "x\t0.5\n x\t0.5")), (0, 1));
    for changed in [record.replacen(" 0\n", " 1\n", 1), record.replace("# file rounds", "# file r")] {
        assert_eq!(differences(&crate::corpus::head("a flips=1"), &parts(record), &parts(&changed)).len(), 1);
    }
    assert_eq!(differences(&crate::corpus::head("a"), &parts(record), &[]).len(), 1);
}

#[test]
fn rounds_may_have_more_columns() {
    assert_eq!(
        rounds("a\t0.5\t2.0", "a\t0.5\t2.0\t0.75", true),
        ("a\t0.5\t2.0".into(), "a\t0.5\t2.0".into())
    );
    assert_eq!(rounds("a\t0.5\t0.0", "a\t0.5\t2.0\t0.75", false), ("a\t0.5".into(), "a\t0.5".into()));
    assert_eq!(rounds("a\t0.5\t0.0", "b\t0.7\t2.0\t0.75", true), ("a".into(), "b".into()));
    assert_eq!(rounds("(no such line)", "a\t0.5\t2.0", true), ("(no such line)".into(), "a".into()));
}
