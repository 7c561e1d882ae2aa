//! Examples in the help are commands: from the top of a checkout they run as they stand, one after the other.

use std::path::Path;
use std::process::Command;

use crate::run::{PROGRAM, folder, root, stdout};

/// Commands in the order in which one uses them. `completions` and `man` write into the home of their user.
const COMMANDS: [&str; 11] = [
    "train", "predict", "test", "inspect", "explain", "merge", "compare", "tune", "rules", "generate",
    "convert",
];

/// The lines below `Examples:` of a command's help.
fn examples(command: &str) -> Vec<String> {
    let help = stdout(&root(), &[command, "-h"]);
    let below = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    below.take_while(|line| line.starts_with("  ")).map(|line| line.trim().to_string()).collect()
}

#[test]
fn examples_of_the_help_run_as_they_stand() {
    let folder = folder();
    let files = folder.path().join("examples");
    std::fs::create_dir(&files).expect("a folder");
    for file in std::fs::read_dir(root().join("examples")).expect("examples").flatten() {
        std::fs::copy(file.path(), files.join(file.file_name())).expect("a copy");
    }
    let programs = Path::new(PROGRAM).parent().expect("a folder").display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    for command in COMMANDS {
        let lines = examples(command);
        assert!(lines.len() > 1, "{command} has examples");
        for line in lines {
            let mut shell = Command::new("sh");
            let ran = shell.args(["-e", "-c", &line]).env("PATH", &path).current_dir(folder.path());
            let output = ran.output().expect("a shell");
            assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

/// Two screens of a laptop's terminal.
#[test]
fn the_help_of_train_fits_two_screens() {
    let help = stdout(&root(), &["train", "-h"]);
    assert!(help.lines().count() <= 100, "{} lines", help.lines().count());
    let place = |word: &str| help.find(word).unwrap_or_else(|| panic!("{word} is not in {help}"));
    assert!(place("--output") < place("--learner") && place("--label-column") < place("--learner"));
}
