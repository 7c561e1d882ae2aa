//! What the papers' tables and figures need beyond the product: their streams, and the variants they reject.

pub mod coins;
pub mod random;
