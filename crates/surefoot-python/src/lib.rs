//! The native half of the Python package `surefoot`: thin classes over [`surefoot::Model`].
//!
//! Python's estimators (python/surefoot) check what scikit-learn and River ask for and hand whole batches over; every
//! loop over rows, features and words is here, with the interpreter released. Nothing here can panic on input.

mod arrow;
mod csr;
mod dense;
mod dicts;
mod error;
mod files;
mod learn;
mod model;
mod predict;
mod row_reader;
mod rows;
mod settings;
mod tables;
mod weights;

/// What `surefoot._native` offers.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::arrow::{ArrowTable, table, texts};
    #[pymodule_export]
    use super::files::{merge, train_files};
    #[pymodule_export]
    use super::model::{Model, from_bytes};
    #[pymodule_export]
    use super::tables::{default_learner, metrics, parameters, rules, stores};
}
