//! Passive-aggressive learning with a hard margin (Crammer et al. 2006): the smallest change of the weights
//! that gives the example a margin of 1.

use super::{Demand, Rule, RuleSpec, Step};

/// alpha = (1 − m)/v whenever m < 1. Importance weights above 0 change nothing: the margin is reached either way.
///
/// ```
/// use surefoot_core::rule::{Rule, pa::Pa};
/// assert_eq!(Pa.step(-1.0, 4.0, 1.0).unwrap().alpha, 0.5);
/// ```
#[derive(Debug, Clone)]
pub struct Pa;

impl Rule for Pa {
    fn step(&self, m: f64, v: f64, _weight: f64) -> Option<Step> {
        (m < 1.0).then(|| Step { alpha: (1.0 - m) / v, gain: 0.0 }) // [PA] Fig. 1, PA
    }

    fn demand(&self, _weight: f64) -> Option<Demand<'_>> {
        Some(Demand::Margin { required: 1.0, cap: f64::INFINITY })
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "pa",
    title: "Passive-aggressive, hard margin",
    paper: "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006",
    params: &[],
    store: "identity",
    defaults: &[],
    weighted: false,
    build: |_| Box::new(Pa),
};
