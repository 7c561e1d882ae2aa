//! What is written in a format and read again is the same example, for every format; and what a format cannot hold is
//! refused, never changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use surefoot_data::{
    Batch, Builder, Columns, Example, FORMATS, Format, FormatOptions, Plan, ReadOptions, Reader, Recipe,
    Record, RecordPart, Source, SpaceKind, convert,
};

/// An example by content: the order of features and the file's own words do not count.
#[derive(Debug, PartialEq)]
struct Content {
    label: Option<Vec<u8>>,
    tag: Option<Vec<u8>>,
    weight: u64,
    features: BTreeMap<String, u64>,
}

fn content(example: Example<'_>) -> Content {
    let features = example.features;
    let feature =
        |at: usize| (String::from_utf8_lossy(features.name(at)).into(), features.values()[at].to_bits());
    Content {
        label: example.label().map(<[u8]>::to_vec),
        tag: example.tag.map(<[u8]>::to_vec),
        weight: example.weight.to_bits(),
        features: (0..features.len()).map(feature).collect(),
    }
}

fn plan() -> Arc<Plan> {
    Arc::new(Plan::new(Recipe { space: SpaceKind::Dictionary, ..Recipe::default() }).unwrap())
}

/// The records as the learner would see them.
fn direct(records: &[Record]) -> Vec<Content> {
    let plan = plan();
    let mut batch = Batch::new();
    let mut builder = Builder::new(&plan, &mut batch);
    for record in records {
        builder.begin(1);
        record.replay(&mut builder);
        builder.finish().unwrap();
    }
    batch.iter().map(content).collect()
}

fn write(format: &Format, options: &FormatOptions, records: &[Record]) -> Result<Vec<u8>, String> {
    let mut columns = Columns::default();
    let mut out = Vec::new();
    let problem = |fault: surefoot_data::Fault| fault.trouble.to_string();
    records.iter().try_for_each(|record| format.gather(record, &mut columns)).map_err(problem)?;
    let mut writer = format.writer(options, &columns).map_err(problem)?;
    writer.header(&mut out);
    records.iter().try_for_each(|record| writer.record(record, &mut out)).map_err(problem)?;
    writer.finish(&mut out).map_err(problem)?;
    Ok(out)
}

/// The records after a detour through a file.
fn detour(format: &'static Format, options: &FormatOptions, bytes: &[u8]) -> Vec<Content> {
    let options = ReadOptions { format: Some(format), columns: options.clone(), ..ReadOptions::default() };
    let mut reader = Reader::open(vec![Source::memory("t", bytes)], options, plan()).unwrap();
    let mut batch = Batch::new();
    let mut all = Vec::new();
    while reader.next_batch(&mut batch).unwrap() {
        all.extend(batch.iter().map(content));
    }
    all
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(1.0),
        Just(0.0),
        -1e3..1e3,
        any::<i16>().prop_map(f64::from),
        -1e200..1e200,
        -1e-200..1e-200
    ]
}

fn word() -> impl Strategy<Value = Vec<u8>> {
    "[a-zA-Z0-9_.,;=^é#'\"{}-]{1,6}".prop_map(String::into_bytes)
}

/// Anything printable, with what formats trip over.
fn phrase() -> impl Strategy<Value = Vec<u8>> {
    "([a-z]|[ \t\r\n\"',;:|=\\\\{}é😀#]|[0-9]){0,12}".prop_map(String::into_bytes)
}

fn part() -> impl Strategy<Value = RecordPart> {
    prop_oneof![
        (0..u64::MAX, number()).prop_map(|(id, value)| RecordPart::Indexed(id, value)),
        (word(), prop_oneof![Just(1.0), 0.1..10.0])
            .prop_map(|(name, scale)| RecordPart::Namespace(name, scale)),
        Just(RecordPart::Namespace(Vec::new(), 1.0)),
        (prop_oneof![word(), phrase()], number()).prop_map(|(name, value)| RecordPart::Feature(name, value)),
        (word(), prop_oneof![word(), phrase()]).prop_map(|(name, value)| RecordPart::Category(name, value)),
        (prop_oneof![Just(Vec::new()), Just(b"title".to_vec()), word()], phrase())
            .prop_map(|(name, text)| RecordPart::Text(name, text)),
    ]
}

fn record(parts: impl Strategy<Value = Vec<RecordPart>>) -> impl Strategy<Value = Record> {
    let label = prop::option::of(prop_oneof![word(), phrase()]);
    let tag = prop::option::of(prop_oneof![word(), phrase()]);
    (label, prop_oneof![4 => Just(1.0), 1 => 0.0..1e3], tag, parts)
        .prop_map(|(label, weight, tag, parts)| Record { label, weight, tag, parts, ..Record::default() })
}

