//! Shards of real sets, merged: against one machine that saw everything, and against plain averaging of the weights.
//!
//! ```text
//! cargo run --release -p surefoot --example merging -- DIRECTORY SETS [LEARNER…]
//! ```
//!
//! SETS is a list of beginnings of file names, with commas. Of each set the first four fifths are dealt to the shards,
//! row by row, and the rest is for testing; of small sets, where a point is a few rows, every fifth is tested in turn. The
//! directory may come from the variable SUREFOOT_DATA. The tables are those
//! of docs/merging.md.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot::core::LearnerSpec;
use surefoot::core::learner::Merging;
use surefoot::data::{Batch, Example, Labels, Plan, ReadOptions, Reader, Recipe, Source, SpaceKind};
use surefoot::{Error, Model, Predictor, Result, Settings, default_recipe_for, merge_by};

const SHARDS: [usize; 3] = [2, 8, 32];

/// Parts of a set; one of them is for testing.
const FOLDS: usize = 5;

/// With fewer test rows than this, every part is tested in turn.
const ENOUGH: usize = 2000;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().or_else(|| std::env::var("SUREFOOT_DATA").ok());
    let directory = directory.ok_or_else(|| Error::Other("which directory holds the data sets?".into()))?;
    let wanted = arguments.next().unwrap_or_else(|| "amazon,enron,sms".into());
    let mut learners: Vec<String> = arguments.collect();
    if learners.is_empty() {
        learners = ["auto", "arow", "cw-stdev", "logistic", "pa1:c=1"].map(String::from).to_vec();
    }
    let sets = sets(Path::new(&directory), &wanted)?;
    let mut summary = vec![SUMMARY.to_string()];
    for learner in &learners {
        let rows = sets.iter().map(|set| Data::read(set, learner)?.measure()).collect::<Result<Vec<_>>>()?;
        print_table(learner, &rows);
        summary.push(summarise(learner, &rows));
    }
    summary.iter().for_each(|line| println!("{line}"));
    Ok(())
}

const SUMMARY: &str = "\
| learner | gain over averaging | better or equal in | worst case | the exact product | log loss: one machine | 8 merged |
| --- | --: | --: | --: | --: | --: | --: |";

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

/// What was measured on a set.
struct Row {
    set: String,
    one: Found,
    /// For each number of shards.
    cases: Vec<Case>,
}

#[derive(Clone, Copy, Default)]
struct Case {
    average: f64,
    merged: Found,
    product: f64,
}

#[derive(Clone, Copy, Default)]
struct Found {
    error: f64,
    loss: f64,
}

/// Two cells of a table, the smaller error in bold.
fn duel(average: f64, merged: f64) -> String {
    match merged <= average {
        true => format!("{average:.4} | **{merged:.4}**"),
        false => format!("**{average:.4}** | {merged:.4}"),
    }
}

fn print_table(learner: &str, rows: &[Row]) {
    println!("`{learner}`:\n");
    println!("| set | one machine | {} |", SHARDS.map(|n| format!("{n}: average | {n}: merged")).join(" | "));
    println!("| --- | --: {}|", "| --: ".repeat(2 * SHARDS.len()));
    for row in rows {
        let cases = row.cases.iter().map(|c| duel(c.average, c.merged.error));
        println!("| {} | {:.4} | {} |", row.set, row.one.error, cases.collect::<Vec<_>>().join(" | "));
    }
    let mean = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len().max(1) as f64;
    let cases = (0..SHARDS.len()).map(|i| {
        let (average, merged) = (mean(&|r| r.cases[i].average), mean(&|r| r.cases[i].merged.error));
        duel(average, merged)
    });
    println!("| mean | {:.4} | {} |\n", mean(&|r| r.one.error), cases.collect::<Vec<_>>().join(" | "));
}

/// A learner's line of the summary.
fn summarise(learner: &str, rows: &[Row]) -> String {
    let gains = |of: fn(&Case) -> f64| {
        let all = rows.iter().flat_map(move |row| row.cases.iter().map(move |c| 100.0 * (c.average - of(c))));
        all.collect::<Vec<f64>>()
    };
    let (merged, product) = (gains(|c| c.merged.error), gains(|c| c.product));
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len().max(1) as f64;
    let worst = (0..merged.len()).reduce(|a, b| if merged[b] < merged[a] { b } else { a }).unwrap_or(0);
    let case = format!("{}, {}", rows[worst / SHARDS.len()].set, SHARDS[worst % SHARDS.len()]);
    let (kept, all) = (merged.iter().filter(|gain| **gain >= 0.0).count(), merged.len());
    let lowest = product.iter().copied().fold(f64::INFINITY, f64::min);
    let loss = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len().max(1) as f64;
    format!(
        "| `{learner}` | {:.2} points | {kept} of {all} | {:+.2} ({case}) | {:.2}, worst {lowest:+.2} | {:.3} | {:.3} |",
        mean(&merged),
        merged[worst],
        mean(&product),
        loss(&|r| r.one.loss),
        loss(&|r| r.cases[1].merged.loss),
    )
}

/// A set in memory, and what is to learn from it.
struct Data {
    name: String,
    learner: LearnerSpec,
    recipe: Recipe,
    batches: Vec<Batch>,
    labels: Labels,
}

