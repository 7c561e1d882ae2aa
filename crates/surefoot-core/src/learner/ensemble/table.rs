//! The shared table: the weights of all members of an ensemble in one table of cells, a block a member, so that one pass
//! over an example serves them all.
//!
//! For two classes on stores of a mean and a variance a weight, all of one precision, with either projection.
//! Every member's sums are taken in the order of the features, and its steps by the formulas of the diagonal store, as it
//! would alone, so it learns what it would learn alone, bit for bit. Four means and four variances are at most one line of
//! the cache: an ensemble of four reads no more lines than a learner alone.

use std::fmt::Debug;

use dyn_clone::DynClone;

use super::super::restart::{Advice, Restart};
use super::super::row_unit::RowUnit;
use super::super::{Learner, Scores};
use super::views::ViewedExample;
use crate::rule::{FlooredRule, Step};
use crate::simd::{Four, Number, Vectorized, dot, vectored};
use crate::state::State;
use crate::store::{
    Cells, Fade, FadeGaussian, Forgetting, PRIOR, PROJECTION, Precision, Share, Weight, kept, positions,
    step_along, terms,
};
use crate::{Result, SparseVec, Spec, Target, Task};

/// Members that fit side by side.
pub(super) const LANES: usize = 4;

/// A number for every member.
type Lanes = [f64; LANES];

