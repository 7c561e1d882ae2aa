//! Pipes whose writer takes its time: what is known is passed on at once, and what is waited for is said.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::run::{PROGRAM, folder, json, run_with, stdout, write};

/// No line takes so long; a test that fails should still end.
const BOUND: Duration = Duration::from_secs(120);

/// A run that is being written to.
struct Live {
    child: Child,
    input: Option<ChildStdin>,
    out: Receiver<String>,
    err: Receiver<String>,
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        BufReader::new(from).lines().map_while(Result::ok).all(|line| send.send(line).is_ok())
    });
    receive
}

impl Live {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (out, err) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
        Self { input: child.stdin.take(), out: lines(out), err: lines(err), child }
    }

    fn write(&mut self, text: &str) {
        let input = self.input.as_mut().expect("the pipe is open");
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).expect("the program reads");
    }

    /// Closes the pipe; the rest of both outputs.
    fn end(mut self) -> (String, String) {
        self.input = None;
        let rest = |from: &Receiver<String>| from.iter().map(|line| line + "\n").collect::<String>();
        let (out, err) = (rest(&self.out), rest(&self.err));
        assert!(self.child.wait().expect("the program ends").success(), "{err}");
        (out, err)
    }
}

#[test]
fn predictions_are_passed_on_as_they_are_made() {
    let folder = folder();
    for learner in ["arow", "auto"] {
        let mut live = Live::start(
            folder.path(),
            &[
                "train",
                "-",
                "--format",
                "text",
                "--labels",
                "a,b",
                "--learner",
                learner,
                "--predictions",
                "-",
                "-q",
            ],
        );
        for (line, label) in [("a\tone two\n", "b"), ("b\tthree\n", "a"), ("a\tone four\n", "a")] {
            live.write(line);
            let said = live.out.recv_timeout(BOUND).expect("a prediction while the pipe is open");
            let columns: Vec<&str> = said.split('\t').collect();
            assert_eq!((columns.len(), columns[0]), (4, label), "{learner}: {said}");
        }
        assert_eq!(live.end(), (String::new(), String::new()));
    }
}

#[test]
fn what_a_pipe_waits_for_is_said_once() {
    let folder = folder();
    let train = ["train", "-", "--format", "svmlight", "-o", "live"];
    let mut live = Live::start(folder.path(), &train);
    live.write("1 1:1\n-2 2:1\n");
    let said = live.err.recv_timeout(BOUND).expect("a message");
    assert!(said.contains("waiting for a third label or 10,000 examples"), "{said}");
    assert!(said.contains("--task binary|multiclass"), "{said}");
    live.write("1 1:1\n");
    let (_, errors) = live.end();
    assert!(!errors.contains("waiting"), "{errors}");
    // What was waited for makes no difference.
    write(folder.path(), "d.svm", "1 1:1\n-2 2:1\n1 1:1\n");
    json(folder.path(), &["train", "d.svm", "-o", "file"]);
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).expect("a model");
    assert!(bytes("live") == bytes("file"));
    // A pipe that ends at once, a file, and labels that are known wait for nothing.
    let quick = run_with(folder.path(), &train, b"1 1:1\n-2 2:1\n");
    assert!(!String::from_utf8_lossy(&quick.stderr).contains("waiting"));
    let mut second = Live::start(folder.path(), &[&train[..], &["--task", "binary"]].concat());
    second.write("5 1:1\n");
    let said = second.err.recv_timeout(BOUND).expect("a message");
    assert!(said.contains("waiting for the second label"), "{said}");
    second.write("6 1:1\n");
    second.end();
}

#[test]
fn columns_that_are_looked_for_are_said_too() {
    let folder = folder();
    let mut live = Live::start(folder.path(), &["train", "-", "--format", "csv"]);
    live.write("label,v\na,one two three\nb,four five six\n");
    let said = live.err.recv_timeout(BOUND).expect("a message");
    assert!(said.contains("waiting for 200 rows") && said.contains("--text-column"), "{said}");
    live.end();
    let told = [
        "train",
        "-",
        "--format",
        "csv",
        "--value-column",
        "v",
        "--labels",
        "a,b",
        "--predictions",
        "-",
        "-q",
    ];
    let mut live = Live::start(folder.path(), &told);
    live.write("label,v\na,one\n");
    live.out.recv_timeout(BOUND).expect("a prediction after the first row");
    live.end();
}

#[test]
fn known_labels_are_learned_from_the_first_line_on() {
    let folder = folder();
    for declared in [&["--task", "multiclass"][..], &["--labels", "x,y"], &["--labels", "x,y,z"]] {
        let start = ["train", "-", "--format", "text", "--predictions", "-", "--quiet"];
        let mut live = Live::start(folder.path(), &[&start[..], declared].concat());
        live.write("x\tone\n");
        live.out.recv_timeout(BOUND).expect("a prediction after the first line");
        live.end();
    }
}

/// A line of `train --predictions` is what the model of the lines before says of the next one.
#[test]
fn a_round_predicts_as_predict_does() {
    let folder = folder();
    let rows = |labels: &[&str]| -> Vec<String> {
        let word = |at: usize| format!("w{} w{} w{}", at % 7, (at * at) % 11, at % labels.len());
        (0..60).map(|at| format!("{}\t{}\n", labels[(at + at / 9) % labels.len()], word(at))).collect()
    };
    for labels in [&["a", "b"][..], &["a", "b", "c"]] {
        let (rows, declared) = (rows(labels), labels.join(","));
        write(folder.path(), "all.tsv", rows.concat());
        for learner in ["auto", "arow", "pa1", "arow:decision=vote"] {
            let train = |data: &str, more: &[&str]| {
                let usual = ["train", data, "--labels", &declared, "--learner", learner];
                stdout(folder.path(), &[&usual[..], more].concat())
            };
            if labels.len() == 2 && learner.contains("vote") {
                continue;
            }
            train("all.tsv", &["--predictions", "rounds", "-q"]);
            let rounds = std::fs::read_to_string(folder.path().join("rounds")).expect("the rounds");
            assert_eq!(rounds.lines().count(), rows.len());
            for next in [0, 1, 5, 40, 59] {
                write(folder.path(), "before.tsv", rows[..next].concat());
                write(folder.path(), "next.tsv", &rows[next]);
                if next == 0 {
                    continue;
                }
                train("before.tsv", &["-o", "m", "-q"]);
                let ask = ["predict", "m", "next.tsv", "--format", "text", "--scores", "--probabilities"];
                let told = stdout(folder.path(), &ask);
                let told: Vec<&str> = told.trim_end().split('\t').collect();
                let round: Vec<&str> = rounds.lines().nth(next).expect("a round").split('\t').collect();
                assert_eq!([round[0], round[3], round[1], round[2]], told[..], "{learner}, round {next}");
                assert!(learner == "pa1" || round[2].parse::<f64>().expect("a number") > 0.0);
            }
        }
    }
}
