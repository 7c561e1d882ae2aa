//! The real data sets: a folder of files that are no part of the product.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_data::{Batch, Encoder, Labels, Plan, ReadOptions, Reader, Recipe, Row, Source};

use crate::stream::Example;
use crate::{Error, Result};
use surefoot_core::Vector;

/// The variable that names the folder.
const VARIABLE: &str = "SUREFOOT_DATA";

/// Where the data sets are, if they are anywhere.
#[derive(Debug, Clone)]
pub struct Data(Option<PathBuf>);

/// A data set in memory.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// Its name.
    pub name: String,
    /// The labels, in the order of the classes.
    pub labels: Vec<String>,
    /// The examples, in file order.
    pub examples: Vec<Example>,
}

impl Data {
    /// The folder that SUREFOOT_DATA names, or else `../shared/data` beside the project.
    #[must_use]
    pub fn find() -> Self {
        let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
        let folder = std::env::var_os(VARIABLE).map_or_else(beside, PathBuf::from);
        Self(folder.is_dir().then_some(folder))
    }

    /// No data, as in the tests.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Whether there is a folder.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// A file of the folder.
    pub fn file(&self, name: &str) -> Result<Source> {
        let folder = self.0.as_ref().ok_or_else(|| {
            Error::Other(format!("no data: set {VARIABLE} to the folder that holds {name}"))
        })?;
        Ok(Source::Path(folder.join(name)))
    }

    /// Reads a file of the folder whole.
    pub fn read(&self, name: &str, recipe: &Recipe) -> Result<DataSet> {
        read(name, self.file(name)?, recipe)
    }
}

/// Reads a source whole, with features numbered as they come.
pub fn read(name: &str, source: Source, recipe: &Recipe) -> Result<DataSet> {
    let plan = Arc::new(Plan::new(recipe.clone().decided(true))?);
    let mut reader = Reader::open(vec![source], ReadOptions::default(), plan.clone())?;
    let mut encoder = Encoder::new(Labels::open(), plan, false);
    let (mut row, mut batch) = (Row::new(), Batch::new());
    let mut met: Vec<(Vec<u8>, Vector)> = Vec::new();
    while reader.next_batch(&mut batch)? {
        for example in batch.iter() {
            let label = example.label().ok_or(Error::NoLabel)?;
            encoder.encode(&example.features, label, 1.0, &mut row)?;
            let pairs = row.ids.iter().copied().zip(row.values.iter().copied());
            met.push((label.to_vec(), Vector::from_pairs(pairs)?));
        }
    }
    classified(name, met)
}

/// Classes in the order of the labels, as everywhere in the product: of two, class 1 is the larger.
fn classified(name: &str, met: Vec<(Vec<u8>, Vector)>) -> Result<DataSet> {
    let mut known = Labels::open();
    for (label, _) in &met {
        known.meet(label)?;
    }
    let order = known.order();
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &class)| place[class as usize] = at);
    let labels = order.iter().map(|&class| known.name(class).to_string()).collect();
    let class = |label: &[u8]| known.class(label).map_or(0, |class| place[class as usize]);
    let examples = met.into_iter().map(|(label, x)| (x, class(&label))).collect();
    Ok(DataSet { name: name.to_string(), labels, examples })
}

impl DataSet {
    /// The examples of two labels, the second of which is class 1.
    pub fn pair(&self, negative: &str, positive: &str) -> Result<DataSet> {
        let class = |label: &str| {
            let at = self.labels.iter().position(|known| known == label);
            at.ok_or_else(|| Error::Other(format!("{} has no label '{label}'", self.name)))
        };
        let wanted = [class(negative)?, class(positive)?];
        let renumbered = |(x, class): &Example| Some((x.clone(), wanted.iter().position(|w| w == class)?));
        Ok(DataSet {
            name: format!("{}: {negative} / {positive}", self.name),
            labels: vec![negative.to_string(), positive.to_string()],
            examples: self.examples.iter().filter_map(renumbered).collect(),
        })
    }

    /// How many features occur.
    #[must_use]
    pub fn features(&self) -> usize {
        let mut ids: Vec<u32> = self.examples.iter().flat_map(|(x, _)| x.features().ids()).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        ids.len()
    }
}
