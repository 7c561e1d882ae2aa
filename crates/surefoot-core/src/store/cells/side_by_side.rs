//! Cells whose blocks are walked over together: the members of an ensemble.

use super::{Cells, Lines, RowStorage, blank};
use crate::store::Number;

impl<const N: usize, T: Number> Cells<N, T> {
    /// No rows yet; one block an origin, always dense, each row with room for so many blocks.
    #[must_use]
    pub(crate) fn side_by_side(origins: Vec<[T; N]>, room: usize) -> Self {
        let (blocks, room) = (origins.len(), room.max(origins.len()));
        let rows = RowStorage::Dense { data: Lines::with_capacity(0), room };
        let blank = blank(&origins, room);
        Self { rows, blocks, features: 0, origins, blank, least_room: room, always_dense: true }
    }

    /// The rows of all known features, each `N` planes of `ROOM` blocks; none unless rows are dense with that room.
    #[inline]
    pub(crate) fn rows<const ROOM: usize>(&self) -> &[[[T; ROOM]; N]] {
        match &self.rows {
            RowStorage::Dense { data, room } if *room == ROOM => {
                &data.as_chunks::<ROOM>().0.as_chunks::<N>().0[..self.features]
            }
            _ => &[],
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn rows_mut<const ROOM: usize>(&mut self) -> &mut [[[T; ROOM]; N]] {
        match &mut self.rows {
            RowStorage::Dense { data, room } if *room == ROOM => {
                &mut data.as_chunks_mut::<ROOM>().0.as_chunks_mut::<N>().0[..self.features]
            }
            _ => &mut [],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Result, Vector};

    #[test]
    fn blocks_side_by_side_have_origins_of_their_own() -> Result<()> {
        let (one, other) = ([0.0, 1.0], [0.0, 2.0]);
        let mut cells = Cells::side_by_side(vec![one, other], 4);
        let x = Vector::from_pairs([(0, 2.0), (70, 1.0)])?;
        let mut means = [0.0; 2];
        cells.scan(x.features(), [1], [&mut means], |value| [value]);
        assert_eq!(means, [3.0, 6.0]);
        cells.reserve(x.features())?;
        cells.update(x.features(), 1, |value, cell| cell[0] = value);
        assert_eq!((cells.get(0, 1), cells.get(70, 0), cells.get(71, 1)), ([2.0, 2.0], one, other));
        assert_eq!(cells.rows::<4>()[70], [[0.0, 1.0, 0.0, 0.0], [1.0, 2.0, 2.0, 2.0]]);
        let mut again = Cells::side_by_side(vec![one, other], 4);
        again.restore(&mut cells.save(), 2)?;
        assert_eq!(again.rows::<4>(), cells.rows::<4>());
        assert_eq!(again.rows::<4>().as_ptr().addr() % 64, 0);
        assert!(again.restore(&mut cells.save(), 3).is_err());
        Ok(())
    }

    #[test]
    fn sparse_rows_and_rows_of_no_block_are_refused() -> Result<()> {
        let mut sparse = Cells::new(200, [0.0, 1.0], false);
        let x = Vector::from_pairs([(3, 1.0)])?;
        sparse.reserve(x.features())?;
        sparse.update(x.features(), 7, |_, cell| cell[0] = 1.0);
        let mut dense = Cells::side_by_side(vec![[0.0, 1.0]; 200], 200);
        assert!(dense.restore(&mut sparse.save(), 200).is_err_and(|e| e.to_string().contains("sparse")));
        let mut hollow = Cells::new(0, [0.0, 1.0], false).save().into_owned();
        hollow.put_counts("shape", &[1 << 40, 0]);
        assert!(Cells::new(0, [0.0, 1.0], false).restore(&mut hollow, 0).is_err());
        Ok(())
    }
}
