//! Learner SPECs: `RULE[/STORE][:param=value,…]`, the one notation for settings.

use std::fmt;

use crate::learner::{Binary, Learner, Multiclass, multiclass};
use crate::param::{Param, Params};
use crate::rule::{self, RuleSpec};
use crate::store::{self, PROJECTION, StoreSpec};
use crate::{Error, Result};

/// What is to be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Two classes: 0 is negative, 1 is positive.
    Binary,
    /// Any number of classes, which may come to life at any time.
    Multiclass,
}

impl Task {
    /// The word that users type and files hold.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Task::Binary => "binary",
            Task::Multiclass => "multiclass",
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
        [Task::Binary, Task::Multiclass].into_iter().find(|task| task.word() == word).ok_or_else(|| {
            Error::Unknown { what: "task", found: word.to_string(), known: "binary, multiclass".to_string() }
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
        rule.params.iter().chain(store.params).chain(multiclass::PARAMS)
    }

    /// Every parameter filled in and checked, alone and together.
    pub fn params(&self) -> Result<Params> {
        let mut params = Params::default();
        for param in self.tables() {
            params.set(param, self.value(param))?;
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

    fn value(&self, param: &'static Param) -> &str {
        let typed = self.typed.iter().find(|(p, _)| p.name == param.name).map(|(_, text)| text.as_str());
        let of_rule = self.rule.defaults.iter().find(|(name, _)| *name == param.name).map(|(_, text)| *text);
        typed.or(of_rule).unwrap_or(param.default)
    }

    /// The SPEC with every parameter that matters for the task filled in.
    pub fn text(&self, task: Task) -> Result<String> {
        let params = self.params()?;
        let matters = |name: &str| task != Task::Binary || multiclass::PARAMS.iter().all(|p| p.name != name);
        let pairs: Vec<String> = params
            .iter()
            .filter(|(name, _)| matters(name))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let colon = if pairs.is_empty() { "" } else { ":" };
        Ok(format!("{}/{}{colon}{}", self.rule.name, self.store.name, pairs.join(",")))
    }

    /// A learner at the start of its stream that knows so many classes; for two classes `classes` is not asked.
    pub fn build(&self, task: Task, classes: usize) -> Result<Box<dyn Learner>> {
        let params = self.params()?;
        Ok(match task {
            Task::Binary => Box::new(Binary::new(self.rule, self.store, &params)?),
            Task::Multiclass => Box::new(Multiclass::new(self.rule, self.store, &params, classes)?),
        })
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spec({})", self.text(Task::Multiclass).unwrap_or_else(|e| e.to_string()))
    }
}
