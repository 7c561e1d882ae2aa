//! Multi-class confidence-weighted algorithms (MCCW).

pub mod bounds;
mod climb;
pub mod decision;
pub mod fig1;
pub mod fig2;
pub mod gibbs;
mod maxent;
mod method;
mod parts;
mod svm;
pub mod table1;
pub mod table2;
pub mod table3;
mod tasks;
mod verdict;
