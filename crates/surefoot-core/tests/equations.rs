//! docs/EQUATIONS.md answers "where is Eq. 14?". It is made from the tags in the sources, `// [ECCW] Eq. 14`, and
//! this test fails when it is out of date, when it lists an equation that no line claims, or when a row says nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Set to write the page anew; what its rows say is kept.
const REGENERATE: &str = "SUREFOOT_REGENERATE";

const PAPERS: [(&str, &str); 8] = [
    ("ECCW", "Crammer, Dredze, Pereira: Exact convex confidence-weighted learning (2008)"),
    (
        "FACT",
        "Ma, Kulesza, Dredze, Crammer, Pereira: Exploiting feature covariance in high-dimensional online learning (2010)",
    ),
    ("MCCW", "Crammer, Dredze, Kulesza: Multi-class confidence weighted algorithms (2009)"),
    ("AROW", "Crammer, Kulesza, Dredze: Adaptive regularization of weight vectors (2009)"),
    ("SCW", "Wang, Zhao, Hoi: Exact soft confidence-weighted learning (2012)"),
    ("NHERD", "Crammer, Lee: Learning via Gaussian herding (2010)"),
    ("PA", "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer: Online passive-aggressive algorithms (2006)"),
    ("SOP", "Cesa-Bianchi, Conconi, Gentile: A second-order perceptron algorithm (2005)"),
];

/// A place in a paper. Ordered by paper, then equations, figures and the rest by number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    paper: usize,
    kind: usize,
    number: Vec<u32>,
    text: String,
}

impl Place {
    fn new(paper: usize, text: &str) -> Self {
        let kinds = ["Eq.", "Fig.", "Prop.", "§"];
        let kind = kinds.iter().position(|kind| text.starts_with(kind)).unwrap_or(kinds.len());
        let digits = text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
        Self { paper, kind, number: digits.collect(), text: text.to_string() }
    }
}

/// What the page knows of a place: what it says, and the files that claim it.
#[derive(Debug, Default)]
struct Row {
    says: String,
    files: BTreeSet<String>,
}

type Index = BTreeMap<Place, Row>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// `Eqs. 7, 9, Fig. 1` are three places; `Fig. 1, PA-II` is one.
fn places(paper: usize, tag: &str) -> Vec<Place> {
    let mut found: Vec<String> = Vec::new();
    for part in tag.split(", ").map(str::trim) {
        let starts_place = ["Fig.", "Prop.", "§"].iter().any(|kind| part.starts_with(kind));
        if let Some(number) = part.strip_prefix("Eqs. ").or(part.strip_prefix("Eq. ")) {
            found.push(format!("Eq. {number}"));
        } else if part.chars().all(|c| c.is_ascii_digit()) {
            found.push(format!("Eq. {part}"));
        } else if starts_place || found.is_empty() {
            found.push(part.to_string());
        } else if let Some(last) = found.last_mut() {
            *last = format!("{last}, {part}");
        }
    }
    found.iter().map(|text| Place::new(paper, text)).collect()
}

/// The places that the comment at the end of a line of code claims.
fn claims(line: &str) -> Vec<Place> {
    let comment_alone = line.trim_start().starts_with("//");
    let Some((_, comment)) = line.split_once("// ").filter(|_| !comment_alone) else { return Vec::new() };
    let tagged = |(paper, (key, _)): (usize, &(&str, &str))| {
        let (_, tag) = comment.split_once(&format!("[{key}] "))?;
        let (place, _) = tag.split_once(':').unwrap_or((tag, ""));
        Some(places(paper, place))
    };
    PAPERS.iter().enumerate().find_map(tagged).unwrap_or_default()
}

fn rust_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            rust_files(&entry, out);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            out.push(entry);
        }
    }
}

