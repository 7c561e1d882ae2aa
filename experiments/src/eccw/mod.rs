//! Exact convex confidence-weighted learning (ECCW).

pub mod fig4;
