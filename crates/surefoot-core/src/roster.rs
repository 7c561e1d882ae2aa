//! What is to learn: one learner, or a bank of them.
//!
//! One learner is written as a [`Spec`]; a bank as `bank(SPEC@VIEW; SPEC@VIEW; …)`; `auto` is the bank that measured
//! best over the sets described in docs/defaults.md.

use crate::learner::{Bank, Learner};
use crate::view::View;
use crate::{Error, Result, Spec, Task};

/// The members of `auto`, SPEC and view: learners that err apart. Rows of unit length and rows as they are, counts and
/// their roots; one that follows the data for ever (its floor keeps it from settling), for streams that change. Up to four of
/// two classes share one table. Their cells are in single precision: four members then need the memory of two, and err the
/// same.
pub const AUTO: &[(&str, &str)] = &[
    ("arow/compact:r=0.02", "sqrt+l2"),
    ("arow/compact:r=10", "none"),
    ("scw1/compact:projection=covariance", "sqrt"),
    ("logistic/compact:scale=1,floor=0.5", "none+l2"),
];

/// One learner or a bank.
///
/// ```
/// use surefoot_core::{Roster, Task};
/// let bank = Roster::parse("bank(arow:r=0.1@sqrt+l2; logistic@none)")?;
/// let text = bank.text(Task::Binary)?;
/// assert_eq!(Roster::parse(&text)?.text(Task::Binary)?, text);
/// assert!(bank.is_bank());
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub enum Roster {
    /// One learner; its view is part of how examples are prepared.
    One(Spec),
    /// Several, each with its own view of the prepared examples.
    Bank(Vec<(Spec, View)>),
}

impl Roster {
    /// Reads a SPEC, `auto`, or `bank(…)`.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if text == "auto" {
            return AUTO.iter().map(|(spec, view)| member(spec, view)).collect::<Result<_>>().map(Self::Bank);
        }
        let Some(inner) = text.strip_prefix("bank(").and_then(|rest| rest.strip_suffix(')')) else {
            return Spec::parse(text).map(Self::One);
        };
        let members = inner.split(';').map(str::trim).filter(|part| !part.is_empty());
        members
            .map(|part| part.rsplit_once('@').map_or_else(|| member(part, "none"), |(s, v)| member(s, v)))
            .collect::<Result<Vec<_>>>()
            .and_then(|all| if all.is_empty() { Err(empty()) } else { Ok(Self::Bank(all)) })
    }

    /// Whether several learners run side by side.
    #[must_use]
    pub fn is_bank(&self) -> bool {
        matches!(self, Self::Bank(_))
    }

    /// Every parameter that matters for the task filled in; [`Roster::parse`] reads it back.
    pub fn text(&self, task: Task) -> Result<String> {
        match self {
            Self::One(spec) => spec.text(task),
            Self::Bank(members) => {
                let texts = members.iter().map(|(spec, view)| Ok(format!("{}@{view}", spec.text(task)?)));
                Ok(format!("bank({})", texts.collect::<Result<Vec<_>>>()?.join("; ")))
            }
        }
    }

    /// A learner at the start of its stream. With `bias` the last feature of every example is the bias.
    pub fn build(&self, task: Task, bias: bool) -> Result<Box<dyn Learner>> {
        match self {
            Self::One(spec) => spec.build(task),
            Self::Bank(members) => Ok(Box::new(Bank::new(members, task, bias)?)),
        }
    }
}

fn member(spec: &str, view: &str) -> Result<(Spec, View)> {
    Ok((Spec::parse(spec.trim())?, View::parse(view.trim())?))
}

fn empty() -> Error {
    Error::Conflict("an empty bank; expected bank(SPEC@VIEW; …)".into())
}
