//! How the members of a shared table see an example.

use super::table::LANES;
use crate::SparseVec;
use crate::transform::{Transform, View, unit_divisor};

/// What it takes to see examples as members of a shared table do.
///
/// Each transform is applied once, however many members have it. Rows of unit length are not made: the pass over the values
/// divides them as it goes, by 1 where a member sees the row as long as it is. That leaves the bits of
/// [`View::apply`], and the division waits beside the memory of the weights.
#[derive(Debug, Clone)]
pub(super) struct Views {
    /// The transforms that there are, and whether a member asks for the length of the row.
    transforms: Vec<(Transform, bool)>,
    /// The values after each transform.
    rows: Vec<Vec<f64>>,
    /// What makes rows of unit length of them.
    divisors: Vec<f64>,
    /// Which of the transforms each member wants, and whether the row is to have unit length.
    lanes: [(usize, bool); LANES],
    /// Whether the last feature of every example is the bias, which no view changes.
    bias: bool,
}

/// An example as each member sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViewedExample<'a> {
    pub(super) example: SparseVec<'a>,
    /// The values, to be divided,
    pub(super) values: [&'a [f64]; LANES],
    /// each member's by its own number,
    pub(super) divisors: [f64; LANES],
    /// but for those from here on, where the bias is.
    pub(super) divided: usize,
}

impl ViewedExample<'_> {
    /// Puts the values into `column` as one member sees them.
    pub(super) fn as_seen_by(&self, lane: usize, column: &mut Vec<f64>) {
        let (values, divisor) = (self.values[lane], self.divisors[lane]);
        column.clear();
        column.extend(
            values
                .iter()
                .enumerate()
                .map(|(i, value)| if i < self.divided { value / divisor } else { *value }),
        );
    }
}

impl Views {
    /// For members with these views; lanes without a member see what the first one sees, and learn nothing from it.
    pub(super) fn new(views: &[View], bias: bool) -> Self {
        let mut transforms: Vec<(Transform, bool)> = Vec::new();
        let mut place = |view: &View| {
            let known = transforms.iter().position(|(known, _)| *known == view.transform);
            let place = known.unwrap_or(transforms.len());
            transforms.resize(transforms.len().max(place + 1), (view.transform, false));
            transforms[place].1 |= view.unit;
            (place, view.unit)
        };
        let lanes =
            std::array::from_fn(|lane| views.get(lane).or(views.first()).map_or((0, false), &mut place));
        let (rows, divisors) = (vec![Vec::new(); transforms.len()], vec![1.0; transforms.len()]);
        Self { transforms, rows, divisors, lanes, bias }
    }

    /// The example as the members see it.
    pub(super) fn see<'a>(&'a mut self, x: SparseVec<'a>) -> ViewedExample<'a> {
        let divided = x.len() - usize::from(self.bias && !x.is_empty());
        let plain = View::default();
        for (&(transform, _), row) in self.transforms.iter().zip(&mut self.rows) {
            if transform != plain.transform {
                View { transform, ..plain }.apply(x, self.bias, row);
            }
        }
        let Self { transforms, rows, divisors, lanes, .. } = self;
        let values = |place: usize| {
            if transforms[place].0 == plain.transform { x.values() } else { &rows[place][..] }
        };
        for (place, divisor) in divisors.iter_mut().enumerate() {
            if transforms[place].1 {
                *divisor = unit_divisor(&values(place)[..divided]);
            }
        }
        let divisors = lanes.map(|(place, unit)| if unit { divisors[place] } else { 1.0 });
        ViewedExample { example: x, values: lanes.map(|(place, _)| values(place)), divisors, divided }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Result;

    #[test]
    fn members_see_what_their_views_say() -> Result<()> {
        for words in
            [&["none", "sqrt", "sqrt+l2", "none+l2"][..], &["log+l2", "binary", "none"], &["sqrt+l2"]]
        {
            let views: Vec<View> = words.iter().map(|word| View::parse(word)).collect::<Result<_>>()?;
            for (values, bias) in [
                (&[0.3, -4.0, 1.5, 1.0][..], true),
                (&[2.0, -0.1, 7.0], false),
                (&[1e300, 1e300], false),
                (&[1.0], true),
                (&[], true),
            ] {
                let ids: Vec<u32> = (0..values.len() as u32).collect();
                let (mut shared, mut alone) = (Views::new(&views, bias), Vec::new());
                let seen = shared.see(SparseVec::new(&ids, values)?);
                for (lane, view) in views.iter().enumerate() {
                    view.apply(SparseVec::new(&ids, values)?, bias, &mut alone);
                    let divided = |(i, value): (usize, &f64)| {
                        if i < seen.divided { value / seen.divisors[lane] } else { *value }
                    };
                    let found: Vec<f64> = seen.values[lane].iter().enumerate().map(divided).collect();
                    assert_eq!(alone, found, "{view} {values:?}");
                }
            }
        }
        Ok(())
    }
}
