//! The cache gives back what went in, in order or in a seeded disorder, or says that it cannot.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::drain;
use proptest::prelude::*;
use surefoot_data::{
    Batch, BatchReader, Cache, CacheWriter, Format, FormatOptions, Order, Plan, ReadOptions, Reader, Recipe,
    Source, SpaceKind, convert_from_cache, convert_to_cache, stamp,
};

fn plan(space: SpaceKind) -> Arc<Plan> {
    Arc::new(Plan::new(Recipe { space, ..Recipe::default() }).unwrap())
}

fn reader(name: &str, text: &str, space: SpaceKind, chunk_size: usize) -> Reader {
    let options = ReadOptions { chunk_size, ..ReadOptions::default() };
    Reader::open(vec![Source::memory(name, text.as_bytes())], options, plan(space)).unwrap()
}

/// Writes a cache of `text` and gives the examples that went in.
fn fill(path: &Path, name: &str, text: &str, space: SpaceKind, chunk_size: usize) -> Vec<String> {
    let mut reader = reader(name, text, space, chunk_size);
    let mut writer = CacheWriter::create(path, "stamp").unwrap();
    let mut batch = Batch::new();
    let mut examples = Vec::new();
    while reader.next_batch(&mut batch).unwrap() {
        writer.push(&batch).unwrap();
        examples.extend(batch.iter().map(common::show));
    }
    writer.finish(reader.bad_lines()).unwrap();
    examples
}

fn many(lines: usize) -> String {
    (0..lines).map(|n| format!("{} {}.5 'tag{n}| a{n} b:{n}.25 c:x\n", n % 3, n % 7)).collect()
}

fn temporary() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.cache");
    (folder, path)
}

/// The examples of a pass, asked for through the trait.
fn pass(cache: &mut Cache, order: Order) -> Vec<String> {
    cache.start_pass(order).unwrap();
    drain(|batch| cache.next_batch(batch)).unwrap()
}

#[test]
fn any_number_of_threads_gives_the_same_batches() {
    let (_folder, path) = temporary();
    fill(&path, "a.vw", &many(9000), SpaceKind::Dictionary, 1 << 12);
    let batches = |threads, order| {
        let mut cache = open(&path).with_threads(threads);
        // From the middle of a pass that was given up.
        cache.start_pass(Order::Shuffled(3)).unwrap();
        cache.next_batch(&mut Batch::new()).unwrap();
        cache.start_pass(order).unwrap();
        let (mut batches, mut batch) = (Vec::new(), Batch::new());
        while cache.next_batch(&mut batch).unwrap() {
            batches.push(batch.iter().map(common::show).collect::<Vec<_>>());
        }
        assert!(!cache.next_batch(&mut batch).unwrap());
        let progress = cache.progress();
        assert_eq!(Some(progress.bytes_read), progress.bytes_total);
        batches
    };
    for order in [Order::File, Order::Shuffled(5)] {
        let alone = batches(1, order);
        assert!(alone.len() > 10, "{}", alone.len());
        for threads in [2, 3, 5] {
            assert_eq!(batches(threads, order), alone, "{threads} threads, {order:?}");
        }
    }
}

#[test]
fn damage_is_an_error_after_the_blocks_before_it() {
    let (_folder, path) = temporary();
    fill(&path, "a.vw", &many(3000), SpaceKind::Dictionary, 1 << 12);
    let whole = pass(&mut open(&path), Order::File);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    for threads in [1, 2, 3, 5] {
        for order in [Order::File, Order::Shuffled(1)] {
            let mut cache = open(&path).with_threads(threads);
            cache.start_pass(order).unwrap();
            let (mut batch, mut given) = (Batch::new(), Vec::new());
            let error = loop {
                match cache.next_batch(&mut batch) {
                    Ok(true) => given.extend(batch.iter().map(common::show)),
                    Ok(false) => panic!("the damage went unnoticed"),
                    Err(error) => break error,
                }
            };
            assert!(error.to_string().contains("the cache is damaged"), "{error}");
            assert!(!cache.next_batch(&mut batch).unwrap(), "nothing comes after an error");
            if order == Order::File {
                assert!(given.len() > 500, "{}", given.len());
                assert_eq!(given, whole[..given.len()]);
            }
        }
    }
}

