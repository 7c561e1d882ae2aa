//! NHERD, Gaussian herding of normals (Crammer, Lee 2010), the full form: moves the Gaussian as a herd of
//! weight vectors, each by a passive-aggressive step.

use super::{C, Rule, RuleSpec, Step};

/// alpha = (1 − m)/(v + 1/C), gain = 2C + C²v when m < 1; an importance weight multiplies C.
///
/// ```
/// use surefoot_core::rule::{Rule, nherd::Nherd};
/// let step = Nherd { c: 1.0 }.step(0.0, 1.0, 1.0).unwrap();
/// assert_eq!((step.alpha, step.gain), (0.5, 3.0));
/// ```
#[derive(Debug, Clone)]
pub struct Nherd {
    /// Larger follows single examples more.
    pub c: f64,
}

impl Rule for Nherd {
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        let c = self.c * weight;
        (m < 1.0).then(|| Step { alpha: (1.0 - m) / (v + c.recip()), gain: 2.0 * c + c * c * v }) // [NHERD] Fig. 1
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "nherd",
    title: "NHERD: Gaussian herding",
    paper: "Crammer, Lee 2010",
    params: &[C],
    store: "diagonal",
    defaults: &[],
    weighted: true,
    build: |params| Box::new(Nherd { c: params.number(C.name) }),
};
