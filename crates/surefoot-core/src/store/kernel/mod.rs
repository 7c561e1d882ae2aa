//! The kernel store: support examples and the dual form of mean and covariance. For non-linear problems.

use super::forget::{Forgetting, Share};
use super::triangle::{TriangleView, packed};
use super::{
    FLOOR, FORGET, HALF_LIFE, MOST_NUMBERS, PRIOR, PROJECTION, Projection, Store, StoreSpec, Weight,
    check_blocks, check_limit, shrunk,
};
use crate::param::{Param, Params, Range};
use crate::rule::{LARGEST_VARIANCE, Step};
use crate::state::State;
use crate::{Error, Result, SparseVec};

mod block;
mod saved;

use block::{KernelBlock, KernelScratch};

/// The largest budget: a block then takes half a GiB.
const MOST_SUPPORTS: usize = 1 << 13;

/// What a kernel store is built with.
#[derive(Debug, Clone, Copy)]
struct KernelSettings {
    kernel: Kernel,
    /// a.
    prior: f64,
    /// The most support examples a block.
    budget: usize,
}

/// μ = Σ ν_p x_p and Σ = a·I + Σ π_pq x_p x_qᵀ (`[ECCW]` Theorem 2, corrected): only inner products are needed, and
/// a kernel gives those.
///
/// With n supports a round costs n kernel values and a pass over the triangle of π, a step some passes more. While
/// there is room every example that makes a step becomes a support (once), and the form is exact.
///
/// When a block has more supports than `budget`, it forgets the one without which the mean changes least, and puts the
/// nearest point of the others' span in its place. Scores of all examples in that span stay as they were, mean and
/// variance, but for a ridge of 1e-6 that keeps K⁻¹ finite; what is orthogonal to it goes back to the prior. So Σ stays a
/// covariance, and little is lost while the budget spans what the data need: on a noisy disc 40 supports of 2000 made the
/// same mistakes. Just to delete ν_p and π_p would not do: a step is a sum that cancels along the other supports, and with
/// one term gone, the means of noisy streams grow without end.
///
/// With a half-life, what a support adds fades by its age: Σ ← λΣ + (1−λ)aI, and means, if they are discounted, by λ too. To
/// take the precision apart, as other stores do, would cost the cube of the supports. Uncertainty comes back faster this
/// way: half of the prior's within one half-life, however much was learned.
///
/// ```
/// use surefoot_core::{Scores, Spec, Target, Task, Vector};
/// // Exclusive or: no line separates it.
/// let corners = [(0.0, 0.0, 0), (0.0, 1.0, 1), (1.0, 0.0, 1), (1.0, 1.0, 0)];
/// let mut learner = Spec::parse("arow/kernel:kernel=rbf,gamma=2")?.build(Task::Binary, 2)?;
/// let mut scores = Scores::default();
/// for (a, b, class) in corners.iter().cycle().take(12) {
///     let x = Vector::from_dense(&[*a, *b])?;
///     learner.update(x.features(), Target::Class(*class), 1.0, &mut scores)?;
/// }
/// for (a, b, class) in corners {
///     learner.scores(Vector::from_dense(&[a, b])?.features(), &mut scores);
///     assert_eq!(scores.label(0), Some(class));
/// }
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dual {
    blocks: Vec<KernelBlock>,
    settings: KernelSettings,
    scratch: KernelScratch,
    forgetting: Option<Forgetting>,
}

impl Dual {
    /// An empty store; a budget beyond the limit is refused.
    pub fn new(blocks: usize, prior: f64, kernel: Kernel, budget: usize) -> Result<Self> {
        check_limit("the support examples of a kernel", budget, MOST_SUPPORTS, "lower `budget`")?;
        let settings = KernelSettings { kernel, prior, budget: budget.max(1) };
        let (blocks, scratch) = (vec![KernelBlock::default(); blocks], KernelScratch::default());
        Ok(Self { blocks, settings, scratch, forgetting: None })
    }

    /// How many support examples a block has.
    #[must_use]
    pub fn supports(&self, block: usize) -> usize {
        self.blocks[block].supports.len()
    }