fn open(path: &Path) -> Cache {
    Cache::open(path, "stamp").unwrap().unwrap()
}

#[test]
fn every_pass_gives_the_examples_of_the_first() {
    let (_folder, path) = temporary();
    let first = fill(&path, "a.vw", &many(3000), SpaceKind::Dictionary, 1 << 12);
    let mut cache = Cache::open(&path, "stamp").unwrap().unwrap();
    assert_eq!(cache.examples(), 3000);
    for _ in 0..2 {
        assert_eq!(drain(|batch| cache.next_batch(batch)).unwrap(), first);
        assert!(!cache.next_batch(&mut Batch::new()).unwrap());
        cache.start_pass(Order::File).unwrap();
    }
}

#[test]
fn a_shuffled_pass_has_the_same_examples_in_an_order_of_the_seed() {
    let (_folder, path) = temporary();
    // More than one window of blocks.
    fill(
        &path,
        "a.svm",
        &(0..40_000).map(|n| format!("1 {n}:1\n")).collect::<String>(),
        SpaceKind::AsGiven,
        1 << 16,
    );
    let mut cache = Cache::open(&path, "stamp").unwrap().unwrap();
    let mut order = |seed| {
        cache.start_pass(Order::Shuffled(seed)).unwrap();
        let mut lines = Vec::new();
        let mut batch = Batch::new();
        while cache.next_batch(&mut batch).unwrap() {
            lines.extend(batch.iter().map(|example| example.features.keys()[0]));
        }
        lines
    };
    let (one, other) = (order(1), order(2));
    assert_eq!(order(1), one);
    assert_ne!(one, other);
    let mut sorted = one.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..40_000).collect::<Vec<u64>>());
    // Neighbours of the file are far apart: in a random order the mean distance is a third of the length of a window.
    let mut place = vec![0i64; one.len()];
    one.iter().enumerate().for_each(|(at, &line)| place[line as usize] = at as i64);
    let distance = place.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum::<i64>() / place.len() as i64;
    assert!(distance > 4_000, "{distance}");
}

#[test]
fn the_file_does_not_depend_on_how_examples_were_batched() {
    let (_folder, path) = temporary();
    let text = many(2000);
    fill(&path, "a.vw", &text, SpaceKind::Dictionary, 1 << 9);
    let small = std::fs::read(&path).unwrap();
    fill(&path, "a.vw", &text, SpaceKind::Dictionary, 1 << 20);
    assert_eq!(std::fs::read(&path).unwrap(), small);
}

#[test]
fn another_stamp_a_cut_file_or_no_file_is_no_cache() {
    let (_folder, path) = temporary();
    assert!(Cache::open(&path, "stamp").unwrap().is_none());
    fill(&path, "a.vw", &many(20), SpaceKind::Dictionary, 1 << 12);
    assert!(Cache::open(&path, "stamp").unwrap().is_some());
    assert!(Cache::open(&path, "stamp2").unwrap().is_none());
    let bytes = std::fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(Cache::open(&path, "stamp").unwrap().is_none(), "{length}");
    }
}

#[test]
fn a_flipped_bit_is_noticed() {
    let (_folder, path) = temporary();
    let first = fill(&path, "a.vw", &many(20), SpaceKind::Dictionary, 1 << 12);
    let bytes = std::fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&path, &damaged).unwrap();
        let Some(mut cache) = Cache::open(&path, "stamp").unwrap() else { continue };
        match drain(|batch| cache.next_batch(batch)) {
            Ok(examples) => assert_eq!(examples, first, "{at}"),
            Err(error) => assert!(
                error.to_string().ends_with("the cache is damaged (delete it; it will be made again)")
            ),
        }
    }
}

