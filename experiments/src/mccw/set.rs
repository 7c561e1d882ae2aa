//! The multi-class tasks, held in memory: what every method sees, feature for feature.

use std::path::Path;
use std::sync::Arc;

use surefoot_core::Vector;
use surefoot_data::{
    Batch, Labels, Ngrams, Plan, Preparer, ReadOptions, Reader, Recipe, Source, Stream, TextRecipe, Values,
    Vectors, Zipf,
};

use super::Result;

/// An example and its class.
pub type Example = (Vector, usize);

/// A multi-class task.
#[derive(Debug)]
pub struct Set {
    /// What it is called in tables.
    pub name: String,
    /// In file order.
    pub examples: Vec<Example>,
    /// How many labels there are.
    pub classes: usize,
    /// How many features there are, the bias among them.
    pub features: usize,
}

/// How the text or the numbers of a file become features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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
            Self::BinaryWords => TextRecipe { values: Values::Binary, ..TextRecipe::default() },
            Self::CountedBigrams => TextRecipe { ngrams: Some(Ngrams { min: 1, max: 2 }), ..TextRecipe::default() },
            Self::Numbers => TextRecipe::default(),
        };
        Recipe { text, ..Recipe::default() }
    }
}

/// A real task: its name in the tables, its file, its features.
pub const FILES: &[(&str, &str, Kind)] = &[
    ("20 News", "20news18828.tsv.zst", Kind::BinaryWords),
    ("Amazon 7", "amazon_domain7_dev.tsv.zst", Kind::CountedBigrams),
    ("StackOverflow", "stackoverflow_titles.tsv.zst", Kind::BinaryWords),
    ("Loghub", "loghub_events.tsv.zst", Kind::BinaryWords),
    ("Letter", "letter.svm.zst", Kind::Numbers),
    ("USPS", "usps.svm.zst", Kind::Numbers),
];

impl Set {
    /// Reads a task of [`FILES`] from the directory of the data sets.
    pub fn read(directory: &Path, (name, file, kind): (&str, &str, Kind)) -> Result<Self> {
        let plan = Arc::new(Plan::new(kind.recipe())?);
        let mut preparer = Preparer::new(&plan);
        let source = Source::Path(directory.join(file));
        let mut reader = Reader::open(vec![source], ReadOptions::default(), plan)?;
        let (mut labels, mut batch, mut vectors) = (Labels::open(), Batch::new(), Vectors::new());
        let mut examples = Vec::new();
        while reader.next_batch(&mut batch)? {
            for example in batch.iter() {
                let class = labels.meet(example.label.unwrap_or_default())?;
                preparer.learn(&example.features, &mut vectors)?;
                let pairs = vectors.ids.iter().copied().zip(vectors.values.iter().copied());
                examples.push((Vector::from_pairs(pairs)?, class as usize));
            }
        }
        let features = preparer.space().len();
        Ok(Self { name: name.to_string(), examples, classes: labels.len(), features })
    }

    /// Rows that look like text, with some random labels.
    pub fn generate(labels: u64, count: usize, seed: u64) -> Result<Self> {
        let points = Zipf::new(20_000, 40, 0.15, 0.02, labels, seed).take_points(count);
        let binary = |ids: &[u64]| Vector::from_pairs(ids.iter().map(|&id| (id as u32 - 1, 1.0)));
        let examples = points.iter().map(|p| Ok((binary(&p.ids)?, p.label as usize - 1)));
        let examples = examples.collect::<Result<Vec<_>>>()?;
        let features = examples.iter().map(|(x, _)| x.features().dimension()).max().unwrap_or(0);
        Ok(Self { name: "generated".into(), examples, classes: labels as usize, features })
    }

    /// The examples of each class.
    #[must_use]
    pub fn class_counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes];
        self.examples.iter().for_each(|(_, class)| counts[*class] += 1);
        counts
    }
}
