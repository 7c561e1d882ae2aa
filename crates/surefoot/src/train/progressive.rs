//! Progressive validation: every example is predicted before it is learned. Counts and metrics of the first pass, and how the
//! error went, round by round.

use serde::Serialize;
use surefoot_core::metric::{MetricSet, Outcome};

use crate::{Learned, Metrics, RarestLabel};

/// Counts and metrics of a first pass.
#[derive(Debug)]
pub struct Progressive {
    examples: u64,
    mistakes: u64,
    updates: u64,
    importance: Importance,
    /// Those of the list that are followed while training.
    metrics: MetricSet,
    probabilities: Vec<f64>,
}

impl Default for Progressive {
    fn default() -> Self {
        let metrics = MetricSet::of(|spec| spec.progressive);
        let (importance, probabilities) = Default::default();
        Self { examples: 0, mistakes: 0, updates: 0, importance, metrics, probabilities }
    }
}

/// The importance of examples and of mistakes.
#[derive(Debug, Clone, Copy, Default)]
struct Importance {
    /// Whether any example had one other than 1.
    differs: bool,
    total: f64,
    wrong: f64,
}

/// How a run did where examples were of different importance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Weighted {
    /// The importance of all examples together.
    pub total: f64,
    /// The share of it that was predicted wrongly.
    pub error_rate: f64,
}

impl Progressive {
    /// Takes in a round with an example of this importance. Only [`Progressive::weighted`] looks at that: in every other number an
    /// example counts once.
    pub fn update(&mut self, round: &Learned<'_>, weight: f64) {
        self.examples += 1;
        self.mistakes += u64::from(round.mistake());
        self.importance.differs |= weight != 1.0;
        self.importance.total += weight;
        self.importance.wrong += if round.mistake() { weight } else { 0.0 };
        // Of two classes the round knows both probabilities already.
        match round.prediction.binary {
            true => {
                // By its place, not by a branch: labels cannot be foreseen.
                let mut both = [1.0 - round.probability; 2];
                both[usize::from(round.truth.holds(1))] = round.probability;
                self.probabilities.clear();
                self.probabilities.extend(both);
            }
            false => round.prediction.probabilities(&mut self.probabilities),
        }
        let outcome = Outcome {
            truth: round.truth,
            predicted: round.prediction.label,
            probabilities: &self.probabilities,
            score: round.prediction.logit(),
            labels: &round.prediction.labels,
        };
        self.metrics.update(&outcome, 1.0);
    }

    /// Counts a round of any pass that changed the model.
    pub fn count_update(&mut self, updated: bool) {
        self.updates += u64::from(updated);
    }

    /// Examples of the first pass so far.
    #[must_use]
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// Mistakes of the first pass so far.
    #[must_use]
    pub fn mistakes(&self) -> u64 {
        self.mistakes
    }

    /// Rounds that changed the model, all passes together.
    #[must_use]
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Mistakes an example.
    #[must_use]
    pub fn error_rate(&self) -> f64 {
        if self.examples == 0 { 0.0 } else { self.mistakes as f64 / self.examples as f64 }
    }

    /// The error by importance; none where all examples were of importance 1.
    #[must_use]
    pub fn weighted(&self) -> Option<Weighted> {
        let Importance { differs, total, wrong } = self.importance;
        differs.then(|| Weighted { total, error_rate: if total > 0.0 { wrong / total } else { 0.0 } })
    }

    /// A followed metric by name.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.value(name)
    }

    /// Every followed metric.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.metrics.values().collect()
    }

    /// The label with the fewest examples; none unless there are two.
    #[must_use]
    pub fn rarest_label(&self, name: impl Fn(usize) -> String) -> Option<RarestLabel> {
        self.metrics.counts().and_then(|counts| RarestLabel::of(counts, name))
    }
}

/// The error of a run so far, pass by pass, with a row at every power of two.
///
/// ```
/// use surefoot::train::Curve;
///
/// let mut curve = Curve::default();
/// let rows: Vec<bool> = [true, true, false, false, false].into_iter().map(|wrong| curve.round(wrong).is_some()).collect();
/// curve.end_pass();
/// assert_eq!(rows, [true, true, false, true, false]);
/// let last = curve.rows(0).last().expect("a row for the last example");
/// assert_eq!((last.examples, last.error, last.recent), (5, 0.4, 0.0));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Curve {
    passes: Vec<Vec<Count>>,
    /// Of each pass, the mistakes in equal stretches.
    evenly: Vec<Stretches>,
    /// The pass under way.
    points: Vec<Count>,
    stretches: Stretches,
    now: Count,
    next: u64,
    /// Passes, from 0, with the held-out error after them.
    held_out: Vec<(usize, f64)>,
    /// Examples of the first pass near which the data changed.
    changes: Vec<u64>,
}

