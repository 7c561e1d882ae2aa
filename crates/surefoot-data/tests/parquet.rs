//! Parquet files, written here with the crate that reads them.
#![cfg(feature = "parquet")]

mod common;

use std::sync::Arc;

use bytes::Bytes;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use surefoot_data::{Format, FormatOptions, Layout, ReadOptions, Role, Source, convert};

/// A file of four columns (label, age, town, note) with a missing age in the second row.
fn plain_columns() -> Vec<u8> {
    let schema = "message rows { required int32 target; optional double age; required binary town (UTF8); required binary text (UTF8); }";
    let mut out = Vec::new();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(&mut out, schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&[1, 0], None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(&[31.5], Some(&[1, 0]), None).unwrap();
    column.close().unwrap();
    for words in [["Bern", "Zürich"], ["good \"film\"", "bad"]] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&words.map(ByteArray::from), None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
    out
}

/// A file of a label and two parallel lists.
fn lists() -> Vec<u8> {
    let schema = "message rows { required int32 label; \
        required group indices (LIST) { repeated group list { required int32 element; } } \
        required group values (LIST) { repeated group list { required double element; } } }";
    let mut out = Vec::new();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(&mut out, schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&[1, -1], None, None).unwrap();
    column.close().unwrap();
    // Two rows: the first has two elements, the second one.
    let (definition, repetition) = ([1, 1, 1], [0, 1, 0]);
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&[3, 7, 4], Some(&definition), Some(&repetition)).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<DoubleType>()
        .write_batch(&[0.5, 2.0, f64::NAN], Some(&definition), Some(&repetition))
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
    file.close().unwrap();
    out
}

/// A file of forty rows: a label, text under the name v, row numbers.
fn messages() -> Vec<u8> {
    let schema = "message rows { required int32 label; required binary v (UTF8); required int32 n; }";
    let mut out = Vec::new();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(&mut out, schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let numbers = |of: fn(i32) -> i32| (0..40).map(of).collect::<Vec<i32>>();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&numbers(|n| n % 2), None, None).unwrap();
    column.close().unwrap();
    let texts: Vec<ByteArray> =
        (0..40).map(|n| ByteArray::from(format!("call me in {n} days").into_bytes())).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&numbers(|n| n), None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    file.close().unwrap();
    out
}

#[test]
fn columns_are_looked_at_as_those_of_a_table() {
    let look = FormatOptions { look: true, ..FormatOptions::default() };
    let (examples, error) = common::read("a.parquet", &messages(), None, &look);
    assert_eq!((examples[0].as_str(), error), ("0 v^call:1 v^me:1 v^in:1 v^0:1 v^days:1", None));
    // Features out of lists are no columns, and what a model remembers of such a file fits it.
    let mut columns = std::collections::BTreeMap::new();
    columns.insert(Role::Label, vec!["label".to_owned()]);
    columns.insert(Role::Value, vec!["indices".to_owned(), "values".to_owned()]);
    let layout = Some(Layout { format: "parquet".into(), columns });
    for options in [look, FormatOptions { layout: layout.clone(), ..FormatOptions::default() }] {
        let (examples, _) = common::read("a", &lists(), None, &options);
        assert_eq!(examples, ["1 3:0.5 7:2"]);
    }
    let (_, error) =
        common::read("a", &messages(), None, &FormatOptions { layout, ..FormatOptions::default() });
    assert!(error.is_some_and(|error| error.contains("expected the columns indices, values")));
}

