//! The pipeline as users meet it: any number of threads, any chunk size, any way the bytes arrive.

use std::io::Write;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use surefoot_data::{
    Batch, BatchReader, Error, OnBadLine, Order, Plan, ReadOptions, Reader, Recipe, Source, SpaceKind,
};

/// An example as plain values: line, label, tag, weight, features.
type Plain = (u64, Option<String>, Option<String>, f64, Vec<(u64, f64)>);

fn options(threads: usize, chunk_size: usize) -> ReadOptions {
    ReadOptions { threads, chunk_size, ..ReadOptions::default() }
}

fn open(sources: Vec<Source>, options: ReadOptions) -> Result<Reader, Error> {
    let recipe = Recipe { space: SpaceKind::AsGiven, ..Recipe::default() };
    Reader::open(sources, options, Arc::new(Plan::new(recipe).unwrap()))
}

fn drain(reader: &mut Reader) -> (Vec<Plain>, Option<String>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut batch = Batch::new();
    let mut examples = Vec::new();
    loop {
        match reader.next_batch(&mut batch) {
            Ok(true) => examples.extend(batch.iter().map(|example| {
                let pairs =
                    example.features.keys().iter().copied().zip(example.features.values().iter().copied());
                (
                    example.line,
                    example.label().map(text),
                    example.tag.map(text),
                    example.weight,
                    pairs.collect(),
                )
            })),
            Ok(false) => return (examples, None),
            Err(error) => return (examples, Some(error.to_string())),
        }
    }
}

fn read(bytes: &[u8], options: ReadOptions) -> (Vec<Plain>, Option<String>) {
    drain(&mut open(vec![Source::memory("t.svm", bytes)], options).unwrap())
}

#[test]
fn examples_come_in_file_order_with_their_lines() {
    let (examples, error) =
        read(b"\xef\xbb\xbf+1 3:1 1:2 3:0.5\r\n\n# note\n-1 # note\n7:2", options(1, 1 << 18));
    assert_eq!(error, None);
    let expected = [
        (1, Some("+1".into()), None, 1.0, vec![(1, 2.0), (3, 1.5)]),
        (4, Some("-1".into()), None, 1.0, vec![]),
        (5, None, None, 1.0, vec![(7, 2.0)]),
    ];
    assert_eq!(examples, expected);
}

#[test]
fn several_files_of_several_compressions_read_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("a.svm");
    std::fs::write(&plain, "1 1:1\n1 2:1").unwrap();
    let zipped = folder.path().join("b.svm.gz");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"1 3:1\n").unwrap();
    std::fs::write(&zipped, gzip.finish().unwrap()).unwrap();
    // The name does not say that it is compressed; the magic number does.
    let squeezed = folder.path().join("c.svm");
    std::fs::write(&squeezed, zstd::encode_all(b"1 4:1\n".as_slice(), 1).unwrap()).unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    let sources = [plain, zipped, empty, squeezed].map(Source::Path).to_vec();
    for threads in 1..4 {
        let mut reader = open(sources.clone(), options(threads, 8)).unwrap();
        let (examples, error) = drain(&mut reader);
        assert_eq!(error, None);
        let ids: Vec<_> = examples.iter().map(|example| (example.0, example.4[0].0)).collect();
        assert_eq!(ids, [(1, 1), (2, 2), (1, 3), (1, 4)]);
        let progress = reader.progress();
        assert_eq!(Some(progress.bytes_read), progress.bytes_total);
    }
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let message = |source: Source| match open(vec![source], options(2, 64)) {
        Err(error) => error.to_string(),
        Ok(mut reader) => drain(&mut reader).1.unwrap_or_default(),
    };
    let shown = |text: String| text.replace(&*folder.path().to_string_lossy(), "FOLDER");
    let missing = message(Source::Path(folder.path().join("missing.svm")));
    insta::assert_snapshot!(shown(missing), @"FOLDER/missing.svm: no such file");
    let directory = message(Source::Path(folder.path().into()));
    insta::assert_snapshot!(shown(directory), @"FOLDER: is a directory, not a file (name the files in it, for example with *)");

    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&b"1 1:1\n".repeat(1000)).unwrap();
    let bytes = gzip.finish().unwrap();
    let cut = message(Source::memory("cut.svm.gz", &bytes[..bytes.len() / 2]));
    insta::assert_snapshot!(cut, @"cut.svm.gz: compressed data ends too early; the file is cut off (copy or download it again)");
    let bytes = zstd::encode_all(b"1 1:1\n".repeat(1000).as_slice(), 1).unwrap();
    let cut = message(Source::memory("cut.svm.zst", &bytes[..bytes.len() / 2]));
    insta::assert_snapshot!(cut, @"cut.svm.zst: compressed data ends too early; the file is cut off (copy or download it again)");
    let foreign = message(Source::memory("a.svm.bz2", *b"BZh91AY&SY"));
    insta::assert_snapshot!(foreign, @"a.svm.bz2: compressed in a way that is not read here (bzip2) (decompress it first; gzip and zstd are read as they are)");
    let wide = message(Source::memory("a.svm", *b"\xff\xfe1\0 \0"));
    insta::assert_snapshot!(wide, @"a.svm: is in UTF-16 (save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8)");
    let unknown = message(Source::memory("mystery", *b"what is this\n"));
    assert!(unknown.starts_with("mystery: the format cannot be told"), "{unknown}");
}

