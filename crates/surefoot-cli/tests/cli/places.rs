//! Where a command may write: never over what it reads, never over what is not a file, and known before the work.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::{PROGRAM, failure, folder, generate, json, read, run, stdout, write};

const DATA: &str = "a\tgood film\nb\tdull film\n";

/// A folder with data, a model of it and a file that is in the way.
fn furnished() -> tempfile::TempDir {
    let folder = folder();
    write(folder.path(), "d.tsv", DATA);
    write(folder.path(), "old", "old");
    json(folder.path(), &["train", "d.tsv", "--learner", "arow", "-o", "m"]);
    folder
}

fn refused(folder: &Path, arguments: &[&str], expected: i32, said: &str) {
    let (code, message) = failure(folder, arguments);
    assert!(code == Some(expected) && message.contains(said), "{arguments:?}: {code:?} {message}");
}

#[test]
fn what_is_read_is_not_overwritten() {
    let folder = furnished();
    std::fs::hard_link(folder.path().join("d.tsv"), folder.path().join("twin")).expect("a link");
    let model = read(folder.path(), "m");
    for arguments in [
        &["convert", "d.tsv", "d.tsv", "--to", "jsonl"][..],
        &["convert", "d.tsv", "twin", "--to", "jsonl"],
        &["convert", "d.tsv", "./d.tsv", "--to", "cache"],
        &["predict", "m", "d.tsv", "-o", "d.tsv"],
        &["predict", "m", "d.tsv", "-o", "m"],
        &["predict", "m", "d.tsv", "--rejects", "./m"],
        &["train", "d.tsv", "-o", "./d.tsv"],
        &["train", "d.tsv", "--predictions", "twin"],
        &["train", "d.tsv", "--rejects", "d.tsv"],
        &["train", "d.tsv", "--cache", "d.tsv"],
        &["train", "old", "--test", "d.tsv", "-o", "d.tsv"],
        &["train", "d.tsv", "--resume", "m", "--predictions", "m"],
        &["tune", "d.tsv", "-o", "d.tsv"],
        &["merge", "m", "m", "-o", "m"],
    ] {
        refused(folder.path(), arguments, 2, "which is read; choose another name");
        assert!(read(folder.path(), "d.tsv") == DATA.as_bytes() && read(folder.path(), "m") == model);
    }
    let file = std::fs::File::open(folder.path().join("d.tsv")).expect("a file");
    let from_file = ["convert", "-", "d.tsv", "--format", "text", "--to", "jsonl"];
    let mut program = Command::new(PROGRAM);
    let output = program.args(from_file).current_dir(folder.path()).stdin(file).output().expect("it runs");
    assert!(output.status.code() == Some(2) && read(folder.path(), "d.tsv") == DATA.as_bytes());
    json(folder.path(), &["train", "d.tsv", "--resume", "m", "-o", "m"]);
    assert_ne!(read(folder.path(), "m"), model, "a model may take the place of the one it went on from");
}

#[test]
fn two_outputs_are_two_files() {
    let folder = furnished();
    for flags in [
        &["-o", "x", "--predictions", "x"][..],
        &["-o", "x", "--cache", "./x"],
        &["--predictions", "old", "--rejects", "old"],
        &["--predictions", "-", "--rejects", "-"],
    ] {
        refused(folder.path(), &[&["train", "d.tsv"], flags].concat(), 2, "are the same place");
    }
    refused(folder.path(), &["predict", "m", "d.tsv", "--rejects", "-"], 2, "are the same place");
    refused(folder.path(), &["train", "d.tsv", "--cache", "old"], 2, "something else than a cache");
    assert_eq!(read(folder.path(), "old"), b"old");
}

#[test]
fn a_file_stays_until_there_is_something_to_replace_it() {
    let folder = furnished();
    write(folder.path(), "bad.svm", "+1 1:x\n");
    for arguments in [
        &["predict", "m", "missing", "-o", "old"][..],
        &["predict", "missing", "d.tsv", "-o", "old"],
        &["train", "missing", "--predictions", "old"],
        &["train", "bad.svm", "--predictions", "old", "--rejects", "new"],
        &["convert", "bad.svm", "old", "--to", "vw"],
        &["convert", "bad.svm", "new", "--to", "vw"],
    ] {
        assert_eq!(failure(folder.path(), arguments).0, Some(1));
        assert_eq!(read(folder.path(), "old"), b"old", "{arguments:?}");
        assert!(!folder.path().join("new").exists(), "{arguments:?}");
    }
    // Nothing to say is something to say: what was there before is not of this run.
    json(folder.path(), &["train", "d.tsv", "--rejects", "old"]);
    assert_eq!(read(folder.path(), "old"), b"");
    write(folder.path(), "old", "old");
    write(folder.path(), "empty.tsv", "");
    stdout(folder.path(), &["predict", "m", "empty.tsv", "-o", "old"]);
    assert_eq!(read(folder.path(), "old"), b"");
}