/// Examples and mistakes of a pass so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    examples: u64,
    mistakes: u64,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Examples of the pass so far.
    pub examples: u64,
    /// Share of mistakes so far.
    pub error: f64,
    /// Share of mistakes since the point before.
    pub recent: f64,
}

impl CurvePoint {
    fn new(before: Count, now: Count) -> Self {
        let share = |mistakes: u64, examples: u64| mistakes as f64 / examples.max(1) as f64;
        Self {
            examples: now.examples,
            error: share(now.mistakes, now.examples),
            recent: share(now.mistakes - before.mistakes, now.examples - before.examples),
        }
    }
}

impl Curve {
    /// Takes in a round; at a power of two, the row that it ends.
    pub fn round(&mut self, mistake: bool) -> Option<CurvePoint> {
        self.now.examples += 1;
        self.now.mistakes += u64::from(mistake);
        self.stretches.round(mistake);
        if self.now.examples < self.next {
            return None;
        }
        self.points.push(self.now);
        self.next = after(self.now.examples);
        is_row(&self.now).then(|| self.last_row()).flatten()
    }

    fn last_row(&self) -> Option<CurvePoint> {
        let before = self.points.iter().rev().skip(1).find(|point| is_row(point));
        Some(CurvePoint::new(before.copied().unwrap_or_default(), *self.points.last()?))
    }

    /// Ends a pass; its last row, if one was open.
    pub fn end_pass(&mut self) -> Option<CurvePoint> {
        let open = self.now.examples > 0 && !is_row(&self.now);
        if open && self.points.last() != Some(&self.now) {
            self.points.push(self.now);
        }
        let row = if open { self.last_row() } else { None };
        self.passes.push(std::mem::take(&mut self.points));
        self.evenly.push(std::mem::take(&mut self.stretches));
        (self.now, self.next) = Default::default();
        row
    }

    /// Notes the error on held-out data after the pass that ended last.
    pub fn add_held_out(&mut self, error: f64) {
        self.held_out.push((self.passes.len().saturating_sub(1), error));
    }

    /// Notes an example of the first pass near which the data changed.
    pub fn add_change(&mut self, example: u64) {
        self.changes.push(example);
    }

    /// The examples of the first pass near which the data changed.
    #[must_use]
    pub fn changes(&self) -> &[u64] {
        &self.changes
    }

    /// The held-out errors: after which pass, counted from 0, and how large.
    #[must_use]
    pub fn held_out(&self) -> &[(usize, f64)] {
        &self.held_out
    }

    /// Passes that ended.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.passes.len()
    }

    /// Examples of a pass.
    #[must_use]
    pub fn examples(&self, pass: usize) -> u64 {
        self.counts(pass).last().map_or(0, |count| count.examples)
    }

    /// The rows of a pass: at powers of two and at its end.
    pub fn rows(&self, pass: usize) -> impl Iterator<Item = CurvePoint> + '_ {
        let counts = self.counts(pass);
        let last = counts.last().copied();
        let rows = counts.iter().copied().filter(move |count| is_row(count) || Some(*count) == last);
        paired(rows)
    }

    /// All points of a pass: some seven to a doubling.
    pub fn points(&self, pass: usize) -> impl Iterator<Item = CurvePoint> + '_ {
        paired(self.counts(pass).iter().copied())
    }

    /// The share of mistakes in the latest half of the examples so far, at every point of a pass: (examples so far, share).
    #[must_use]
    pub fn latest_half(&self, pass: usize) -> Vec<(u64, f64)> {
        let counts = self.counts(pass);
        let half = |now: &Count| {
            let before = counts.iter().rev().find(|before| 2 * before.examples <= now.examples);
            CurvePoint::new(before.copied().unwrap_or_default(), *now)
        };
        counts.iter().map(half).map(|point| (point.examples, point.recent)).collect()
    }

    /// The share of mistakes in each whole stretch of so many examples of a pass: (examples so far, share). Lengths are
    /// powers of ten or 2 and 5 times one, and not so short that a pass has more than a thousand.
    #[must_use]
    pub fn stretches(&self, pass: usize, length: u64) -> Vec<(u64, f64)> {
        self.evenly.get(pass).map_or_else(Vec::new, |stretches| stretches.of_length(length))
    }

    fn counts(&self, pass: usize) -> &[Count] {
        self.passes.get(pass).map_or(&[], Vec::as_slice)
    }
}