#[test]
fn a_line_without_end_does_not_fill_the_memory() {
    let endless = [b"1 1:1\n".as_slice(), &b"1:1 ".repeat(10_000)].concat();
    let limited = ReadOptions { max_line: 1000, ..options(1, 64) };
    let (examples, error) = read(&endless, limited);
    assert_eq!(examples.len(), 1);
    insta::assert_snapshot!(error.unwrap(), @"t.svm:2:1: expected a line of at most 1 MB, found a longer one (is this a text file?)");
}

#[test]
fn bad_lines_are_counted_shown_and_left_out() {
    let input = b"1 1:1\n1 x\n1 2:1\n1 3:y\n1 4:1\n";
    for threads in [1, 3] {
        let skip = ReadOptions { on_bad_line: OnBadLine::Skip, ..options(threads, 12) };
        let mut reader = open(vec![Source::memory("t.svm", *input)], skip).unwrap();
        let rejects = Arc::new(Mutex::new(Vec::new()));
        let kept = rejects.clone();
        reader.on_reject(move |reject| {
            kept.lock().unwrap().push((reject.error.to_string(), reject.record.clone()))
        });
        let (examples, error) = drain(&mut reader);
        assert_eq!((examples.len(), error, reader.bad_lines()), (3, None, 2));
        let rejects = rejects.lock().unwrap();
        assert_eq!(rejects[0].0, "t.svm:2:3: expected index:value, found \"x\"");
        assert_eq!(rejects[1].0, "t.svm:4:5: expected a number after ':', found \"y\"");
        assert_eq!(rejects[1].1, b"1 3:y");
    }
}

#[test]
fn nothing_follows_an_error() {
    let mut reader =
        open(vec![Source::memory("t.svm", *b"1 x\n1 1:1\n1 1:1\n1 1:1\n")], options(3, 8)).unwrap();
    assert!(drain(&mut reader).1.is_some());
    assert_eq!(drain(&mut reader), (Vec::new(), None));
}

/// Found by the fuzzer: the first line alone looks like a table, the first three do not.
#[test]
fn the_format_does_not_depend_on_how_much_is_read_at_once() {
    let input = b"laabel\ta\tb\n0\t\"label\": 1}\n2\t3\nbel\ta\tb\n";
    let count = |chunk_size| {
        let mut reader = open(vec![Source::memory("mystery", *input)], options(1, chunk_size)).unwrap();
        let (examples, error) = drain(&mut reader);
        (examples.len(), error)
    };
    assert_eq!(count(7), count(1 << 18));
}

#[test]
fn a_reader_may_be_dropped_in_the_middle() {
    let many = b"1 1:1\n".repeat(10_000);
    let mut reader = open(vec![Source::memory("t.svm", many)], options(4, 64)).unwrap();
    assert!(reader.next_batch(&mut Batch::new()).unwrap());
}

