//! PA-I (Crammer et al. 2006): passive-aggressive with a linear price C for missing the margin.

use super::{C, Demand, Rule, RuleSpec, Step};

/// alpha = min(C, (1 − m)/v) whenever m < 1; an importance weight multiplies C.
///
/// ```
/// use surefoot_core::rule::{Rule, pa1::Pa1};
/// assert_eq!(Pa1 { c: 0.1 }.step(-1.0, 4.0, 1.0).unwrap().alpha, 0.1);
/// ```
#[derive(Debug, Clone)]
pub struct Pa1 {
    /// The price of the slack.
    pub c: f64,
}

impl Rule for Pa1 {
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        (m < 1.0).then(|| Step { alpha: ((1.0 - m) / v).min(self.c * weight), gain: 0.0 }) // [PA] Fig. 1, PA-I
    }

    fn demand(&self, weight: f64) -> Option<Demand<'_>> {
        Some(Demand::Margin { required: 1.0, cap: self.c * weight })
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "pa1",
    title: "Passive-aggressive, linear slack (PA-I)",
    paper: "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006",
    params: &[C],
    store: "identity",
    defaults: &[],
    weighted: true,
    build: |params| Box::new(Pa1 { c: params.number(C.name) }),
};
