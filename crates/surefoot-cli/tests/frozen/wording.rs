//! What is no difference: times, the version of the model format, blanks that line columns up, and messages that were
//! reworded on purpose.

/// Words that were changed on purpose: (as recorded, as it is now). They are applied one after the other, so a
/// phrase stands before its parts.
const REWORDED: &[(&str, &str)] = &[
    // What was a bank is an ensemble. (The tickets have words about banks too: no bare `bank` here.)
    ("bank(", "ensemble("),
    ("an empty bank", "an empty ensemble"),
    ("a binary bank", "a binary ensemble"),
    ("not of a bank", "not of an ensemble"),
    ("best of a bank", "best of an ensemble"),
    ("only a bank can", "only an ensemble can"),
    ("a bank merges only with banks", "an ensemble merges only with ensembles"),
    ("a bank has", "an ensemble has"),
    ("a bank needs", "an ensemble needs"),
];

/// How lines begin that were added on purpose after the record was made.
const ADDED: &[&str] = &[
    "macro precision ",
    "macro recall ",
    "micro F1 ",
    "entropy ",
    "accuracy if sure ",
    "area under PR ",
    "F1 ",
    "rarest label ",
    "  rarest label ",
    "data ",
];

/// Whether a line was added on purpose.
pub fn is_added(line: &str) -> bool {
    ADDED.iter().any(|start| line.starts_with(start))
}

/// Stands for what is left out.
const LEFT_OUT: &str = "<…>";

/// A line as it is compared, recorded or found: the words of today, single blanks, and no version of the format.
pub fn plain(line: &str) -> String {
    let line = line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let line = REWORDED.iter().fold(line, |line, (old, new)| line.replace(old, new));
    let line = without_number(&line, "file version ");
    without_number(&line, "\"version\":")
}

/// The value of a line of JSON.
pub fn json(line: &str) -> Option<serde_json::Value> {
    let line = line.strip_prefix('{')?.replace(LEFT_OUT, "null");
    serde_json::from_str(&format!("{{{line}")).ok()
}

/// A text without the times in it: `"seconds":…` of JSON, `0.12 s`, and columns called `seconds`.
pub fn without_times(text: &str) -> String {
    let mut column = None;
    text.lines().map(|line| format!("{}\n", without_times_of(line, &mut column))).collect()
}

/// `column` is where the column of seconds ends, in the lines of a table.
fn without_times_of(line: &str, column: &mut Option<usize>) -> String {
    let mut line = line.to_string();
    if let Some(at) = line.find("  seconds") {
        *column = Some(line[..at].chars().count() + "  seconds".len());
    } else if line.trim().is_empty() {
        *column = None;
    } else if let Some(end) = *column {
        let chars: Vec<char> = line.chars().collect();
        let end = end.min(chars.len());
        let start = chars[..end].iter().rposition(|c| *c == ' ').map_or(0, |at| at + 1);
        line =
            chars[..start].iter().collect::<String>() + LEFT_OUT + &chars[end..].iter().collect::<String>();
    }
    if line.starts_with('{') {
        return without_json_seconds(&line);
    }
    match line.strip_suffix(" s").and_then(|start| start.rsplit_once(", ")) {
        Some((start, number)) if number.parse::<f64>().is_ok() => format!("{start}, {LEFT_OUT} s"),
        _ => line,
    }
}

/// The value of every key `seconds` is a number or an object of numbers.
fn without_json_seconds(line: &str) -> String {
    let mut pieces = line.split("\"seconds\":");
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let end = match piece.strip_prefix('{') {
            Some(_) => piece.find('}').map_or(piece.len(), |at| at + 1),
            None => piece.find([',', '}']).unwrap_or(piece.len()),
        };
        text.push_str(&format!("\"seconds\":{LEFT_OUT}{}", &piece[end..]));
    }
    text
}

/// Leaves out the whole number behind a word.
fn without_number(line: &str, word: &str) -> String {
    match line.split_once(word) {
        Some((start, rest)) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{start}{word}{LEFT_OUT}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        _ => line.to_string(),
    }
}

#[test]
fn times_and_versions_are_left_out() {
    let table = "  learner   error  seconds  McNemar\n  arow     32.7 %     0.12        -\n\n 1  2";
    let found = without_times(table);
    assert_eq!(found.lines().nth(1), Some("  arow     32.7 %     <…>        -"));
    assert_eq!(found.lines().nth(3), Some(" 1  2"));
    assert_eq!(without_times("2 labels, 1,755 features, 0.12 s\n"), "2 labels, 1,755 features, <…> s\n");
    let json = r#"{"seconds":{"read":1,"learn":2},"a":[{"seconds":0.5},{"seconds":1e-5,"b":2}]}"#;
    assert_eq!(without_json_seconds(json), r#"{"seconds":<…>,"a":[{"seconds":<…>},{"seconds":<…>,"b":2}]}"#);
    assert_eq!(plain("file      version 1 of the format"), "file version <…> of the format");
    assert_eq!(plain(r#"{"version":12,"task""#), r#"{"version":<…>,"task""#);
    assert_eq!(plain("not of a bank: bank(arow)"), "not of an ensemble: ensemble(arow)");
}