/// What an ensemble asks of its members' shared table, whatever its numbers.
pub(super) trait SharedTable: Debug + Send + Sync + DynClone {
    /// The scores of every member.
    fn scores(&self, x: ViewedExample<'_>, out: &mut Scores);

    /// The scores of every member, then each takes its step.
    fn update(&mut self, x: ViewedExample<'_>, class: usize, weight: f64, scores: &mut Scores) -> Result<()>;

    /// Asks for the memory of these features.
    fn prefetch(&self, ids: &[u32]);

    /// Lets what every member learned count less at once.
    fn discount(&mut self, share: f64);

    /// A member's weight.
    fn weight(&self, lane: usize, feature: usize) -> Weight;

    /// Moves the mean of a member's weight.
    fn move_mean(&mut self, lane: usize, feature: usize, by: f64) -> Result<()>;

    /// A member's state as it would have alone.
    fn member(&self, lane: usize) -> State<'_>;

    /// Takes over a member's state.
    fn put_member(&mut self, lane: usize, state: State<'_>) -> Result<()>;

    /// The table in one piece, lanes without a member left out.
    fn save(&self) -> State<'_>;

    /// Takes over what [`SharedTable::save`] gave.
    fn restore(&mut self, state: State<'_>) -> Result<()>;
}

dyn_clone::clone_trait_object!(SharedTable);

/// A table for these members of two classes, none of which has learned anything; none for a store that has no such cells.
pub(super) fn table(specs: &[&Spec], precision: Option<Precision>) -> Result<Option<Box<dyn SharedTable>>> {
    Ok(match precision {
        Some(Precision::Double) => Some(Box::new(SharedCells::<f64>::new(specs)?)),
        Some(Precision::Single) => Some(Box::new(SharedCells::<f32>::new(specs)?)),
        None => None,
    })
}

/// What it takes to project the covariance, and not the precision, for the members that do.
#[derive(Debug, Clone, Copy)]
struct Shrinking {
    /// Their gains, 0 for the others,
    gains: Lanes,
    /// the variances of their scores, 0 for the others,
    variances: Lanes,
    /// and 1/(1 + gain·variance), 1 for the others.
    wholes: Lanes,
}

/// The members' Gaussians in one table.
#[derive(Debug, Clone)]
struct SharedCells<T: Number> {
    rules: Vec<FlooredRule>,
    /// Which members project the covariance, and not the precision.
    shrink: [bool; LANES],
    /// How each member forgets.
    forgetting: Vec<Option<Forgetting>>,
    /// Which members start anew where their mistakes ask for it.
    restarts: Vec<Option<Restart>>,
    /// The members' SPECs, without that.
    specs: Vec<Spec>,
    /// Which members count in units of the row.
    row_units: Vec<Option<RowUnit>>,
    /// A block a member, and room for [`LANES`].
    cells: Cells<2, T>,
    /// The example as each member sees it, feature by feature.
    wide: Vec<Lanes>,
    /// The same as one of them sees it.
    column: Vec<f64>,
}

impl<T: Number> SharedCells<T> {
    fn new(specs: &[&Spec]) -> Result<Self> {
        let (mut rules, mut origins, mut shrink) = (Vec::new(), Vec::new(), [false; LANES]);
        let (mut forgetting, mut restarts, mut plain) = (Vec::new(), Vec::new(), Vec::new());
        let mut row_units = Vec::new();
        for (lane, spec) in specs.iter().enumerate() {
            let params = spec.params()?;
            rules.push(FlooredRule::new(spec.rule(), &params));
            origins.push([T::mean(0.0), T::variance(params.number(PRIOR.name))]);
            shrink[lane] = params.word(PROJECTION.name) == "covariance";
            forgetting.push(Forgetting::new(&params));
            restarts.push(Restart::new(&params));
            row_units.push(RowUnit::new(&params));
            plain.push(spec.without_restart()?);
        }
        let cells = Cells::side_by_side(origins, LANES).forgetting::<FadeGaussian>(forgetting.clone());
        let (wide, column) = Default::default();
        Ok(Self { rules, shrink, forgetting, restarts, row_units, specs: plain, cells, wide, column })
    }

    /// Means and variances of all members' scores, and whether every feature has a row; `wide` becomes the example as
    /// each of them sees it.
    fn project(&self, mut x: ViewedExample<'_>, wide: &mut Vec<Lanes>) -> (Lanes, Lanes, bool) {
        wide.resize(x.example.len(), [0.0; LANES]);
        x.values = x.values.map(|values| &values[..x.example.len()]);
        let origin = std::array::from_fn(|n| std::array::from_fn(|lane| self.cells.origin(lane)[n]));
        if self.cells.is_behind(x.example) {
            let (copy, ids) = (self.cells.copy_of(x.example), positions(x.example));
            let seen = ViewedExample { example: SparseVec::of_finite(&ids, x.example.values()), ..x };
            let (means, variances, _) = vectored(Project { rows: copy.rows(), origin, seen, wide });
            return (means, variances, false);
        }
        vectored(Project { rows: self.cells.rows(), origin, seen: x, wide })
    }

    /// The scores of the members that there are.
    fn tell(&self, means: Lanes, variances: Lanes, out: &mut Scores) {
        out.put_binary(means.into_iter().zip(variances).take(self.rules.len()));
    }

    /// Lets what a member learned count less at once.
    fn discount_member(&mut self, lane: usize, share: f64) {
        let Some(left) = Share::at_once(share) else { return };
        self.cells.change_blocks(lane..lane + 1, |cell, origin| FadeGaussian::fade(left, cell, origin));
        self.rules[lane].floor.discount(share);
    }

    /// Tells each member that watches itself whether it was wrong, and follows its advice.
    fn restart(
        &mut self,
        x: ViewedExample<'_>,
        class: usize,
        weight: f64,
        scores: &mut Scores,
    ) -> Result<()> {
        for lane in 0..self.rules.len() {
            let Some(mut restart) = self.restarts[lane].take() else { continue };
            if restart.is_on_trial() {
                x.as_seen_by(lane, &mut self.column);
            } else {
                self.column.clear();
            }
            let ids = if restart.is_on_trial() { x.example.ids() } else { &[] };
            let (seen, mistake) =
                (SparseVec::of_finite(ids, &self.column), scores.label(lane) != Some(class));
            match restart.update(seen, Target::Class(class), weight, mistake)? {
                Advice::GoOn => {}
                Advice::StartAnew => {
                    restart.keep(|| self.alone(lane))?;
                    self.discount_member(lane, 0.0);
                    scores.restarted = true;
                }
                Advice::TakeBack(old) => self.put_member(lane, old.save())?,
            }
            self.restarts[lane] = Some(restart);
        }
        Ok(())
    }

    /// A member alone, as it is, without its watch.
    fn alone(&self, lane: usize) -> Result<Box<dyn Learner>> {
        let mut alone = self.specs[lane].build(Task::Binary, 2)?;
        alone.restore(self.gaussian(lane))?;
        Ok(alone)
    }

    /// A member's weights, floor and row unit, as [`Learner::save`] has them.
    fn gaussian(&self, lane: usize) -> State<'_> {
        let mut store = State::default();
        store.put_counts("shape", &[self.cells.features() as u64, 1]);
        store.put("cells", T::tensor(self.cells.stored_block(lane).flatten().collect()));
        if self.forgetting[lane].is_some() {
            self.cells.save_all_ages(&mut store);
        }
        let mut state = State::default();
        state.join("store", store);
        state.join("floor", self.rules[lane].floor.save());
        RowUnit::save(self.row_units[lane], &mut state);
        state
    }

    /// Sorts the gains by projection: those of the covariance are handed over.
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
}

impl<T: Number> SharedTable for SharedCells<T> {
    fn scores(&self, x: ViewedExample<'_>, out: &mut Scores) {
        let (means, variances, _) = self.project(x, &mut Vec::new());
        self.tell(means, variances, out);
    }

    fn update(&mut self, x: ViewedExample<'_>, class: usize, weight: f64, scores: &mut Scores) -> Result<()> {
        if weight > 0.0 {
            self.cells.catch_up(x.example);
        }
        let mut wide = std::mem::take(&mut self.wide);
        let (means, variances, known) = self.project(x, &mut wide);
        self.wide = wide;
        self.tell(means, variances, scores);
        let (mut alphas, mut gains) = ([0.0; LANES], [0.0; LANES]);
        let (y, mut updated) = (if class == 1 { 1.0 } else { -1.0 }, false);
        for (lane, rule) in self.rules.iter_mut().enumerate() {
            let (column, [_, prior]) = (&mut self.column, self.cells.origin(lane));
            let prior = || prior.wide() * squared(x, lane, &self.wide, column); // as the diagonal store does
            let weight = RowUnit::weigh(&mut self.row_units[lane], x.example, weight);
            let step = rule.step(y, means[lane], variances[lane], weight, prior);
            updated |= step.is_some();
            let Step { alpha, gain } = step.unwrap_or(Step { alpha: 0.0, gain: 0.0 });
            (alphas[lane], gains[lane]) = (alpha, gain);
        }
        if updated {
            for lane in (0..LANES).filter(|&lane| !variances[lane].is_finite()) {
                // Values so large that their squares leave the range of numbers: 0 times such a square is not 0.
                self.wide.iter_mut().for_each(|row| row[lane] = 0.0);
            }
            let shrinking = self.sort_gains(&mut gains, variances);
            if !known {
                self.cells.reserve(x.example)?;
            }
            let (rows, ids, wide) = (self.cells.rows_mut(), x.example.ids(), &self.wide);
            vectored(Absorb { rows, ids, wide, alphas, gains, shrinking });
        }
        if weight > 0.0 {
            self.cells.end_round();
            self.restart(x, class, weight, scores)?;
        }
        scores.updated = updated;
        Ok(())
    }

    fn prefetch(&self, ids: &[u32]) {
        self.cells.prefetch(ids);
    }

    fn discount(&mut self, share: f64) {
        self.restarts.iter_mut().flatten().for_each(Restart::end_trial);
        (0..self.rules.len()).for_each(|lane| self.discount_member(lane, share));
    }

    fn weight(&self, lane: usize, feature: usize) -> Weight {
        let [mean, variance] = self.cells.get(feature, lane).map(T::wide);
        Weight { mean, variance, prior: self.cells.origin(lane)[1].wide() }
    }

    fn move_mean(&mut self, lane: usize, feature: usize, by: f64) -> Result<()> {
        self.cells.change(feature, lane, |[mean, _]| *mean = T::mean(mean.wide() + by))
    }

    fn member(&self, lane: usize) -> State<'_> {
        let mut state = self.gaussian(lane);
        self.restarts[lane].iter().for_each(|restart| state.join("restart", restart.save()));
        state
    }

    fn put_member(&mut self, lane: usize, mut state: State<'_>) -> Result<()> {
        let mut store = state.split("store");
        let own = Cells::new(1, self.cells.origin(lane), true);
        let mut own = own.forgetting::<FadeGaussian>(vec![self.forgetting[lane]]);
        own.restore_gaussian(&mut store, 1)?;
        store.finish()?;
        self.cells.put_block(lane, own.block(0).collect::<Vec<_>>().into_iter())?;
        self.rules[lane].floor.restore(state.split("floor"))?;
        if let Some(restart) = &mut self.restarts[lane] {
            restart.restore(state.split("restart"), || self.specs[lane].build(Task::Binary, 2))?;
        }
        RowUnit::restore(&mut self.row_units[lane], &mut state)?;
        state.finish()
    }

    fn save(&self) -> State<'_> {
        let mut state = self.cells.save();
        for (lane, rule) in self.rules.iter().enumerate() {
            state.join(&format!("floor{lane:02}"), rule.floor.save());
        }
        for (lane, restart) in self.restarts.iter().enumerate() {
            restart.iter().for_each(|restart| state.join(&format!("restart{lane:02}"), restart.save()));
        }
        for (lane, unit) in self.row_units.iter().enumerate() {
            let mut own = State::default();
            RowUnit::save(*unit, &mut own);
            state.join(&format!("unit{lane:02}"), own);
        }
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        self.cells.restore_gaussian(&mut state, self.rules.len())?;
        for (lane, rule) in self.rules.iter_mut().enumerate() {
            rule.floor.restore(state.split(&format!("floor{lane:02}")))?;
        }
        for (lane, restart) in self.restarts.iter_mut().enumerate() {
            if let Some(restart) = restart {
                let spec = &self.specs[lane];
                restart.restore(state.split(&format!("restart{lane:02}")), || spec.build(Task::Binary, 2))?;
            }
        }
        for (lane, unit) in self.row_units.iter_mut().enumerate() {
            RowUnit::restore(unit, &mut state.split(&format!("unit{lane:02}")))?;
        }
        state.finish()
    }
}

/// The squared length of the example as a member sees it.
fn squared(x: ViewedExample<'_>, lane: usize, wide: &[Lanes], column: &mut Vec<f64>) -> f64 {
    if x.divisors[lane] == 1.0 {
        return dot(x.values[lane], x.values[lane]);
    }
    column.clear();
    column.extend(wide.iter().map(|row| row[lane]));
    dot(column, column)
}

/// The means, then the variances, of every member for one feature.
type MemberRow<T> = [[T; LANES]; 2];

#[inline(always)]
fn numbers<T: Number>(row: &MemberRow<T>) -> [Four; 2] {
    let [means, variances] = row;
    [Four::of(|lane| means[lane].wide()), Four::of(|lane| variances[lane].wide())]
}

/// The sums of every member's score.
struct Project<'a, T> {
    rows: &'a [MemberRow<T>],
    /// What a feature without a row has.
    origin: MemberRow<T>,
    seen: ViewedExample<'a>,
    /// The values as each member sees them, feature by feature, to be filled in.
    wide: &'a mut [Lanes],
}