    /// Refuses one more support in a block before it is allocated, if all blocks together would grow too large.
    fn reserve(&self, block: usize) -> Result<()> {
        let supports = |b: usize| (self.supports(b) + usize::from(b == block)).min(self.settings.budget);
        // π and K⁻¹.
        let numbers = (0..self.blocks.len()).map(|b| 2 * packed(supports(b))).sum();
        check_limit("the kernels of all classes", numbers, MOST_NUMBERS, "lower `budget`")
    }

    /// aK(x, x) and what was learned.
    fn variance(&self, x: SparseVec<'_>, lost: f64) -> f64 {
        (lost + self.prior_variance(x)).max(0.0) // [ECCW] Eq. 16
    }
}

impl Store for Dual {
    fn grow(&mut self, blocks: usize) -> Result<()> {
        self.blocks.resize_with(blocks.max(self.blocks.len()), KernelBlock::default);
        Ok(())
    }

    fn scores(
        &self,
        x: SparseVec<'_>,
        means: &mut [f64],
        mut variances: Option<&mut [f64]>,
        scratch: &mut Projection,
    ) {
        let k = &mut scratch.scratch;
        for (b, (block, mean)) in self.blocks.iter().zip(means).enumerate() {
            *mean = block.compare(x, self.settings.kernel, k);
            if let Some(variances) = &mut variances {
                variances[b] = self.variance(x, block.lost(k));
            }
        }
    }

    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection) {
        let own = &self.blocks[block];
        out.mean = own.compare(x, self.settings.kernel, &mut out.scratch);
        out.variance = self.variance(x, own.pi.image_dense(&out.scratch, &mut out.image));
        out.ready = true;
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()> {
        self.reserve(block)?;
        let similarity = self.settings.kernel.own(x.squared_norm());
        if similarity.is_nan() || similarity > LARGEST_VARIANCE {
            return Err(too_large(similarity));
        }
        let own = &mut self.blocks[block];
        if !p.ready || p.image.len() != own.supports.len() {
            own.compare(x, self.settings.kernel, &mut p.scratch);
            own.pi.image(TriangleView::Dense(&p.scratch), &mut p.image);
        }
        p.ready = false;
        own.absorb(x, p, step, &self.settings, &mut self.scratch)
    }

    fn variance_after(&self, _: SparseVec<'_>, _: usize, p: &Projection, gain: f64) -> f64 {
        shrunk(p.variance, gain)
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        self.settings.prior * self.settings.kernel.own(x.squared_norm())
    }

    fn end_round(&mut self) {
        let Some(share) = self.forgetting.map(|forgetting| forgetting.share(1)) else { return };
        self.blocks.iter_mut().for_each(|block| block.fade(share));
    }

    fn discount(&mut self, share: f64) {
        let Some(share) = Share::at_once(share) else { return };
        for block in &mut self.blocks {
            if share.left == 0.0 {
                *block = KernelBlock::default();
            } else {
                block.fade(share);
            }
        }
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        if self.settings.kernel != Kernel::Linear {
            return None;
        }
        let prior = self.settings.prior;
        let Some(own) = self.blocks.get(block) else {
            return Some(Weight { mean: 0.0, variance: prior, prior });
        };
        let column = own.supports.iter().map(|s| s.value(feature)).collect::<Vec<_>>();
        let mean = own.nu.iter().zip(&column).map(|(nu, value)| nu * value).sum();
        Some(Weight { mean, variance: (prior + own.lost(&column)).max(0.0), prior })
    }

    fn save(&self) -> State<'_> {
        saved::save(&self.blocks)
    }

    fn restore(&mut self, state: State<'_>, blocks: usize) -> Result<()> {
        self.blocks = saved::restore(state, self.settings.budget)?;
        check_blocks(self.blocks.len(), blocks)
    }
}

/// Why an example is no support: beside it the inverse of K would leave the numbers.
#[cold]
fn too_large(similarity: f64) -> Error {
    Error::Example(format!(
        "the kernel of the example with itself is {similarity:e}, and at most {LARGEST_VARIANCE:e} can be learned from: its \
         values are too large; rows of unit length (`--normalize l2`), `--scale-features` or the diagonal store help"
    ))
}

