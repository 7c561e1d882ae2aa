//! What is true of an example.

/// What is true of an example: one class, or, where a row may have none, one or several labels, the sorted classes of
/// those. Metrics know both; learning from several labels comes later.
///
/// ```
/// use surefoot_core::Target;
///
/// assert_eq!(Target::Class(3).class(), Some(3));
/// assert_eq!(Target::Labels(&[1, 4]).class(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// The one class.
    Class(usize),
    /// Every class that is true, ascending; possibly none.
    Labels(&'a [u32]),
}

impl Target<'_> {
    /// The class, where there is exactly one by the nature of the task; none where there may be several labels, even if
    /// this example has one.
    #[must_use]
    pub fn class(self) -> Option<usize> {
        match self {
            Target::Class(class) => Some(class),
            Target::Labels(_) => None,
        }
    }
}
