//! What is to learn: one learner, or an ensemble of them.
//!
//! One learner is written as a [`Spec`], `RULE[/STORE][:param=value,…]`, the one notation for settings; an ensemble as
//! `ensemble(SPEC@VIEW; SPEC@VIEW; …)`; `auto` is the one that measured best over the sets described in docs/defaults.md,
//! one for sparse rows and one for dense rows.

use std::fmt;

use crate::learner::{Binary, Ensemble, Head, Learner, Multiclass, PER_ROW, RESTART, multiclass};
use crate::param::{Param, Params};
use crate::rule::{self, RuleSpec};
use crate::store::{self, FORGET, HALF_LIFE, PROJECTION, StoreSpec};
use crate::transform::{Cuts, View};
use crate::{Error, Result};

/// What is to be told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Task {
    /// Two classes: 0 is negative, 1 is positive.
    Binary,
    /// Any number of classes, which may come to life at any time.
    #[default]
    Multiclass,
    /// The same, and a row may have none of them, one or several.
    Multilabel,
}

impl Task {
    /// The word that users type and files hold.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Task::Binary => "binary",
            Task::Multiclass => "multiclass",
            Task::Multilabel => "multilabel",
        }
    }

    /// Reads such a word.
    ///
    /// ```
    /// use surefoot_core::Task;
    /// assert_eq!(Task::parse("multiclass")?, Task::Multiclass);
    /// assert!(Task::parse("ranking").is_err());
    /// # Ok::<(), surefoot_core::Error>(())
    /// ```
    pub fn parse(word: &str) -> Result<Self> {
        let all = [Task::Binary, Task::Multiclass, Task::Multilabel];
        all.into_iter().find(|task| task.word() == word).ok_or_else(|| Error::Unknown {
            what: "task",
            found: word.to_string(),
            known: all.map(Task::word).join(", "),
        })
    }
}

