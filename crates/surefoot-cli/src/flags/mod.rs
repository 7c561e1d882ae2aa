//! Flags that several commands share, in groups.

mod features;
mod learner;
mod reading;

pub use features::{ColumnFlags, FeatureFlags};
pub use learner::LearnerFlags;
pub use reading::{DataFlags, RejectFlags, Rejects, sources};
