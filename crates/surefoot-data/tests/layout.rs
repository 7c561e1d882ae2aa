//! What columns are found to be for depends on the bytes alone: not on how they arrive, nor on the format that holds them.

use std::sync::Arc;

use surefoot_data::{Batch, Format, FormatOptions, Layout, Plan, ReadOptions, Reader, Recipe, Role, Source};

/// What is found of a file, read in pieces of so many bytes, and how many examples it has.
fn find(name: &str, text: &str, format: Option<&str>, chunk_size: usize) -> (Layout, Vec<String>, usize) {
    let columns = FormatOptions { look: true, ..FormatOptions::default() };
    let format = format.and_then(Format::by_name);
    let options = ReadOptions { columns, format, chunk_size, ..ReadOptions::default() };
    let plan = Arc::new(Plan::new(Recipe::default()).unwrap());
    let mut reader = Reader::open(vec![Source::memory(name, text.as_bytes())], options, plan).unwrap();
    let (mut batch, mut examples) = (Batch::new(), 0);
    while reader.next_batch(&mut batch).unwrap() {
        examples += batch.len();
    }
    (reader.findings().layout().unwrap(), reader.findings().notes(), examples)
}

/// Text with line ends in it under the name `v`; numbers and dates; ids of which the last ones are no more.
fn csv(rows: usize) -> String {
    let row = |n: usize| {
        let id = if n < 220 { format!("A{n}") } else { "none".into() };
        let blank = if n.is_multiple_of(7) { "\n" } else { "" };
        format!(
            "{},\"some words\nof row {n}\",{id},{}.5,2024-01-{:02}\n{blank}",
            n % 2,
            n * 31 % 97,
            n % 28 + 1
        )
    };
    format!("\nlabel,v,code,size,day\n\n{}", (0..rows).map(row).collect::<String>())
}

#[test]
fn columns_are_the_same_however_the_bytes_arrive() {
    for rows in [1, 2, 30, 150, 199, 200, 400, 3000] {
        let text = csv(rows);
        let whole = find("d.csv", &text, None, 1 << 20);
        assert_eq!(whole.2, rows);
        for chunk_size in [1, 7, 100, 4096] {
            assert_eq!(
                find("d.csv", &text, None, chunk_size),
                whole,
                "{rows} rows, {chunk_size} bytes at a time"
            );
            assert_eq!(
                find("d.csv", &text, Some("csv"), chunk_size),
                whole,
                "{rows} rows, {chunk_size} bytes at a time"
            );
        }
        let (layout, notes, _) = whole;
        if rows >= 30 {
            assert_eq!(
                (layout.of(Role::Text), layout.of(Role::Value)),
                (&["v".into()][..], &["size".into()][..])
            );
            assert_eq!(layout.of(Role::Nothing), ["code", "day"]);
            assert_eq!(notes.len(), 1);
        } else {
            assert!(notes.is_empty(), "too few rows to tell: {notes:?}");
        }
    }
}

#[test]
fn tables_and_json_are_told_alike() {
    let text = |n: usize| format!("call me in {n} days please");
    let rows = |line: &dyn Fn(usize) -> String| (0..40).map(line).collect::<String>();
    let layouts = [
        find("d.csv", &format!("label,v,n\n{}", rows(&|n| format!("{},{},{n}\n", n % 2, text(n)))), None, 50),
        find("d.csv", &format!("label;v;n\n{}", rows(&|n| format!("{};{};{n}\n", n % 2, text(n)))), None, 50),
        find(
            "d.tsv",
            &format!("label\tv\tn\n{}", rows(&|n| format!("{}\t{}\t{n}\n", n % 2, text(n)))),
            None,
            50,
        ),
        find(
            "d.jsonl",
            &rows(&|n| format!("{{\"label\":{},\"v\":\"{}\",\"n\":{n}}}\n", n % 2, text(n))),
            None,
            50,
        ),
    ];
    for ((layout, notes, examples), format) in layouts.iter().zip(["csv", "csv-semicolon", "tsv", "jsonl"]) {
        assert_eq!((layout.format.as_str(), *examples), (format, 40));
        assert_eq!(layout.columns, layouts[0].0.columns, "{format}");
        assert_eq!(notes, &layouts[0].1, "{format}");
    }
    assert_eq!(layouts[0].0.of(Role::Text), ["v"]);
    assert_eq!(layouts[0].0.of(Role::Nothing), ["n"]);
}

#[test]
fn columns_with_usual_names_are_not_looked_at() {
    let text = "label,text\n1,a\n0,b\n";
    let (layout, notes, _) = find("d.csv", text, None, 1);
    assert_eq!(layout.to_string(), "csv with the columns label, text");
    assert!(notes.is_empty());
    assert_eq!(find("d.svm", "1 1:1\n-1 2:1\n", None, 1).0.to_string(), "svmlight");
}
