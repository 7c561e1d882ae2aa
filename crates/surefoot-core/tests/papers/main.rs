//! The papers as tests: every lemma and theorem that the code relies on, from first principles.

mod baselines;
mod bound;
#[path = "../common/mod.rs"]
mod common;
mod dense;
mod double;
mod endurance;
mod exact;
mod invariance;
mod optimality;
mod rules;
mod schedules;
