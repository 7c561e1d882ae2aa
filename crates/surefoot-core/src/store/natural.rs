//! What a block has learned, in a form that adds up: natural parameters less those of the prior.
//!
//! A Gaussian N(μ, Σ) has the natural parameters Λ = Σ⁻¹ and η = Λμ. Of models that learned apart from one prior Λ₁ (or
//! base), the exact product with the prior counted once has Λ = Λ₁ + Σᵢ(Λᵢ − Λ₁) and η = Σᵢηᵢ: gains are added, and
//! what all have in common is not added twice. First-order models have no precision of their own; there each weight
//! counts by the examples behind it.

use super::NOWHERE;
use crate::{Error, Result};

/// One block's gains, by feature.
#[derive(Debug, Clone, PartialEq)]
pub struct NaturalParams {
    /// η = Λμ of each feature; for first-order stores the examples times the weight.
    pub shift: Vec<f64>,
    /// What the precision gained.
    pub gain: Gain,
}

/// What a precision gained over the prior, in the form its store keeps it.
#[derive(Debug, Clone, PartialEq)]
pub enum Gain {
    /// First order: only the number of examples is known.
    Examples(f64),
    /// First order with averaged weights: examples, rounds, and the examples times each averaged weight.
    Averages {
        /// Examples.
        examples: f64,
        /// Rounds.
        rounds: f64,
        /// Examples times the weights that predict.
        shift: Vec<f64>,
    },
    /// The lower triangle of a matrix, row by row.
    Full(Vec<f64>),
    /// A diagonal, and columns w that stand for wwᵀ, each with its features and numbers.
    Factored {
        /// The diagonal.
        diagonal: Vec<f64>,
        /// The columns.
        columns: Vec<Vec<(u32, f64)>>,
    },
}

impl NaturalParams {
    /// Adds `times` what another block has learned, whose feature i is `features[i]` here; of one that is [`NOWHERE`] there is
    /// none.
    pub fn add(&mut self, other: &NaturalParams, features: &[u32], times: f64) -> Result<()> {
        if other.shift.len() > features.len() {
            let found =
                format!("{} features with a weight, {} with a name", other.shift.len(), features.len());
            return Err(Error::State(found));
        }
        add_by_feature(&mut self.shift, &other.shift, features, times);
        self.gain.add(&other.gain, features, times)
    }

    /// Nothing learned, in the form of other parameters.
    #[must_use]
    pub fn none_like(other: &NaturalParams) -> Self {
        let gain = match &other.gain {
            Gain::Examples(_) => Gain::Examples(0.0),
            Gain::Averages { .. } => Gain::Averages { examples: 0.0, rounds: 0.0, shift: Vec::new() },
            Gain::Full(_) => Gain::Full(Vec::new()),
            Gain::Factored { .. } => Gain::Factored { diagonal: Vec::new(), columns: Vec::new() },
        };
        Self { shift: Vec::new(), gain }
    }
}

impl Gain {
    fn add(&mut self, other: &Gain, features: &[u32], times: f64) -> Result<()> {
        match (self, other) {
            (Self::Examples(sum), Self::Examples(own)) => *sum += times * own,
            (
                Self::Averages { examples, rounds, shift },
                Self::Averages { examples: more, rounds: longer, shift: own },
            ) => {
                *examples += times * more;
                *rounds += times * longer;
                add_by_feature(shift, own, features, times);
            }
            (Self::Full(sum), Self::Full(own)) => add_triangle(sum, own, features, times),
            (Self::Factored { diagonal, columns }, Self::Factored { diagonal: own, columns: more }) => {
                if times < 0.0 && (!more.is_empty() || own.iter().any(|&d| d != 0.0)) {
                    return Err(Error::Conflict(
                        "factored models cannot be merged from a common base: a compressed precision cannot be \
                         taken off again; merge them without the base, or use the full or the diagonal store"
                            .into(),
                    ));
                }
                add_by_feature(diagonal, own, features, times);
                let moved = |column: &Vec<(u32, f64)>| {
                    let mut column: Vec<_> = column.iter().map(|&(f, w)| (features[f as usize], w)).collect();
                    column.sort_unstable_by_key(|&(feature, _)| feature);
                    column
                };
                columns.extend(more.iter().map(moved));
            }
            _ => return Err(Error::Conflict("stores of different kinds cannot be merged".into())),
        }
        Ok(())
    }
}

fn add_by_feature(sum: &mut Vec<f64>, own: &[f64], features: &[u32], times: f64) {
    for (number, &feature) in own.iter().zip(features).filter(|(_, feature)| **feature != NOWHERE) {
        let place = feature as usize;
        if place >= sum.len() {
            sum.resize(place + 1, 0.0);
        }
        sum[place] += times * number;
    }
}

/// The entries of a triangle move to the places of their features; the triangle grows as needed.
fn add_triangle(sum: &mut Vec<f64>, own: &[f64], features: &[u32], times: f64) {
    let mut entries = own.iter();
    for (i, &row) in features.iter().enumerate() {
        for (&column, entry) in features[..=i].iter().zip(entries.by_ref()) {
            let (high, low) = (row.max(column) as usize, row.min(column) as usize);
            let place = high * (high + 1) / 2 + low;
            if place >= sum.len() {
                sum.resize((high + 1) * (high + 2) / 2, 0.0);
            }
            sum[place] += times * entry;
        }
        if entries.as_slice().is_empty() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_move_with_the_names_of_their_features() {
        let own = NaturalParams { shift: vec![1.0, 2.0], gain: Gain::Full(vec![1.0, 2.0, 3.0]) };
        let mut sum = NaturalParams::none_like(&own);
        assert!(sum.add(&own, &[2, 0], 1.0).is_ok());
        assert_eq!(sum.shift, [2.0, 0.0, 1.0]);
        // Rows (0), (1), (2): what was at (1, 0) is now at (0, 2), that is (2, 0).
        assert_eq!(sum.gain, Gain::Full(vec![3.0, 0.0, 0.0, 2.0, 0.0, 1.0]));
        assert!(sum.add(&own, &[2, 0], -1.0).is_ok());
        assert_eq!(sum.gain, Gain::Full(vec![0.0; 6]));
    }

    #[test]
    fn different_kinds_and_missing_names_are_refused() {
        let one = NaturalParams { shift: vec![1.0], gain: Gain::Full(vec![1.0]) };
        let two = NaturalParams { shift: vec![1.0], gain: Gain::Examples(1.0) };
        assert!(one.clone().add(&two, &[0], 1.0).is_err_and(|e| e.to_string().contains("different kinds")));
        assert!(one.clone().add(&one, &[], 1.0).is_err());
    }
}