impl Data {
    fn read(path: &Path, learner: &str) -> Result<Self> {
        let learner = LearnerSpec::parse(learner)?;
        let mut recipe = default_recipe_for(&learner);
        let plan = Arc::new(Plan::new(recipe.clone())?);
        let source = Source::Path(path.to_path_buf());
        let mut reader = Reader::open(vec![source], ReadOptions::default(), plan)?;
        let (mut batches, mut batch) = (Vec::new(), Batch::new());
        while reader.next_batch(&mut batch)? {
            batches.push(std::mem::take(&mut batch));
        }
        let examples = batches.iter().flat_map(Batch::iter);
        let labels = examples.filter_map(|e| e.label()).map(|l| String::from_utf8_lossy(l).into_owned());
        let mut labels: Vec<String> = labels.collect();
        labels.sort();
        labels.dedup();
        let named = batches.iter().find_map(Batch::named).unwrap_or(true);
        recipe.space = if named { SpaceKind::Dictionary } else { SpaceKind::AsGiven };
        Ok(Self { name: short(path), learner, recipe, batches, labels: Labels::declared(&labels)? })
    }

    fn examples(&self) -> impl Iterator<Item = Example<'_>> {
        self.batches.iter().flat_map(Batch::iter)
    }

    /// The examples for testing, or those for training.
    fn split(&self, fold: usize, testing: bool) -> impl Iterator<Item = Example<'_>> {
        let rows = self.rows();
        let test = rows * fold / FOLDS..rows * (fold + 1) / FOLDS;
        let numbered = self.examples().enumerate();
        numbered.filter(move |(row, _)| test.contains(row) == testing).map(|(_, example)| example)
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(Batch::len).sum()
    }

    /// A model that learned from every `of`-th training example.
    fn train(&self, fold: usize, shard: usize, of: usize) -> Result<Model> {
        let (learner, recipe) = (self.learner.clone(), self.recipe.clone());
        let mut model = Model::new(Settings::new(learner, self.labels.clone(), recipe))?;
        for example in self.split(fold, false).skip(shard).step_by(of) {
            model.learn(&example.features, example.label().unwrap_or_default())?;
        }
        Ok(model)
    }

    /// Error and log loss of a model on the test examples.
    fn test(&self, fold: usize, model: &Model) -> Found {
        let (mut sum, mut total) = (Found::default(), 0.0f64);
        let mut predictor = Predictor::new(model);
        for example in self.split(fold, true) {
            let truth = self.labels.class(example.label().unwrap_or_default()).map(|class| class as usize);
            let said = predictor.predict(&example.features);
            sum.error += f64::from(u8::from(said.label != truth));
            sum.loss -= truth.map_or(0.0, |class| said.probability(class).max(1e-6).ln());
            total += 1.0;
        }
        Found { error: sum.error / total.max(1.0), loss: sum.loss / total.max(1.0) }
    }

    /// The error on the test examples of the models' averaged weights: scores are linear, so they are averaged.
    fn average(&self, fold: usize, models: &[Model]) -> f64 {
        let (mut wrong, mut total) = (0, 0);
        let mut predictors: Vec<Predictor<'_>> = models.iter().map(Predictor::new).collect();
        for example in self.split(fold, true) {
            let mut scores: Vec<f64> = Vec::new();
            for predictor in &mut predictors {
                let own = &predictor.predict(&example.features).scores;
                scores.resize(own.len(), 0.0);
                scores.iter_mut().zip(own).for_each(|(sum, score)| *sum += score);
            }
            let predicted = match scores[..] {
                [score] => usize::from(score >= 0.0),
                _ => (0..scores.len()).reduce(|a, b| if scores[b] > scores[a] { b } else { a }).unwrap_or(0),
            };
            let truth = self.labels.class(example.label().unwrap_or_default());
            wrong += u32::from(truth != Some(predicted as u32));
            total += 1;
        }
        f64::from(wrong) / f64::from(total.max(1))
    }

    fn measure(&self) -> Result<Row> {
        let first = if self.rows() / FOLDS < ENOUGH { 0 } else { FOLDS - 1 };
        let (mut one, mut cases) = (Found::default(), vec![Case::default(); SHARDS.len()]);
        for fold in first..FOLDS {
            one.add(self.test(fold, &self.train(fold, 0, 1)?), FOLDS - first);
            for (case, shards) in cases.iter_mut().zip(SHARDS) {
                let models = (0..shards).map(|i| self.train(fold, i, shards)).collect::<Result<Vec<_>>>()?;
                let merge = |merging| Ok::<_, Error>(self.test(fold, &merge_by(&models, None, merging)?));
                let share = 1.0 / (FOLDS - first) as f64;
                case.average += share * self.average(fold, &models);
                case.merged.add(merge(Merging::Measured)?, FOLDS - first);
                case.product += share * merge(Merging::Exact)?.error;
            }
        }
        Ok(Row { set: self.name.clone(), one, cases })
    }
}

impl Found {
    /// One of so many measurements of which the mean is wanted.
    fn add(&mut self, other: Found, of: usize) {
        self.error += other.error / of as f64;
        self.loss += other.loss / of as f64;
    }
}
