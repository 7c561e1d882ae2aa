//! What `convert` writes can be read by those it is for: compressed as its name says, with labels that are learned from.

use crate::run::{failure, folder, generate, json, read, run, run_with, stdout, write};

#[test]
fn outputs_are_compressed_as_their_names_say() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "300"]);
    for (name, magic) in
        [("p.vw.gz", &[0x1f, 0x8b][..]), ("p.vw.zst", &[0x28, 0xb5, 0x2f, 0xfd]), ("p.vw", b"")]
    {
        stdout(folder.path(), &["convert", "points.svm", name]);
        assert!(read(folder.path(), name).starts_with(magic), "{name}");
        // Read back, it is what was there.
        stdout(folder.path(), &["convert", name, "again.svm"]);
        stdout(folder.path(), &["convert", "p.vw.gz", "first.svm"]);
        assert_eq!(read(folder.path(), "again.svm"), read(folder.path(), "first.svm"), "{name}");
    }
    assert!(read(folder.path(), "p.vw.gz").len() < read(folder.path(), "p.vw").len() / 2);
    let (code, message) = failure(folder.path(), &["convert", "points.svm", "p.parquet.gz"]);
    assert!(code == Some(2) && message.contains("compressed inside"), "{message}");
    // A line that is wrong leaves what was there.
    write(folder.path(), "bad.svm", "1 1:x\n");
    write(folder.path(), "old.vw.gz", "as it was");
    assert_eq!(failure(folder.path(), &["convert", "bad.svm", "old.vw.gz"]).0, Some(1));
    assert_eq!(read(folder.path(), "old.vw.gz"), b"as it was");
}

#[test]
fn labels_for_vowpal_wabbit_are_numbers_and_a_map() {
    let folder = folder();
    write(folder.path(), "two.tsv", "spam\tcheap pills\nham\tlunch at noon\n");
    let said = run(folder.path(), &["convert", "two.tsv", "two.vw"]).stderr;
    assert_eq!(read(folder.path(), "two.vw"), b"1 | cheap pills\n-1 | lunch at noon\n");
    assert_eq!(read(folder.path(), "two.vw.labels"), b"-1\tham\n1\tspam\n");
    let said = String::from_utf8(said).expect("UTF-8");
    assert_eq!(said, "note: labels became -1 and 1; which is which is in two.vw.labels\n");
    write(folder.path(), "many.tsv", "b\tx\na\ty\nc\tz\na\tz\n");
    stdout(folder.path(), &["convert", "many.tsv", "many.vw.gz"]);
    assert_eq!(read(folder.path(), "many.vw.gz.labels"), b"1\ta\n2\tb\n3\tc\n");
}

#[test]
fn labels_that_are_fine_stay() {
    let folder = folder();
    write(folder.path(), "d.svm", "+1 1:1\n-1 2:1\n");
    assert!(run(folder.path(), &["convert", "d.svm", "d.vw"]).stderr.is_empty());
    assert_eq!(read(folder.path(), "d.vw"), b"+1 | 1\n-1 | 2\n");
    assert!(!folder.path().join("d.vw.labels").exists());
    // On standard output there is no place beside it.
    write(folder.path(), "z.svm", "0 1:1\n1 2:1\n");
    let output = run(folder.path(), &["convert", "z.svm", "-", "--to", "vw"]);
    assert_eq!(output.stdout, b"-1 | 1\n1 | 2\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "note: labels became numbers:\n-1\t0\n1\t1\n");
    // What is read once is not counted first.
    let piped = ["convert", "-", "-", "--to", "vw", "--format", "text"];
    let refused = run_with(folder.path(), &piped, b"spam\tcheap\n");
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && message.contains("expected a number as label"), "{message}");
    assert!(run_with(folder.path(), &piped, b"1\tcheap\n").status.success());
    // The map is no place for what is read.
    write(folder.path(), "in.vw.labels", "a\tx\n");
    let (code, message) = failure(folder.path(), &["convert", "in.vw.labels", "in.vw", "--format", "text"]);
    assert!(code == Some(2) && message.contains("would overwrite in.vw.labels"), "{message}");
}

#[test]
fn parquet_is_learned_from_as_what_it_was_made_of() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "400"]);
    stdout(folder.path(), &["convert", "points.svm", "points.parquet"]);
    let learned = |name: &str| {
        let report = json(folder.path(), &["train", name, "--learner", "arow"]);
        (report["examples"].clone(), report["mistakes"].clone(), report["features"].clone())
    };
    assert_eq!(learned("points.parquet"), learned("points.svm"));
}
