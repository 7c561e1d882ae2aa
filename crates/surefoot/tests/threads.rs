//! The second half of a round may run on another thread: models, and what an observer sees, are the same on any number.

mod common;

use std::path::Path;

use common::Diary;
use surefoot::data::OnBadLine;
use surefoot::prelude::*;
#[cfg(unix)]
use surefoot::train::RoundView;
use surefoot::train::Silent;

/// Several chunks of lines that are long for what they hold.
fn sound(count: usize) -> Vec<u8> {
    let comment = "c".repeat(1500);
    let line = |i: usize| {
        let label = if (i * i) % 7 < 3 { "+1" } else { "-1" };
        let features = format!("{}:1 {}:0.5 {}:{}", 1 + i % 7, 10 + i % 50, 100 + i / 3, 1 + i % 4);
        format!("{label} {features} # {comment}\n")
    };
    (0..count).map(line).collect::<String>().into_bytes()
}

/// The same, but some have a label that two classes cannot take.
fn lines(count: usize) -> Vec<u8> {
    let mut lines = sound(count);
    let starts = (0..lines.len()).filter(|&at| at == 0 || lines[at - 1] == b'\n');
    for start in starts.skip(17).step_by(211).collect::<Vec<_>>() {
        lines[start] = b'7';
    }
    lines
}

fn options(learner: &str, threads: usize) -> Result<TrainOptions> {
    let learner = LearnerSpec::parse(learner)?;
    Ok(TrainOptions::default()
        .learner(learner)
        .threads(threads)
        .on_bad_line(OnBadLine::Skip)
        .task(Some(Task::Binary)))
}

/// Ensembles with a shared table, with members of their own, and single learners.
const LEARNERS: [&str; 5] = [
    "auto",
    "ensemble(arow:r=0.1@none; logistic@sqrt+l2)",
    "ensemble(arow@none; scw1@none; nherd@none+l2; pa1@sqrt)",
    "arow",
    "pa1/identity:average=true",
];

#[test]
fn models_rounds_and_checkpoints_are_the_same_on_any_number_of_threads() -> Result<()> {
    for learner in LEARNERS {
        let mut runs = Vec::new();
        for threads in [1, 2, 3, 5] {
            let options = options(learner, threads)?.passes(2).checkpoint_every(601);
            let mut diary = Diary::default();
            let source = Source::memory("lines.svm", lines(2000));
            let (model, report) = train(vec![source], &options, &mut diary)?;
            // While other threads evaluate there is nothing to report; there is at the end of a pass.
            let fewest = if threads == 1 { 6 } else { 2 };
            assert!(diary.progress.len() >= fewest, "{} reports", diary.progress.len());
            assert!(diary.progress.iter().all(|&(scored, told)| scored == told.min(1990) as u64));
            assert_eq!(diary.progress.last(), Some(&(1990, 2 * 1990)), "the last report is of all");
            let [loss, auc] = ["log-loss", "roc-auc"].map(|name| report.metric(name).map(f64::to_bits));
            let scores = (report.mistakes, report.updates, loss, auc);
            runs.push((
                model.to_bytes()?,
                diary.rounds,
                diary.checkpoints,
                diary.refused,
                format!("{scores:?}"),
            ));
        }
        let (_, rounds, checkpoints, refused, _) = &runs[0];
        assert_eq!((rounds.len(), checkpoints.len(), refused.len()), (2 * 1990, 6, 10));
        assert!(runs.iter().all(|run| *run == runs[0]), "{learner}");
    }
    Ok(())
}

/// A line that cannot be read, and a label that cannot be taken.
#[test]
fn an_error_comes_after_all_rounds_before_it() -> Result<()> {
    for last in ["+1 4:one\n", "7 4:1\n"] {
        let (data, mut runs) = ([&sound(1600)[..], last.as_bytes()].concat(), Vec::new());
        for threads in [1, 2, 3, 5] {
            let loose = options("auto", threads)?;
            let options = loose.on_bad_line(OnBadLine::Fail).checkpoint_every(500);
            let (source, mut diary) = (Source::memory("lines.svm", &data[..]), Diary::default());
            let error = train(vec![source], &options, &mut diary).expect_err("the last line is wrong");
            runs.push((error.to_string(), diary.rounds, diary.checkpoints));
        }
        let (error, rounds, checkpoints) = &runs[0];
        assert!(error.contains("1601") && rounds.len() == 1600 && checkpoints.len() == 3, "{error}");
        assert!(runs.iter().all(|run| *run == runs[0]), "{last}");
    }
    Ok(())
}

