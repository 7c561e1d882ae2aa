//! Rows that change their places within their table, without a second table.

use super::{Cells, Rows, extend};
use crate::gaussian::{NOWHERE, Number};

impl<const N: usize, T: Number> Cells<N, T> {
    /// Moves the row of every feature i to `places[i]`, see [`Gaussian::relocate`](crate::gaussian::Gaussian::relocate).
    pub fn relocate(&mut self, places: &[u32]) {
        let features = rows_needed(places, self.features);
        match &mut self.rows {
            Rows::Dense { data, room } => {
                let width = N * *room;
                extend(data, features * width, *room, self.origin);
                let origin: Vec<T> = self.origin.iter().flat_map(|&number| vec![number; *room]).collect();
                move_rows(data, width, &places[..self.features.min(places.len())], &origin);
                data.truncate(features * width);
            }
            Rows::Sparse(rows) => {
                let mut fresh = vec![Vec::new(); features];
                for (row, &place) in std::mem::take(rows).into_iter().zip(places) {
                    if place != NOWHERE {
                        fresh[place as usize] = row;
                    }
                }
                *rows = fresh;
            }
        }
        self.features = features;
    }
}

/// How many rows a table of so many needs once its features have moved.
pub(crate) fn rows_needed(places: &[u32], rows: usize) -> usize {
    let taken = places.iter().take(rows).filter(|&&place| place != NOWHERE);
    taken.max().map_or(0, |&place| place as usize + 1)
}

/// Moves every row i of `width` numbers to `places[i]`; no two go to the same place, and all places lie in the table. A row
/// that comes from nowhere is at the origin afterwards.
pub(crate) fn move_rows<T: Copy>(data: &mut [T], width: usize, places: &[u32], origin: &[T]) {
    let mut waiting = vec![true; places.len()];
    let mut carried = origin.to_vec();
    for first in 0..places.len() {
        // Whoever is pushed out of a place is carried on to its own, until a place was free.
        let mut from = first;
        carried.copy_from_slice(origin);
        while waiting.get(from) == Some(&true) {
            waiting[from] = false;
            data[from * width..][..width].swap_with_slice(&mut carried);
            if places[from] == NOWHERE {
                break;
            }
            from = places[from] as usize;
            if waiting.get(from) != Some(&true) {
                data[from * width..][..width].copy_from_slice(&carried);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_row_arrives(
            order in Just((0..40u32).collect::<Vec<_>>()).prop_shuffle(),
            rows in 0usize..30,
            nowhere in prop::collection::vec(prop::bool::weighted(0.2), 30),
        ) {
            let places: Vec<u32> =
                order[..rows].iter().zip(&nowhere).map(|(&place, &none)| if none { NOWHERE } else { place }).collect();
            let origin = [-1, -2];
            let (old, mut new) = (|i: usize| [10 * i as i32, 10 * i as i32 + 1], [origin; 40].concat());
            (0..rows).for_each(|i| new[2 * i..2 * i + 2].copy_from_slice(&old(i)));
            let mut expected = [origin; 40];
            for (i, &place) in places.iter().enumerate().filter(|(_, place)| **place != NOWHERE) {
                expected[place as usize] = old(i);
            }
            move_rows(&mut new, 2, &places, &origin);
            prop_assert_eq!(new, expected.concat());
            let needed = places.iter().filter(|&&place| place != NOWHERE).max().map_or(0, |&place| place as usize + 1);
            prop_assert_eq!(rows_needed(&places, rows), needed);
        }
    }
}