#[test]
fn a_cache_that_is_never_finished_leaves_nothing() {
    let (folder, path) = temporary();
    drop(CacheWriter::create(&path, "stamp").unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_stamp_changes_with_the_file_and_with_what_shapes_examples() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.svm");
    std::fs::write(&file, "1 1:1\n").unwrap();
    let sources = [Source::Path(file.clone())];
    let options = ReadOptions::default();
    let make = |options: &ReadOptions, space| stamp(&sources, options, &plan(space)).unwrap().unwrap();
    let first = make(&options, SpaceKind::AsGiven);
    let faster = ReadOptions { threads: 7, chunk_size: 1, ..options.clone() };
    assert_eq!(make(&faster, SpaceKind::AsGiven), first);
    let mut prefixed = options.clone();
    prefixed.columns.label_prefix = "#".into();
    assert_ne!(make(&prefixed, SpaceKind::AsGiven), first);
    assert_ne!(make(&options, SpaceKind::Dictionary), first);
    std::fs::write(&file, "1 1:12\n").unwrap();
    assert_ne!(make(&options, SpaceKind::AsGiven), first);
    assert!(stamp(&[Source::Stdin], &options, &plan(SpaceKind::AsGiven)).unwrap().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn any_examples_come_back(lines in prop::collection::vec("[a-c]?( [0-9]{1,20}:-?[0-9]\\.[0-9]){0,6}", 0..40)) {
        let (_folder, path) = temporary();
        let text = lines.join("\n").replace(" 18446744073709551615:", " 1:");
        // Twenty digits may be too many; what the reader refuses is not the cache's business.
        let mut check = reader("a.svm", &text, SpaceKind::AsGiven, 64);
        prop_assume!(drain(|batch| check.next_batch(batch)).is_ok());
        let first = fill(&path, "a.svm", &text, SpaceKind::AsGiven, 64);
        let mut cache = Cache::open(&path, "stamp").unwrap().unwrap();
        prop_assert_eq!(drain(|batch| cache.next_batch(batch)).unwrap(), first);
    }
}

#[test]
fn converted_to_text_and_back_it_has_the_same_examples() {
    let (folder, path) = temporary();
    let columns = FormatOptions::default();
    let svm = "+1 1:0.5 7:2\n-1 3:1 # b\n".repeat(20);
    for (name, text, space, formats) in [
        ("a.vw", many(50), SpaceKind::Dictionary, &["vw", "jsonl"][..]),
        ("a.svm", svm, SpaceKind::AsGiven, &["svmlight", "vw"]),
        ("a.tsv", "a\tone word\nb\ttwo two\n".into(), SpaceKind::Dictionary, &["vw", "jsonl", "csv"]),
    ] {
        let first = fill(&path, name, &text, space, 1 << 12);
        for format in formats.iter().filter_map(|name| Format::by_name(name)) {
            let mut written = Vec::new();
            let done = convert_from_cache(&path, format, &columns, &mut written).unwrap();
            assert_eq!(done.examples, first.len() as u64);
            let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
            let again = folder.path().join("again.cache");
            let source = Source::memory("written", written);
            let plan = Plan::new(Recipe { space, ..Recipe::default() }).unwrap();
            convert_to_cache(&[source], &options, plan, &again).unwrap();
            let mut cache = Cache::open_any(&again).unwrap().unwrap();
            let back = drain(|batch| cache.next_batch(batch)).unwrap();
            assert_eq!(back.len(), first.len());
            // Vowpal Wabbit's labels are numbers from 1 on; the map says which label each was.
            let was = |word: &str| {
                let (label, weight) = word.split_once('*').unwrap_or((word, ""));
                match done.labels.iter().find(|(number, _)| number.to_string() == label) {
                    Some((_, was)) if weight.is_empty() => was.clone(),
                    Some((_, was)) => format!("{was}*{weight}"),
                    None => word.to_string(),
                }
            };
            for (one, two) in back.iter().zip(&first) {
                let mut one: Vec<String> = words(one).into_iter().map(was).collect();
                one.sort_unstable();
                assert_eq!(one, words(two), "{name} as {}", format.name);
            }
        }
    }
}

/// What an example says, whatever the order and the line.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.sort_unstable();
    words
}

#[test]
fn what_is_no_cache_is_not_converted_from_one() {
    let (_folder, path) = temporary();
    std::fs::write(&path, "surefoot cache 2\nand then nothing").unwrap();
    assert!(Cache::is_at(&path));
    let format = Format::by_name("vw").unwrap();
    let error = convert_from_cache(&path, format, &FormatOptions::default(), &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("no complete cache"), "{error}");
}
