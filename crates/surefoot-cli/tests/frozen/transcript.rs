//! What a case prints: exit codes, both outputs and files, as one readable text.
//!
//! ```text
//! $ surefoot train sparse.svm -o model      a command line
//! # exit code                               what follows
//!  0                                        its lines, each behind a blank
//! ```

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::corpus::{Case, Step};
use crate::{data, wording};

/// A file of more lines is shown in about so many, evenly spaced.
const LINES: usize = 250;

/// Lines that came of one command: the code, an output, or a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    pub command: String,
    pub name: String,
    pub lines: Vec<String>,
}

/// Runs the command lines of a case in a folder of their own.
pub fn run(case: &Case, program: &Path) -> Vec<Part> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut parts = Vec::new();
    let mut command = String::new();
    for step in &case.steps {
        let mut add = |command: &str, name: &str, text: &str| {
            let lines = text.lines().map(String::from).collect();
            parts.push(Part { command: command.into(), name: name.into(), lines });
        };
        match step {
            Step::Run { arguments, input } => {
                command = command_line(arguments, input.as_deref());
                data::put(folder.path(), arguments.iter().chain(input));
                let (code, out, err) = start(folder.path(), program, arguments, input.as_deref());
                add(&command, "exit code", &code);
                for (name, text) in [("standard error", err), ("standard output", out)] {
                    if !text.is_empty() {
                        add(&command, name, &wording::without_times(&text));
                    }
                }
            }
            Step::Show(name) => {
                let text = match std::fs::read(folder.path().join(name)) {
                    Ok(bytes) => sample(&String::from_utf8_lossy(&bytes)),
                    Err(_) => "(no such file)".to_string(),
                };
                add(&command, &format!("file {name}"), &text);
            }
        }
    }
    parts
}

fn command_line(arguments: &[String], input: Option<&str>) -> String {
    let quoted = arguments.iter().map(|word| {
        if word.contains(|c: char| c.is_whitespace() || c == '|') {
            format!("'{word}'")
        } else {
            word.clone()
        }
    });
    let input = input.map(|name| format!("< {name}"));
    ["surefoot".to_string()].into_iter().chain(quoted).chain(input).collect::<Vec<_>>().join(" ")
}

/// The exit code and both outputs; a file that is given on standard input comes through a pipe.
fn start(
    folder: &Path,
    program: &Path,
    arguments: &[String],
    input: Option<&str>,
) -> (String, String, String) {
    let input = input.map(|name| std::fs::read(folder.join(name)).expect("the input")).unwrap_or_default();
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let mut pipe = child.stdin.take().expect("a pipe");
    // A thread, for a program that prints while it reads; it may also end before it has read all.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    let code = output.status.code().map_or("none".into(), |code| code.to_string());
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (code, text(output.stdout), text(output.stderr))
}

/// The lines of a file, or evenly spaced ones of a long file behind their number.
fn sample(text: &str) -> String {
    let count = text.lines().count();
    let step = count.div_ceil(LINES).max(1);
    if step == 1 {
        return text.to_string();
    }
    let lines = text.lines().step_by(step).map(|line| format!("{line}\n"));
    format!("{count} lines, each of {step}:\n{}", lines.collect::<String>())
}

/// The text of a record.
pub fn to_text(parts: &[Part]) -> String {
    let mut text = String::new();
    let mut command = "";
    for part in parts {
        if part.name == "exit code" || part.command != command {
            command = &part.command;
            text.push_str(&format!("$ {command}\n"));
        }
        text.push_str(&format!("# {}\n", part.name));
        for line in &part.lines {
            text.push_str(&format!(" {line}\n"));
        }
    }
    text
}

/// A record, read back.
pub fn from_text(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut command = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("$ ") {
            command = rest.to_string();
        } else if let Some(name) = line.strip_prefix("# ") {
            parts.push(Part { command: command.clone(), name: name.to_string(), lines: Vec::new() });
        } else if let Some(part) = parts.last_mut() {
            part.lines.push(line.strip_prefix(' ').unwrap_or(line).to_string());
        }
    }
    parts
}

#[test]
fn a_record_reads_back_as_it_was() {
    let part = |command: &str, name: &str, lines: &[&str]| Part {
        command: command.into(),
        name: name.into(),
        lines: lines.iter().map(|line| line.to_string()).collect(),
    };
    let parts = [
        part("surefoot train a", "exit code", &["0"]),
        part("surefoot train a", "standard output", &["", "$ not a command", " # indented"]),
        part("surefoot train a", "exit code", &["0"]),
    ];
    assert_eq!(from_text(&to_text(&parts)), parts);
}
