//! Data in, models out.
