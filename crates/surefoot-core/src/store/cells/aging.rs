//! Rows that forget: a clock of rounds for the table and a stamp for each row, so that a round costs its features alone.
//!
//! A row holds what it was at the round of its stamp. Before a round it is brought up to date; what only reads gets a copy
//! that is. A row at the origin stays there whatever its stamp says.

use std::marker::PhantomData;
use std::ops::Range;

use smallvec::SmallVec;

use super::sparse::SparseCell;
use super::{Cells, Lines, RowStorage};
use crate::simd::{Number, Vectorized, vectored};
use crate::state::{State, Tensor, check_length, damaged};
use crate::store::forget::{Fade, Forgetting, Share};
use crate::{Result, SparseVec};

/// When each row was last up to date, and what becomes of it with time.
#[derive(Debug, Clone)]
pub(super) struct Aging<const N: usize, T: Number> {
    /// [`Fade::fade`] for a cell alone,
    fade: fn(Share, [f64; N], [f64; N]) -> [f64; N],
    /// and for the cells of a dense row.
    fade_row: fn(FadeRow<'_, N, T>),
    /// How each block forgets; blocks beyond do as the last of these.
    blocks: Vec<Option<Forgetting>>,
    clock: u32,
    /// The clock when each row was last up to date.
    stamps: Vec<u32>,
}

/// What some rounds leave of each block that has a way of its own to forget.
type Shares = SmallVec<[Option<Share>; 4]>;

/// The share of a block.
fn share_of(shares: &Shares, block: usize) -> Option<Share> {
    shares.get(block).or(shares.last()).copied().flatten()
}

/// A dense row that fades: all blocks' first numbers, then all blocks' second ones.
pub(super) struct FadeRow<'a, const N: usize, T> {
    row: &'a mut [T],
    blocks: usize,
    origins: &'a [[T; N]],
    shares: &'a Shares,
}

/// The same by one way to fade.
struct FadeRowBy<'a, F, const N: usize, T>(FadeRow<'a, N, T>, PhantomData<F>);

fn fade_row<F: Fade<N>, const N: usize, T: Number>(row: FadeRow<'_, N, T>) {
    vectored(FadeRowBy::<F, N, T>(row, PhantomData));
}

impl<F: Fade<N>, const N: usize, T: Number> Vectorized for FadeRowBy<'_, F, N, T> {
    type Found = ();

    #[inline(always)]
    fn walk(self) {
        let FadeRow { row, blocks, origins, shares } = self.0;
        let room = row.len() / N;
        let mut fade = |block: usize, share: Share, origin: [T; N]| {
            let mut cell = [T::mean(0.0); N];
            (0..N).for_each(|n| cell[n] = row[n * room + block]);
            let cell = changed(cell, origin, |cell, origin| F::fade(share, cell, origin));
            (0..N).for_each(|n| row[n * room + block] = cell[n]);
        };
        if let ([share], [origin]) = (&shares[..], origins) {
            // Of many classes all blocks fade alike: a loop without a question.
            if let Some(share) = *share {
                (0..blocks.min(room)).for_each(|block| fade(block, share, *origin));
            }
            return;
        }
        for block in 0..blocks.min(room) {
            if let Some(share) = share_of(shares, block) {
                fade(block, share, origins[block.min(origins.len() - 1)]);
            }
        }
    }
}

const CLOCK: &str = "clock";
const STAMP: &str = "stamp";

impl<const N: usize, T: Number> Aging<N, T> {
    /// How many rounds a row is behind; one that is not there is not.
    fn age(&self, row: usize) -> u32 {
        self.stamps.get(row).map_or(0, |stamp| self.clock - stamp)
    }

    /// Makes stamps for new rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.stamps.resize(rows.max(self.stamps.len()), self.clock);
    }

    /// What so many rounds leave of each block; of blocks beyond as of the last.
    fn shares(&self, age: u32) -> Shares {
        self.blocks.iter().map(|forgetting| forgetting.map(|forgetting| forgetting.share(age))).collect()
    }

    fn faded(&self, share: Share, cell: [T; N], origin: [T; N]) -> [T; N] {
        changed(cell, origin, |cell, origin| (self.fade)(share, cell, origin))
    }
}

