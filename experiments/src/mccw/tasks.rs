//! The multi-class tasks: which files, with which features; and the generated one of the quick runs.

use surefoot_core::Vector;
use surefoot_core::transform::Transform;
use surefoot_data::{Ngrams, Recipe, Stream, TextRecipe, Zipf};

use crate::data::DataSet;
use crate::{Findings, Result, Setup};

/// A task with real data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Task {
    /// What it is called in tables; the paper's name if it is the paper's task or one of its kind.
    pub(super) name: &'static str,
    file: &'static str,
    kind: Kind,
    /// Whether the classes are of about the same size.
    pub(super) balanced: bool,
}

/// How the text or the numbers of a file become features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Words that occur, each with the value 1.
    BinaryWords,
    /// Words and pairs of words, with their counts.
    CountedBigrams,
    /// Numbers as they stand in the file.
    Numbers,
}

impl Kind {
    fn recipe(self) -> Recipe {
        let text = match self {
            Self::BinaryWords => TextRecipe { values: Transform::Binary, ..TextRecipe::default() },
            Self::CountedBigrams => {
                TextRecipe { ngrams: Some(Ngrams { min: 1, max: 2 }), ..TextRecipe::default() }
            }
            Self::Numbers => TextRecipe::default(),
        };
        Recipe { text, ..Recipe::default() }
    }
}

const fn task(name: &'static str, file: &'static str, kind: Kind, balanced: bool) -> Task {
    Task { name, file, kind, balanced }
}

pub(super) const NEWS: Task = task("20 News", "20news18828.tsv.zst", Kind::BinaryWords, true);
pub(super) const AMAZON: Task = task("Amazon 7", "amazon_domain7_dev.tsv.zst", Kind::CountedBigrams, false);
pub(super) const LOGHUB: Task = task("Loghub", "loghub_events.tsv.zst", Kind::BinaryWords, false);

const TITLES: Task = task("StackOverflow", "stackoverflow_titles.tsv.zst", Kind::BinaryWords, true);
const LETTER: Task = task("Letter", "letter.svm.zst", Kind::Numbers, true);
const USPS: Task = task("USPS", "usps.svm.zst", Kind::Numbers, false);

/// Text by topic: the paper's kind of task.
pub(super) const TOPICS: &[Task] = &[NEWS, AMAZON, TITLES];
/// Three of another kind: log lines with hundreds of labels, and dense numbers.
pub(super) const OTHERS: &[Task] = &[LOGHUB, LETTER, USPS];
/// All but the one with hundreds of labels, for which the exact update is too slow.
pub(super) const FEW_LABELS: &[Task] = &[NEWS, AMAZON, TITLES, LETTER, USPS];
/// Every task.
pub(super) const TASKS: &[Task] = &[NEWS, AMAZON, TITLES, LOGHUB, LETTER, USPS];

/// Labels and rows of the generated task.
const LABELS: u64 = 12;
const ROWS: usize = 1_500;

impl Task {
    /// Reads it; a quick run gets the generated task instead.
    pub(super) fn read(self, setup: &Setup, findings: &mut Findings) -> Result<DataSet> {
        let set = if setup.is_quick() {
            generate(setup.seed)?
        } else {
            let set = setup.data.read(self.file, &self.kind.recipe())?;
            DataSet { name: self.name.to_string(), ..set }
        };
        findings.used(if setup.is_quick() { set.name.as_str() } else { self.file }, set.examples.len());
        Ok(set)
    }
}

/// Those of these tasks that a run reads: of a quick run one alone, for which the generated task stands in.
pub(super) fn chosen<'a>(setup: &Setup, tasks: &'a [Task]) -> &'a [Task] {
    if setup.is_quick() { &tasks[..1] } else { tasks }
}

/// Reads those of these tasks that a run takes.
pub(super) fn read_all(setup: &Setup, tasks: &[Task], findings: &mut Findings) -> Result<Vec<DataSet>> {
    chosen(setup, tasks).iter().map(|task| task.read(setup, findings)).collect()
}

/// Rows that look like text, each word of a row with the value 1.
fn generate(seed: u64) -> Result<DataSet> {
    let points = Zipf::new(20_000, 60, 0.25, 0.02, LABELS, seed).take_points(ROWS);
    let binary = |ids: &[u64]| Vector::from_pairs(ids.iter().map(|&id| (id as u32 - 1, 1.0)));
    let examples = points.iter().map(|p| Ok((binary(&p.ids)?, p.label as usize - 1)));
    let labels = (1..=LABELS).map(|label| label.to_string()).collect();
    Ok(DataSet { name: "generated".into(), labels, examples: examples.collect::<Result<_>>()? })
}
