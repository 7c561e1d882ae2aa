//! The data of the cases: made up here, the same at every run, and written where a command line names them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use crate::rows;

/// Puts the data that command lines name into a folder, unless they are there.
pub fn put<'a>(folder: &Path, names: impl Iterator<Item = &'a String>) {
    for name in names.filter(|name| !folder.join(name).exists()) {
        if let Some(content) = content(name) {
            std::fs::write(folder.join(name), content).expect("data are written");
        }
    }
}

/// The name of a part of a file: `sparse.few.svm` of `sparse.svm`.
pub fn variant(name: &str, part: &str) -> String {
    let (stem, ending) = name.split_once('.').expect("a name with an ending");
    format!("{stem}.{part}.{ending}")
}

fn content(name: &str) -> Option<Vec<u8>> {
    if name == "cut.svm.gz" {
        return content("sparse.svm.gz").map(|whole| whole[..whole.len() / 2].to_vec());
    }
    if let Some(name) = name.strip_suffix(".gz") {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gz.write_all(&content(name)?).expect("memory");
        return Some(gz.finish().expect("memory"));
    }
    if let [stem, part, ending] = name.split('.').collect::<Vec<_>>()[..] {
        return Some(cut(&text(&format!("{stem}.{ending}"))?, part).into_bytes());
    }
    text(name).map(String::into_bytes)
}

/// The first rows, the first two thirds, or the rest; each with the header of a table.
fn cut(text: &str, part: &str) -> String {
    let (header, rows) = match text.split_once('\n') {
        Some((header, rows)) if header.starts_with("id,") || header.starts_with("id\t") => {
            (Some(header), rows)
        }
        _ => (None, text),
    };
    let count = rows.lines().count();
    let range = match part {
        "few" => 0..20,
        "a" => 0..count * 2 / 3,
        "b" => count * 2 / 3..count,
        _ => panic!("no part {part} of a file: few, a or b"),
    };
    let chosen = rows.lines().skip(range.start).take(range.len());
    header.into_iter().chain(chosen).fold(String::new(), |mut text, line| {
        writeln!(text, "{line}").expect("memory");
        text
    })
}

fn text(name: &str) -> Option<String> {
    Some(match name {
        // Two labels, 12 of 3,000 features a row.
        "sparse.svm" => rows::svmlight(1, 240, &["-1", "1"], 12, |draw| 1 + draw.below(3000)),
        // Ids anywhere up to 2^40.
        "scattered.svm" => rows::svmlight(2, 200, &["0", "1"], 10, |draw| {
            draw.below(600).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24
        }),
        // More than 70,000 different features.
        "wide.svm" => rows::svmlight(3, 2000, &["-1", "1"], 60, |draw| 1 + draw.below(160_000)),
        "three.svm" => rows::svmlight(4, 220, &["1", "2", "3"], 9, |draw| 1 + draw.below(400)),
        "twenty.svm" => rows::svmlight(5, 400, &rows::TWENTY, 14, |draw| 1 + draw.below(1500)),
        // A third label that first appears past the middle.
        "late.svm" => {
            let early = rows::svmlight(6, 140, &["a", "b"], 8, |draw| 1 + draw.below(200));
            early + &rows::svmlight(6, 80, &["a", "b", "new"], 8, |draw| 1 + draw.below(200))
        }
        // A label that first appears when the reader has long decided what is to be told apart.
        "long.svm" => long(&["a", "b"]),
        "long3.svm" => long(&["a", "b", "c"]),
        // More labels than a table with a column for each of them is kept for.
        "many.svm" => {
            let names: Vec<String> = (0..150).map(|at| format!("k{at}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            rows::svmlight(16, 900, &names, 10, |draw| 1 + draw.below(700))
        }
        // Ten measurements in each row.
        "dense.svm" => rows::dense(8, 240, 2),
        "dense3.svm" => rows::dense(9, 220, 3),
        "named.vw" => rows::vw(10, 220),
        "table.csv" => rows::table(11, 220, ','),
        "table.tsv" => rows::table(12, 160, '\t'),
        "rows.jsonl" => rows::jsonl(13, 180),
        "topics.ft" => rows::fasttext(14, 200),
        "tickets.tsv" => include_str!("../../../../examples/tickets.tsv").into(),
        "urls.tsv" => include_str!("../../../../examples/urls.tsv").into(),
        "new.txt" => rows::questions(),
        "empty.svm" => String::new(),
        "bad.svm" => rows::with_bad_lines(15),
        _ => return None,
    })
}

/// Many short rows; `new` comes after the first 11,000.
fn long(labels: &[&str]) -> String {
    let id = |draw: &mut rows::Draw| 1 + draw.below(900);
    let early = rows::svmlight(17, 11_000, labels, 4, id);
    early + &rows::svmlight(17, 1500, &[labels, &["new"]].concat(), 4, id)
}

#[test]
fn the_wide_stream_is_wide() {
    let text = text("wide.svm").expect("data");
    let ids = text.split_whitespace().filter_map(|word| word.split_once(':')).map(|(id, _)| id);
    assert!(ids.collect::<std::collections::HashSet<_>>().len() > 70_000);
}