/// A rule, a store and their parameters, checked.
///
/// ```
/// use surefoot_core::Spec;
/// let spec = Spec::parse("cw-var:confidence=0.95")?;
/// assert_eq!(spec.rule().name, "cw-var");
/// assert_eq!(spec.store().name, "diagonal");
/// let error = Spec::parse("cw-var:c=1").unwrap_err().to_string();
/// assert!(error.starts_with("unknown parameter of cw-var/diagonal `c`; known: confidence, "));
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Spec {
    rule: &'static RuleSpec,
    store: &'static StoreSpec,
    typed: Vec<(&'static Param, String)>,
}

impl Spec {
    /// A rule on a store (its own default if none is named) with default parameters.
    pub fn new(rule: &str, store: Option<&str>) -> Result<Self> {
        let rule = rule::find(rule)?;
        let store = store::find(store.unwrap_or(rule.store))?;
        Ok(Self { rule, store, typed: Vec::new() })
    }

    /// The same rule and parameters on another store.
    pub fn on_store(&self, store: &str) -> Result<Self> {
        let mut spec = Self::new(self.rule.name, Some(store))?;
        self.typed.iter().try_for_each(|(param, text)| spec.set(param.name, text))?;
        Ok(spec)
    }

    /// Reads `RULE[/STORE][:param=value,…]`, each parameter once.
    pub fn parse(text: &str) -> Result<Self> {
        let (head, tail) = text.split_once(':').unwrap_or((text, ""));
        let (rule, store) = head.split_once('/').map_or((head, None), |(rule, store)| (rule, Some(store)));
        let mut spec = Self::new(rule.trim(), store.map(str::trim))?;
        for pair in tail.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or_else(|| Error::Parameter {
                name: pair.to_string(),
                found: pair.to_string(),
                expected: "param=value".to_string(),
            })?;
            let name = name.trim();
            if spec.typed.iter().any(|(param, _)| param.name == name) {
                return Err(Error::Conflict(format!("parameter `{name}` is given twice")));
            }
            spec.set(name, value)?;
        }
        spec.params()?;
        Ok(spec)
    }

    /// Sets one parameter; the last setting of a name counts.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let param = self.tables().find(|p| p.name == name).ok_or_else(|| {
            let (rule, store) = (self.rule.name, self.store.name);
            let known = self.tables().map(|p| p.name).collect::<Vec<_>>().join(", ");
            Error::Conflict(format!("unknown parameter of {rule}/{store} `{name}`; known: {known}"))
        })?;
        param.check(value)?;
        self.typed.retain(|(old, _)| old.name != name);
        self.typed.push((param, value.trim().to_string()));
        Ok(())
    }

    /// The same learner, which never starts anew by itself.
    pub(crate) fn without_restart(&self) -> Result<Self> {
        let mut spec = self.clone();
        spec.set(RESTART.name, "false")?;
        Ok(spec)
    }

    /// The rule.
    #[must_use]
    pub fn rule(&self) -> &'static RuleSpec {
        self.rule
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &'static StoreSpec {
        self.store
    }

    /// Every parameter that this rule on this store takes, each once.
    pub fn tables(&self) -> impl Iterator<Item = &'static Param> + use<> {
        let (rule, store) = (self.rule, self.store);
        rule.params.iter().chain(store.params).chain([&RESTART]).chain(multiclass::PARAMS)
    }

    /// Every parameter filled in and checked, alone and together.
    pub fn params(&self) -> Result<Params> {
        let mut params = Params::default();
        for param in self.tables() {
            params.set(param, self.value(param))?;
        }
        let tells_how = self.typed.iter().any(|(param, _)| param.name == FORGET.name);
        if tells_how && store::half_life(&params).is_none() {
            return Err(Error::Conflict(format!(
                "{}={} says how to forget and needs a {}, such as {}=1000",
                FORGET.name,
                params.word(FORGET.name),
                HALF_LIFE.name,
                HALF_LIFE.name
            )));
        }
        let joint = matches!(params.word("schedule"), "parallel" | "exact");
        if joint && params.word(PROJECTION.name) == "covariance" {
            if self.typed.iter().any(|(p, _)| p.name == PROJECTION.name) {
                return Err(Error::Conflict(format!(
                    "schedule={} adds precisions, so it needs projection=precision",
                    params.word("schedule")
                )));
            }
            params.set(&PROJECTION, "precision")?;
        }
        if params.word("schedule") == "exact" && (self.rule.build)(&params).demand(1.0).is_none() {
            return Err(Error::Conflict(format!(
                "schedule=exact needs a rule with hard constraints; {} has none (try cw-var, cw-stdev, pa or pa1)",
                self.rule.name
            )));
        }
        Ok(params)
    }

    /// The same as they are for a task. Where a row may have several labels, each is its own problem against the rest and learns
    /// from every row, unless something else is said.
    fn params_for(&self, task: Task) -> Result<Params> {
        let mut spec = self.clone();
        let typed = |spec: &Self, name: &str| spec.typed.iter().any(|(param, _)| param.name == name);
        if task == Task::Multilabel {
            let [schedule, top] = multiclass::MULTILABEL;
            if !typed(&spec, schedule.0) {
                spec.set(schedule.0, schedule.1)?;
            }
            if spec.value_of(schedule.0) == Some(schedule.1) && !typed(&spec, top.0) {
                spec.set(top.0, top.1)?;
            }
        }
        spec.params()
    }

    /// What a parameter was set to.
    fn value_of(&self, name: &str) -> Option<&str> {
        self.typed.iter().find(|(param, _)| param.name == name).map(|(_, text)| text.as_str())
    }

    fn value(&self, param: &'static Param) -> &str {
        let typed = self.typed.iter().find(|(p, _)| p.name == param.name).map(|(_, text)| text.as_str());
        let of_rule = self.rule.defaults.iter().find(|(name, _)| *name == param.name).map(|(_, text)| *text);
        typed.or(of_rule).unwrap_or(param.default)
    }

    /// The SPEC with every parameter that matters for the task filled in.
    pub fn text(&self, task: Task) -> Result<String> {
        let params = self.params_for(task)?;
        let matters = |name: &str| task != Task::Binary || multiclass::PARAMS.iter().all(|p| p.name != name);
        // What never forgets and never starts anew says nothing of it.
        let forgets = store::half_life(&params).is_some();
        let says = |name: &str| {
            (forgets || !store::FORGETTING.contains(&name))
                && (params.flag(name) || ![RESTART.name, PER_ROW.name].contains(&name))
        };
        let pairs: Vec<String> = params
            .iter()
            .filter(|(name, _)| matters(name) && says(name))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let colon = if pairs.is_empty() { "" } else { ":" };
        Ok(format!("{}/{}{colon}{}", self.rule.name, self.store.name, pairs.join(",")))
    }

    /// A learner at the start of its stream that knows so many classes; for two classes `classes` is not asked.
    pub fn build(&self, task: Task, classes: usize) -> Result<Box<dyn Learner>> {
        let params = self.params_for(task)?;
        Ok(match task {
            Task::Binary => Box::new(Binary::new(self.rule, self.store, &params)?),
            Task::Multiclass => Box::new(Multiclass::new(self.rule, self.store, &params, classes)?),
            Task::Multilabel => Box::new(Multiclass::of_several(self.rule, self.store, &params, classes)?),
        })
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spec({})", self.text(Task::Multiclass).unwrap_or_else(|e| e.to_string()))
    }
}

