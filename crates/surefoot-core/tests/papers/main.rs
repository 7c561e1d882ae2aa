//! The papers as tests: every lemma and theorem that the code relies on, from first principles.

#[path = "../common/mod.rs"]
mod common;
mod double;
mod rules;
