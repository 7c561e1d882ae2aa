//! Console blocks of Markdown files: what stands there is what happens.
//!
//! In a block that begins with ```` ```console ````, each line after `$ ` is run by a shell in a folder that holds the
//! examples; what follows is the expected output, standard error included, and `? 1` says that it ends with code 1.
//! `[..]` in a line stands for anything, `...` on a line of its own for any lines. The blocks of a file share their
//! folder. Run the tests with `UPDATE_CONSOLE=1` to have the files rewritten; lines with `[..]` that fit are kept.

use std::path::Path;
use std::process::Command;

/// Runs every console block of a file.
pub fn check(file: &Path) {
    let text = std::fs::read_to_string(file).expect("the file is there");
    let folder = crate::run::folder();
    let examples = folder.path().join("examples");
    std::fs::create_dir(&examples).expect("a folder");
    for example in std::fs::read_dir(crate::run::root().join("examples")).expect("examples").flatten() {
        std::fs::copy(example.path(), examples.join(example.file_name())).expect("a copy");
    }
    let found = rewrite(&text, folder.path());
    if std::env::var_os("UPDATE_CONSOLE").is_some() {
        std::fs::write(file, found).expect("the file is written");
    } else {
        assert!(found == text, "{}:\n{}", file.display(), difference(&text, &found));
    }
}

/// The text with every console block as it really goes; where the old block fits, it stays as it is.
fn rewrite(text: &str, folder: &Path) -> String {
    let mut out = String::new();
    let mut block: Option<Vec<&str>> = None;
    for line in text.split_inclusive('\n') {
        match (&mut block, line.trim_end()) {
            (None, "```console") => block = Some(Vec::new()),
            (Some(lines), "```") => {
                out += &replay(lines, folder);
                block = None;
            }
            (Some(lines), inner) => {
                lines.push(inner);
                continue;
            }
            _ => {}
        }
        out += line;
    }
    out
}

fn replay(lines: &[&str], folder: &Path) -> String {
    let mut out = String::new();
    for session in lines.chunk_by(|_, next| !next.starts_with("$ ")) {
        let command =
            session.first().and_then(|line| line.strip_prefix("$ ")).expect("a block begins with a command");
        let found = execute(command, folder);
        let found: Vec<&str> = found.lines().collect();
        let expected = &session[1..];
        out += &format!("$ {command}\n");
        let shown = if fits(expected, &found) { expected.to_vec() } else { merged(expected, &found) };
        shown.iter().for_each(|line| out += &format!("{line}\n"));
    }
    out
}

fn execute(command: &str, folder: &Path) -> String {
    let programs =
        Path::new(crate::run::PROGRAM).parent().expect("a folder of programs").display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .env("PATH", path)
        .env("COLUMNS", "100")
        .current_dir(folder)
        .output()
        .expect("a shell");
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let text = without_times(&text);
    match output.status.code() {
        Some(0) => text,
        code => format!("{text}? {}\n", code.unwrap_or(-1)),
    }
}

/// The text with `[..]` for every time: in a line that ends in seconds, in the column `seconds` of a table, and in the object
/// `seconds` of JSON.
fn without_times(text: &str) -> String {
    let mut column = None;
    let mut out = String::new();
    for line in text.lines() {
        let line = line.trim_end();
        if let Some(at) = line.find(" seconds ") {
            column = Some(at + " seconds".len());
        } else if line.is_empty() {
            column = None;
        }
        out += &match column {
            Some(end) => without_cell(line, end),
            None => without_object(&without_ending(line)),
        };
        out.push('\n');
    }
    out
}

fn is_time(word: &str) -> bool {
    word.parse::<f64>().is_ok() && word.contains('.')
}

fn without_ending(line: &str) -> String {
    match line.strip_suffix(" s").and_then(|rest| rest.rsplit_once(' ')) {
        Some((before, last)) if is_time(last) => format!("{before} [..] s"),
        _ => line.to_string(),
    }
}

fn without_object(line: &str) -> String {
    let parts =
        line.split_once(r#""seconds":{"#).and_then(|(head, tail)| Some((head, tail.split_once('}')?.1)));
    parts.map_or_else(|| line.to_string(), |(head, tail)| format!(r#"{head}"seconds":{{[..]}}{tail}"#))
}

/// The line with `[..]` for the cell that ends in a column.
fn without_cell(line: &str, end: usize) -> String {
    let cell = line.get(..end).and_then(|head| head.rsplit_once(' '));
    match cell {
        Some((before, time)) if is_time(time) => format!("{before} [..]{}", &line[end..]),
        _ => line.to_string(),
    }
}

/// Whether the output is what the lines say, wildcards included.
fn fits(expected: &[&str], found: &[&str]) -> bool {
    match (expected, found) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=found.len()).any(|skipped| fits(rest, &found[skipped..])),
        ([line, rest @ ..], [first, others @ ..]) => line_fits(line, first) && fits(rest, others),
        _ => false,
    }
}

fn line_fits(expected: &str, found: &str) -> bool {
    let mut parts = expected.split("[..]");
    let Some(mut rest) = parts.next().and_then(|first| found.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The output, with the old line wherever one with a wildcard says the same.
fn merged<'a>(expected: &[&'a str], found: &[&'a str]) -> Vec<&'a str> {
    let old = |line: &str| expected.iter().copied().find(|old| old.contains("[..]") && line_fits(old, line));
    found.iter().map(|line| old(line).unwrap_or(line)).collect()
}

fn difference(expected: &str, found: &str) -> String {
    let missing = expected.lines().filter(|line| !found.lines().any(|other| other == *line));
    let new = found.lines().filter(|line| !expected.lines().any(|other| other == *line));
    missing.map(|line| format!("- {line}\n")).chain(new.map(|line| format!("+ {line}\n"))).collect()
}

#[test]
fn wildcards_stand_for_anything() {
    assert!(line_fits("took [..] s, [..]", "took 0.3 s, well"));
    assert!(!line_fits("took [..] s", "took 0.3 m"));
    assert!(fits(&["a", "...", "z"], &["a", "b", "c", "z"]) && !fits(&["a", "..."], &["b"]));
}