#[test]
fn places_that_cannot_be_written_are_found_before_the_work() {
    let folder = furnished();
    for arguments in [
        &["train", "missing", "-o", "no/x"][..],
        &["train", "missing", "--predictions", "no/x"],
        &["tune", "missing", "-o", "no/x"],
        &["merge", "missing", "-o", "no/x"],
        &["test", "missing", "d.tsv", "--plot", "no/x.svg"],
        &["predict", "missing", "d.tsv", "-o", "no/x"],
        &["convert", "missing", "no/x", "--to", "vw"],
    ] {
        refused(folder.path(), arguments, 1, "there is no folder no");
    }
    if cfg!(target_os = "linux") {
        // A folder that takes no files, not even from root.
        refused(folder.path(), &["train", "missing", "-o", "/proc/x"], 1, "/proc/x: ");
        refused(folder.path(), &["test", "missing", "d.tsv", "--plot", "/proc/x.svg"], 1, "/proc/x.svg: ");
    }
}

#[cfg(unix)]
#[test]
fn a_model_replaces_files_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = furnished();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    std::os::unix::fs::symlink("m", folder.path().join("link")).expect("a link");
    let mode = |mode| {
        std::fs::set_permissions(folder.path().join("m"), std::fs::Permissions::from_mode(mode))
            .expect("chmod");
    };
    refused(folder.path(), &["train", "d.tsv", "-o", "pipe"], 2, "is a named pipe, which is not replaced");
    refused(folder.path(), &["train", "d.tsv", "-o", "."], 2, "is a directory");
    assert!(!pipe.is_file());
    mode(0o600);
    json(folder.path(), &["train", "d.tsv", "-o", "link"]);
    let found = std::fs::metadata(folder.path().join("m")).expect("a model");
    assert!(found.permissions().mode() & 0o777 == 0o600 && folder.path().join("link").is_symlink());
    mode(0o444);
    refused(folder.path(), &["train", "d.tsv", "-o", "m"], 1, "m: is write-protected");
}

#[cfg(unix)]
#[test]
fn what_is_a_stream_goes_into_a_pipe() {
    let folder = furnished();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for arguments in [
        &["predict", "m", "d.tsv", "-o", "pipe"][..],
        &["convert", "d.tsv", "pipe", "--to", "vw"],
        &["train", "d.tsv", "--predictions", "pipe"],
    ] {
        let mut child = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        assert_eq!(String::from_utf8_lossy(&read(folder.path(), "pipe")).lines().count(), 2, "{arguments:?}");
        assert!(child.wait().expect("it ends").success());
        assert!(!pipe.is_file());
    }
}

#[test]
fn a_dash_is_standard_output_or_refused() {
    let folder = furnished();
    write(folder.path(), "bad.svm", "+1 1:1\n-1 1:x\n-1 2:1\n");
    let skip = ["--on-bad-line", "skip", "--rejects", "-"];
    let printed = stdout(folder.path(), &[&["train", "bad.svm"], &skip[..]].concat());
    assert!(printed.starts_with("bad.svm:2:6: expected a number after ':', found \"x\"\t-1 1:x\n2 examples"));
    let printed = stdout(folder.path(), &[&["predict", "m", "bad.svm", "-o", "p"], &skip[..]].concat());
    assert_eq!(printed.lines().count(), 1);
    for flag in ["--predictions", "--rejects"] {
        refused(
            folder.path(),
            &["train", "d.tsv", flag, "-", "--json"],
            2,
            "--json is alone on standard output",
        );
    }
    for arguments in [
        &["train", "d.tsv", "-o", "-"][..],
        &["train", "d.tsv", "--cache", "-"],
        &["tune", "d.tsv", "-o", "-"],
        &["merge", "m", "-o", "-"],
        &["convert", "d.tsv", "-", "--to", "cache"],
    ] {
        refused(folder.path(), arguments, 2, "standard output is no place for it; name a file");
    }
    for arguments in [
        &["predict", "-", "d.tsv"][..],
        &["test", "-", "d.tsv"],
        &["explain", "-", "d.tsv"],
        &["inspect", "-"],
        &["merge", "m", "-", "-o", "x"],
        &["train", "d.tsv", "--resume", "-"],
    ] {
        refused(folder.path(), arguments, 2, "a model is read from a file");
    }
    assert!(!folder.path().join("-").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_called_by_its_name() {
    let folder = furnished();
    generate(folder.path(), "points.svm", &["coins", "-n", "20"]);
    for arguments in [
        &["generate", "coins", "-o", "/dev/full"][..],
        &["convert", "points.svm", "/dev/full", "--to", "vw"],
        &["predict", "m", "d.tsv", "-o", "/dev/full"],
        &["train", "d.tsv", "--predictions", "/dev/full"],
    ] {
        let output = run(folder.path(), arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && message.starts_with("error: /dev/full: "), "{message}");
    }
    assert!(!Path::new("/dev/full").is_file());
}