#[test]
fn any_number_of_threads_gives_the_same_batches() {
    let lines: String = (0..5000).map(|n| format!("{} {n}:1 {}:2\n", n % 3, n + 7)).collect();
    let batches = |threads| {
        let source = Source::memory("t.svm", lines.as_bytes());
        let mut reader = open(vec![source], options(threads, 1 << 10)).unwrap();
        assert_eq!(reader.jobs().is_some(), threads > 1);
        let (mut batches, mut batch) = (Vec::new(), Batch::new());
        while reader.next_batch(&mut batch).unwrap() {
            batches
                .push(batch.iter().map(|row| (row.line, row.features.keys().to_vec())).collect::<Vec<_>>());
        }
        batches
    };
    let alone = batches(1);
    assert_eq!(alone.iter().map(Vec::len).sum::<usize>(), 5000);
    for threads in [2, 3, 5] {
        assert_eq!(batches(threads), alone, "{threads} threads");
    }
}

#[test]
fn text_is_read_once_in_its_own_order() {
    let source = || vec![Source::memory("t.svm", *b"1 1:1\n")];
    let mut reader = open(source(), options(1, 64)).unwrap();
    assert!(reader.start_pass(Order::Shuffled(1)).is_err());
    reader.start_pass(Order::File).unwrap();
    assert_eq!(drain(&mut reader).0.len(), 1);
    let error = reader.start_pass(Order::File).unwrap_err().to_string();
    insta::assert_snapshot!(error, @"text is read once, in its own order; further passes and random orders need a cache");
}

/// A pipe, and the path under which its end can be read.
#[cfg(target_os = "linux")]
fn pipe() -> (std::io::PipeReader, std::io::PipeWriter, Source) {
    use std::os::fd::AsRawFd;
    let (end, writer) = std::io::pipe().unwrap();
    let path = format!("/proc/self/fd/{}", end.as_raw_fd());
    (end, writer, Source::Path(path.into()))
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_pipe_has_given_comes_at_once_and_in_order() {
    for threads in [1, 2, 3, 5] {
        let (_end, mut writer, source) = pipe();
        let mut reader = open(vec![source], options(threads, 64)).unwrap();
        let mut batch = Batch::new();
        assert!(reader.waits());
        for id in 1..50u64 {
            // Two lines and a half: what is complete is not held back.
            write!(writer, "1 {id}:1\n1 {id}:2\n1 {id}").unwrap();
            let mut seen = Vec::new();
            while seen.len() < if id == 1 { 2 } else { 3 } {
                assert!(reader.next_batch(&mut batch).unwrap());
                seen.extend(batch.iter().map(|row| row.features.values()[0]));
            }
            assert!(seen.ends_with(&[1.0, 2.0]), "{seen:?}");
            writeln!(writer, ":3").unwrap();
        }
        drop(writer);
        assert!(reader.next_batch(&mut batch).unwrap());
        assert!(!reader.next_batch(&mut batch).unwrap());
        assert!(!reader.waits());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn waiting_for_a_pipe_ends_when_it_is_enough() {
    for threads in [1, 3] {
        let (_end, mut writer, source) = pipe();
        let mut reader = open(vec![source], options(threads, 64)).unwrap();
        writer.write_all(b"1 1:1\n").unwrap();
        let mut batch = Batch::new();
        assert!(reader.next_batch(&mut batch).unwrap());
        let mut asked = 0;
        let stop = &mut || {
            asked += 1;
            asked == 2
        };
        assert!(!BatchReader::next_batch(&mut reader, &mut batch, stop).unwrap());
        assert_eq!(asked, 2);
    }
}

proptest! {
    #[test]
    fn threads_and_chunk_size_do_not_matter(
        lines in prop::collection::vec("[+-]1( [1-9][0-9]?:[0-9]){0,5}|bad|", 0..60),
        threads in 1usize..5,
        chunk_size in 1usize..200,
    ) {
        let input = lines.join("\n");
        let whole = read(input.as_bytes(), options(1, 1 << 20));
        prop_assert_eq!(read(input.as_bytes(), options(threads, chunk_size)), whole);
    }
}
