//! Thresholds that maximise F1, learned online.
//!
//! The best threshold on true probabilities is half of the best F1 that there is (Busa-Fekete, Szörényi, Dembczyński and
//! Hüllermeier 2015, online F-measure optimisation). So the threshold is half of the F1 reached so far, which follows from the
//! predictions made with it; the two find each other.

use crate::state::{State, Tensor, check_finite, check_length, damaged};
use crate::{Result, Target};

/// What a threshold is to make large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum F1Average {
    /// F1 of all labels together: one threshold.
    Micro,
    /// F1 of each label: a threshold a label.
    Label,
}

/// The hits that a threshold has before any data, and what they are out of: an F1 of 1, worth a few examples.
const PRIOR: F1Counts = F1Counts { hits: 2.0, of: 4.0 };

/// The two sums of F1 = 2·hits/(labels that occurred + labels that were predicted).
#[derive(Debug, Clone, Copy, PartialEq)]
struct F1Counts {
    hits: f64,
    of: f64,
}

impl F1Counts {
    /// From which probability on a label is predicted.
    fn threshold(self) -> f64 {
        // Half of 2·hits/of.
        self.hits / self.of
    }

    fn update(&mut self, truth: bool, predicted: bool, weight: f64) {
        let [truth, predicted] = [truth, predicted].map(|flag| f64::from(u8::from(flag)));
        self.hits += weight * truth * predicted;
        self.of += weight * (truth + predicted);
    }
}

/// The thresholds of all labels.
#[derive(Debug, Clone)]
pub(super) struct F1Thresholds {
    micro: F1Counts,
    labels: Vec<F1Counts>,
}

impl Default for F1Thresholds {
    fn default() -> Self {
        Self { micro: PRIOR, labels: Vec::new() }
    }
}

const MICRO: &str = "f1";
const LABELS: &str = "label-f1";

impl F1Thresholds {
    /// The threshold of each of so many labels.
    pub(super) fn of(&self, average: F1Average, labels: usize) -> Vec<f64> {
        let of = |label: usize| match average {
            F1Average::Micro => self.micro,
            F1Average::Label => self.labels.get(label).copied().unwrap_or(PRIOR),
        };
        (0..labels).map(|label| of(label).threshold()).collect()
    }

    /// The truth about an example of these probabilities.
    pub(super) fn learn(&mut self, probabilities: &[f64], target: Target<'_>, weight: f64) {
        self.labels.resize(self.labels.len().max(probabilities.len()), PRIOR);
        let together = self.micro.threshold();
        for ((label, p), own) in probabilities.iter().copied().enumerate().zip(&mut self.labels) {
            let truth = target.holds(label);
            self.micro.update(truth, p > together, weight);
            own.update(truth, p > own.threshold(), weight);
        }
    }

    /// What several have counted that learned apart, each so many times; `classes` are their labels' places here.
    pub(super) fn merge<'a>(&mut self, parts: impl Iterator<Item = (&'a Self, f64, &'a [usize])>) {
        for (part, times, classes) in parts {
            let more = |own: &mut F1Counts, other: &F1Counts| {
                own.hits = (own.hits + times * (other.hits - PRIOR.hits)).max(0.0);
                own.of = (own.of + times * (other.of - PRIOR.of)).max(2.0 * own.hits).max(1.0);
            };
            more(&mut self.micro, &part.micro);
            for (other, &class) in part.labels.iter().zip(classes) {
                self.labels.resize(self.labels.len().max(class + 1), PRIOR);
                more(&mut self.labels[class], other);
            }
        }
    }

    pub(super) fn save(&self, state: &mut State<'_>) {
        let numbers = |all: &[F1Counts]| Tensor::F64(all.iter().flat_map(|own| [own.hits, own.of]).collect());
        state.put(MICRO, numbers(&[self.micro]));
        state.put(LABELS, numbers(&self.labels));
    }

    pub(super) fn restore(&mut self, state: &mut State<'_>, labels: usize) -> Result<()> {
        let mut counts = |name: &str| {
            let numbers = state.take_f64(name)?;
            check_finite(name, &numbers)?;
            let (pairs, rest) = numbers.as_chunks::<2>();
            let all: Vec<F1Counts> = pairs.iter().map(|&[hits, of]| F1Counts { hits, of }).collect();
            let fits = |own: &F1Counts| own.hits >= 0.0 && own.of > 0.0 && 2.0 * own.hits <= own.of;
            if rest.is_empty() && all.iter().all(fits) {
                Ok(all)
            } else {
                Err(damaged(name, "no F1 can come of it"))
            }
        };
        let [micro] = counts(MICRO)?[..] else { return Err(damaged(MICRO, "2 numbers are needed")) };
        *self = Self { micro, labels: counts(LABELS)? };
        check_length(LABELS, self.labels.len(), labels)
    }
}
