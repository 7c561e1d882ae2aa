//! Values divided by the root mean square of their feature's non-zero values so far.
//!
//! Zeros do not count: an example then costs its non-zeros and nothing more, rare features are not blown up, and binary
//! features stay as they are.

use std::any::Any;

use super::{LARGEST, Scaling, ScalingSpec, SeenRow, places, ratio, take_sizes};
use crate::state::{State, Tensor, check_length};
use crate::{Result, SparseVec, Target};

/// The entry in the list of scalings.
pub(super) static SPEC: ScalingSpec = ScalingSpec {
    name: "rms",
    title: "divided by the root mean square of the feature's values so far, zeros left out",
    every_column: false,
    forgets: false,
    build: |_| Box::new(Rms::default()),
};

/// What is known of one feature's values.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    /// Mean of their squares.
    square: f64,
    /// How many there were.
    count: f64,
}

impl Size {
    /// With one value more.
    fn with(self, value: f64) -> Self {
        let (value, count) = (value.abs().min(LARGEST), self.count + 1.0);
        Self { square: self.square + (value * value - self.square) / count, count }
    }
}

#[derive(Clone, Debug, Default)]
struct Rms {
    sizes: Vec<Size>,
}

impl Rms {
    fn size(&self, feature: usize) -> Size {
        self.sizes.get(feature).copied().unwrap_or_default()
    }

    fn size_mut(&mut self, feature: usize) -> &mut Size {
        self.sizes.resize(self.sizes.len().max(feature + 1), Size::default());
        &mut self.sizes[feature]
    }
}

impl Scaling for Rms {
    fn see(&self, x: SparseVec<'_>, with_itself: bool, out: &mut SeenRow) {
        out.put_values(x.iter().map(|(feature, value)| {
            let size = self.size(feature);
            let square = if with_itself { size.with(value).square } else { size.square };
            // Squares of tiny values vanish; such a value is of the size of its past, as the first one is.
            if square > 0.0 { ratio(value, square.sqrt()) } else { 1f64.copysign(value) }
        }));
    }

    fn learn(&mut self, x: SparseVec<'_>, _: Target<'_>) -> Result<()> {
        for (feature, value) in x.iter() {
            let size = self.size_mut(feature);
            *size = size.with(value);
        }
        Ok(())
    }

    fn discount(&mut self, share: f64) {
        self.sizes.iter_mut().for_each(|size| size.count *= share.clamp(0.0, 1.0));
    }

    fn add(&mut self, other: &dyn Scaling, features: &[u32], _: &[usize], times: f64) {
        let Some(other) = (other as &dyn Any).downcast_ref::<Self>() else { return };
        for (feature, [place]) in places(other.sizes.len(), features) {
            let (other, own) = (other.sizes[feature], self.size_mut(place as usize));
            let more = times * other.count;
            let count = own.count + more;
            own.square =
                if count > 0.0 { (own.square * own.count + other.square * more) / count } else { 0.0 };
            (own.square, own.count) = (own.square.max(0.0), count.max(0.0));
        }
    }

    fn features(&self) -> usize {
        self.sizes.len()
    }

    fn save(&self) -> State<'_> {
        let mut state = State::new();
        state.put("squares", Tensor::F64(self.sizes.iter().map(|size| size.square).collect()));
        state.put("counts", Tensor::F64(self.sizes.iter().map(|size| size.count).collect()));
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        let (squares, counts) = (take_sizes(&mut state, "squares")?, take_sizes(&mut state, "counts")?);
        check_length("counts", counts.len(), squares.len())?;
        let sizes = squares.into_iter().zip(counts).map(|(square, count)| Size { square, count });
        self.sizes = sizes.collect();
        state.finish()
    }
}
