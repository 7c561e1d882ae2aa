//! One error type for everything the core can refuse.

/// What went wrong, in words a user can act on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has a value outside its range.
    #[error("parameter `{name}`: expected {expected}, found `{found}`")]
    Parameter {
        /// The parameter's name.
        name: String,
        /// The value that was given.
        found: String,
        /// The range that is allowed.
        expected: String,
    },
    /// A name that is not in the list it should be in.
    #[error("unknown {what} `{found}`; known: {known}")]
    Unknown {
        /// The kind of thing: rule, store, parameter.
        what: &'static str,
        /// The name that was given.
        found: String,
        /// The names that would have been understood.
        known: String,
    },
    /// Settings that exclude each other.
    #[error("{0}")]
    Conflict(String),
    /// An example that cannot be learned from.
    #[error("{0}")]
    Example(String),
    /// A store would outgrow the limit set for it.
    #[error("{what} would need {needed}, the limit is {limit}; {hint}")]
    TooLarge {
        /// What would grow.
        what: &'static str,
        /// The size it would have.
        needed: u64,
        /// The size it may have.
        limit: u64,
        /// What the user can do about it.
        hint: &'static str,
    },
    /// A saved state that does not fit the learner it should be loaded into.
    #[error("model state: {0}")]
    State(String),
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;
