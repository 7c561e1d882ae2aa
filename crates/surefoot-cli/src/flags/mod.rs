//! Flags that several commands share, in groups.

mod features;
mod learner;
mod problem;
mod reading;

pub use features::{ColumnFlags, FeatureFlags};
pub use learner::LearnerFlags;
pub use problem::ProblemFlags;
pub use reading::{DataFlags, FormatChoice, RejectFlags, Rejects, format_name, sources, svg_file};