/// The members of `auto`, SPEC and view: learners that err apart. Rows of unit length and rows as they are, counts and
/// their roots, features by how well they tell labels apart; one that follows the data for ever (its floor keeps it from
/// settling), and three that start anew where the data changed. Four of two classes share one table. Their cells are in single
/// precision: four members then need the memory of two, and err the same. Of text they see single words.
pub const AUTO: &[(&str, &str)] = &[
    ("arow/compact:r=0.02,restart=true", "words:sqrt+l2"),
    ("scw1/compact:projection=covariance,restart=true", "words:sqrt"),
    ("logistic/compact:scale=1,floor=0.5", "words:none+l2"),
    ("scw1/compact:projection=covariance,restart=true", "words:nb"),
];

/// What joins `auto` where there is text: members that see pairs of words, and runs of characters.
pub const AUTO_TEXT: &[(&str, &str)] = &[
    ("arow/compact:r=30,per-row=true,restart=true", "words+pairs:nb+l2"),
    ("arow/compact:r=30,per-row=true,restart=true", "chars:nb+l2"),
];

/// What joins `auto` where every row has a good part of the features there are. Those are correlated, and a learner that keeps
/// correlations errs less than any that does not; they have scales and means of their own; and measurements drift, so that two
/// members forget within tens and hundreds of rows. It takes several times as long as the others together.
pub const AUTO_DENSE: &[(&str, &str)] = &[
    ("cw-stdev/factored:rank=8,restart=true", "none"),
    ("arow/compact:r=0.02,half-life=30,forget=inflate", "rms+l2"),
    ("arow/compact:r=10,half-life=300,forget=inflate", "std"),
    ("arow/compact:r=10,restart=true", "std"),
    ("logistic/compact:scale=1,floor=0.5", "std"),
];

/// What the rows of a stream are, as far as that decides what learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Each has a few of the features there are.
    Sparse,
    /// Each has a good part of them.
    Dense,
    /// Text that is cut in several ways is among them.
    Text,
}

impl RowKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Sparse, Self::Dense, Self::Text];
}

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
        /// What joins them where there is text.
        text: Vec<(Spec, View)>,
    },
}