/// Mistakes in stretches of equal length. When there are too many, ten become one.
#[derive(Debug, Clone)]
struct Stretches {
    length: u64,
    /// Of the stretches that are whole.
    mistakes: Vec<u64>,
    now: Count,
}

impl Default for Stretches {
    fn default() -> Self {
        Self { length: 1, mistakes: Vec::new(), now: Count::default() }
    }
}

impl Stretches {
    const MOST: usize = 10_000;

    fn round(&mut self, mistake: bool) {
        self.now.examples += 1;
        self.now.mistakes += u64::from(mistake);
        if self.now.examples < self.length {
            return;
        }
        self.mistakes.push(self.now.mistakes);
        self.now = Count::default();
        if self.mistakes.len() == Self::MOST {
            self.mistakes = self.mistakes.chunks(10).map(|ten| ten.iter().sum()).collect();
            self.length *= 10;
        }
    }

    fn of_length(&self, length: u64) -> Vec<(u64, f64)> {
        let each = (length / self.length).max(1) as usize;
        let whole = each as u64 * self.length;
        let sums = self.mistakes.chunks_exact(each).map(|some| some.iter().sum::<u64>());
        sums.zip(1..).map(|(sum, number)| (whole * number, sum as f64 / whole as f64)).collect()
    }
}

fn is_row(count: &Count) -> bool {
    count.examples.is_power_of_two()
}

/// The next point after so many examples: a tenth later, and never past a power of two.
fn after(examples: u64) -> u64 {
    (examples + examples.div_ceil(10)).min((examples + 1).next_power_of_two())
}

fn paired(counts: impl Iterator<Item = Count>) -> impl Iterator<Item = CurvePoint> {
    counts.scan(Count::default(), |before, now| {
        let point = CurvePoint::new(*before, now);
        *before = now;
        Some(point)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_powers_of_two_and_at_the_end() {
        let mut curve = Curve::default();
        for pass in 0..2 {
            let told: Vec<u64> =
                (0..300).filter_map(|n| curve.round(n % 3 == pass)).map(|r| r.examples).collect();
            assert_eq!(told, [1, 2, 4, 8, 16, 32, 64, 128, 256]);
            assert_eq!(curve.end_pass().map(|row| row.examples), Some(300));
        }
        assert_eq!((curve.passes(), curve.examples(1)), (2, 300));
        assert_eq!(curve.rows(0).map(|row| row.examples).last(), Some(300));
        assert!((curve.rows(0).last().expect("a row").error - 1.0 / 3.0).abs() < 1e-12);
        assert!(curve.points(0).count() > 2 * curve.rows(0).count());
    }

    #[test]
    fn stretches_are_even_in_bounded_memory() {
        let mut curve = Curve::default();
        (0..123_456).for_each(|n| _ = curve.round(n >= 100_000));
        curve.end_pass();
        assert!(curve.evenly[0].mistakes.len() < Stretches::MOST);
        let found = curve.stretches(0, 20_000);
        assert_eq!(
            found,
            [(20_000, 0.0), (40_000, 0.0), (60_000, 0.0), (80_000, 0.0), (100_000, 0.0), (120_000, 1.0)]
        );
        let (examples, half) = curve.latest_half(0).last().copied().expect("a point");
        assert!(examples == 123_456 && (half - 23_456.0 / 61_728.0).abs() < 0.05, "{half}");
        assert!(curve.stretches(1, 10).is_empty());
    }

    #[test]
    fn an_empty_pass_has_no_rows() {
        let mut curve = Curve::default();
        assert_eq!(curve.end_pass(), None);
        assert_eq!((curve.rows(0).count(), curve.examples(0), curve.rows(7).count()), (0, 0, 0));
    }
}
