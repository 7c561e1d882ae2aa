//! The factored store as tensors: blocks one after the other, the buffer and the lazy transforms as they are.

use super::FactoredSettings;
use super::block::FactoredBlock;
use super::cholesky::Cholesky;
use super::places::NONE;
use crate::state::{State, Tensor};
use crate::store::parts::Parts;
use crate::{Error, Result};

pub(super) fn save(blocks: &[FactoredBlock]) -> State<'_> {
    let mut state = State::default();
    let counts = |of: fn(&FactoredBlock) -> usize| blocks.iter().map(|b| of(b) as u64).collect::<Vec<_>>();
    state.put_counts("rows", &counts(|b| b.table.len()));
    state.put_counts("columns", &counts(FactoredBlock::columns));
    state.put_counts("buffered", &counts(|b| b.buffer.touched().len()));
    state.put_counts("transforms", &counts(|b| b.lazy.now()));
    state.put_counts("worked", &counts(|b| b.worked));
    let indices =
        |of: fn(&FactoredBlock) -> &[u32]| Tensor::U32(blocks.iter().flat_map(of).copied().collect());
    state.put("feature", indices(|b| b.table.ids()));
    state.put("epoch", Tensor::U32(blocks.iter().flat_map(|b| b.table.epochs()).collect()));
    state.put("touched", indices(|b| b.buffer.touched()));
    let numbers =
        |of: fn(&FactoredBlock) -> &[f64]| Tensor::F64(blocks.iter().flat_map(of).copied().collect());
    state.put("row", numbers(|b| b.table.data()));
    state.put("factor", numbers(|b| b.factor.data()));
    state.put("shift", numbers(|b| &b.shift));
    state.put("transform", numbers(|b| b.lazy.data()));
    let entries =
        blocks.iter().flat_map(|b| (0..b.buffer.touched().len() as u32).map(|own| b.buffer.row(own)));
    state.put("buffer", Tensor::F64(entries.flatten().copied().collect()));
    state
}

pub(super) fn restore(settings: FactoredSettings, mut state: State<'_>) -> Result<Vec<FactoredBlock>> {
    let mut counts = ["rows", "columns", "buffered", "transforms", "worked"].into_iter();
    let mut next = || state.take_u64(counts.next().unwrap_or_default());
    let (rows, columns, buffered, transforms, worked) = (next()?, next()?, next()?, next()?, next()?);
    if [&columns, &buffered, &transforms, &worked].iter().any(|counts| counts.len() != rows.len()) {
        return Err(Error::State(
            "`rows`, `columns`, `buffered`, `transforms` and `worked` differ in size".into(),
        ));
    }
    let mut saved = SavedFactored {
        settings,
        feature: Parts::indices(&mut state, "feature")?,
        epoch: Parts::indices(&mut state, "epoch")?,
        touched: Parts::indices(&mut state, "touched")?,
        row: Parts::numbers(&mut state, "row")?,
        factor: Parts::numbers(&mut state, "factor")?,
        shift: Parts::numbers(&mut state, "shift")?,
        transform: Parts::numbers(&mut state, "transform")?,
        buffer: Parts::numbers(&mut state, "buffer")?,
    };
    state.finish()?;
    let blocks = (0..rows.len())
        .map(|i| {
            saved.block(FactoredSizes {
                rows: rows[i],
                columns: columns[i],
                buffered: buffered[i],
                transforms: transforms[i],
                worked: worked[i],
            })
        })
        .collect();
    saved.finish()?;
    blocks
}

/// The sizes of one block.
#[derive(Clone, Copy)]
struct FactoredSizes {
    rows: u64,
    columns: u64,
    buffered: u64,
    transforms: u64,
    worked: u64,
}

/// What is left of the tensors.
struct SavedFactored {
    settings: FactoredSettings,
    feature: Parts<u32>,
    epoch: Parts<u32>,
    touched: Parts<u32>,
    row: Parts<f64>,
    factor: Parts<f64>,
    shift: Parts<f64>,
    transform: Parts<f64>,
    buffer: Parts<f64>,
}

impl SavedFactored {
    fn block(&mut self, sizes: FactoredSizes) -> Result<FactoredBlock> {
        let mut block = FactoredBlock::new(self.settings);
        let rank = self.settings.rank;
        let most = self.settings.most_columns() as u64;
        if sizes.columns >= most {
            return Err(Error::State(format!("{} columns where fewer than {most} fit", sizes.columns)));
        }
        let columns = sizes.columns as usize;
        for _ in 0..sizes.transforms {
            let rows = self.transform.take((rank * (rank + 1)) as u64)?;
            block.lazy.push(&rows);
        }
        let ids = self.feature.take(sizes.rows)?;
        let data = self.row.take(sizes.rows.saturating_mul(block.table.stride() as u64))?;
        block.table.refill(&ids, &self.epoch.take(sizes.rows)?, data, block.lazy.now())?;
        block.factor = Cholesky::from_data(columns, self.factor.take((columns * (columns + 1) / 2) as u64)?)
            .ok_or_else(|| Error::State("`factor` has a diagonal that is not positive".into()))?;
        block.shift = self.shift.take(sizes.columns)?;
        block.worked = usize::try_from(sizes.worked).unwrap_or(usize::MAX);
        self.fill_buffer(&mut block, sizes.buffered)?;
        Ok(block)
    }

    fn fill_buffer(&mut self, block: &mut FactoredBlock, buffered: u64) -> Result<()> {
        let columns = block.columns().saturating_sub(self.settings.rank);
        if columns == 0 && buffered > 0 {
            return Err(Error::State(format!("{buffered} rows in a buffer without columns")));
        }
        let touched = self.touched.take(buffered)?;
        let entries = self.buffer.take(buffered.saturating_mul(columns as u64))?;
        for (own, &place) in touched.iter().enumerate() {
            if place as usize >= block.table.len() || block.table.mark(place as usize).buffered != NONE {
                return Err(Error::State(format!(
                    "`touched` names row {place}, which is not there or comes twice"
                )));
            }
            block.table.mark_mut(place as usize).buffered = own as u32;
        }
        block.buffer.refill(columns, touched, &entries);
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        [&self.feature, &self.epoch, &self.touched].into_iter().try_for_each(Parts::finish)?;
        let numbers = [&self.row, &self.factor, &self.shift, &self.transform, &self.buffer];
        numbers.into_iter().try_for_each(Parts::finish)
    }
}
