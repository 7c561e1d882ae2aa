//! Whether rows are dense: whether each has a good part of the features there are, as measurements, prices and images do.
//!
//! It is found out from the first rows, while the members that learn in any case are learning them. What was seen so far is
//! part of a model that is saved meanwhile, so that going on with it is the same as never having stopped.

use surefoot_core::LearnerSpec;
use surefoot_core::state::{State, Tensor, damaged};

use crate::Result;

/// Rows that are looked at.
const ROWS: u64 = 64;

/// Where rows are long, fewer will do: so many features of all rows together.
const ENTRIES: u64 = 1 << 13;

/// A row has at least one of so many of the features there are.
const SHARE: u64 = 4;

/// More features than that are not taken for a table of correlated columns.
const MOST_FEATURES: u64 = 1 << 10;

const SEEN: &str = "rows.seen";
const JOINING: &str = "rows.joining";

/// The first rows of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Density {
    pub(crate) rows: u64,
    /// Features of all rows together.
    pub(crate) entries: u64,
}

impl Density {
    /// Nothing seen yet, if any of these learners has to know.
    pub(crate) fn for_any<'r>(mut specs: impl Iterator<Item = &'r LearnerSpec>) -> Option<Self> {
        specs.any(LearnerSpec::is_open).then(Self::default)
    }

    /// The first rows of several streams, each counted so many times; none unless all of them are still looked at.
    pub(crate) fn sum(mut all: impl Iterator<Item = (Option<Self>, f64)>) -> Option<Self> {
        let sums = all.try_fold((0.0, 0.0), |(rows, entries), (density, times)| {
            density.map(|one| (rows + times * one.rows as f64, entries + times * one.entries as f64))
        });
        let (rows, entries) = sums?;
        Some(Density { rows: rows.max(0.0) as u64, entries: entries.max(0.0) as u64 })
    }

    /// Takes a look at a row of so many features.
    pub(crate) fn see(&mut self, entries: usize) {
        // A file may say anything.
        self.rows = self.rows.saturating_add(1);
        self.entries = self.entries.saturating_add(entries as u64);
    }

    /// Whether rows are dense, once that is clear; `features` were met in all of them.
    pub(crate) fn verdict(self, features: usize) -> Option<bool> {
        let (features, Density { rows, entries }) = (features as u64, self);
        if features > MOST_FEATURES {
            return Some(false);
        }
        // In the mean of the rows; and a single feature has nothing to be correlated with.
        (rows >= ROWS || entries >= ENTRIES)
            .then(|| features > 1 && SHARE.saturating_mul(entries) >= features.saturating_mul(rows))
    }

    /// Puts what was seen into `state`, and which members would join.
    pub(crate) fn export(self, spec: &LearnerSpec, state: &mut State<'_>) -> Result<()> {
        state.put(SEEN, Tensor::U64(vec![self.rows, self.entries].into()));
        state.put(JOINING, Tensor::U8(spec.joining()?.into_bytes().into()));
        Ok(())
    }

    /// What [`Density::export`] wrote, if it did; the spec is then open again.
    pub(crate) fn import(
        state: &mut State<'_>,
        spec: LearnerSpec,
    ) -> surefoot_core::Result<(LearnerSpec, Option<Self>)> {
        if !state.has(SEEN) {
            return Ok((spec.for_rows(false), None));
        }
        let unknown = |what: String| damaged(JOINING, what);
        let seen = state.take_u64(SEEN)?;
        let [rows, entries] = seen[..] else {
            return Err(damaged(SEEN, format!("{} numbers where 2 are needed", seen.len())));
        };
        let joining =
            String::from_utf8(state.take_u8(JOINING)?).map_err(|error| unknown(error.to_string()))?;
        let spec = spec.opened(&joining).map_err(|error| unknown(error.to_string()))?;
        Ok((spec, Some(Density { rows, entries })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_say_nothing_and_long_rows_need_not_be_many() {
        let verdict = |rows, each, features| Density { rows, entries: rows * each }.verdict(features);
        assert_eq!(verdict(ROWS - 1, 2, 2), None);
        assert_eq!(verdict(ROWS, 2, 2), Some(true));
        assert_eq!(verdict(8, 1000, 1000), None);
        assert_eq!(verdict(9, 1000, 1000), Some(true));
        assert_eq!(verdict(1, 2000, 2000), Some(false), "too many");
    }

    #[test]
    fn what_is_damaged_is_not_taken_in() {
        let auto = || LearnerSpec::parse("auto").expect("a spec");
        let saved = || {
            let mut state = State::new();
            Density { rows: 3, entries: 9 }.export(&auto(), &mut state).expect("exported");
            state
        };
        let (spec, density) = Density::import(&mut saved(), auto().for_rows(false)).expect("imported");
        assert_eq!((spec.joining().ok(), density.map(|d| d.rows)), (auto().joining().ok(), Some(3)));
        let refused = |change: &dyn Fn(&mut State<'_>), spec: LearnerSpec| {
            let mut state = saved();
            change(&mut state);
            Density::import(&mut state, spec).expect_err("damaged").to_string()
        };
        let decided = || auto().for_rows(false);
        let three = |state: &mut State<'_>| state.put(SEEN, Tensor::U64(vec![1, 2, 3].into()));
        assert!(refused(&three, decided()).contains("3 numbers"));
        let strange = |state: &mut State<'_>| state.put(JOINING, Tensor::U8(b"oracle@none"[..].into()));
        assert!(refused(&strange, decided()).contains("oracle"));
        assert!(refused(&|_| {}, LearnerSpec::parse("arow").expect("a spec")).contains("only an ensemble"));
    }

    #[test]
    fn several_streams_are_looked_at_together_or_not_at_all() {
        let (one, two) = (Density { rows: 5, entries: 20 }, Density { rows: 7, entries: 30 });
        let sum = |all: &[(Option<Density>, f64)]| Density::sum(all.iter().copied());
        assert_eq!(sum(&[(Some(one), 1.0), (Some(two), 1.0)]), Some(Density { rows: 12, entries: 50 }));
        assert_eq!(
            sum(&[(Some(two), 1.0), (Some(two), 1.0), (Some(one), -1.0)]),
            Some(Density { rows: 9, entries: 40 })
        );
        assert_eq!(sum(&[(Some(one), 1.0), (None, 1.0)]), None);
    }

    #[test]
    fn a_quarter_of_all_features_is_enough() {
        let verdict = |entries, features| Density { rows: 100, entries }.verdict(features);
        assert_eq!([verdict(500, 20), verdict(499, 20)], [Some(true), Some(false)]);
        assert_eq!(verdict(100, 1), Some(false), "one feature alone");
        assert_eq!(verdict(0, 0), Some(false));
        let mut most = Density { rows: u64::MAX, entries: u64::MAX };
        most.see(3);
        assert_eq!(most.verdict(1000), Some(true), "nonsense, but no overflow");
    }
}
