//! One walk through dense rows for the sums of all blocks.

use crate::SparseVec;
use crate::simd::Vectorized;
use crate::store::number::Number;

/// Rows whose numbers are added before a sum is put back: each takes its terms in the order of the features all the same.
const TOGETHER: usize = 4;

/// `outs[m][b]` += Σ over the example of factor m of the value · number `planes[m]` of block b.
pub(super) struct Sums<'a, const M: usize, T, F> {
    /// Dense rows with room for so many blocks.
    pub(super) data: &'a [T],
    pub(super) room: usize,
    /// The row of a feature that has none.
    pub(super) blank: &'a [T],
    pub(super) x: SparseVec<'a>,
    pub(super) planes: [usize; M],
    pub(super) outs: [&'a mut [f64]; M],
    pub(super) factors: F,
}

impl<const M: usize, T: Number, F: Fn(f64) -> [f64; M]> Vectorized for Sums<'_, M, T, F> {
    type Found = ();

    #[inline(always)]
    fn walk(self) {
        let Self { data, room, blank, x, planes, mut outs, factors } = self;
        // Number n of the first blocks of a feature.
        let plane = |id: u32, n: usize, blocks: usize| {
            let start = id as usize * blank.len() + n * room;
            data.get(start..start + blocks).unwrap_or_else(|| &blank[n * room..][..blocks])
        };
        let (ids, ids_left) = x.ids().as_chunks::<TOGETHER>();
        let (values, values_left) = x.values().as_chunks::<TOGETHER>();
        for (ids, values) in ids.iter().zip(values) {
            let factors = values.map(&factors);
            for (m, (out, n)) in outs.iter_mut().zip(planes).enumerate() {
                let rows = ids.map(|id| plane(id, n, out.len()));
                add_four(out, factors.map(|factors| factors[m]), rows);
            }
        }
        for (&id, &value) in ids_left.iter().zip(values_left) {
            for ((out, n), factor) in outs.iter_mut().zip(planes).zip(factors(value)) {
                add(out, factor, plane(id, n, out.len()));
            }
        }
    }
}

#[inline(always)]
fn add<T: Number>(out: &mut [f64], factor: f64, row: &[T]) {
    for (sum, number) in out.iter_mut().zip(row) {
        *sum += factor * number.wide();
    }
}

#[inline(always)]
fn add_four<T: Number>(out: &mut [f64], [f, g, h, i]: [f64; TOGETHER], rows: [&[T]; TOGETHER]) {
    let [a, b, c, d] = rows.map(|row| &row[..out.len()]);
    for (at, sum) in out.iter_mut().enumerate() {
        *sum = *sum + f * a[at].wide() + g * b[at].wide() + h * c[at].wide() + i * d[at].wide();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;
    use crate::simd::vectored;

    #[test]
    fn four_at_a_time_is_one_by_one() {
        let (room, blocks, features, origin) = (5, 3, 9, [0.25, 1.5]);
        let data: Vec<f64> = (0..features * 2 * room).map(|i| (i as f64 * 0.37).sin()).collect();
        for length in 0..14_u32 {
            // The last ones have no row.
            let x = Vector::from_pairs((0..length).map(|i| (i, 0.3 + f64::from(i).cos()))).unwrap();
            let (mut means, mut variances) = ([0.5; 3], [0.0; 3]);
            let outs = [&mut means[..], &mut variances];
            let factors = |value: f64| [value, value * value];
            let blank = &[origin[0]; 5].into_iter().chain([origin[1]; 5]).collect::<Vec<_>>();
            vectored(Sums { data: &data, room, blank, x: x.features(), planes: [0, 1], outs, factors });
            let (mut own_means, mut own_variances) = ([0.5; 3], [0.0; 3]);
            for (id, value) in x.features().iter() {
                for b in 0..blocks {
                    let number =
                        |n: usize| if id < features { data[(id * 2 + n) * room + b] } else { origin[n] };
                    own_means[b] += value * number(0);
                    own_variances[b] += value * value * number(1);
                }
            }
            assert_eq!((means, variances), (own_means, own_variances));
        }
    }
}