/// Formats that leave out ids, and formats whose text loses the name of its column or its form.
fn expected(format: &Format, records: &[Record]) -> Vec<Record> {
    let mut records = records.to_vec();
    for record in &mut records {
        // An empty cell is no label and no id.
        record.label = record.label.take().filter(|label| !format.header || !label.is_empty());
        record.tag = record.tag.take().filter(|tag| !format.header || !tag.is_empty());
        if ["svmlight", "fasttext", "text"].contains(&format.name) {
            record.tag = None;
        }
        if ["fasttext", "text"].contains(&format.name) {
            record.parts.retain(|part| matches!(part, RecordPart::Text(..)));
            record.parts.iter_mut().for_each(|part| {
                if let RecordPart::Text(name, _) = part {
                    name.clear()
                }
            });
        }
    }
    records
}

/// Records that go through a format unchanged, or are refused.
fn check(format: &'static Format, records: &[Record]) -> Result<bool, TestCaseError> {
    let options = FormatOptions::default();
    let Ok(bytes) = write(format, &options, records) else { return Ok(false) };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    prop_assert_eq!(
        detour(format, &options, &bytes),
        direct(&expected(format, records)),
        "{}\n{}",
        format.name,
        text
    );
    Ok(true)
}

/// Text in VW is cut at blanks and not by the text pipeline, so it comes back as other words.
fn without_text(records: &[Record]) -> Vec<Record> {
    let mut records = records.to_vec();
    records.iter_mut().for_each(|record| record.parts.retain(|part| !matches!(part, RecordPart::Text(..))));
    records
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn anything_goes_through_every_format_or_is_refused(
        records in prop::collection::vec(record(prop::collection::vec(part(), 0..5)), 1..3),
    ) {
        for format in FORMATS.iter().filter(|format| format.name != "vw") {
            check(format, &records)?;
        }
        check(Format::by_name("vw").unwrap(), &without_text(&records))?;
    }

    #[test]
    fn integers_go_through_every_format_of_features(
        rows in prop::collection::vec(prop::collection::btree_map(0..u64::MAX, number(), 0..8), 1..5),
    ) {
        let record = |row: &BTreeMap<u64, f64>| {
            let parts = row.iter().map(|(&id, &value)| RecordPart::Indexed(id, value)).collect();
            Record { label: Some(b"-1".to_vec()), parts, ..Record::default() }
        };
        let records: Vec<_> = rows.iter().map(record).collect();
        for name in ["svmlight", "vw", "csv", "csv-semicolon", "tsv", "jsonl", "journal", "parquet"] {
            prop_assert!(check(Format::by_name(name).unwrap(), &records)?, "{} refused integers", name);
        }
    }

    #[test]
    fn text_goes_through_every_format_of_text(rows in prop::collection::vec((word(), phrase()), 1..5)) {
        let record = |(label, text): &(Vec<u8>, Vec<u8>)| {
            Record { label: Some(label.clone()), parts: vec![RecordPart::Text(Vec::new(), text.clone())], ..Record::default() }
        };
        let records: Vec<_> = rows.iter().map(record).collect();
        for name in ["fasttext", "text", "csv", "csv-semicolon", "tsv", "jsonl", "journal", "parquet"] {
            prop_assert!(check(Format::by_name(name).unwrap(), &records)?, "{} refused text", name);
        }
    }

    #[test]
    fn named_features_go_through_every_format_of_names(
        columns in prop::collection::btree_map("[a-z]{2,5}", prop_oneof![
            number().prop_map(|value| (value, None)),
            "[a-z]{2,4}x[ ,\"]?[a-z]".prop_map(|word| (0.0, Some(word))),
        ], 0..6),
        weight in 0.1..9.0,
    ) {
        prop_assume!(!columns.keys().any(|name| ["id", "tag", "text", "body", "title"].contains(&name.as_str())));
        let part = |(name, (value, word)): (&String, &(f64, Option<String>))| match word {
            None => RecordPart::Feature(name.clone().into(), *value),
            Some(word) => RecordPart::Category(name.clone().into(), word.clone().into()),
        };
        let parts = columns.iter().map(part).collect();
        let (label, tag) = (Some(b"a".to_vec()), Some(b"7".to_vec()));
        let records = [Record { label, weight, tag, parts, ..Record::default() }];
        for name in ["csv", "csv-semicolon", "tsv", "jsonl", "journal", "parquet"] {
            prop_assert!(check(Format::by_name(name).unwrap(), &records)?, "{} refused names", name);
        }
    }
}