#[test]
fn a_run_that_is_stopped_has_told_all_that_it_learned() -> Result<()> {
    for threads in [1, 2, 3] {
        let mut diary = Diary { stop_after: Some(4), ..Diary::default() };
        let source = Source::memory("lines.svm", lines(6000));
        let (model, report) = train(vec![source], &options("auto", threads)?, &mut diary)?;
        let rounds = diary.rounds.len() as u64;
        assert!(rounds > 500 && rounds < 5900, "{rounds}");
        assert_eq!((model.counts().rounds, report.examples), (rounds, rounds));
        assert_eq!(model.head().rounds(), rounds);
    }
    Ok(())
}

/// Tells how many rounds it has seen.
#[cfg(unix)]
struct Teller(std::sync::mpsc::Sender<u64>);

#[cfg(unix)]
impl Observer for Teller {
    fn round(&mut self, seen: &RoundView<'_>) {
        let _ = self.0.send(seen.example().line);
    }
}

/// The writer of the pipe waits until every line that it wrote has been reported.
#[cfg(unix)]
#[test]
fn rounds_of_a_live_stream_are_told_before_the_next_line_comes() -> Result<()> {
    use std::io::Write;
    use std::time::Duration;

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lines.svm");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    let (told, heard) = std::sync::mpsc::channel();
    let writer = std::thread::spawn({
        let path = path.clone();
        move || {
            let mut pipe = std::fs::OpenOptions::new().write(true).open(path).expect("a pipe");
            let mut last = 0;
            for part in [&b"+1 1:1\n-1 2:1\n"[..], b"+1 1:1 3:1\n", b"-1 2:1\n+1 1:2\n-1 3:1\n"] {
                pipe.write_all(part).expect("a reader");
                for _ in 0..part.split(|&byte| byte == b'\n').count() - 1 {
                    last = heard.recv_timeout(Duration::from_secs(60)).expect("to be told of each line");
                }
            }
            last
        }
    });
    let (_, report) = train(vec![Source::Path(path)], &options("auto", 2)?, &mut Teller(told))?;
    assert_eq!((writer.join().expect("a number"), report.examples), (6, 6));
    Ok(())
}

/// The bytes of the model that is learned from a source in two passes.
fn learned(source: Source, learner: &str, threads: usize, cache: Option<&Path>) -> Result<Vec<u8>> {
    let options = options(learner, threads)?.passes(2).cache(cache.map(Path::to_path_buf));
    train(vec![source], &options, &mut Silent)?.0.to_bytes()
}

#[test]
fn text_cache_and_pipe_make_the_same_bytes_on_any_number_of_threads() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let [file, pipe] = ["lines.svm", "pipe.svm"].map(|name| folder.path().join(name));
    std::fs::write(&file, lines(1500)).expect("a file");
    for learner in ["auto", "arow"] {
        let cache = folder.path().join(format!("{learner}.cache"));
        let first = learned(Source::Path(file.clone()), learner, 1, None)?;
        for threads in [1, 2, 3, 5] {
            let text = learned(Source::Path(file.clone()), learner, threads, None)?;
            assert!(text == first, "{learner}: text, {threads} threads");
            // The first of these runs writes the cache, the others read it.
            let cached = learned(Source::Path(file.clone()), learner, threads, Some(&cache))?;
            assert!(cached == first, "{learner}: cache, {threads} threads");
            #[cfg(unix)]
            {
                let writer = fed(&pipe, lines(1500));
                let piped = learned(Source::Path(pipe.clone()), learner, threads, None)?;
                writer.join().expect("all is written");
                assert!(piped == first, "{learner}: pipe, {threads} threads");
            }
        }
    }
    Ok(())
}

/// A named pipe, and the thread that writes these lines into it in pieces that end anywhere.
#[cfg(unix)]
fn fed(path: &Path, lines: Vec<u8>) -> std::thread::JoinHandle<()> {
    use std::io::Write;

    if !path.exists() {
        assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    }
    let path = path.to_path_buf();
    std::thread::spawn(move || {
        let mut pipe = std::fs::OpenOptions::new().write(true).open(path).expect("a pipe");
        lines.chunks(70_001).for_each(|piece| pipe.write_all(piece).expect("a reader"));
    })
}
