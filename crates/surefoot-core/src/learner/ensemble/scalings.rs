//! The scalings of an ensemble: each is kept once for all members that see their examples through it.

use crate::state::State;
use crate::transform::{Scaling, ScalingSpec, SeenRow, View};
use crate::{Result, SparseVec, Spec};

/// What is left of the counts where a member starts anew.
const RESTARTING: f64 = 1.0 / 16.0;

/// Which of the scalings a member sees through, if any.
pub(super) type Through = Option<usize>;

/// One scaling.
#[derive(Debug, Clone)]
struct Shared {
    spec: &'static ScalingSpec,
    /// The half-life that it has with its members.
    half_life: Option<f64>,
    scaling: Box<dyn Scaling>,
}

/// What scales the values of examples before members see them.
#[derive(Debug, Clone, Default)]
pub(super) struct Scalings {
    all: Vec<Shared>,
}

/// An example as it is, and as each scaling sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaledExample<'a> {
    x: SparseVec<'a>,
    rows: &'a [SeenRow],
    /// Whether the last feature is the bias, which no view changes.
    pub(super) bias: bool,
}

impl<'a> ScaledExample<'a> {
    /// The example through a scaling.
    pub(super) fn through(self, scaling: Through) -> SparseVec<'a> {
        scaling.map_or(self.x, |at| self.rows[at].of(self.x))
    }
}

impl Scalings {
    /// The scalings that these members ask for, before their stream; and which of them each member sees through.
    pub(super) fn new(members: &[(Spec, View)]) -> Result<(Self, Vec<Through>)> {
        let (mut own, mut through) = (Self::default(), Vec::new());
        for (spec, view) in members {
            through.push(match view.scaling {
                None => None,
                Some(scaling) => Some(own.place(scaling, half_life(spec)?.filter(|_| scaling.forgets))),
            });
        }
        Ok((own, through))
    }

    /// The place of a scaling, made now if it is not there.
    fn place(&mut self, spec: &'static ScalingSpec, half_life: Option<f64>) -> usize {
        self.find(spec, half_life).unwrap_or_else(|| {
            self.all.push(Shared { spec, half_life, scaling: (spec.build)(half_life) });
            self.all.len() - 1
        })
    }

    fn find(&self, spec: &'static ScalingSpec, half_life: Option<f64>) -> Option<usize> {
        self.all.iter().position(|own| own.spec == spec && own.half_life == half_life)
    }

    /// The example as it is seen now; `rows` is memory for it.
    pub(super) fn see<'a>(
        &self,
        x: SparseVec<'a>,
        bias: bool,
        rows: &'a mut Vec<SeenRow>,
    ) -> ScaledExample<'a> {
        rows.resize_with(self.all.len(), SeenRow::default);
        let (features, last) = without_bias(x, bias);
        for (Shared { scaling, .. }, row) in self.all.iter().zip(&mut *rows) {
            // What it is told of an example to predict is what it would be told of one to learn.
            scaling.see(features, true, row);
            if let Some((id, value)) = last {
                row.values.push(value);
                if row.own_ids {
                    row.ids.push(id);
                }
            }
        }
        ScaledExample { x, rows, bias }
    }

    /// Counts an example.
    pub(super) fn learn(&mut self, x: SparseVec<'_>, bias: bool, class: usize) -> Result<()> {
        let (features, _) = without_bias(x, bias);
        self.all.iter_mut().try_for_each(|own| own.scaling.learn(features, class))
    }

    pub(super) fn prefetch(&self, ids: &[u32]) {
        self.all.iter().for_each(|own| own.scaling.prefetch(ids));
    }

    pub(super) fn discount(&mut self, share: f64) {
        self.all.iter_mut().for_each(|own| own.scaling.discount(share));
    }

    /// A member that looks through a scaling starts anew: what was counted before soon counts less than what comes, but it is
    /// still there should the member take back what it knew.
    pub(super) fn restart(&mut self, scaling: usize) {
        self.all[scaling].scaling.discount(RESTARTING);
    }

    /// Takes over what others have counted that are here too.
    pub(super) fn take_over(&mut self, others: &Self) {
        for own in &mut self.all {
            if let Some(at) = others.find(own.spec, own.half_life) {
                own.scaling = others.all[at].scaling.clone();
            }
        }
    }

    /// Adds what the scalings of another ensemble of the same members have counted.
    pub(super) fn add(&mut self, others: &Self, features: &[u32], classes: &[usize], times: f64) {
        for (own, other) in self.all.iter_mut().zip(&others.all) {
            own.scaling.add(&*other.scaling, features, classes, times);
        }
    }

    /// What the tensors of each scaling are called, and what it has counted.
    pub(super) fn states(&self) -> impl Iterator<Item = (String, State<'_>)> {
        self.all.iter().enumerate().map(|(at, own)| (name(at), own.scaling.save()))
    }

    pub(super) fn restore(&mut self, state: &mut State<'_>) -> Result<()> {
        let mut each = self.all.iter_mut().enumerate();
        each.try_for_each(|(at, own)| own.scaling.restore(state.split(&name(at))))
    }
}

/// An example's features, and apart from them the bias.
fn without_bias(x: SparseVec<'_>, bias: bool) -> (SparseVec<'_>, Option<(u32, f64)>) {
    match (x.ids().split_last(), x.values().split_last()) {
        (Some((&id, ids)), Some((&value, values))) if bias => {
            (SparseVec::of_finite(ids, values), Some((id, value)))
        }
        _ => (x, None),
    }
}

/// What the tensors of a scaling are called.
fn name(at: usize) -> String {
    format!("scaling{at:02}")
}

/// The half-life of a member.
fn half_life(spec: &Spec) -> Result<Option<f64>> {
    Ok(crate::store::half_life(&spec.params()?))
}
