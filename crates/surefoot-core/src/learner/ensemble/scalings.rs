//! How an ensemble prepares an example before its members' views: each scaling is kept once for all members that see through
//! it, and each choice of features is made once.

use crate::state::State;
use crate::transform::{Cuts, Scaling, ScalingSpec, SeenRow, View};
use crate::{Result, SparseVec, Spec, Target};

/// What is left of the counts where a member starts anew.
const RESTARTING: f64 = 1.0 / 16.0;

/// What is prepared for a member: nothing for one that sees the example as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Through {
    /// The scaling that it looks through.
    pub(super) scaling: Option<usize>,
    /// The row with the features that it sees, if it does not see all that are cut from text.
    choice: Option<usize>,
}

/// One scaling.
#[derive(Debug, Clone)]
struct Shared {
    spec: &'static ScalingSpec,
    /// The half-life that it has with its members.
    half_life: Option<f64>,
    scaling: Box<dyn Scaling>,
}

/// What scales the values of examples, and leaves features out, before members see them.
#[derive(Debug, Clone, Default)]
pub(in crate::learner) struct Scalings {
    all: Vec<Shared>,
    /// Some cuts of the text alone, of the example or through a scaling.
    chosen: Vec<(Option<usize>, Cuts)>,
}

/// An example as it is, as each scaling sees it, and parts of these.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaledExample<'a> {
    x: SparseVec<'a>,
    /// A row a scaling, then a row a choice of features.
    rows: &'a [SeenRow],
    /// Whether the last feature is the bias, which no view changes.
    pub(super) bias: bool,
}

impl<'a> ScaledExample<'a> {
    /// Whether some of its features were cut from text.
    pub(super) fn is_cut(self) -> bool {
        !self.x.segments().is_empty()
    }

    /// The example as it was prepared.
    pub(super) fn through(self, Through { scaling, choice }: Through) -> SparseVec<'a> {
        // Where nothing was cut nothing is left out.
        let choice = choice.filter(|_| self.is_cut());
        choice.or(scaling).map_or(self.x, |at| self.rows[at].of(self.x))
    }
}

impl Scalings {
    /// What these members ask for, before their stream; and what of it is for each of them.
    pub(super) fn new(members: &[(Spec, View)]) -> Result<(Self, Vec<Through>)> {
        let (mut own, mut scaled) = (Self::default(), Vec::new());
        for (spec, view) in members {
            scaled.push(match view.scaling {
                None => None,
                Some(scaling) => Some(own.place(scaling, half_life(spec)?.filter(|_| scaling.forgets))),
            });
        }
        let through = |(&scaling, (_, view)): (&Option<usize>, &(Spec, View))| {
            let choice = (view.cuts != Cuts::ALL).then(|| own.choice(scaling, view.cuts));
            Through { scaling, choice }
        };
        let through = scaled.iter().zip(members).map(through).collect();
        Ok((own, through))
    }

    /// The row of a choice of features, made now if it is not there.
    fn choice(&mut self, scaling: Option<usize>, cuts: Cuts) -> usize {
        let known = self.chosen.iter().position(|known| *known == (scaling, cuts));
        let place = known.unwrap_or_else(|| {
            self.chosen.push((scaling, cuts));
            self.chosen.len() - 1
        });
        self.all.len() + place
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
        rows.resize_with(self.all.len() + self.chosen.len(), SeenRow::default);
        let (scaled, chosen) = rows.split_at_mut(self.all.len());
        let (features, last) = without_bias(x, bias);
        for (Shared { scaling, .. }, row) in self.all.iter().zip(&mut *scaled) {
            // What it is told of an example to predict is what it would be told of one to learn.
            scaling.see(features, true, row);
            if let Some((id, value)) = last {
                row.values.push(value);
                if row.own_ids {
                    row.ids.push(id);
                }
            }
        }
        if !x.segments().is_empty() {
            for ((scaling, cuts), row) in self.chosen.iter().zip(chosen) {
                row.put_seen(scaling.map_or(x, |at| scaled[at].of(x)), *cuts, bias);
            }
        }
        ScaledExample { x, rows, bias }
    }

    /// Counts an example.
    pub(super) fn learn(&mut self, x: SparseVec<'_>, bias: bool, target: Target<'_>) -> Result<()> {
        let (features, _) = without_bias(x, bias);
        self.all.iter_mut().try_for_each(|own| own.scaling.learn(features, target))
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
            (SparseVec::of_finite(ids, values).with_segments(x.segments()), Some((id, value)))
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
