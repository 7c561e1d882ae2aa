//! The factored store's natural parameters: Λ = D + WWᵀ as it is, so that blocks merge by putting their columns side by
//! side, and one compression brings them back to the rank.

use super::FactoredSettings;
use super::block::FactoredBlock;
use crate::rule::Step;
use crate::store::{Gain, NaturalParams, Projection, unmergeable};
use crate::{Result, SparseVec, Vector};

/// What a block has learned; nothing if it is not there.
pub(super) fn natural_params(block: Option<&FactoredBlock>, settings: FactoredSettings) -> NaturalParams {
    let Some(block) = block else {
        return NaturalParams {
            shift: Vec::new(),
            gain: Gain::Factored { diagonal: Vec::new(), columns: Vec::new() },
        };
    };
    let size = block.table.dimension();
    let (mut means, mut diagonal) = (vec![0.0; size], vec![0.0; size]);
    let mut columns: Vec<Vec<(u32, f64)>> = vec![Vec::new(); block.columns()];
    let mut along = vec![0.0; block.columns()];
    block.visit_rows(|feature, d, mean, row| {
        let place = feature as usize;
        (means[place], diagonal[place]) = (mean, d - 1.0 / settings.prior);
        for ((column, sum), &w) in columns.iter_mut().zip(&mut along).zip(row) {
            if w != 0.0 {
                column.push((feature, w));
                *sum += w * mean;
            }
        }
    });
    // η = (D + WWᵀ)μ
    let mut shift: Vec<f64> =
        means.iter().zip(&diagonal).map(|(m, d)| (d + 1.0 / settings.prior) * m).collect();
    for (column, sum) in columns.iter().zip(&along) {
        column.iter().for_each(|&(feature, w)| shift[feature as usize] += w * sum);
    }
    NaturalParams { shift, gain: Gain::Factored { diagonal, columns } }
}

/// Moves the mean of one weight: by alpha·Σx for x = Λe, where e is that feature alone.
pub(super) fn move_mean(block: &mut FactoredBlock, feature: u32, by: f64) -> Result<()> {
    let one = Vector::from_pairs([(feature, 1.0)])?;
    block.set_diagonal(one.features(), &[])?;
    let (mut own, mut columns) = (0.0, Vec::new());
    block.visit_rows(|id, d, _, row| {
        if id == feature {
            own = d;
            columns.extend_from_slice(row);
        }
    });
    let mut image = Vec::new();
    block.visit_rows(|id, _, _, row| {
        let along: f64 = row.iter().zip(&columns).map(|(a, b)| a * b).sum();
        image.push((id, along + if id == feature { own } else { 0.0 }));
    });
    image.sort_unstable_by_key(|&(id, _)| id);
    let image = Vector::from_pairs(image)?;
    block.absorb(image.features(), &mut Projection::default(), Step { alpha: by, gain: 0.0 })
}

/// The block that such natural parameters leave: all columns side by side, the mean of that precision, then one compression,
/// which keeps the mean.
pub(super) fn block(params: NaturalParams, settings: FactoredSettings) -> Result<FactoredBlock> {
    let Gain::Factored { diagonal, columns } = params.gain else { return Err(unmergeable()) };
    // Room for all columns at once, so that nothing is compressed on the way.
    let mut block = FactoredBlock::new(FactoredSettings { buffer: columns.len() + 1, ..settings });
    // Ids that no feature has get no row: how many rows there are decides how they are compressed.
    let mut learned: Vec<bool> =
        params.shift.iter().zip(&diagonal).map(|(s, d)| *s != 0.0 || *d != 0.0).collect();
    columns.iter().flatten().for_each(|&(feature, _)| learned[feature as usize] = true);
    let ids: Vec<u32> = (0..learned.len() as u32).filter(|&id| learned[id as usize]).collect();
    let shift: Vec<f64> = ids.iter().map(|&id| params.shift[id as usize]).collect();
    let everything = Vector::from_features(SparseVec::new(&ids, &shift)?);
    block.set_diagonal(everything.features(), &diagonal)?;
    let mut p = Projection::default();
    for column in &columns {
        let column = Vector::from_pairs(column.iter().copied())?;
        block.absorb(column.features(), &mut p, Step { alpha: 0.0, gain: 1.0 })?;
    }
    block.absorb(everything.features(), &mut p, Step { alpha: 1.0, gain: 0.0 })?;
    block.settings = settings;
    while block.columns() >= settings.most_columns() {
        block.compress();
    }
    Ok(block)
}
