//! The naive-Bayes view: values count by how well their feature tells labels apart.
//!
//! For two classes it is the log-count ratio of Wang and Manning (2012), kept online: with p and q the examples of either
//! class in which feature j occurred so far, n₁ and n₀ the examples, and counts smoothed by one example,
//!
//! ```text
//! r_j = ln (p + ½)/(q + ½) − ln n₁/n₀           x'_j = √x_j · (1 + |r_j|)
//! ```
//!
//! For many classes |r_j| is that of the class for which the feature speaks most, against the rest; a row of several labels is
//! an example of each. An example is seen by what
//! came before it alone. What it costs is a count a feature and class.

use std::any::Any;

use super::{Scaling, ScalingSpec, SeenRow, Transform};
use crate::power::ln;
use crate::state::{State, Tensor, check_finite, damaged};
use crate::store::Cells;
use crate::{Result, SparseVec, Target};

/// The entry in the list of scalings.
pub(super) static SPEC: ScalingSpec = ScalingSpec {
    name: "nb",
    title: "√x times one plus the naive-Bayes log-count ratio: features that tell labels apart count more",
    every_column: false,
    forgets: true,
    build: |half_life| Box::new(NaiveBayes::new(half_life)),
};

/// Beyond so many examples of a class all counts are halved: single precision would no longer count on.
const MOST: f64 = (1 << 23) as f64;

/// Counts that grow by more than this an example are brought back to ones that grow by one.
const LARGEST_INCREMENT: f64 = 1024.0;

#[derive(Debug, Clone)]
struct NaiveBayes {
    /// In how many examples of each class each feature occurred.
    counts: Cells<1, f32>,
    /// The examples of each class.
    totals: Vec<f64>,
    /// What one example counts now. With a half-life it grows, so that older ones count less beside it.
    increment: f64,
    /// What it grows by with each example.
    growth: f64,
}

impl NaiveBayes {
    fn new(half_life: Option<f64>) -> Self {
        let growth = half_life.map_or(1.0, |half_life| libm::exp2(1.0 / half_life));
        Self { counts: Cells::new(2, [0.0], false), totals: vec![0.0; 2], increment: 1.0, growth }
    }

    /// e^|r|: the odds of the class that the feature speaks for most, over the odds of that class.
    #[inline]
    fn odds(&self, feature: usize, all: f64) -> f64 {
        let mut found = 0.0;
        self.counts.each_touched(feature, |_, [count]| found += f64::from(count));
        let mut most = 1.0f64;
        self.counts.each_touched(feature, |class, [count]| {
            let own = self.totals[class] + self.increment;
            let (rest, count) = (all - own, f64::from(count));
            let inside = (count * all + self.increment * own) * rest;
            let outside = ((found - count) * all + self.increment * rest) * own;
            most = most.max(inside / outside);
        });
        most
    }

    /// Makes room for a class.
    fn meet(&mut self, class: usize) {
        let classes = self.totals.len().max(class + 1);
        self.totals.resize(classes, 0.0);
        self.counts.grow(classes);
    }

    fn multiply(&mut self, factor: f64) {
        self.counts.change_all(|[count], _| [count * factor]);
        self.totals.iter_mut().for_each(|total| *total *= factor);
    }
}

impl Scaling for NaiveBayes {
    fn see(&self, x: SparseVec<'_>, _: bool, out: &mut SeenRow) {
        // Every class counts one example more than there were.
        let all = self.totals.iter().map(|total| total + self.increment).sum();
        out.put_values(x.ids().iter().map(|&id| self.odds(id as usize, all)));
        for (own, &value) in out.values.iter_mut().zip(x.values()) {
            *own = Transform::Sqrt.apply(value) * (1.0 + ln(*own));
        }
    }

    fn learn(&mut self, x: SparseVec<'_>, target: Target<'_>) -> Result<()> {
        self.counts.reserve(x)?;
        let increment = self.increment;
        for class in target.classes() {
            self.meet(class);
            self.counts.update(x, class, |_, [count]| *count += increment as f32);
            self.totals[class] += increment;
        }
        self.increment *= self.growth;
        if self.increment > LARGEST_INCREMENT {
            self.multiply(1.0 / self.increment);
            self.increment = 1.0;
        }
        if target.classes().any(|class| self.totals[class] > MOST) {
            self.multiply(0.5);
        }
        Ok(())
    }

    fn prefetch(&self, ids: &[u32]) {
        self.counts.prefetch(ids);
    }

    fn discount(&mut self, share: f64) {
        if share < 1.0 {
            self.multiply(share.max(0.0));
        }
    }

    fn add(&mut self, other: &dyn Scaling, features: &[u32], classes: &[usize], times: f64) {
        let Some(other) = (other as &dyn Any).downcast_ref::<Self>() else { return };
        let times = times * self.increment / other.increment;
        for (&total, &class) in other.totals.iter().zip(classes) {
            self.meet(class);
            self.totals[class] = (self.totals[class] + times * total).max(0.0);
        }
        for (feature, place) in super::places(other.counts.features(), features) {
            let x = SparseVec::of_finite(&place, &[1.0]);
            if self.counts.reserve(x).is_err() {
                // Nor has a table of weights room for such a feature.
                return;
            }
            other.counts.each_touched(feature, |class, [count]| {
                let Some(&class) = classes.get(class) else { return };
                self.counts.update(x, class, |_, [sum]| {
                    *sum = (f64::from(*sum) + times * f64::from(count)).max(0.0) as f32;
                });
            });
        }
    }

    fn features(&self) -> usize {
        self.counts.features()
    }

    fn save(&self) -> State<'_> {
        let mut state = self.counts.save();
        state.put("totals", Tensor::F64(self.totals[..].into()));
        state.put("increment", Tensor::F64(vec![self.increment].into()));
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        let (totals, increment) = (state.take_f64("totals")?, state.take_f64("increment")?);
        check_finite("totals", &totals)?;
        if totals.len() < 2 || totals.iter().any(|total| *total < 0.0) {
            return Err(damaged("totals", "it is to hold a count for each of two classes or more"));
        }
        let [increment] = increment[..] else {
            return Err(damaged("increment", format!("{} numbers where 1 is needed", increment.len())));
        };
        if !(1.0..=LARGEST_INCREMENT).contains(&increment) {
            return Err(damaged("increment", format!("no example counts {increment}")));
        }
        self.counts.restore(&mut state, totals.len())?;
        let mut negative = false;
        for feature in 0..self.counts.features() {
            self.counts.each_touched(feature, |_, [count]| negative |= count < 0.0);
        }
        if negative {
            return Err(damaged("cells", "a count is negative"));
        }
        (self.totals, self.increment) = (totals, increment);
        state.finish()
    }
}