/// Why a step is refused that rounding would take out of the numbers.
#[cold]
fn too_far_apart() -> Error {
    Error::Example(
        "the example and those before it are too far apart in size for a kernel: their similarities cannot be inverted; rows of \
         unit length (`--normalize l2`), `--scale-features` or the diagonal store help"
            .into(),
    )
}

/// A kernel function of two examples: an inner product in a space that is never written out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kernel {
    /// x·z: the same learner as the full store, in the dual form.
    Linear,
    /// (gamma·x·z + coef0)^degree. A negative coef0 is no Mercer kernel: where it makes variances negative, no
    /// step is made.
    Poly {
        /// Scale of the inner product.
        gamma: f64,
        /// The power.
        degree: u32,
        /// What is added before the power is taken: above 0, lower powers count too.
        coef0: f64,
    },
    /// exp(−gamma·‖x − z‖²).
    Rbf {
        /// How fast similarity falls with distance.
        gamma: f64,
    },
}

impl Kernel {
    /// K(x, z) from x·z, ‖x‖² and ‖z‖².
    fn of(self, product: f64, xx: f64, zz: f64) -> f64 {
        match self {
            Self::Linear => product,
            Self::Poly { gamma, degree, coef0 } => power(gamma * product + coef0, degree),
            Self::Rbf { gamma } => libm::exp(-gamma * (xx + zz - 2.0 * product).max(0.0)),
        }
    }

    /// K(x, x) from ‖x‖².
    fn own(self, xx: f64) -> f64 {
        self.of(xx, xx, xx)
    }
}

/// base^exponent by squaring: multiplications only, so the same bits everywhere.
fn power(base: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

const KERNEL: Param = Param {
    name: "kernel",
    range: Range::Word(&["linear", "poly", "rbf"]),
    default: "rbf",
    help: "linear x·z, poly (gamma·x·z + coef0)^degree, or rbf exp(−gamma·‖x − z‖²)",
};

const GAMMA: Param = Param {
    name: "gamma",
    range: Range::Positive,
    default: "1",
    help: "poly: scale of the inner product; rbf: how fast similarity falls with distance",
};

const DEGREE: Param = Param { name: "degree", range: Range::Count(1), default: "2", help: "poly: the power" };

const COEF0: Param = Param {
    name: "coef0",
    range: Range::Real,
    default: "1",
    help: "poly: what is added to the inner product; above 0, lower powers count too",
};

const BUDGET: Param = Param {
    name: "budget",
    range: Range::Count(1),
    default: "1000",
    help: "the most support examples a class; beyond, the least important one is projected on the rest, \
           with a ridge of 1e-6: scores change a little even where the rest spans it",
};

fn kernel(params: &Params) -> Kernel {
    let gamma = params.number(GAMMA.name);
    match params.word(KERNEL.name) {
        "linear" => Kernel::Linear,
        "poly" => {
            // A checked count fits 32 bits.
            let degree = params.count(DEGREE.name) as u32;
            Kernel::Poly { gamma, degree, coef0: params.number(COEF0.name) }
        }
        _ => Kernel::Rbf { gamma },
    }
}

/// The entry in the list of stores.
pub static SPEC: StoreSpec = StoreSpec {
    name: "kernel",
    title: "Support examples in the dual form; for non-linear problems",
    params: &[PRIOR, FLOOR, PROJECTION, KERNEL, GAMMA, DEGREE, COEF0, BUDGET, HALF_LIFE, FORGET],
    learns_covariance: true,
    side_by_side: None,
    takes_gaps: false,
    build: |params, shape| {
        let (prior, budget) = (params.number(PRIOR.name), params.count(BUDGET.name));
        let dual = Dual::new(shape.blocks, prior, kernel(params), budget)?;
        Ok(Box::new(Dual { forgetting: Forgetting::new(params), ..dual }))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_what_they_are_called() {
        assert_eq!(Kernel::Linear.of(3.0, 5.0, 2.0), 3.0);
        assert_eq!(Kernel::Poly { gamma: 2.0, degree: 5, coef0: 1.0 }.of(0.5, 1.0, 1.0), 32.0);
        let rbf = Kernel::Rbf { gamma: 0.5 };
        assert_eq!(rbf.own(7.0), 1.0);
        assert!((rbf.of(1.0, 3.0, 1.0) - (-1.0_f64).exp()).abs() < 1e-15);
    }
}
