//! The papers' tables and figures, computed with the product.
//!
//! An [`Experiment`] is one file in [`eccw`], [`fact`] or `mccw` and one line in [`EXPERIMENTS`]. It computes
//! [`Findings`] from a [`Setup`]: tables, series for plots, claims that hold or do not. The binary `experiments` records
//! them as JSON with the command, seed, version and machine, draws the plots from the record, and writes the page.

pub mod clock;
pub mod data;
pub mod eccw;
mod experiment;
pub mod fact;
mod findings;
mod folder;
mod machine;
pub mod mccw;
mod page;
pub mod plot;
pub mod stream;
pub mod summary;
pub mod tasks;

pub use experiment::{EXPERIMENTS, Experiment, Setup, Size, find};
pub use findings::{Claim, DataUsed, Findings, Series, Table};
pub use folder::{Folder, Record};
pub use page::page;
pub use surefoot::{Error, Result};
