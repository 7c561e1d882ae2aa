//! How the members of a group see an example.

use super::scalings::{ScaledExample, Through};
use super::table::LANES;
use crate::SparseVec;
use crate::transform::{Transform, View, unit_divisor};

/// The view of a member, and what the ensemble prepares for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    pub(super) view: View,
    pub(super) through: Through,
}

impl Sight {
    /// The example as the member sees it; `values` is memory for it.
    pub(super) fn see<'a>(&self, x: ScaledExample<'a>, values: &'a mut Vec<f64>) -> SparseVec<'a> {
        let seen = x.through(self.through);
        self.view.apply(seen, x.bias, values);
        SparseVec::of_finite(seen.ids(), values)
    }
}

/// What it takes to see examples as members of a shared table do.
///
/// Each transform is applied once, however many members have it. Rows of unit length are not made: the pass over the values
/// divides them as it goes, by 1 where a member sees the row as long as it is. That leaves the bits of
/// [`View::apply`], and the division waits beside the memory of the weights.
#[derive(Debug, Clone)]
pub(super) struct Views {
    /// The transforms that there are, of which prepared row, and whether a member asks for the length of the row.
    transforms: Vec<(Through, Transform, bool)>,
    /// The values after each transform.
    rows: Vec<Vec<f64>>,
    /// What makes rows of unit length of them.
    divisors: Vec<f64>,
    /// Which of the transforms each member wants, and whether the row is to have unit length.
    lanes: [(usize, bool); LANES],
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
    /// For members with these views, all of the same features; lanes without a member see what the first one sees, and learn
    /// nothing from it.
    pub(super) fn new(sights: &[Sight]) -> Self {
        let mut transforms: Vec<(Through, Transform, bool)> = Vec::new();
        let mut place = |Sight { view, through }: &Sight| {
            let wanted = (*through, view.transform);
            let known = transforms.iter().position(|&(through, transform, _)| (through, transform) == wanted);
            let place = known.unwrap_or(transforms.len());
            transforms.resize(transforms.len().max(place + 1), (*through, view.transform, false));
            transforms[place].2 |= view.unit;
            (place, view.unit)
        };
        let lanes =
            std::array::from_fn(|lane| sights.get(lane).or(sights.first()).map_or((0, false), &mut place));
        let (rows, divisors) = (vec![Vec::new(); transforms.len()], vec![1.0; transforms.len()]);
        Self { transforms, rows, divisors, lanes }
    }

    /// The scalings that members look through.
    pub(super) fn scalings(&self) -> impl Iterator<Item = usize> + '_ {
        self.transforms.iter().filter_map(|(through, ..)| through.scaling)
    }

    /// The example as the members see it.
    pub(super) fn see<'a>(&'a mut self, x: ScaledExample<'a>) -> ViewedExample<'a> {
        let Self { transforms, rows, divisors, lanes } = self;
        let plain = View::default();
        for (&(through, transform, _), row) in transforms.iter().zip(&mut *rows) {
            if transform != plain.transform {
                View { transform, ..plain }.apply(x.through(through), x.bias, row);
            }
        }
        let example = x.through(transforms[lanes[0].0].0);
        let divided = example.len() - usize::from(x.bias && !example.is_empty());
        let values = |place: usize| match transforms[place] {
            (through, transform, _) if transform == plain.transform => x.through(through).values(),
            _ => &rows[place][..],
        };
        for (place, divisor) in divisors.iter_mut().enumerate() {
            if transforms[place].2 {
                *divisor = unit_divisor(&values(place)[..divided]);
            }
        }
        let divisors = lanes.map(|(place, unit)| if unit { divisors[place] } else { 1.0 });
        ViewedExample { example, values: lanes.map(|(place, _)| values(place)), divisors, divided }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scalings::Scalings;
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
                let sights: Vec<Sight> =
                    views.iter().map(|&view| Sight { view, through: Through::default() }).collect();
                let (mut shared, mut alone, mut rows) = (Views::new(&sights), Vec::new(), Vec::new());
                let example = Scalings::default().see(SparseVec::new(&ids, values)?, bias, &mut rows);
                let seen = shared.see(example);
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
