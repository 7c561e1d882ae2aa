//! Running the program, and checking what it prints.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_surefoot");

/// The top of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of its own for a test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Runs the program in a folder, with standard input.
pub fn run_with(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(PROGRAM)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may end before it has read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("the program ends")
}

/// Runs the program in a folder.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    run_with(folder, arguments, b"")
}

/// What a successful run prints.
pub fn stdout(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "surefoot {}: {errors}", arguments.join(" "));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The exit code and the message of a run that fails.
pub fn failure(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, arguments);
    assert!(!output.status.success(), "surefoot {} should fail", arguments.join(" "));
    assert!(output.stdout.is_empty(), "a failure prints nothing on standard output");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What a run prints with `--json`.
pub fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let text = stdout(folder, &[arguments, &["--json"]].concat());
    assert_eq!(text.lines().count(), 1, "one object and nothing else");
    serde_json::from_str(&text).expect("JSON")
}

/// Writes a file.
pub fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), content).expect("a file is written");
}

/// The bytes of a file.
pub fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Labelled points of a synthetic stream.
pub fn generate(folder: &Path, name: &str, arguments: &[&str]) {
    stdout(folder, &[&["generate"], arguments, &["-o", name]].concat());
}
