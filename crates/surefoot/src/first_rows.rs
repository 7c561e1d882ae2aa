//! What the rows of a stream are, which decides what members of `auto` learn: whether there is text among them, and whether each
//! has a good part of the features there are, as measurements, prices and images do.
//!
//! It is found out from the first rows, while the members that learn in any case are learning them. What was seen so far is
//! part of a model that is saved meanwhile, so that going on with it is the same as never having stopped.

use surefoot_core::state::{State, Tensor, damaged};
use surefoot_core::{LearnerSpec, RowKind, Task};
use surefoot_data::KeyedFeatures;

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
const JOINING_DENSE: &str = "rows.joining-dense";
const JOINING_TEXT: &str = "rows.joining-text";

/// The first rows of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FirstRows {
    pub(crate) rows: u64,
    /// Features of all rows together.
    pub(crate) entries: u64,
    /// Rows with text that is cut in several ways.
    pub(crate) texts: u64,
}

impl FirstRows {
    /// Nothing seen yet, if any of these learners has to know.
    pub(crate) fn for_any<'r>(mut specs: impl Iterator<Item = &'r LearnerSpec>) -> Option<Self> {
        specs.any(LearnerSpec::is_open).then(Self::default)
    }

    /// The first rows of several streams, each counted so many times; none unless all of them are still looked at.
    pub(crate) fn sum(mut all: impl Iterator<Item = (Option<Self>, f64)>) -> Option<Self> {
        let sums = all.try_fold([0.0; 3], |[rows, entries, texts], (own, times)| {
            let sum = |sum: f64, count: u64| sum + times * count as f64;
            own.map(|own| [sum(rows, own.rows), sum(entries, own.entries), sum(texts, own.texts)])
        });
        let [rows, entries, texts] = sums?.map(|sum| sum.max(0.0) as u64);
        Some(FirstRows { rows, entries, texts })
    }

    /// Takes a look at a row.
    pub(crate) fn see(&mut self, row: &KeyedFeatures<'_>) {
        self.count(row.len(), row.has_cut_text());
    }

    fn count(&mut self, entries: usize, text: bool) {
        // A file may say anything.
        self.rows = self.rows.saturating_add(1);
        self.entries = self.entries.saturating_add(entries as u64);
        self.texts = self.texts.saturating_add(text.into());
    }

    /// What the rows are, once that is clear; `features` were met in all of them. The first text decides at once.
    pub(crate) fn verdict(self, features: usize) -> Option<RowKind> {
        let (features, FirstRows { rows, entries, texts }) = (features as u64, self);
        if texts > 0 {
            return Some(RowKind::Text);
        }
        if features > MOST_FEATURES {
            return Some(RowKind::Sparse);
        }
        // In the mean of the rows; and a single feature has nothing to be correlated with.
        let dense = features > 1 && SHARE.saturating_mul(entries) >= features.saturating_mul(rows);
        let enough = rows >= ROWS || entries >= ENTRIES;
        enough.then_some(if dense { RowKind::Dense } else { RowKind::Sparse })
    }

    /// Puts what was seen into `state`, and which members would join.
    pub(crate) fn export(self, spec: &LearnerSpec, task: Task, state: &mut State<'_>) -> Result<()> {
        state.put(SEEN, Tensor::U64(vec![self.rows, self.entries, self.texts].into()));
        for (name, rows) in [(JOINING_DENSE, RowKind::Dense), (JOINING_TEXT, RowKind::Text)] {
            state.put(name, Tensor::U8(spec.joining_text(rows, task)?.into_bytes().into()));
        }
        Ok(())
    }

    /// What [`FirstRows::export`] wrote, if it did; the spec is then open again.
    pub(crate) fn import(
        state: &mut State<'_>,
        spec: LearnerSpec,
    ) -> surefoot_core::Result<(LearnerSpec, Option<Self>)> {
        if !state.has(SEEN) {
            return Ok((spec.for_rows(RowKind::Sparse), None));
        }
        let [rows, entries, texts] = state.take_u64(SEEN)?[..] else {
            return Err(damaged(SEEN, "3 numbers are needed"));
        };
        let mut joining = |name: &str| {
            let text = String::from_utf8(state.take_u8(name)?);
            text.map_err(|error| damaged(name, error))
        };
        let (dense, text) = (joining(JOINING_DENSE)?, joining(JOINING_TEXT)?);
        let spec = spec.opened(&dense, &text).map_err(|error| damaged("rows.joining-…", error))?;
        Ok((spec, Some(FirstRows { rows, entries, texts })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many rows, so many features in each, and no text.
    fn rows(rows: u64, each: u64) -> FirstRows {
        FirstRows { rows, entries: rows * each, texts: 0 }
    }

    #[test]
    fn few_rows_say_nothing_and_long_rows_need_not_be_many() {
        assert_eq!(rows(ROWS - 1, 2).verdict(2), None);
        assert_eq!(rows(ROWS, 2).verdict(2), Some(RowKind::Dense));
        assert_eq!(rows(8, 1000).verdict(1000), None);
        assert_eq!(rows(9, 1000).verdict(1000), Some(RowKind::Dense));
        assert_eq!(rows(1, 2000).verdict(2000), Some(RowKind::Sparse), "too many");
    }

    #[test]
    fn one_text_is_enough() {
        let mut first = FirstRows::default();
        first.count(3, false);
        assert_eq!(first.verdict(3), None);
        first.count(3000, true);
        assert_eq!(first.verdict(3003), Some(RowKind::Text));
    }

    #[test]
    fn what_is_damaged_is_not_taken_in() {
        let auto = || LearnerSpec::parse("auto").expect("a spec");
        let decided = || auto().for_rows(RowKind::Sparse);
        let saved = || {
            let mut state = State::new();
            rows(3, 3).export(&auto(), Task::Multiclass, &mut state).expect("exported");
            state
        };
        let (spec, first) = FirstRows::import(&mut saved(), decided()).expect("imported");
        assert_eq!(first, Some(rows(3, 3)));
        for kind in RowKind::ALL {
            let joining = |spec: LearnerSpec| spec.joining_text(kind, Task::Multiclass).ok();
            assert_eq!(joining(spec.clone()), joining(auto()));
        }
        let refused = |change: &dyn Fn(&mut State<'_>), spec: LearnerSpec| {
            let mut state = saved();
            change(&mut state);
            FirstRows::import(&mut state, spec).expect_err("damaged").to_string()
        };
        let four = |state: &mut State<'_>| state.put(SEEN, Tensor::U64(vec![1, 2, 3, 4].into()));
        assert!(refused(&four, decided()).contains("3 numbers"));
        for name in [JOINING_DENSE, JOINING_TEXT] {
            let strange = |state: &mut State<'_>| state.put(name, Tensor::U8(b"oracle@none"[..].into()));
            assert!(refused(&strange, decided()).contains("oracle"));
        }
        assert!(refused(&|_| {}, LearnerSpec::parse("arow").expect("a spec")).contains("only an ensemble"));
    }

    #[test]
    fn several_streams_are_looked_at_together_or_not_at_all() {
        let (one, two) = (rows(5, 4), rows(7, 6));
        let sum = |all: &[(Option<FirstRows>, f64)]| FirstRows::sum(all.iter().copied());
        assert_eq!(
            sum(&[(Some(one), 1.0), (Some(two), 1.0)]),
            Some(FirstRows { rows: 12, entries: 62, texts: 0 })
        );
        assert_eq!(
            sum(&[(Some(two), 1.0), (Some(two), 1.0), (Some(one), -1.0)]),
            Some(FirstRows { rows: 9, entries: 64, texts: 0 })
        );
        assert_eq!(sum(&[(Some(one), 1.0), (None, 1.0)]), None);
    }

    #[test]
    fn a_quarter_of_all_features_is_enough() {
        let verdict = |entries, features| FirstRows { rows: 100, entries, texts: 0 }.verdict(features);
        assert_eq!([verdict(500, 20), verdict(499, 20)], [Some(RowKind::Dense), Some(RowKind::Sparse)]);
        assert_eq!(verdict(100, 1), Some(RowKind::Sparse), "one feature alone");
        assert_eq!(verdict(0, 0), Some(RowKind::Sparse));
        let mut most = FirstRows { rows: u64::MAX, entries: u64::MAX, texts: 0 };
        most.count(3, false);
        assert_eq!(most.verdict(1000), Some(RowKind::Dense), "nonsense, but no overflow");
    }
}
