//! Shards of real sets, merged: against one machine that saw everything, and against plain averaging of the weights.
//!
//! ```text
//! cargo run --release -p surefoot --example merging -- DIRECTORY SETS [LEARNER…]
//! ```
//!
//! SETS is a list of beginnings of file names, with commas. Of each set the first four fifths are dealt to the shards,
//! row by row, and the rest is for testing. The directory may come from the variable SUREFOOT_DATA. Results are in
//! docs/merging.md.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot::core::Roster;
use surefoot::data::{Batch, Example, Labels, Plan, ReadOptions, Reader, Source, SpaceKind};
use surefoot::{Error, Model, Result, Settings, default_recipe, merge};

const SHARDS: [usize; 3] = [2, 8, 32];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().or_else(|| std::env::var("SUREFOOT_DATA").ok());
    let directory = directory.ok_or_else(|| Error::Other("which directory holds the data sets?".into()))?;
    let wanted = arguments.next().unwrap_or_else(|| "amazon,enron,sms".into());
    let mut learners: Vec<String> = arguments.collect();
    if learners.is_empty() {
        learners = ["arow", "cw-stdev", "logistic", "pa1:c=1"].map(String::from).to_vec();
    }
    println!("| set | learner | shards | one machine | one shard | plain average | **merged** |");
    println!("| --- | --- | --: | --: | --: | --: | --: |");
    for path in sets(Path::new(&directory), &wanted)? {
        let data = Data::read(&path)?;
        for learner in &learners {
            data.report(learner)?;
        }
    }
    Ok(())
}

fn sets(directory: &Path, wanted: &str) -> Result<Vec<PathBuf>> {
    let listed =
        std::fs::read_dir(directory).map_err(|e| Error::Other(format!("{}: {e}", directory.display())))?;
    let named = |path: &PathBuf| wanted.split(',').any(|start| short(path).starts_with(start));
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).filter(named).collect();
    paths.sort();
    Ok(paths)
}

fn short(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split('.').next().unwrap_or_default().to_string()
}

/// A set in memory.
struct Data {
    name: String,
    batches: Vec<Batch>,
    labels: Labels,
    named: bool,
}

impl Data {
    fn read(path: &Path) -> Result<Self> {
        let plan = Arc::new(Plan::new(default_recipe())?);
        let source = Source::Path(path.to_path_buf());
        let mut reader = Reader::open(vec![source], ReadOptions::default(), plan)?;
        let (mut batches, mut batch) = (Vec::new(), Batch::new());
        while reader.next_batch(&mut batch)? {
            batches.push(std::mem::take(&mut batch));
        }
        let examples = batches.iter().flat_map(Batch::iter);
        let labels = examples.filter_map(|e| e.label).map(|l| String::from_utf8_lossy(l).into_owned());
        let mut labels: Vec<String> = labels.collect();
        labels.sort();
        labels.dedup();
        let named = batches.iter().find_map(Batch::named).unwrap_or(true);
        Ok(Self { name: short(path), batches, labels: Labels::declared(&labels)?, named })
    }

    fn examples(&self) -> impl Iterator<Item = Example<'_>> {
        self.batches.iter().flat_map(Batch::iter)
    }

    /// How many examples are for training.
    fn training(&self) -> usize {
        self.batches.iter().map(Batch::len).sum::<usize>() * 4 / 5
    }

    /// A model that learned from every `of`-th training example.
    fn train(&self, learner: &str, shard: usize, of: usize) -> Result<Model> {
        let mut recipe = default_recipe();
        recipe.space = if self.named { SpaceKind::Dictionary } else { SpaceKind::AsGiven };
        let learner = Roster::parse(learner)?;
        let (labels, columns) = (self.labels.clone(), Default::default());
        let mut model = Model::new(Settings { learner, labels, recipe, columns, seed: 0 })?;
        for example in self.examples().take(self.training()).skip(shard).step_by(of) {
            model.learn(&example.features, example.label.unwrap_or_default(), 1.0)?;
            model.counts_mut().rounds += 1;
        }
        Ok(model)
    }

    /// The error on the test examples of the models' averaged weights: scores are linear, so they are averaged.
    fn error(&self, models: &[Model]) -> f64 {
        let (mut wrong, mut total) = (0, 0);
        for example in self.examples().skip(self.training()) {
            let mut scores: Vec<f64> = Vec::new();
            for model in models {
                let own = model.predict(&example.features).scores;
                scores.resize(own.len(), 0.0);
                scores.iter_mut().zip(own).for_each(|(sum, score)| *sum += score);
            }
            let predicted = match scores[..] {
                [score] => usize::from(score >= 0.0),
                _ => (0..scores.len()).reduce(|a, b| if scores[b] > scores[a] { b } else { a }).unwrap_or(0),
            };
            let truth = self.labels.class(example.label.unwrap_or_default());
            wrong += u32::from(truth != Some(predicted as u32));
            total += 1;
        }
        f64::from(wrong) / f64::from(total.max(1))
    }

    fn report(&self, learner: &str) -> Result<()> {
        let one = self.error(&[self.train(learner, 0, 1)?]);
        for shards in SHARDS {
            let models = (0..shards).map(|i| self.train(learner, i, shards)).collect::<Result<Vec<_>>>()?;
            let (alone, average) = (self.error(&models[..1]), self.error(&models));
            let merged = self.error(&[merge(&models, None)?]);
            let name = &self.name;
            println!(
                "| {name} | {learner} | {shards} | {one:.4} | {alone:.4} | {average:.4} | **{merged:.4}** |"
            );
        }
        Ok(())
    }
}
