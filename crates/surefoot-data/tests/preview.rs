//! The labels of a file before it is parsed are those that parsing finds.

use std::io::Write;
use std::sync::Arc;

use proptest::prelude::*;
use surefoot_data::{Batch, Format, OnBadLine, Plan, ReadOptions, Reader, Recipe, Source};

/// A line of a format, labelled or not, good or bad.
fn line(format: &str) -> &'static str {
    match format {
        "svmlight" => {
            "[ ]{0,1}(1|-1|a|a#b|a,b|2:3|)( qid:[0-9]{1,2})?( [0-9]{1,3}:[0-9]{1,2}| x| #9){0,4}\r?"
        }
        "vw" => "(1|-1|2.5|1:2|)( [0-9.]{1,2})?( 'tag)?( )?(\\|[ab]?( [a-c](:[0-9])?){0,3}){0,2}",
        "text" => "[ ]{0,1}[a-c]{0,2}[ ]?(\t)?[a-e ]{0,12}",
        _ => "([a-c]{1,3} ){0,2}(__label__[ab]{0,1}[ \t])?[a-c ]{0,6}(__label__a)?",
    }
}

fn reader(sources: Vec<Source>, format: &str, on_bad_line: OnBadLine) -> Reader {
    reader_of_chunks(40, sources, format, on_bad_line)
}

fn reader_of_chunks(chunk_size: usize, sources: Vec<Source>, format: &str, on_bad_line: OnBadLine) -> Reader {
    let format = Some(Format::by_name(format).unwrap());
    let options = ReadOptions { format, on_bad_line, chunk_size, ..ReadOptions::default() };
    Reader::open(sources, options, Arc::new(Plan::new(Recipe::default()).unwrap())).unwrap()
}

type Labels = Vec<Option<Vec<u8>>>;

/// All labels that a preview tells, and whether it was told that these are all.
fn previewed(reader: &Reader) -> (Labels, bool) {
    let mut labels = Labels::new();
    let all = reader.preview(usize::MAX, |label| {
        labels.push(label.map(<[u8]>::to_vec));
        false
    });
    (labels, all)
}

/// The labels of all examples, none of them if one cannot be parsed.
fn parsed(reader: &mut Reader) -> Option<Labels> {
    let (mut batch, mut labels) = (Batch::new(), Labels::new());
    while reader.next_batch(&mut batch).ok()? {
        labels.extend(batch.iter().map(|example| example.label().map(<[u8]>::to_vec)));
    }
    Some(labels)
}

fn any_file() -> impl Strategy<Value = (&'static str, Vec<String>)> {
    prop::sample::select(vec!["svmlight", "vw", "text", "fasttext"])
        .prop_flat_map(|format| (Just(format), prop::collection::vec(line(format), 1..12)))
}

proptest! {
    #[test]
    fn a_preview_tells_what_parsing_finds((format, lines) in any_file()) {
        // The first line is good, so that the file has a format.
        let first = match format {
            "svmlight" => "1 1:1",
            "vw" => "1 |a b",
            "text" => "a\tb",
            _ => "__label__a b",
        };
        let text = format!("{first}\n{}\n", lines.join("\n"));
        let mut reader = reader(vec![Source::memory("file", text.as_bytes())], format, OnBadLine::Fail);
        let preview = previewed(&reader);
        // A bad line ends the run with its error, whatever was previewed.
        if let Some(labels) = parsed(&mut reader) {
            prop_assert_eq!(preview, (labels, true), "{}", text);
        }
    }
}

#[test]
fn all_files_are_heard_until_it_is_enough() {
    let files = || vec![Source::memory("a", *b"1 1:1\n-1 2:1\n"), Source::memory("b", *b"# no\n\n3 1:1")];
    let reader = reader(files(), "svmlight", OnBadLine::Fail);
    let texts = [b"1".to_vec(), b"-1".to_vec(), b"3".to_vec()].map(Some).to_vec();
    assert_eq!(previewed(&reader), (texts, true));
    let mut heard = 0;
    assert!(reader.preview(2, |_| {
        heard += 1;
        heard == 2
    }));
    assert_eq!(heard, 2);
}

#[test]
fn nothing_is_said_where_it_would_cost_or_be_wrong() {
    let lines = b"1 1:1\n-1 2:1\n";
    let says = |reader: Reader| reader.preview(10, |_| false);
    assert!(says(reader(vec![Source::memory("a", *lines)], "svmlight", OnBadLine::Fail)));
    assert!(
        !says(reader(vec![Source::memory("a", *lines)], "svmlight", OnBadLine::Skip)),
        "a line with a label may be left out"
    );
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(lines).unwrap();
    assert!(
        !says(reader(vec![Source::memory("a.gz", packed.finish().unwrap())], "svmlight", OnBadLine::Fail)),
        "it would be unpacked twice"
    );
    let csv = Source::memory("a.csv", *b"label,a\n1,2\n");
    assert!(!says(reader(vec![csv], "csv", OnBadLine::Fail)), "its labels are where the columns say");
    assert!(!says(reader(vec![Source::memory("a", *b"1 1:1\na,b 1:1\n")], "svmlight", OnBadLine::Fail)));
    let long = vec![Source::memory("a", [&b"1 1:1 # "[..], &vec![b'x'; 5 << 20], b"\n"].concat().repeat(8))];
    assert!(!says(reader_of_chunks(1 << 18, long, "svmlight", OnBadLine::Fail)), "40 MB for 8 labels");
}
