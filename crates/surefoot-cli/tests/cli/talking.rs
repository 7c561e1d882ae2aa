//! `--quiet` and `--verbose`.

use crate::run::{folder, json, root, run, stdout, write};

#[test]
fn quiet_says_nothing_but_what_is_asked_for() {
    let folder = folder();
    let tickets = root().join("examples/tickets.tsv");
    let tickets = tickets.to_str().expect("UTF-8");
    write(
        folder.path(),
        "t.csv",
        "v1,v2\nham,are you there now\nspam,win a big prize\nham,see you soon then\nspam,win cash right now\n",
    );
    let quiet = |arguments: &[&str]| {
        let output = run(folder.path(), &[arguments, &["--quiet"]].concat());
        assert!(output.status.success());
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for command in [
        &["train", tickets, "-o", "m"][..],
        &["train", "t.csv", "--label-column", "v1", "--progress", "always"],
        &["compare", tickets, "--learner", "arow"],
        &["tune", tickets, "--learner", "arow:r=0.1|1"],
    ] {
        assert_eq!(quiet(command), "", "{command:?}");
    }
    let report = quiet(&["train", tickets, "--json"]);
    assert!(report.starts_with('{') && report.lines().count() == 1, "{report}");
    write(folder.path(), "new.txt", "my card was charged twice\n");
    assert_eq!(quiet(&["predict", "m", "new.txt"]), stdout(folder.path(), &["predict", "m", "new.txt"]));
    assert!(quiet(&["test", "m", tickets]).contains("593 examples"));
    // Errors are said.
    let failed = run(folder.path(), &["train", "nowhere.tsv", "-q"]);
    assert!(
        failed.status.code() == Some(1) && String::from_utf8_lossy(&failed.stderr).contains("nowhere.tsv")
    );
    let both = run(folder.path(), &["train", tickets, "-q", "-v"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn verbose_says_which_settings_are_taken() {
    let folder = folder();
    write(
        folder.path(),
        "t.csv",
        "city,text,label\nBern,are you there,a\nBasel,win a prize,b\nBern,see you,a\n",
    );
    let verbose = |arguments: &[&str]| {
        let output = run(folder.path(), &[arguments, &["--verbose", "--threads", "2"]].concat());
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let all = [
        "data     csv",
        "task     binary",
        "labels   a, b",
        "learner  arow/diagonal:",
        "r=0.3",
        "recipe   {",
        "threads  2",
    ];
    let told = verbose(&["train", "t.csv", "--rule", "arow", "--r", "0.3", "-o", "m"]);
    assert!(all.iter().all(|part| told.contains(part)), "{told}");
    for command in ["predict", "test"] {
        let told = verbose(&[command, "m", "t.csv"]);
        assert!(all.iter().all(|part| told.contains(part)), "{told}");
    }
    assert!(verbose(&["predict", "m", "t.csv"]).contains("read     t.csv as csv"));
    for command in
        [&["compare", "t.csv", "--learner", "pa1:c=2"][..], &["tune", "t.csv", "--learner", "pa1:c=2"]]
    {
        let told = verbose(command);
        assert!(
            ["learner  pa1", "c=2", "recipe   {", "threads  2"].iter().all(|part| told.contains(part)),
            "{told}"
        );
    }
    // It changes nothing else.
    let plain = json(folder.path(), &["train", "t.csv"]);
    assert_eq!(json(folder.path(), &["train", "t.csv", "-v"])["mistakes"], plain["mistakes"]);
}
