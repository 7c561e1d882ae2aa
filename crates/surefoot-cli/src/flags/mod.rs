//! Flags that several commands share, in groups.

/// Declares the words of a flag and what each means in the library.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident => $target:ident { $($(#[$help:meta])* $word:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$help])* $word),* }

        impl From<$name> for $target {
            fn from(word: $name) -> Self {
                match word { $($name::$word => Self::$word),* }
            }
        }
    };
}

mod drift;
mod features;
mod learner;
mod problem;
mod reading;
mod talk;
mod threshold;

pub use drift::DriftFlags;
pub use features::{ColumnFlags, FeatureFlags};
pub use learner::LearnerFlags;
pub use problem::ProblemFlags;
pub use reading::{
    DataFlags, FormatChoice, MissingFlags, RejectFlags, Rejects, default_can_join, format_name, plot_file,
    sources,
};
pub use talk::TalkFlags;
pub use threshold::{ThresholdWord, label_thresholds, of_labels, threshold};