#[test]
fn columns_have_the_roles_that_they_have_in_a_table() {
    let (examples, error) = common::read("a.parquet", &plain_columns(), None, &FormatOptions::default());
    assert_eq!(error, None);
    assert_eq!(examples, ["1 age:31.5 town=Bern:1 good:1 film:1", "0 town=Zürich:1 bad:1"]);
    let other = FormatOptions { label: Some("town".into()), ..FormatOptions::default() };
    let (examples, _) = common::read("a.parquet", &plain_columns(), None, &other);
    assert_eq!(examples[0], "Bern target:1 age:31.5 good:1 film:1");
    let wrong = FormatOptions { label: Some("class".into()), ..FormatOptions::default() };
    let (_, error) = common::read("a.parquet", &plain_columns(), None, &wrong);
    insta::assert_snapshot!(error.unwrap(), @r#"a.parquet:1:1: expected a column "class", found the columns target, age, town, text"#);
}

#[test]
fn lists_of_indices_and_values_are_features() {
    let (examples, error) = common::read("a", &lists(), None, &FormatOptions::default());
    assert_eq!(examples, ["1 3:0.5 7:2"]);
    insta::assert_snapshot!(error.unwrap(), @r#"a:3:17: expected a value, found "NaN""#);
}

#[test]
fn a_damaged_file_is_an_error() {
    let bytes = plain_columns();
    for length in [4, 20, bytes.len() / 2, bytes.len() - 1] {
        let (examples, error) =
            common::read("cut.parquet", &bytes[..length], None, &FormatOptions::default());
        assert!(examples.is_empty());
        assert!(error.unwrap().starts_with("cut.parquet: not readable as Parquet"));
    }
    for at in 4..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        // Anything but a panic.
        common::read("a.parquet", &damaged, None, &FormatOptions::default());
    }
}

#[test]
fn what_fills_a_table_is_written_as_one_and_the_rest_as_pairs() {
    let to = |name: &str, input: &[u8]| {
        let mut out = Vec::new();
        let format = Format::by_name("parquet").unwrap();
        let options = FormatOptions { unlabelled: true, ..FormatOptions::default() };
        let source = [Source::memory(name, input)];
        convert(&source, &ReadOptions::default(), format, &options, &mut out).unwrap();
        let file = SerializedFileReader::new(Bytes::copy_from_slice(&out)).unwrap();
        let fields = file.metadata().file_metadata().schema_descr().root_schema().get_fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().to_string()).collect();
        (names.join(" "), common::read("a.parquet", &out, None, &options).0)
    };
    let csv = "label,age,town,text\nspam,31.5,Bern,\"good, film\"\nham,,Z\u{fc}rich,bad\n".as_bytes();
    let (columns, examples) = to("a.csv", csv);
    assert_eq!(columns, "label age town text");
    assert_eq!(examples, common::read("a.csv", csv, None, &FormatOptions::default()).0);
    let vw = b"1 2 'a|u age:31 town:Bern |v x:0.5 y\n-1 |u age:4\n";
    let (columns, examples) = to("a.vw", vw);
    assert_eq!(columns, "label importance id u^age u^town v^x v^y");
    assert_eq!(examples.len(), 2);
    // A word that comes twice, and features that few examples have.
    assert_eq!(
        to("a.jsonl", b"{\"label\": 1, \"tags\": [\"a\", \"b\"], \"text\": \"hm\"}").0,
        "label text features"
    );
    let sparse: String =
        (0..200).map(|row| format!("{} {}:1 {}:0.5\n", row % 2, 3 * row, 3 * row + 1)).collect();
    let (columns, examples) = to("a.svm", sparse.as_bytes());
    assert_eq!(columns, "label features");
    assert_eq!(examples, common::read("a.svm", sparse.as_bytes(), None, &FormatOptions::default()).0);
    assert_eq!(to("a.svm", b"").1, Vec::<String>::new());
}

#[test]
fn more_rows_than_a_group_has() {
    let rows: String = (0..20_000).map(|row| format!("{} {}:{row}\n", row % 2, row % 1000 + 1)).collect();
    let mut out = Vec::new();
    let source = [Source::memory("a.svm", rows.as_bytes())];
    let format = Format::by_name("parquet").unwrap();
    let done =
        convert(&source, &ReadOptions::default(), format, &FormatOptions::default(), &mut out).unwrap();
    assert_eq!(done.examples, 20_000);
    let (examples, error) = common::read("a.parquet", &out, None, &FormatOptions::default());
    assert_eq!((examples.len(), error), (20_000, None));
    assert_eq!(examples, common::read("a.svm", rows.as_bytes(), None, &FormatOptions::default()).0);
}
