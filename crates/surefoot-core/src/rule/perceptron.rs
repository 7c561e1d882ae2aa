//! The perceptron (Rosenblatt 1958): on a mistake, add the example.

use super::{Rule, RuleSpec, Step};

/// Moves by 1 (times the importance) when m ≤ 0.
///
/// ```
/// use surefoot_core::rule::{Rule, perceptron::Perceptron};
/// assert_eq!(Perceptron.step(0.0, 1.0, 1.0).unwrap().alpha, 1.0);
/// assert!(Perceptron.step(0.1, 1.0, 1.0).is_none());
/// ```
#[derive(Debug, Clone)]
pub struct Perceptron;

impl Rule for Perceptron {
    fn step(&self, m: f64, _v: f64, weight: f64) -> Option<Step> {
        (m <= 0.0).then_some(Step { alpha: weight, gain: 0.0 })
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "perceptron",
    title: "Perceptron: the classic mistake-driven rule",
    paper: "Rosenblatt 1958",
    params: &[],
    store: "identity",
    defaults: &[],
    weighted: true,
    build: |_| Box::new(Perceptron),
};
