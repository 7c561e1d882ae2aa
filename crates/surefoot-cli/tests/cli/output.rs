//! Where output goes, and what happens when it is not read.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use crate::run::{PROGRAM, folder, generate, json, read, run, stdout, write};

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "5000", "copies=20"]);
    json(folder.path(), &["train", "points.svm", "-o", "m"]);
    for arguments in [
        &["generate", "coins", "-n", "1000000000"][..],
        &["predict", "m", "points.svm", "--json", "--all-labels"],
        &["inspect", "m", "--all"],
        &["convert", "points.svm", "-", "--to", "vw"],
        &["train", "points.svm", "--predictions", "-"],
        &["rules"],
        &["completions", "bash"],
        &["man"],
    ] {
        let mut child = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let output = child.wait_with_output().expect("the program ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{arguments:?}: {} {errors}", output.status);
    }
}

#[test]
fn progress_goes_to_standard_error_and_only_if_asked() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "100"]);
    assert!(run(folder.path(), &["train", "points.svm"]).stderr.is_empty());
    let output = run(folder.path(), &["train", "points.svm", "--progress", "always", "--json"]);
    let table = String::from_utf8(output.stderr).expect("UTF-8");
    let counts: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(counts, ["1", "2", "4", "8", "16", "32", "64", "100"]);
    assert!(output.stdout.starts_with(b"{"));
}

#[test]
fn predictions_of_a_live_stream_come_at_once() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "100"]);
    json(folder.path(), &["train", "points.svm", "-o", "m"]);
    let mut child = Command::new(PROGRAM)
        .args(["predict", "m", "-", "--format", "svmlight"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let (mut input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut answers = BufReader::new(output).lines();
    for point in read(folder.path(), "points.svm").split_inclusive(|&b| b == b'\n').take(5) {
        input.write_all(point).expect("it listens");
        // The next line is sent only after this one is answered.
        let answer = answers.next().expect("an answer").expect("UTF-8");
        assert!(answer == "1" || answer == "-1", "{answer}");
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn an_interrupt_keeps_the_model_so_far() {
    let folder = folder();
    let mut child = Command::new(PROGRAM)
        .args(["train", "-", "--task", "binary", "-o", "m", "--json", "--format", "svmlight"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(&b"+1 1:1\n-1 2:1\n".repeat(10)).expect("it listens");
    std::thread::sleep(std::time::Duration::from_millis(300));
    // The pipe stays open: there is no telling whether more would have come.
    signal(&child, "-INT");
    assert_eq!(ending(&mut child), Some(0));
    drop(input);
    let output = child.wait_with_output().expect("it has ended");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["interrupted"], &report["examples"]), (&true.into(), &20.into()));
    assert!(stdout(folder.path(), &["inspect", "m"]).contains("arow"));
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill").success());
}

/// The exit code of a program that should end by itself.
fn ending(child: &mut Child) -> Option<i32> {
    for _ in 0..200 {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code();
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    child.kill().expect("a signal");
    panic!("it goes on waiting");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_wait_for_a_pipe_without_a_writer() {
    let folder = folder();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("mkfifo").success());
    for (flags, name) in
        [(&["--threads", "1"][..], "-TERM"), (&["--threads", "3"], "-INT"), (&["--shuffle"], "-INT")]
    {
        let mut child = Command::new(PROGRAM)
            .args([&["train", "pipe", "-o", "m"], flags].concat())
            .current_dir(folder.path())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(std::time::Duration::from_millis(300));
        signal(&child, name);
        assert_eq!(ending(&mut child), Some(1), "there is no model to save");
        let output = child.wait_with_output().expect("it has ended");
        assert!(String::from_utf8_lossy(&output.stderr).contains("no labels to learn from"));
    }
}

#[test]
fn every_command_has_examples_and_a_manual() {
    let folder = folder();
    for command in surefoot_cli::command().get_subcommands().map(|command| command.get_name().to_string()) {
        let help = stdout(folder.path(), &[&command, "--help"]);
        assert!(
            help.contains(&format!("surefoot {command}")) && help.contains("Examples:"),
            "{command}: {help}"
        );
        assert!(stdout(folder.path(), &["man", &command]).contains(".TH"), "{command}");
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(stdout(folder.path(), &["completions", shell]).contains("confidence"), "{shell}");
    }
    surefoot_cli::command().debug_assert();
}

#[test]
fn plots_are_svg_or_png() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "300"]);
    let arguments =
        ["train", "points.svm", "-o", "m", "--passes", "2", "--test", "points.svm", "--plot", "e.svg"];
    assert_eq!(json(folder.path(), &arguments)["passes"], 2);
    stdout(folder.path(), &["test", "m", "points.svm", "--plot", "t.svg"]);
    for (name, words) in
        [("e.svg", ["pass 2", "held-out error"]), ("t.svg", ["Probabilities: ", "What is taken for what"])]
    {
        let svg = String::from_utf8(read(folder.path(), name)).expect("UTF-8");
        assert!(svg.starts_with("<svg ") && words.iter().all(|word| svg.contains(word)), "{svg}");
    }
    stdout(folder.path(), &["test", "m", "points.svm", "--plot", "t.png"]);
    let png = read(folder.path(), "t.png");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 20_000, "{} bytes", png.len());
    for arguments in
        [&["train", "points.svm", "--plot", "e.jpg"][..], &["test", "m", "points.svm", "--plot", "t"]]
    {
        let (code, message) = crate::run::failure(folder.path(), arguments);
        assert!(code == Some(2) && message.contains("does not end with .svg or .png"), "{message}");
    }
}

#[test]
fn what_may_not_have_been_meant_is_said() {
    let folder = folder();
    write(folder.path(), "t.csv", "label,colour,size,importance\na,red,1,2\nb,blue,2,1\n");
    let said = |flags: &[&str]| {
        let output = run(folder.path(), &[&["train", "t.csv"], flags].concat());
        assert!(output.status.success(), "{flags:?}");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert_eq!(said(&["--interactions", "colour*size"]), "");
    assert_eq!(
        said(&["--interactions", "color*size"]),
        "warning: no feature belongs to `color`, which --interactions or --keep names; there are colour, size\n"
    );
    assert!(said(&["--keep", "color"]).ends_with("; no feature is left\n"));
    assert_eq!(
        said(&["--learner", "cw-var"]),
        "warning: cw-var takes no notice of importance weights, except that 0 skips an example\n"
    );
    let report = json(folder.path(), &["train", "t.csv", "--learner", "pa"]);
    assert_eq!(report["warnings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_run_goes_on_when_its_notes_are_not_read() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "100"]);
    let train = ["train", "-", "--format", "svmlight", "--progress", "always", "--json", "-o", "m"];
    for (arguments, code) in [(&train[..], 0), (&["train", "missing"], 1), (&["train", "-", "-o", "-"], 2)] {
        let mut child = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stderr.take());
        // A run that fails may end before it has read it.
        _ = child.stdin.take().expect("a pipe").write_all(&read(folder.path(), "points.svm"));
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{arguments:?}");
    }
    assert!(folder.path().join("m").exists());
}