/// What becomes of a cell; the change is worked out in double precision.
#[inline(always)]
fn changed<const N: usize, T: Number>(
    cell: [T; N],
    origin: [T; N],
    change: impl Fn([f64; N], [f64; N]) -> [f64; N],
) -> [T; N] {
    let numbers = change(wide(cell), wide(origin));
    let mut narrow = cell;
    for (n, (own, number)) in narrow.iter_mut().zip(numbers).enumerate() {
        *own = if n == 0 { T::mean(number) } else { T::variance(number) };
    }
    narrow
}

/// A plain loop, which is compiled into the one around it; a map of an array is called.
#[inline(always)]
fn wide<const N: usize, T: Number>(cell: [T; N]) -> [f64; N] {
    let mut numbers = [0.0; N];
    numbers.iter_mut().zip(cell).for_each(|(number, own)| *number = own.wide());
    numbers
}

impl<const N: usize, T: Number> Cells<N, T> {
    /// The same rows, which forget: one entry a block, the last for all that follow.
    #[must_use]
    pub(crate) fn forgetting<F: Fade<N>>(mut self, blocks: Vec<Option<Forgetting>>) -> Self {
        if blocks.iter().any(Option::is_some) {
            let (fade, fade_row) = (F::fade, fade_row::<F, N, T>);
            self.aging = Some(Box::new(Aging { fade, fade_row, blocks, clock: 0, stamps: Vec::new() }));
        }
        self
    }

    /// Ends a round of positive weight: what is not looked at is now one round older.
    pub fn end_round(&mut self) {
        let Some(aging) = &mut self.aging else { return };
        aging.clock += 1;
        if aging.clock == u32::MAX {
            self.start_clock_anew();
        }
    }

    /// Brings every row up to date, so that the clock may begin at 0 again.
    #[cold]
    fn start_clock_anew(&mut self) {
        self.catch_up_all();
        if let Some(aging) = &mut self.aging {
            aging.stamps.fill(0);
            aging.clock = 0;
        }
    }

    /// Brings every row up to date.
    fn catch_up_all(&mut self) {
        let Some(mut aging) = self.aging.take() else { return };
        for row in 0..self.features {
            self.fade_row(&aging, row, &aging.shares(aging.age(row)));
        }
        let clock = aging.clock;
        aging.stamps.fill(clock);
        self.aging = Some(aging);
    }

    /// Changes every cell at once, as it is now; `change` gets it with what it was before anything was learned.
    pub(crate) fn change_all(&mut self, change: impl Fn([f64; N], [f64; N]) -> [f64; N]) {
        self.change_blocks(0..self.blocks, change);
    }

    /// The same for the cells of these blocks.
    pub(crate) fn change_blocks(
        &mut self,
        blocks: Range<usize>,
        change: impl Fn([f64; N], [f64; N]) -> [f64; N],
    ) {
        self.catch_up_all();
        let origins = &self.origins;
        let origin = |block: usize| origins[block.min(origins.len() - 1)];
        match &mut self.rows {
            RowStorage::Dense { data, room } => {
                for row in data.chunks_exact_mut(N * *room).take(self.features) {
                    for block in blocks.clone() {
                        let cell = std::array::from_fn(|n| row[n * *room + block]);
                        for (n, number) in changed(cell, origin(block), &change).into_iter().enumerate() {
                            row[n * *room + block] = number;
                        }
                    }
                }
            }
            RowStorage::Sparse(rows) => {
                for SparseCell { block, cell } in
                    rows.iter_mut().flatten().filter(|own| blocks.contains(&(own.block as usize)))
                {
                    *cell = changed(*cell, origin(*block as usize), &change);
                }
            }
        }
    }

    /// Brings the rows of an example up to date; every round does before it scores.
    pub fn catch_up(&mut self, x: SparseVec<'_>) {
        let Some(mut aging) = self.aging.take() else { return };
        // Rows of one age are frequent where rows are dense, and a power takes longer than the rest.
        let (mut known, mut shares) = (0, Shares::new());
        for &id in x.ids() {
            let row = id as usize;
            let age = aging.age(row);
            if age > 0 {
                if age != known {
                    (known, shares) = (age, aging.shares(age));
                }
                self.fade_row(&aging, row, &shares);
                aging.stamps[row] = aging.clock;
            }
        }
        self.aging = Some(aging);
    }