impl LearnerSpec {
    /// Reads a SPEC, `auto`, or `ensemble(…)`; its earlier name `bank(…)` is understood too. `SPEC@VIEW` is an ensemble of one.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if text == "auto" {
            let (members, dense, text) = (all(AUTO)?, all(AUTO_DENSE)?, all(AUTO_TEXT)?);
            return Ok(Self::Auto { members, dense, text });
        }
        let list = text.strip_prefix("ensemble(").or_else(|| text.strip_prefix("bank("));
        let Some(inner) = list.and_then(|rest| rest.strip_suffix(')')) else {
            return match text.split_once('@') {
                None => Spec::parse(text).map(Self::One),
                Some((spec, view)) => Ok(Self::Ensemble(vec![member(spec, view)?])),
            };
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

    /// What would join rows of a kind.
    #[must_use]
    pub fn joining(&self, rows: RowKind) -> &[(Spec, View)] {
        match (self, rows) {
            (Self::Auto { dense, .. }, RowKind::Dense) => dense,
            (Self::Auto { text, .. }, RowKind::Text) => text,
            _ => &[],
        }
    }

    /// The same as a text, as [`LearnerSpec::opened`] reads it; empty if nothing would.
    pub fn joining_text(&self, rows: RowKind, task: Task) -> Result<String> {
        // With the parameters of many classes too: what is read back must not lack any.
        texts(self.joining(rows), if task == Task::Binary { Task::Multiclass } else { task })
    }

    /// An ensemble that others may join, as [`LearnerSpec::joining_text`] told them.
    pub fn opened(self, dense: &str, text: &str) -> Result<Self> {
        match self {
            Self::Ensemble(members) => {
                Ok(Self::Auto { members, dense: parse_members(dense)?, text: parse_members(text)? })
            }
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
    /// use surefoot_core::{LearnerSpec, RowKind, Task};
    /// let auto = LearnerSpec::parse("auto")?;
    /// let dense = auto.clone().for_rows(RowKind::Dense);
    /// assert!(dense.text(Task::Binary)?.contains("factored") && !dense.is_open());
    /// // As long as nothing is known, and where rows are sparse, the others are alone.
    /// assert_eq!(auto.clone().for_rows(RowKind::Sparse).text(Task::Binary)?, auto.text(Task::Binary)?);
    /// # Ok::<(), surefoot_core::Error>(())
    /// ```
    #[must_use]
    pub fn for_rows(self, rows: RowKind) -> Self {
        let joining = self.joining(rows).to_vec();
        match self {
            Self::Auto { mut members, .. } => {
                members.extend(joining);
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
                // Columns that are standardised never have gaps.
                !self.sees_columns() && members.iter().all(|(spec, _)| spec.store().takes_gaps)
            }
        }
    }

    /// The cuts of text that any member sees, if there is a member that does not see all of them.
    #[must_use]
    pub fn cuts(&self) -> Option<Cuts> {
        let (Self::Ensemble(members) | Self::Auto { members, .. }) = self else { return None };
        let mut cuts = members.iter().chain(self.joining(RowKind::Text)).map(|(_, view)| view.cuts);
        let apart = cuts.clone().any(|cuts| cuts != Cuts::ALL);
        let first = cuts.next().filter(|_| apart)?;
        Some(cuts.fold(first, Cuts::or))
    }

    /// Whether a member by now sees every example with an entry for every column.
    #[must_use]
    pub fn sees_columns(&self) -> bool {
        match self {
            Self::One(_) => false,
            Self::Ensemble(members) | Self::Auto { members, .. } => {
                members.iter().any(|(_, view)| view.scaling.is_some_and(|scaling| scaling.every_column))
            }
        }
    }

    /// Whether each weight of what learns by now stands for itself, with a mean and a variance: then those that say nothing can
    /// be left out. Members are to be of one precision, so that they share a table before and after.
    #[must_use]
    pub fn is_compactable(&self) -> bool {
        match self {
            Self::One(spec) => spec.store().side_by_side.is_some(),
            Self::Ensemble(members) | Self::Auto { members, .. } => {
                let precision = members.first().and_then(|(spec, _)| spec.store().side_by_side);
                precision.is_some() && members.iter().all(|(spec, _)| spec.store().side_by_side == precision)
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

    /// The head of such a learner, before its first round. One member alone has no other to be weighed against.
    pub fn head(&self, task: Task) -> Result<Head> {
        match self {
            Self::One(_) => Head::new(1, false, task),
            Self::Ensemble(members) if members.len() == 1 => Head::new(1, false, task),
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
