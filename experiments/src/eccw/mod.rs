//! Exact convex confidence-weighted learning (ECCW).

pub mod fig2;
pub mod fig2c;
pub mod fig3;
pub mod fig4;
pub mod theorem4;