    fn fade_row(&mut self, aging: &Aging<N, T>, row: usize, shares: &Shares) {
        let (origins, blocks) = (&self.origins[..], self.blocks);
        match &mut self.rows {
            RowStorage::Dense { data, room } => {
                let row = &mut data[row * N * *room..][..N * *room];
                (aging.fade_row)(FadeRow { row, blocks, origins, shares });
            }
            RowStorage::Sparse(rows) => {
                // Tables with sparse rows have one way to forget for all blocks.
                let Some(share) = share_of(shares, 0) else { return };
                let origin = |block: usize| origins[block.min(origins.len() - 1)];
                for SparseCell { block, cell } in &mut rows[row] {
                    *cell = aging.faded(share, *cell, origin(*block as usize));
                }
            }
        }
    }

    /// The cell of a row that may be behind, as it is now.
    pub(crate) fn now(&self, feature: usize, block: usize, cell: [T; N]) -> [T; N] {
        let Some(aging) = &self.aging else { return cell };
        match (aging.age(feature), aging.blocks.get(block).or(aging.blocks.last()).copied().flatten()) {
            (0, _) | (_, None) => cell,
            (age, Some(forgetting)) => aging.faded(forgetting.share(age), cell, self.origin(block)),
        }
    }

    /// Whether a row of the example is behind.
    #[inline]
    pub(crate) fn is_behind(&self, x: SparseVec<'_>) -> bool {
        self.aging.as_ref().is_some_and(|aging| x.ids().iter().any(|&id| aging.age(id as usize) > 0))
    }

    /// The rows of an example as they are now, in its order: a table that does not forget, for [`positions`] in the place of
    /// the features.
    pub(crate) fn copy_of(&self, x: SparseVec<'_>) -> Self {
        let rows = match &self.rows {
            RowStorage::Dense { data, room } => {
                let mut copy = Lines::with_capacity(x.len() * N * room);
                for &id in x.ids() {
                    let start = id as usize * N * room;
                    let row = data.get(start..start + N * room).filter(|_| (id as usize) < self.features);
                    copy.extend_from_slice(row.unwrap_or(&self.blank));
                }
                RowStorage::Dense { data: copy, room: *room }
            }
            RowStorage::Sparse(rows) => {
                let row = |&id: &u32| rows.get(id as usize).cloned().unwrap_or_default();
                RowStorage::Sparse(x.ids().iter().map(row).collect())
            }
        };
        let mut copy = Self {
            rows,
            features: x.len(),
            origins: self.origins.clone(),
            blank: self.blank.clone(),
            aging: None,
            ..*self
        };
        if let Some(aging) = &self.aging {
            for (at, &id) in x.ids().iter().enumerate() {
                let age = aging.age(id as usize);
                if age > 0 {
                    copy.fade_row(aging, at, &aging.shares(age));
                }
            }
        }
        copy
    }

    /// Adds clock and stamps of so many rows to a state; `blank` says which rows are at the origin, whose stamps mean nothing.
    pub(super) fn save_ages(&self, state: &mut State<'_>, rows: usize, blank: impl Fn(usize) -> bool) {
        let Some(aging) = &self.aging else { return };
        let stamp = |row: usize| if blank(row) { aging.clock } else { aging.stamps[row] };
        state.put_counts(CLOCK, &[aging.clock.into()]);
        state.put(STAMP, Tensor::U32((0..rows).map(stamp).collect()));
    }

    /// Adds clock and stamps of all rows to a state.
    pub(crate) fn save_all_ages(&self, state: &mut State<'_>) {
        self.save_ages(state, self.features, |_| false);
    }

    /// Takes them out again, for as many rows as there are.
    pub(super) fn restore_ages(&mut self, state: &mut State<'_>) -> Result<()> {
        let Some(aging) = &mut self.aging else { return Ok(()) };
        let ([clock], stamps) = (state.take_counts(CLOCK)?, state.take_u32(STAMP)?);
        check_length(STAMP, stamps.len(), self.features)?;
        aging.clock = match u32::try_from(clock) {
            Ok(clock) if clock < u32::MAX => clock,
            _ => {
                return Err(damaged(CLOCK, format_args!("it says {clock}, and starts anew at {}", u32::MAX)));
            }
        };
        if let Some(row) = stamps.iter().position(|&stamp| stamp > aging.clock) {
            let stamp = stamps[row];
            return Err(damaged(
                STAMP,
                format_args!("row {row} is of round {stamp}, and the clock says {clock}"),
            ));
        }
        aging.stamps = stamps;
        Ok(())
    }
}

/// The ids of a copy's rows: 0, 1, 2, …
pub(crate) fn positions(x: SparseVec<'_>) -> Vec<u32> {
    (0..x.len() as u32).collect()
}