/// Every tag in the sources of every crate.
fn tags() -> BTreeMap<Place, BTreeSet<String>> {
    let crates = root().join("crates");
    let mut files = Vec::new();
    for krate in std::fs::read_dir(&crates).unwrap() {
        let sources = krate.unwrap().path().join("src");
        if sources.is_dir() {
            rust_files(&sources, &mut files);
        }
    }
    let mut tags = BTreeMap::<Place, BTreeSet<String>>::new();
    for file in files {
        let name = file.strip_prefix(&crates).unwrap().to_string_lossy().replace('\\', "/");
        for place in std::fs::read_to_string(&file).unwrap().lines().flat_map(claims) {
            tags.entry(place).or_default().insert(name.clone());
        }
    }
    tags
}

/// The rows of the page as it stands: place and what it says.
fn listed(page: &str) -> Index {
    let mut index = Index::new();
    let mut paper = 0;
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## [") {
            paper = PAPERS.iter().position(|(key, _)| title.starts_with(&format!("{key}]"))).unwrap();
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", place, says, _, ""] = cells[..]
            && place != "Place"
            && !place.starts_with("---")
        {
            let row = Row { says: says.to_string(), files: BTreeSet::new() };
            index.insert(Place::new(paper, place), row);
        }
    }
    index
}

fn render(index: &Index) -> String {
    let mut page = String::from(
        "# Where each equation is\n\n\
         Every line that implements an equation carries its tag, so `grep -rn 'ECCW. Eq. 14' crates` finds it.\n\
         This page is made from the tags; a test keeps it true. To bring it up to date:\n\n    \
         SUREFOOT_REGENERATE=1 cargo test -p surefoot-core --test equations\n\n\
         The middle column is written by hand and kept. The papers' misprints are corrected in the code.\n",
    );
    for (paper, (key, title)) in PAPERS.iter().enumerate() {
        let rows: Vec<_> = index.iter().filter(|(place, _)| place.paper == paper).collect();
        if rows.is_empty() {
            continue;
        }
        page += &format!("\n## [{key}] {title}\n\n| Place | What it says | Code |\n| --- | --- | --- |\n");
        for (place, row) in rows {
            let files: Vec<String> = row.files.iter().map(|file| format!("`{file}`")).collect();
            page += &format!("| {} | {} | {} |\n", place.text, row.says, files.join(", "));
        }
    }
    page
}

#[test]
fn the_page_of_equations_is_up_to_date() {
    let path = root().join("docs/EQUATIONS.md");
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let mut index = listed(&page);
    for (place, files) in tags() {
        index.entry(place).or_default().files = files;
    }
    let fresh = render(&index);
    if std::env::var_os(REGENERATE).is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    for (place, row) in &index {
        let name = format!("[{}] {}", PAPERS[place.paper].0, place.text);
        assert!(
            !row.files.is_empty(),
            "{name} is listed but no line claims it: tag the line or drop the row"
        );
        assert!(!row.says.is_empty(), "{name} is new in docs/EQUATIONS.md: write in its row what it says");
    }
    let current = std::env::var_os(REGENERATE).is_some() || page == fresh;
    assert!(current, "docs/EQUATIONS.md is out of date: run again with {REGENERATE}=1");
}

#[test]
fn tags_are_read_as_people_write_them() {
    let texts = |line: &str| claims(line).into_iter().map(|place| place.text).collect::<Vec<_>>();
    assert_eq!(texts("x // [AROW] Eqs. 7, 9, Fig. 1"), ["Eq. 7", "Eq. 9", "Fig. 1"]);
    assert_eq!(texts("x // [PA] Fig. 1, PA-II"), ["Fig. 1, PA-II"]);
    assert_eq!(texts("x // the diagonal of [ECCW] Eq. 10"), ["Eq. 10"]);
    assert_eq!(texts("x // [MCCW] Eq. 7: g = f(x, y) − f(x, r)"), ["Eq. 7"]);
    assert!(texts("    // [ECCW] Eq. 14 in a comment alone claims nothing").is_empty());
    assert!(texts("/// See [ECCW] §5.").is_empty());
    assert!(Place::new(0, "Eq. 9") < Place::new(0, "Eq. 10"));
}
