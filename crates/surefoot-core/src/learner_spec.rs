//! What is to learn: one learner, or an ensemble of them.
//!
//! One learner is written as a [`Spec`]; an ensemble as `ensemble(SPEC@VIEW; SPEC@VIEW; …)`; `auto` is the one that measured
//! best over the sets described in docs/defaults.md, one for sparse rows and one for dense rows.

use crate::learner::{Ensemble, Head, Learner};
use crate::transform::View;
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

/// What joins `auto` where every row has a good part of the features there are: those are correlated, and a learner that keeps
/// correlations errs less than any that does not. It takes several times as long as the others together.
pub const AUTO_DENSE: &[(&str, &str)] = &[("cw-stdev/factored:rank=8", "none")];

/// One learner or an ensemble.
///
/// ```
/// use surefoot_core::{LearnerSpec, Task};
/// let spec = LearnerSpec::parse("ensemble(arow:r=0.1@sqrt+l2; logistic@none)")?;
/// let text = spec.text(Task::Binary)?;
/// assert_eq!(LearnerSpec::parse(&text)?.text(Task::Binary)?, text);
/// assert!(spec.is_ensemble());
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub enum LearnerSpec {
    /// One learner; its view is part of how examples are prepared.
    One(Spec),
    /// Several, each with its own view of the prepared examples.
    Ensemble(Vec<(Spec, View)>),
    /// An ensemble before its rows are known.
    Auto {
        /// What learns in any case.
        members: Vec<(Spec, View)>,
        /// What joins them where rows are dense; see [`LearnerSpec::for_rows`].
        dense: Vec<(Spec, View)>,
    },
}

impl LearnerSpec {
    /// Reads a SPEC, `auto`, or `ensemble(…)`; its earlier name `bank(…)` is understood too.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if text == "auto" {
            return Ok(Self::Auto { members: all(AUTO)?, dense: all(AUTO_DENSE)? });
        }
        let list = text.strip_prefix("ensemble(").or_else(|| text.strip_prefix("bank("));
        let Some(inner) = list.and_then(|rest| rest.strip_suffix(')')) else {
            return Spec::parse(text).map(Self::One);
        };
        let members = parse_members(inner)?;
        if members.is_empty() {
            return Err(Error::Conflict("an empty ensemble; expected ensemble(SPEC@VIEW; …)".into()));
        }
        Ok(Self::Ensemble(members))
    }

    /// Whether several learners run side by side.
    #[must_use]
    pub fn is_ensemble(&self) -> bool {
        !matches!(self, Self::One(_))
    }

    /// What would join, as [`LearnerSpec::opened`] reads it; empty if all is decided.
    pub fn joining(&self) -> Result<String> {
        let Self::Auto { dense, .. } = self else { return Ok(String::new()) };
        // With the parameters of many classes too: what is read back must not lack any.
        texts(dense, Task::Multiclass)
    }

    /// An ensemble that others may join, as [`LearnerSpec::joining`] told them.
    pub fn opened(self, joining: &str) -> Result<Self> {
        match self {
            Self::Ensemble(members) => Ok(Self::Auto { members, dense: parse_members(joining)? }),
            _ => Err(Error::Conflict("only an ensemble can be joined".into())),
        }
    }

    /// Whether it is still to be decided what learns.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Auto { .. })
    }

    /// The same once rows were seen: it is decided what learns.
    ///
    /// ```
    /// use surefoot_core::{LearnerSpec, Task};
    /// let auto = LearnerSpec::parse("auto")?;
    /// let dense = auto.clone().for_rows(true);
    /// assert!(dense.text(Task::Binary)?.contains("factored") && !dense.is_open());
    /// // As long as nothing is known, and where rows are sparse, the others are alone.
    /// assert_eq!(auto.clone().for_rows(false).text(Task::Binary)?, auto.text(Task::Binary)?);
    /// # Ok::<(), surefoot_core::Error>(())
    /// ```
    #[must_use]
    pub fn for_rows(self, dense: bool) -> Self {
        match self {
            Self::Auto { mut members, dense: joining } => {
                members.extend(joining.into_iter().filter(|_| dense));
                Self::Ensemble(members)
            }
            decided => decided,
        }
    }

    /// Whether the ids of its features may have gaps; see [`StoreSpec::takes_gaps`](crate::store::StoreSpec::takes_gaps).
    #[must_use]
    pub fn takes_gaps(&self) -> bool {
        match self {
            Self::One(spec) => spec.store().takes_gaps,
            Self::Ensemble(members) | Self::Auto { members, .. } => {
                members.iter().all(|(spec, _)| spec.store().takes_gaps)
            }
        }
    }

    /// Every parameter that matters for the task filled in; [`LearnerSpec::parse`] reads it back.
    pub fn text(&self, task: Task) -> Result<String> {
        match self {
            Self::One(spec) => spec.text(task),
            Self::Ensemble(members) | Self::Auto { members, .. } => {
                Ok(format!("ensemble({})", texts(members, task)?))
            }
        }
    }

    /// A learner at the start of its stream that knows so many classes; for two classes `classes` is not asked. With `bias`
    /// the last feature of every example is the bias.
    pub fn build(&self, task: Task, classes: usize, bias: bool) -> Result<Box<dyn Learner>> {
        match self {
            Self::One(spec) => spec.build(task, classes),
            Self::Ensemble(members) | Self::Auto { members, .. } => {
                Ok(Box::new(Ensemble::new(members, task, classes, bias)?))
            }
        }
    }

    /// The head of such a learner, before its first round.
    pub fn head(&self, task: Task) -> Result<Head> {
        match self {
            Self::One(_) => Head::new(1, false, task),
            Self::Ensemble(members) | Self::Auto { members, .. } => Head::new(members.len(), true, task),
        }
    }
}

/// Members as [`LearnerSpec::parse`] reads them between the brackets of an ensemble.
fn texts(members: &[(Spec, View)], task: Task) -> Result<String> {
    let texts = members.iter().map(|(spec, view)| Ok(format!("{}@{view}", spec.text(task)?)));
    Ok(texts.collect::<Result<Vec<_>>>()?.join("; "))
}

fn parse_members(text: &str) -> Result<Vec<(Spec, View)>> {
    let members = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    members
        .map(|part| part.rsplit_once('@').map_or_else(|| member(part, "none"), |(s, v)| member(s, v)))
        .collect()
}

fn all(list: &[(&str, &str)]) -> Result<Vec<(Spec, View)>> {
    list.iter().map(|(spec, view)| member(spec, view)).collect()
}

fn member(spec: &str, view: &str) -> Result<(Spec, View)> {
    Ok((Spec::parse(spec.trim())?, View::parse(view.trim())?))
}
