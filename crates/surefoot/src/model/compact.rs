//! A smaller model that predicts nearly the same: features that say nothing are left out, and weights are kept in single
//! precision.

use surefoot_core::state::{State, Tensor};
use surefoot_core::{LearnerSpec, MemberTable, RowMap, TRIAL, Weight};
use surefoot_data::{BIAS_KEY, Encoder, UNKNOWN};

use super::Model;
use crate::{Error, Result};

/// A weight says nothing if its mean is less than this many of its standard deviations from the prior's 0. Chosen on reviews of
/// films and mail, and judged on others (docs/model-size.md).
const TELLING: f64 = 0.25;

/// The store that keeps means and variances in single precision.
const SINGLE: &str = "compact";

impl Model {
    /// The model without the features of which no weight, of any label and member, can be told from the prior, and with means
    /// and variances in single precision.
    ///
    /// It is a model like any other. A feature that was left out is one that was never met: it counts in the length of a row and
    /// in the variance of a score, and begins at the prior again if the model goes on learning. Hashed features keep their
    /// slots. Stores other than `diagonal` and `compact` are refused: what their weights say together is not said by each.
    ///
    /// ```
    /// # use surefoot::prelude::*;
    /// # use surefoot::train::Silent;
    /// let mail = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\nspam\tcheap lunch\n");
    /// let learner = LearnerSpec::parse("arow")?;
    /// let (model, _) = train(vec![mail], &TrainOptions::default().learner(learner), &mut Silent)?;
    /// let small = model.compact()?;
    /// assert!(small.to_bytes()?.len() < model.to_bytes()?.len());
    /// assert!(small.spec()?.starts_with("arow/compact:"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn compact(&self) -> Result<Model> {
        let spec = single_precision(self.learner_spec())?;
        let (encoder, places) = self.telling_features()?;
        let mut header = self.header()?;
        header.learner = spec.text(self.task())?;
        let mut state = self.state()?;
        let mut learner = state.split("learner").without_part(TRIAL);
        for CompactTable { name, prefix, row_map, weights } in self.tables() {
            let order = match row_map.and_then(|map| map.only(&places)) {
                Some((map, order)) => {
                    drop(learner.split(&format!("{name}.row-map")));
                    learner.join(&format!("{name}.row-map"), map.save().into_owned());
                    order.into_iter().map(Some).collect()
                }
                None => features_by_place(&places, encoder.index().bound()),
            };
            let own = learner.split(&prefix);
            learner.join(&prefix, table(own, &order, places.len(), weights)?);
        }
        if let Some(ensemble) = self.learner().as_ensemble() {
            for (name, scaling) in ensemble.scalings_of(&places)? {
                drop(learner.split(&name));
                learner.join(&name, scaling);
            }
        }
        // What the encoder had, and then what it has.
        drop(state.split("space"));
        drop(state.split("scale"));
        encoder.export(&mut state);
        state.join("learner", learner);
        Ok(Self::rebuild(header, state.into_owned())
            .map_err(|problem| problem.in_file(std::path::Path::new("the compact model")))?)
    }

    /// An encoder that has met only the features that say something; and the index there of each of the features here.
    fn telling_features(&self) -> Result<(Encoder, Vec<u32>)> {
        let blocks = if self.labels().is_binary() { 1 } else { self.labels().len() };
        let members = self.learner().as_ensemble().map_or(1, |ensemble| ensemble.members().count());
        let says_something = |weight: Weight| weight.mean.abs() >= TELLING * weight.variance.max(0.0).sqrt();
        // A column that says little by itself is in every row that is standardised.
        let columns = self.learner_spec().sees_columns();
        let is_telling = |feature: u32| {
            columns
                || self.encoder().index().key(feature) == BIAS_KEY
                || (0..members).any(|member| {
                    (0..blocks).any(|block| {
                        let weight = self.learner().weight(member, feature as usize, block);
                        weight.is_some_and(says_something)
                    })
                })
        };
        Ok(self.encoder().with_features(is_telling))
    }

    /// The tables of weights.
    fn tables(&self) -> Vec<CompactTable<'_>> {
        let learner = self.learner();
        let Some(ensemble) = learner.as_ensemble() else {
            let weights = Box::new(|feature, block| learner.weight(0, feature, block));
            return vec![CompactTable { name: "".into(), prefix: "store".into(), row_map: None, weights }];
        };
        let table = |MemberTable { name, members, shared, row_map }: MemberTable<'_>| {
            let first = members.start;
            // A block a member of two classes, or a store of the one member.
            let weights: WeightsOf<'_> = if shared {
                Box::new(move |feature, block| learner.weight(first + block, feature, 0))
            } else {
                Box::new(move |feature, block| learner.weight(first, feature, block))
            };
            let prefix = if shared { name.clone() } else { format!("{name}.store") };
            CompactTable { name, prefix, row_map: row_map.cloned(), weights }
        };
        ensemble.tables().map(table).collect()
    }
}