#[test]
fn conversion_between_formats() {
    let vw = b"1 2 'a|u age:31 town:Bern\n-1 |u age:4\n".as_slice();
    let to = |input: &[u8], name: &str, target: &str| {
        let mut out = Vec::new();
        let options = FormatOptions::default();
        let format = Format::by_name(target).unwrap();
        match convert(&[Source::memory(name, input)], &ReadOptions::default(), format, &options, &mut out) {
            Ok(done) => format!("{} examples\n{}", done.examples, String::from_utf8_lossy(&out)),
            Err(error) => error.to_string(),
        }
    };
    insta::assert_snapshot!(to(vw, "a.vw", "csv"), @r"
    2 examples
    label,importance,id,u^age,u^town
    1,2,a,31,Bern
    -1,1,,4,
    ");
    insta::assert_snapshot!(to(vw, "a.vw", "jsonl"), @r#"
    2 examples
    {"label": "1", "id": "a", "weight": 2, "u": {"town": "Bern", "age": 31}}
    {"label": "-1", "u": {"age": 4}}
    "#);
    insta::assert_snapshot!(to(vw, "a.vw", "vw"), @r"
    2 examples
    1 2 'a |u  age:31 town=Bern
    -1 |u  age:4
    ");
    insta::assert_snapshot!(to(vw, "a.vw", "svmlight"), @"a.vw:1:1: expected an example of weight 1, found weight 2 (write vw, csv or jsonl, which have a place for weights)");
    insta::assert_snapshot!(to(b"label,text\npos,\"a: b,\nc\"\n", "a.csv", "fasttext"), @r"
    1 examples
    __label__pos a: b, c
    ");
    // Vowpal Wabbit learns from numbers.
    insta::assert_snapshot!(to(b"pos\tgood: film\nneg\tdull\n", "a.tsv", "vw"), @r"
    2 examples
    1 | good_ film
    -1 | dull
    ");
    insta::assert_snapshot!(to(b"+1 3:1 2:0.5\n", "a.svm", "svmlight"), @r"
    1 examples
    +1 3:1 2:0.5
    ");
    insta::assert_snapshot!(to(b"1 | 7:2 30\n", "a.vw", "svmlight"), @r"
    1 examples
    1 7:2 30:1
    ");
    insta::assert_snapshot!(to(b"1 | 007:2\n", "a.vw", "svmlight"), @r#"a.vw:1:1: expected integer features, found "007" (names, categories and text fit in vw and jsonl)"#);
    // At the front of a file it would be taken for a byte order mark (found by the fuzzer).
    let marked = "1 2:1\n\u{feff} 3:1\n".as_bytes();
    insta::assert_snapshot!(to(marked, "a.svm", "svmlight"), @"a.svm:2:1: expected something else than a byte order mark at the front, found one (jsonl can hold it)");
    assert!(to(marked, "a.svm", "jsonl").starts_with("2 examples"));
    insta::assert_snapshot!(to(b"+1 3:1\n", "a.svm", "text"), @"a.svm:1:1: expected text and nothing else, found an integer feature (vw, csv and jsonl have features)");
    insta::assert_snapshot!(to(b"{\"a\": [\"x\", \"y\"]}", "a.jsonl", "csv"), @"a.jsonl:1:1: expected one value in each column, found another, or one of another kind (jsonl can hold several)");
}

/// Sets of labels, and what comes of them through a file of each format.
#[test]
fn several_labels_go_through_every_format() {
    let sets: [&[&str]; 4] = [&["3", "1"], &[], &["2"], &["1", "2", "3"]];
    let record = |labels: &[&str], part: &RecordPart| Record {
        labels: Some(labels.iter().map(|label| label.as_bytes().to_vec()).collect()),
        parts: vec![part.clone()],
        ..Record::default()
    };
    let options = FormatOptions { label_separator: Some(";".into()), ..FormatOptions::default() };
    for format in FORMATS {
        let part = match format.name {
            "fasttext" | "text" => RecordPart::Text(Vec::new(), b"good film".to_vec()),
            _ => RecordPart::Indexed(7, 0.5),
        };
        let records: Vec<Record> = sets.iter().map(|labels| record(labels, &part)).collect();
        let bytes = write(format, &options, &records).unwrap();
        let reading =
            ReadOptions { format: Some(format), columns: options.clone(), ..ReadOptions::default() };
        let mut reader = Reader::open(vec![Source::memory("t", bytes.clone())], reading, plan()).unwrap();
        let (mut batch, mut found) = (Batch::new(), Vec::new());
        while reader.next_batch(&mut batch).unwrap() {
            for example in batch.iter() {
                let labels: Vec<String> =
                    example.labels().map(|label| String::from_utf8_lossy(label).into_owned()).collect();
                found.push((labels, example.several_labels));
            }
        }
        let labels: Vec<Vec<String>> = found.iter().map(|(labels, _)| labels.clone()).collect();
        assert_eq!(labels, sets, "{}: {}", format.name, String::from_utf8_lossy(&bytes));
        assert!(found[0].1 && found[3].1, "{}: the file shows that there are several", format.name);
    }
}

/// A label that holds the separator would come back as two.
#[test]
fn labels_that_hold_the_separator_are_refused() {
    let labels = Some(vec![b"a;b".to_vec(), b"c".to_vec()]);
    let parts = vec![RecordPart::Text(Vec::new(), b"good film".to_vec())];
    let records = [Record { labels, parts, ..Record::default() }];
    let options = FormatOptions { label_separator: Some(";".into()), ..FormatOptions::default() };
    for name in ["csv", "tsv", "text"] {
        let refused = write(Format::by_name(name).unwrap(), &options, &records).unwrap_err();
        assert!(refused.to_string().contains("separator"), "{name}: {refused}");
    }
    assert!(write(Format::by_name("jsonl").unwrap(), &options, &records).is_ok());
}
