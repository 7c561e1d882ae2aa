//! The two walks over an example's rows in the members' common table: there for the scores, and back with the steps.

use super::looks::Sight;
use super::row::{LANES, Lanes, Row};
use crate::simd::Walk;
use crate::store::kept;

/// The sums of every member's score.
pub(super) struct Project<'a, R> {
    pub(super) rows: &'a [R],
    /// What a feature without a row has.
    pub(super) origin: R,
    pub(super) sight: Sight<'a>,
    /// The values as each member sees them, feature by feature, to be filled in.
    pub(super) wide: &'a mut [Lanes],
}

impl<R: Row> Walk for Project<'_, R> {
    type Found = (Lanes, Lanes, bool);

    #[inline(always)]
    fn walk(self) -> Self::Found {
        let (mut means, mut variances, mut known) = ([0.0; LANES], [0.0; LANES], true);
        let mut add = |x: Lanes, row: &R| {
            let own = row.wide();
            means = each(|lane| means[lane] + x[lane] * own[0][lane]);
            variances = each(|lane| variances[lane] + x[lane] * x[lane] * own[1][lane]);
        };
        let Sight { example, values, divisors, divided } = self.sight;
        for (i, (&id, wide)) in example.ids().iter().zip(self.wide).enumerate() {
            let x = each(|lane| values[lane][i]);
            let x = if i < divided { each(|lane| x[lane] / divisors[lane]) } else { x };
            *wide = x;
            // A branch, which is foreseen, and not a choice between two addresses, for which the load would wait.
            if let Some(row) = self.rows.get(id as usize) {
                add(x, row);
            } else {
                known = false;
                add(x, &self.origin);
            }
        }
        (means, variances, known)
    }
}

/// What it takes to project the covariance, and not the precision, for those members who do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shrinking {
    /// Their gains, 0 for the others,
    pub(super) gains: Lanes,
    /// the variances of their scores, 0 for the others,
    pub(super) variances: Lanes,
    /// and 1/(1 + gain·variance), 1 for the others.
    pub(super) wholes: Lanes,
}

/// Every member's step at once; a member without one has alpha and gain 0 and stays as it is.
pub(super) struct Absorb<'a, R> {
    pub(super) rows: &'a mut [R],
    pub(super) ids: &'a [u32],
    pub(super) wide: &'a [Lanes],
    pub(super) alphas: Lanes,
    /// The gains of those who project the precision, 0 for the others.
    pub(super) gains: Lanes,
    /// None if all project the precision.
    pub(super) shrinking: Option<Shrinking>,
}

impl<R: Row> Walk for Absorb<'_, R> {
    type Found = ();

    #[inline(always)]
    fn walk(self) {
        match self.shrinking {
            None => self.move_rows(|_| [1.0; LANES]),
            Some(Shrinking { gains, variances, wholes }) => self.move_rows(|parts| {
                each(|lane| kept(gains[lane], variances[lane], wholes[lane], parts[lane]))
            }),
        }
    }
}

impl<R: Row> Absorb<'_, R> {
    /// `kept` is the share that the covariance projection leaves of each variance, by the feature's part of the score's.
    #[inline(always)]
    fn move_rows(self, kept: impl Fn(Lanes) -> Lanes) {
        let Self { rows, ids, wide, alphas, gains, .. } = self;
        for (&id, x) in ids.iter().zip(wide) {
            let row = &mut rows[id as usize];
            let [means, variances] = row.wide();
            let image = each(|lane| variances[lane] * x[lane]);
            let parts = each(|lane| image[lane] * x[lane]);
            let kept = kept(parts);
            *row = R::new(
                each(|lane| means[lane] + alphas[lane] * image[lane]),
                // The diagonal store's projections: for each member one of the two factors is 1.
                each(|lane| variances[lane] * kept[lane] / (1.0 + gains[lane] * parts[lane])),
            );
        }
    }
}

/// A number for every member. Written out lane by lane without branches, so that the compiler takes several at a time.
#[inline(always)]
fn each(number: impl Fn(usize) -> f64) -> Lanes {
    std::array::from_fn(number)
}
