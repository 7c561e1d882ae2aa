//! PA-II (Crammer et al. 2006): passive-aggressive with a squared price for missing the margin.

use super::{C, Rule, RuleSpec, Step};

/// alpha = (1 − m)/(v + 1/(2C)) whenever m < 1; an importance weight multiplies C.
///
/// ```
/// use surefoot_core::rule::{Rule, pa2::Pa2};
/// assert_eq!(Pa2 { c: 0.5 }.step(0.0, 1.0, 1.0).unwrap().alpha, 0.5);
/// ```
#[derive(Debug, Clone)]
pub struct Pa2 {
    /// The price of the squared slack.
    pub c: f64,
}

impl Rule for Pa2 {
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        (m < 1.0).then(|| Step { alpha: (1.0 - m) / (v + 0.5 / (self.c * weight)), gain: 0.0 }) // [PA] Fig. 1, PA-II
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "pa2",
    title: "Passive-aggressive, squared slack (PA-II)",
    paper: "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006",
    params: &[C],
    store: "identity",
    defaults: &[],
    weighted: true,
    build: |params| Box::new(Pa2 { c: params.number(C.name) }),
};
