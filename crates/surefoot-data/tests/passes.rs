//! Several passes over files: parsed once, then read from a cache; in file order or a random one, this run or the next.

mod common;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use surefoot_data::{
    Batch, BatchReader, OnBadLine, OnReject, Order, PassOptions, PassReader, Plan, ReadOptions, Recipe,
    Source, SpaceKind,
};

fn lines(count: usize) -> String {
    (0..count).map(|n| format!("{} 'tag{n}| a{n} b:{n}.25\n", n % 3)).collect()
}

fn read_options(threads: usize) -> ReadOptions {
    ReadOptions { threads, chunk_size: 1 << 12, on_bad_line: OnBadLine::Skip, ..ReadOptions::default() }
}

fn open(source: &Source, threads: usize, passes: PassOptions, rejects: Option<OnReject>) -> PassReader {
    let plan = Arc::new(Plan::new(Recipe { space: SpaceKind::Dictionary, ..Recipe::default() }).unwrap());
    PassReader::open(vec![source.clone()], read_options(threads), plan, passes, rejects).unwrap()
}

/// The rest of a pass.
fn drain(reader: &mut PassReader) -> Vec<String> {
    common::drain(|batch| reader.next_batch(batch, &mut || false)).unwrap()
}

fn pass(reader: &mut PassReader, order: Order) -> Vec<String> {
    reader.start_pass(order).unwrap();
    drain(reader)
}

fn sorted(examples: &[String]) -> Vec<String> {
    let mut examples = examples.to_vec();
    examples.sort();
    examples
}

fn in_folder(text: &str) -> (tempfile::TempDir, Source, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.vw");
    std::fs::write(&file, text).unwrap();
    let cache = folder.path().join("a.cache");
    (folder, Source::Path(file), cache)
}

#[test]
fn every_pass_gives_the_examples_of_the_files() {
    let text = lines(3000) + "no bar\n";
    let source = Source::memory("a.vw", text.as_bytes());
    let alone = pass(&mut open(&source, 1, PassOptions::default(), None), Order::File);
    assert_eq!(alone.len(), 3000);
    for threads in [1, 2, 3, 5] {
        let mut reader = open(&source, threads, PassOptions { passes: 3, ..PassOptions::default() }, None);
        let size = Some(text.len() as u64);
        for _ in 0..3 {
            reader.start_pass(Order::File).unwrap();
            assert!(reader.next_batch(&mut Batch::new(), &mut || false).unwrap());
            assert_eq!(reader.jobs().is_some(), threads > 1);
            drain(&mut reader);
            assert!(!reader.next_batch(&mut Batch::new(), &mut || false).unwrap());
            assert_eq!(reader.bad_lines(), 1);
            let progress = reader.progress();
            assert_eq!((Some(progress.bytes_read), progress.bytes_total), (size, size));
        }
        assert_eq!(pass(&mut reader, Order::File), alone, "{threads} threads");
    }
}

#[test]
fn a_random_order_depends_on_its_seed_alone() {
    let source = Source::memory("a.vw", lines(3000).as_bytes());
    let passes = || PassOptions { passes: 2, shuffle: true, cache: None };
    let mut reader = open(&source, 1, passes(), None);
    let (one, two) = (pass(&mut reader, Order::Shuffled(1)), pass(&mut reader, Order::Shuffled(2)));
    let in_order = pass(&mut reader, Order::File);
    assert_eq!(pass(&mut reader, Order::Shuffled(1)), one);
    assert!(one != two && one != in_order);
    assert_eq!(sorted(&one), sorted(&in_order));
    assert_eq!(sorted(&two), sorted(&in_order));
    for threads in [2, 3, 5] {
        let mut reader = open(&source, threads, passes(), None);
        assert_eq!(pass(&mut reader, Order::Shuffled(1)), one, "{threads} threads");
        assert_eq!(pass(&mut reader, Order::Shuffled(2)), two, "{threads} threads");
    }
}