impl<T: Number> Vectorized for Project<'_, T> {
    type Found = (Lanes, Lanes, bool);

    #[inline(always)]
    fn walk(self) -> Self::Found {
        let (mut means, mut variances, mut known) = (Four([0.0; LANES]), Four([0.0; LANES]), true);
        let mut add = |x: Four, row: &MemberRow<T>| {
            let [mean, variance] = terms(x, numbers(row));
            (means, variances) = (means + mean, variances + variance);
        };
        let ViewedExample { example, values, divisors, divided } = self.seen;
        for (i, (&id, wide)) in example.ids().iter().zip(self.wide).enumerate() {
            let x = Four::of(|lane| values[lane][i]);
            let x = if i < divided { x / Four(divisors) } else { x };
            *wide = x.0;
            // A branch, which is foreseen, and not a choice between two addresses, for which the load would wait.
            if let Some(row) = self.rows.get(id as usize) {
                add(x, row);
            } else {
                known = false;
                add(x, &self.origin);
            }
        }
        (means.0, variances.0, known)
    }
}

/// Every member's step at once; a member without one has alpha and gain 0 and stays as it is.
struct Absorb<'a, T> {
    rows: &'a mut [MemberRow<T>],
    ids: &'a [u32],
    wide: &'a [Lanes],
    alphas: Lanes,
    /// The gains of the members that project the precision, 0 for the others.
    gains: Lanes,
    /// None if all project the precision.
    shrinking: Option<Shrinking>,
}

