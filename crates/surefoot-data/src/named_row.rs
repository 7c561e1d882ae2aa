//! Features by name, for programs that have no file.

use std::sync::Arc;

use crate::batch::{Batch, KeyedFeatures};
use crate::builder::Builder;
use crate::problem::FeatureProblem;
use crate::recipe::Plan;
use crate::record::Sink;

/// Makes the features of one example after another from names and values, in memory that is used again.
///
/// They are what a reader makes of a line with the same features: repeated names are summed, zeros left out, and what the
/// recipe keeps, ignores, crosses and transforms is kept, ignored, crossed and transformed. Where the recipe takes integers
/// as given, names are their digits.
///
/// ```
/// use std::sync::Arc;
/// use surefoot_data::{NamedRow, Plan, Recipe};
///
/// let mut row = NamedRow::new(&Arc::new(Plan::new(Recipe::default())?));
/// let features = row.set(&[("subject=offer", 1.0), ("caps", 0.4), ("urgent", 0.0)])?;
/// assert_eq!((features.name(1), features.values()), (&b"caps"[..], &[1.0, 0.4][..]));
/// assert!(row.set(&[("caps", f64::NAN)]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NamedRow {
    plan: Arc<Plan>,
    batch: Batch,
}

impl Clone for NamedRow {
    /// A copy without the features of the last example.
    fn clone(&self) -> Self {
        NamedRow::new(&self.plan)
    }
}

impl NamedRow {
    /// No features yet.
    pub fn new(plan: &Arc<Plan>) -> Self {
        NamedRow { plan: plan.clone(), batch: Batch::new() }
    }

    /// Replaces the features by these; refuses values that are not finite and, among integers, names that are none.
    pub fn set<N: AsRef<str>>(&mut self, features: &[(N, f64)]) -> Result<KeyedFeatures<'_>, FeatureProblem> {
        self.batch.clear();
        let mut builder = Builder::new(&self.plan, &mut self.batch);
        builder.begin(1);
        features.iter().for_each(|(name, value)| builder.named(name.as_ref(), *value));
        builder.finish()?;
        Ok(self.batch.example(0).features)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format::FormatOptions;
    use crate::read::{ReadOptions, Reader};
    use crate::recipe::{Recipe, SpaceKind};
    use crate::source::Source;
    use surefoot_core::transform::Transform;

    type Shown = Vec<(u64, String, u64)>;

    fn shown(features: &KeyedFeatures<'_>) -> Shown {
        let name = |at| String::from_utf8_lossy(features.name(at)).into_owned();
        let pairs = features.keys().iter().zip(features.values()).enumerate();
        pairs.map(|(at, (&key, value))| (key, name(at), value.to_bits())).collect()
    }

    /// What the reader makes of a file of one example.
    fn read(name: &str, text: String, plan: &Arc<Plan>) -> Shown {
        let columns = FormatOptions { unlabelled: true, ..FormatOptions::default() };
        let options = ReadOptions { columns, ..ReadOptions::default() };
        let source = Source::memory(name, text.into_bytes());
        let mut reader = Reader::open(vec![source], options, plan.clone()).unwrap();
        let mut batch = Batch::new();
        assert!(reader.next_batch(&mut batch).unwrap());
        shown(&batch.example(0).features)
    }

    proptest! {
        #[test]
        fn features_by_name_are_those_that_a_reader_makes(
            rows in prop::collection::vec(prop::collection::vec((0u64..30, -4i32..5), 1..9), 1..5),
        ) {
            for space in [
                SpaceKind::Auto,
                SpaceKind::Dictionary,
                SpaceKind::Hashed { bits: 3, seed: 5 },
                SpaceKind::AsGiven,
            ] {
                let letter = if space == SpaceKind::AsGiven { "" } else { "w" };
                let recipe = Recipe { space, values: Transform::Sqrt, ignore: vec![format!("{letter}7")], ..Recipe::default() };
                let plan = Arc::new(Plan::new(recipe).unwrap());
                let mut row = NamedRow::new(&plan);
                for features in &rows {
                    let named: Vec<(String, f64)> =
                        features.iter().map(|&(id, value)| (format!("{letter}{id}"), f64::from(value) / 4.0)).collect();
                    let vw: String = named.iter().map(|(name, value)| format!(" {name}:{value}")).collect();
                    let made = shown(&row.set(&named).unwrap());
                    prop_assert_eq!(&made, &read("a.vw", format!("1 |{vw}\n"), &plan));
                    let distinct: std::collections::BTreeMap<_, _> = named.iter().cloned().collect();
                    if distinct.len() == named.len() {
                        let pairs: Vec<String> = named.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
                        prop_assert_eq!(made, read("a.jsonl", format!("{{{}}}\n", pairs.join(", ")), &plan));
                    }
                }
            }
        }
    }

    #[test]
    fn a_name_among_integers_is_refused_and_the_next_row_is_good() {
        let recipe = Recipe { space: SpaceKind::AsGiven, ..Recipe::default() };
        let mut row = NamedRow::new(&Arc::new(Plan::new(recipe).unwrap()));
        let refused = row.set(&[("17", 1.0), ("caps", 1.0)]).unwrap_err();
        assert_eq!(refused, FeatureProblem::NameAmongIntegers("caps".into()));
        assert_eq!(row.set(&[("17", 1.0), ("3", 2.0)]).unwrap().keys(), [3, 17]);
    }
}