#[test]
fn a_later_run_reads_the_cache_and_not_the_files() {
    let (_folder, source, cache) = in_folder(&(lines(500) + "no bar\n"));
    let passes = || PassOptions { cache: Some(cache.clone()), ..PassOptions::default() };
    let mut first = open(&source, 2, passes(), None);
    let examples = pass(&mut first, Order::File);
    assert!(first.progress().bytes_total.is_some());
    let written = std::fs::metadata(&cache).unwrap().modified().unwrap();
    for order in [Order::File, Order::Shuffled(4)] {
        let mut second = open(&source, 2, passes(), None);
        assert_eq!(second.bad_lines(), 1);
        assert_eq!(sorted(&pass(&mut second, order)), sorted(&examples));
        assert_eq!(second.progress().bytes_total, None, "the files are not opened");
    }
    assert_eq!(std::fs::metadata(&cache).unwrap().modified().unwrap(), written);
    // Rejects are in the file alone.
    let rejects = Arc::new(Mutex::new(Vec::new()));
    let kept = rejects.clone();
    let take: OnReject = Box::new(move |reject| kept.lock().unwrap().push(reject.record.clone()));
    let mut third = open(&source, 2, passes(), Some(take));
    third.start_pass(Order::File).unwrap();
    let mut batch = Batch::new();
    assert!(third.next_batch(&mut batch, &mut || false).unwrap());
    assert_eq!(batch.record(0), b"0 'tag0| a0 b:0.25", "lines are kept to be shown");
    drain(&mut third);
    assert_eq!(*rejects.lock().unwrap(), [b"no bar"]);
    // Another file is another cache.
    let Source::Path(file) = &source else { unreachable!() };
    std::fs::write(file, lines(7)).unwrap();
    assert_eq!(pass(&mut open(&source, 2, passes(), None), Order::File).len(), 7);
}

#[test]
fn what_was_given_up_is_not_kept() {
    let (folder, source, cache) = in_folder(&lines(3000));
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let passes = |shuffle| PassOptions { passes: 2, shuffle, cache: Some(cache.clone()) };
    // In the middle of a pass in file order.
    let mut reader = open(&source, 2, passes(false), None);
    reader.start_pass(Order::File).unwrap();
    assert!(reader.next_batch(&mut Batch::new(), &mut || true).unwrap());
    let error = reader.start_pass(Order::File).unwrap_err().to_string();
    insta::assert_snapshot!(error, @"the examples were not kept for further passes: the first one was not read to its end, or only one was planned");
    drop(reader);
    assert_eq!(files(), 1);
    // While the files are read for a pass in random order.
    let mut reader = open(&source, 2, passes(true), None);
    reader.start_pass(Order::Shuffled(1)).unwrap();
    let (mut batch, mut asked) = (Batch::new(), 0);
    let stop = &mut || {
        asked += 1;
        asked > 3
    };
    assert!(!reader.next_batch(&mut batch, stop).unwrap());
    assert!(batch.is_empty());
    drop(reader);
    assert_eq!(files(), 1);
    // At the end of the input, if that is where it was enough.
    let mut reader = open(&source, 1, passes(false), None);
    while reader.next_batch(&mut batch, &mut || true).unwrap() {}
    drop(reader);
    assert_eq!(files(), 1);
    pass(&mut open(&source, 1, passes(false), None), Order::File);
    assert_eq!(files(), 2);
}

/// Standard input is like this: it cannot be opened twice.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_can_be_read_several_times_and_given_up() {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    for order in [Order::File, Order::Shuffled(2)] {
        for stops in [false, true] {
            let (end, mut writer) = std::io::pipe().unwrap();
            let source = Source::Path(format!("/proc/self/fd/{}", end.as_raw_fd()).into());
            let passes = PassOptions { passes: 2, shuffle: true, cache: None };
            let mut reader = open(&source, 2, passes, None);
            reader.start_pass(order).unwrap();
            assert!(reader.waits());
            writer.write_all(lines(100).as_bytes()).unwrap();
            if stops {
                let (mut batch, mut asked) = (Batch::new(), 0);
                // It says so once, in the middle of waiting.
                let stop = &mut || {
                    asked += 1;
                    asked == 10
                };
                while reader.next_batch(&mut batch, stop).unwrap() {}
                assert!(reader.start_pass(order).is_err(), "half of the input must not pass for all of it");
                continue;
            }
            drop(writer);
            let first = drain(&mut reader);
            assert_eq!(first.len(), 100);
            assert_eq!(pass(&mut reader, order), first);
        }
    }
}

#[test]
fn what_was_not_planned_or_cannot_be_is_refused() {
    let source = Source::memory("a.vw", lines(3).as_bytes());
    let mut reader = open(&source, 1, PassOptions::default(), None);
    let error = reader.start_pass(Order::Shuffled(1)).unwrap_err().to_string();
    insta::assert_snapshot!(error, @"the examples were not kept for a random order: only passes in file order were planned");
    assert_eq!(pass(&mut reader, Order::File).len(), 3);
    assert!(reader.start_pass(Order::File).is_err());
    let plan = Arc::new(Plan::new(Recipe::default()).unwrap());
    let passes = PassOptions { cache: Some("x.cache".into()), ..PassOptions::default() };
    let refused = PassReader::open(vec![Source::Stdin], read_options(1), plan, passes, None);
    let error = refused.err().unwrap().to_string();
    insta::assert_snapshot!(error, @"--cache is for files: standard input cannot be known again in a later run");
}
