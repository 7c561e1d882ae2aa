//! One feature of a bank's table: the means, then the variances, of every member.

use std::fmt::Debug;

use crate::store::Number;

/// Members that fit side by side.
pub(super) const LANES: usize = 4;

/// A number for every member.
pub(super) type Lanes = [f64; LANES];

/// Means, then variances, as they are kept. A type of its own for each number, because its size and its place in the
/// cache are decided where it is declared.
pub(super) trait Row: bytemuck::Pod + Debug + Send + Sync {
    /// What means and variances are kept as.
    type Number: Number;

    /// A row of such means and variances.
    #[inline(always)]
    fn new(means: Lanes, variances: Lanes) -> Self {
        bytemuck::cast([means.map(Self::Number::mean), variances.map(Self::Number::variance)])
    }

    /// Means and variances as they are kept.
    #[inline(always)]
    fn kept(&self) -> &[[Self::Number; LANES]; 2] {
        bytemuck::cast_ref(self)
    }

    /// The same, to be changed.
    fn kept_mut(&mut self) -> &mut [[Self::Number; LANES]; 2] {
        bytemuck::cast_mut(self)
    }

    /// Means and variances to reckon with.
    #[inline(always)]
    fn wide(&self) -> [Lanes; 2] {
        self.kept().map(|plane| plane.map(Self::Number::wide))
    }
}

/// A row of double precision: one cache line.
#[derive(Debug, Clone, Copy, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(64))]
pub(super) struct Double([[f64; LANES]; 2]);

impl Row for Double {
    type Number = f64;
}

/// A row of single precision: half a cache line.
#[derive(Debug, Clone, Copy, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(32))]
pub(super) struct Single([[f32; LANES]; 2]);

impl Row for Single {
    type Number = f32;
}
