//! Members of a bank in one table: a feature's cells of all members lie side by side, and one pass over an example
//! serves them all.
//!
//! For two classes on stores of a mean and a variance a weight, all of one precision, with either projection.
//! Every member's sums are taken in the order of the features, as it would take them alone, so it learns what it would
//! learn alone, bit for bit. Four means and four variances are at most one line of the cache: a bank of four reads no more
//! lines than a learner alone.

use std::borrow::Cow;
use std::fmt::Debug;

use dyn_clone::DynClone;

use super::super::Scores;
use super::super::binary::FlooredRule;
use super::looks::Sight;
use super::row::{Double, LANES, Lanes, Row, Single};
use super::walk::{Absorb, Project, Shrinking};
use crate::store::cells::same_bits;
use crate::store::{MOST_FEATURES, Number, PRIOR, PROJECTION, Precision, Weight, check_rows, lanes::dot};
use crate::prefetch;
use crate::rule::Step;
use crate::simd::vectored;
use crate::state::{State, check_finite, negative_variance};
use crate::{Error, Result, SparseVec, Spec, Task};

/// Rows from which a table counts as large: a megabyte.
const LARGE: usize = 1 << 14;

/// Room that a large table makes, in times of what it needs.
const ROOM: usize = 8;

/// What a bank asks of its members' common table, whatever its numbers.
pub(super) trait Table: Debug + Send + Sync + DynClone {
    /// The scores of every member.
    fn scores(&self, x: Sight<'_>, out: &mut Scores);

    /// The scores of every member, then each takes its step.
    fn update(&mut self, x: Sight<'_>, class: usize, weight: f64, scores: &mut Scores) -> Result<()>;

    /// Asks for the memory of these features.
    fn prefetch(&self, ids: &[u32]);

    /// A member's weight.
    fn weight(&self, lane: usize, feature: usize) -> Weight;

    /// The variance that a member's weights start from.
    fn member(&self, lane: usize) -> State<'_>;

    /// Takes over a member's state.
    fn put_member(&mut self, lane: usize, state: State<'_>) -> Result<()>;

    /// The table in one piece, lanes without a member left out.
    fn save(&self) -> State<'_>;

    /// Takes over what [`Table::save`] gave.
    fn restore(&mut self, state: State<'_>) -> Result<()>;
}

dyn_clone::clone_trait_object!(Table);

/// A table for these members, or none if they cannot share one.
pub(super) fn table(specs: &[&Spec], task: Task) -> Result<Option<Box<dyn Table>>> {
    let precision = specs.first().and_then(|spec| spec.store().side_by_side);
    for spec in specs {
        if spec.store().side_by_side != precision {
            return Ok(None);
        }
    }
    if task != Task::Binary || specs.len() > LANES {
        return Ok(None);
    }
    Ok(match precision {
        Some(Precision::Double) => Some(Box::new(Fused::<Double>::new(specs)?)),
        Some(Precision::Single) => Some(Box::new(Fused::<Single>::new(specs)?)),
        None => None,
    })
}

/// The members' Gaussians in one table.
#[derive(Debug, Clone)]
struct Fused<R> {
    heads: Vec<FlooredRule>,
    priors: Lanes,
    /// Who projects the covariance, and not the precision.
    shrink: [bool; LANES],
    rows: Vec<R>,
    /// The example as each member sees it, feature by feature.
    wide: Vec<Lanes>,
    /// The same as one of them sees it.
    column: Vec<f64>,
}

impl<R: Row> Fused<R> {
    fn new(specs: &[&Spec]) -> Result<Self> {
        let (mut heads, mut priors, mut shrink) = (Vec::new(), [1.0; LANES], [false; LANES]);
        for (lane, spec) in specs.iter().enumerate() {
            let params = spec.params()?;
            heads.push(FlooredRule::new(spec.rule(), &params));
            priors[lane] = R::Number::variance(params.number(PRIOR.name)).wide();
            shrink[lane] = params.word(PROJECTION.name) == "covariance";
        }
        let (rows, wide, column) = Default::default();
        Ok(Self { heads, priors, shrink, rows, wide, column })
    }

    fn origin(&self) -> R {
        R::new([0.0; LANES], self.priors)
    }

    /// Means and variances of all members' scores, and whether every feature has a row; `wide` becomes the example as
    /// each of them sees it.
    fn project(&self, mut x: Sight<'_>, wide: &mut Vec<Lanes>) -> (Lanes, Lanes, bool) {
        wide.resize(x.example.len(), [0.0; LANES]);
        x.values = x.values.map(|values| &values[..x.example.len()]);
        vectored(Project { rows: &self.rows, origin: self.origin(), sight: x, wide })
    }

    /// What every member says.
    fn tell(&self, means: Lanes, variances: Lanes, out: &mut Scores) {
        out.begin_binary();
        for lane in 0..self.heads.len() {
            out.push_binary(means[lane], variances[lane]);
        }
    }

    /// Sorts the gains by projection: those who project the covariance hand theirs over.
    fn sort_gains(&self, gains: &mut Lanes, variances: Lanes) -> Option<Shrinking> {
        if self.shrink == [false; LANES] {
            return None;
        }
        let mut sorted = Shrinking { gains: [0.0; LANES], variances: [0.0; LANES], wholes: [1.0; LANES] };
        for lane in (0..LANES).filter(|&lane| self.shrink[lane] && variances[lane].is_finite()) {
            let (gain, variance) = (std::mem::take(&mut gains[lane]), variances[lane]);
            sorted.gains[lane] = gain;
            sorted.variances[lane] = variance;
            sorted.wholes[lane] = 1.0 / (1.0 + gain * variance);
        }
        Some(sorted)
    }

    fn reserve(&mut self, x: SparseVec<'_>) -> Result<()> {
        let needed = x.dimension();
        check_rows("the table of weights", needed)?;
        self.grow(needed);
        Ok(())
    }

    /// Makes rows up to so many. A table that grows moves, row by row, to memory that was never touched. So a large one makes far
    /// more room than it needs, which costs nothing until it is used, and moves seldom.
    fn grow(&mut self, needed: usize) {
        if needed <= self.rows.len() {
            return;
        }
        if needed > self.rows.capacity() && needed >= LARGE {
            // Where so much is not to be had, the table grows by doubling as others do.
            let _ = self.rows.try_reserve_exact(needed.saturating_mul(ROOM) - self.rows.len());
        }
        self.rows.resize(needed, self.origin());
    }
}

impl<R: Row> Table for Fused<R> {
    fn scores(&self, x: Sight<'_>, out: &mut Scores) {
        let (means, variances, _) = self.project(x, &mut Vec::new());
        self.tell(means, variances, out);
    }

    fn update(&mut self, x: Sight<'_>, class: usize, weight: f64, scores: &mut Scores) -> Result<()> {
        let mut wide = std::mem::take(&mut self.wide);
        let (means, variances, known) = self.project(x, &mut wide);
        self.wide = wide;
        self.tell(means, variances, scores);
        let (mut alphas, mut gains) = ([0.0; LANES], [0.0; LANES]);
        let (y, mut any) = (if class == 1 { 1.0 } else { -1.0 }, false);
        for (lane, head) in self.heads.iter_mut().enumerate() {
            let column = &mut self.column;
            let prior = || self.priors[lane] * squared(x, lane, &self.wide, column); // as the diagonal store does
            let step = head.step(y, means[lane], variances[lane], weight, prior);
            any |= step.is_some();
            let Step { alpha, gain } = step.unwrap_or(Step { alpha: 0.0, gain: 0.0 });
            (alphas[lane], gains[lane]) = (alpha, gain);
            if !variances[lane].is_finite() {
                // Values so large that their squares leave the range of numbers: 0 times such a square is not 0.
                self.wide.iter_mut().for_each(|row| row[lane] = 0.0);
            }
        }
        let shrinking = self.sort_gains(&mut gains, variances);
        if any {
            if !known {
                self.reserve(x.example)?;
            }
            let (rows, ids, wide) = (&mut self.rows, x.example.ids(), &self.wide);
            vectored(Absorb { rows, ids, wide, alphas, gains, shrinking });
        }
        scores.set_updated(any);
        Ok(())
    }

    fn prefetch(&self, ids: &[u32]) {
        if prefetch::pays(&self.rows) {
            prefetch::each(&self.rows, ids);
        }
    }

    fn weight(&self, lane: usize, feature: usize) -> Weight {
        let [means, variances] = self.rows.get(feature).unwrap_or(&self.origin()).wide();
        Weight { mean: means[lane], variance: variances[lane], prior: self.priors[lane] }
    }

    fn member(&self, lane: usize) -> State<'_> {
        let mut store = State::default();
        store.put_counts("shape", &[self.rows.len() as u64, 1]);
        let cells = self.rows.iter().flat_map(|row| row.kept().map(|plane| plane[lane]));
        store.put("cells", R::Number::tensor(cells.collect()));
        let mut state = State::default();
        state.join("store", store);
        state.join("floor", self.heads[lane].floor.save());
        state
    }

    fn put_member(&mut self, lane: usize, mut state: State<'_>) -> Result<()> {
        let mut store = state.split("store");
        let [features, blocks] = store.take_counts("shape")?;
        let cells = R::Number::take(&mut store, "cells")?;
        check_finite("cells", &cells)?;
        if blocks != 1 || features.checked_mul(2) != Some(cells.len() as u64) {
            return Err(Error::State("`cells` has another size than `shape` says".into()));
        }
        if cells.as_chunks().0.iter().any(|[_, variance]| variance.wide() < 0.0) {
            return Err(negative_variance("cells"));
        }
        if self.rows.len() < cells.len() / 2 {
            self.rows.resize(cells.len() / 2, self.origin());
        }
        for (row, [mean, variance]) in self.rows.iter_mut().zip(cells.as_chunks().0) {
            let [means, variances] = row.kept_mut();
            (means[lane], variances[lane]) = (*mean, *variance);
        }
        store.finish()?;
        self.heads[lane].floor.restore(state.split("floor"))?;
        state.finish()
    }

    fn save(&self) -> State<'_> {
        let (mut state, members) = (State::default(), self.heads.len());
        let origin = self.origin();
        // Up to the last that was touched, whatever features were called in between.
        let last = self.rows.iter().rposition(|row| !same_bits(&[*row], &[origin]));
        let table: &[R::Number] = bytemuck::cast_slice(&self.rows[..last.map_or(0, |last| last + 1)]);
        // Without a lane to leave out, the table lies as the file wants it, and needs no copy.
        let cells = if members == LANES {
            Cow::Borrowed(table)
        } else {
            table.chunks_exact(LANES).flat_map(|lanes| &lanes[..members]).copied().collect()
        };
        state.put("cells", R::Number::tensor(cells));
        for (lane, head) in self.heads.iter().enumerate() {
            state.join(&format!("floor{lane:02}"), head.floor.save());
        }
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        let (cells, members) = (R::Number::take(&mut state, "cells")?, self.heads.len());
        check_finite("cells", &cells)?;
        if cells.len() % (2 * members) != 0 || cells.len() / (2 * members) > MOST_FEATURES {
            return Err(Error::State(format!("`cells` has {} numbers for {members} members", cells.len())));
        }
        let rows = cells.chunks_exact(2 * members);
        if rows.clone().flat_map(|row| &row[members..]).any(|variance| variance.wide() < 0.0) {
            return Err(negative_variance("cells"));
        }
        self.rows.clear();
        self.rows.resize(cells.len() / (2 * members), self.origin());
        for (row, saved) in self.rows.iter_mut().zip(rows) {
            let [means, variances] = row.kept_mut();
            means[..members].copy_from_slice(&saved[..members]);
            variances[..members].copy_from_slice(&saved[members..]);
        }
        for (lane, head) in self.heads.iter_mut().enumerate() {
            head.floor.restore(state.split(&format!("floor{lane:02}")))?;
        }
        state.finish()
    }
}

/// The squared length of the example as a member sees it.
fn squared(x: Sight<'_>, lane: usize, wide: &[Lanes], column: &mut Vec<f64>) -> f64 {
    if x.divisors[lane] == 1.0 {
        return dot(x.values[lane], x.values[lane]);
    }
    column.clear();
    column.extend(wide.iter().map(|row| row[lane]));
    dot(column, column)
}