const ONE: Four = Four([1.0; LANES]);

impl<T: Number> Vectorized for Absorb<'_, T> {
    type Found = ();

    #[inline(always)]
    fn walk(self) {
        match self.shrinking {
            None => self.move_rows(|_| ONE),
            Some(Shrinking { gains, variances, wholes }) => {
                self.move_rows(|part| kept([Four(gains), ONE], Four(variances), Four(wholes), part));
            }
        }
    }
}

impl<T: Number> Absorb<'_, T> {
    /// `kept` is the share that the covariance projection leaves of each variance, by the feature's part of the score's.
    #[inline(always)]
    fn move_rows(self, kept: impl Fn(Four) -> Four) {
        let step = [Four(self.alphas), Four(self.gains), ONE];
        for (&id, x) in self.ids.iter().zip(self.wide) {
            let (row, x) = (&mut self.rows[id as usize], Four(*x));
            let cell = numbers(row);
            let [mean, variance] = step_along(x, cell, step);
            // For each member one of the two projections leaves the variance as it is.
            let variance = variance * kept(cell[1] * x * x);
            let [means, variances] = row;
            for lane in 0..LANES {
                (means[lane], variances[lane]) = (T::mean(mean.0[lane]), T::variance(variance.0[lane]));
            }
        }
    }
}