/// The weight of a feature in a block.
type WeightsOf<'a> = Box<dyn Fn(usize, usize) -> Option<Weight> + 'a>;

/// A table of weights: what its tensors are called, alone and with its row map, and what it holds.
struct CompactTable<'a> {
    name: String,
    prefix: String,
    row_map: Option<RowMap>,
    weights: WeightsOf<'a>,
}

/// For each index the feature that has it in a smaller model, in which feature i is called `places[i]`.
fn features_by_place(places: &[u32], bound: usize) -> Vec<Option<usize>> {
    let mut features = vec![None; bound];
    for (feature, &place) in places.iter().enumerate().filter(|(_, place)| **place != UNKNOWN) {
        features[place as usize] = Some(feature);
    }
    features
}

/// The same learners on stores in single precision.
fn single_precision(spec: &LearnerSpec) -> Result<LearnerSpec> {
    if !spec.is_compactable() {
        return Err(Error::Other(
            "only models on the stores diagonal and compact can be made compact, whose weights stand each for itself; members of \
             an ensemble are to be on the same one"
                .into(),
        ));
    }
    Ok(match spec {
        LearnerSpec::One(spec) => LearnerSpec::One(spec.on_store(SINGLE)?),
        LearnerSpec::Ensemble(members) | LearnerSpec::Auto { members, .. } => {
            let members = members.iter().map(|(spec, view)| Ok((spec.on_store(SINGLE)?, *view)));
            LearnerSpec::Ensemble(members.collect::<Result<_>>()?)
        }
    })
}

/// The tensors of a table with the rows of these features, in single precision; what else there was stays. From `bound` on there
/// are no features.
fn table(
    mut old: State<'_>,
    features: &[Option<usize>],
    bound: usize,
    weight: impl Fn(usize, usize) -> Option<Weight>,
) -> Result<State<'static>> {
    let [_, blocks] = old.take_counts("shape")?;
    let blocks = blocks as usize;
    let none = || Error::Other("a weight that cannot be read".into());
    let (mut lengths, mut owners, mut cells) = (Vec::new(), Vec::new(), Vec::new());
    let sparse = old.has("row");
    for feature in features {
        // Behind all features every weight is at the prior.
        let feature = feature.unwrap_or(bound);
        let row: Vec<Weight> =
            (0..blocks).map(|block| weight(feature, block).ok_or_else(none)).collect::<Result<_>>()?;
        if sparse {
            let touched = |own: &Weight| own.mean != 0.0 || own.variance != own.prior;
            let before = owners.len();
            for (block, own) in row.iter().enumerate().filter(|(_, own)| touched(own)) {
                owners.push(block as u32);
                cells.extend([mean(own), variance(own)]);
            }
            lengths.push((owners.len() - before) as u32);
        } else {
            cells.extend(row.iter().map(mean));
            cells.extend(row.iter().map(variance));
        }
    }
    // The numbers that it had, in whatever precision.
    let kept = old.without(&["cells", "row", "block"]);
    let mut new = kept.into_owned();
    new.put_counts("shape", &[features.len() as u64, blocks as u64]);
    new.put("cells", Tensor::F32(cells.into()));
    if sparse {
        new.put("row", Tensor::U32(lengths.into()));
        new.put("block", Tensor::U32(owners.into()));
    }
    Ok(new)
}

/// A mean as single precision holds it: what is too large stays at the end of the range.
fn mean(weight: &Weight) -> f32 {
    weight.mean.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
}

/// A variance as single precision holds it: never 0, so that a weight can still move.
fn variance(weight: &Weight) -> f32 {
    weight.variance.clamp(f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)) as f32
}
