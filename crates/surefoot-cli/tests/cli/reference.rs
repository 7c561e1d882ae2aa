//! docs/reference/cli.md is what `--help` says, of every command; it is made here.
//! `SUREFOOT_REGENERATE=1 cargo test -p surefoot-cli reference` writes it anew.

use std::fmt::Write as _;

use crate::run::{root, run};

const INTRODUCTION: &str = "# The command line

Every command and every flag, as `surefoot COMMAND --help` shows them. This page is made from the program by a test:
`SUREFOOT_REGENERATE=1 cargo test -p surefoot-cli reference` writes it anew.

What holds for all commands: `-` is standard input for data, and standard output for what is written as it comes; models
and caches are files and have no `-`; no command writes over what it reads, but for `train --resume M -o M`; gzip and zstd
are seen by their first bytes; exit codes are 0 (done), 1 (bad data or model) and 2 (wrong usage); a closed pipe is not an
error; progress goes to standard error, and only to a terminal. The JSON that `--json` prints is alone on standard output and
follows the schemas in [schema](schema).
";

/// The page as it should be.
pub fn page() -> String {
    let mut page = INTRODUCTION.to_string();
    let mut program = surefoot_cli::command().term_width(100);
    program.build();
    let whole = program.render_long_help().to_string();
    let mut section = |name: &str, help: &str| {
        let help: String = help.lines().map(|line| line.trim_end().to_string() + "\n").collect();
        let _ = write!(page, "\n## {name}\n\n```text\n{}\n```\n", help.trim_end());
    };
    section("surefoot", &whole);
    for command in program.get_subcommands_mut() {
        let name = format!("surefoot {}", command.get_name());
        // Built commands call themselves surefoot-train, as manual pages do; people type a blank.
        let help = command.clone().bin_name(&name).term_width(100).render_long_help().to_string();
        section(&name, &help);
    }
    page
}

#[test]
fn the_reference_is_what_help_says() {
    let path = root().join("docs/reference/cli.md");
    let page = page();
    if std::env::var_os("SUREFOOT_REGENERATE").is_some() {
        std::fs::write(&path, &page).expect("the page is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/reference/cli.md is out of date; see the head of this test");
}

#[test]
fn every_command_has_examples_in_its_help() {
    for command in surefoot_cli::command().get_subcommands() {
        let output = run(&root(), &[command.get_name(), "--help"]);
        let help = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success() && help.contains("Examples:"), "{}: {help}", command.get_name());
    }
}
