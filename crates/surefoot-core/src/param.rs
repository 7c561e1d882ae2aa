//! Parameters: declared once in a table, checked once on construction, never inside a loop.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Error, Result};

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// A number strictly between two bounds.
    Between(f64, f64),
    /// A finite number above zero.
    Positive,
    /// A number from the first bound (included) to the second (excluded), or this word.
    FromOr(f64, f64, &'static str),
    /// Any finite number.
    Real,
    /// A whole number of at least so much.
    Count(usize),
    /// A whole number of at least so much, or this word.
    CountOr(usize, &'static str),
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Between(low, high) => write!(f, "a number strictly between {low} and {high}"),
            Self::Positive => f.write_str("a finite number above 0"),
            Self::FromOr(low, high, word) => {
                write!(f, "a number from {low} up to, but not including, {high}, or `{word}`")
            }
            Self::Real => f.write_str("a finite number"),
            Self::Count(least) => write!(f, "a whole number of at least {least}"),
            Self::CountOr(least, word) => write!(f, "a whole number of at least {least}, or `{word}`"),
            Self::Word(words) => write!(f, "one of {}", words.join(", ")),
            Self::Flag => f.write_str("true or false"),
        }
    }
}

/// One parameter of a rule, a store or a learner.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name, the same on the command line, in Python and in a SPEC.
    pub name: &'static str,
    /// The values it takes.
    pub range: Range,
    /// The default, as it would be typed.
    pub default: &'static str,
    /// One line of help.
    pub help: &'static str,
}

/// A checked value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number; whole numbers too.
    Number(f64),
    /// One of the words of the range.
    Word(&'static str),
    /// A switch.
    Flag(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => write!(f, "{x}"),
            Self::Word(word) => f.write_str(word),
            Self::Flag(on) => write!(f, "{on}"),
        }
    }
}

impl Param {
    /// Checks a value as it was typed.
    ///
    /// ```
    /// use surefoot_core::param::{Param, Range};
    /// let p = Param { name: "confidence", range: Range::Between(0.5, 1.0), default: "0.9", help: "" };
    /// let error = p.check("1").unwrap_err().to_string();
    /// assert_eq!(error, "parameter `confidence`: expected a number strictly between 0.5 and 1, found `1`");
    /// ```
    pub fn check(&self, text: &str) -> Result<Value> {
        self.parse(text.trim()).ok_or_else(|| Error::Parameter {
            name: self.name.to_string(),
            found: text.to_string(),
            expected: self.expected(text.trim()),
        })
    }

    /// What would have been right instead of this. The largest count is far away, so it is told only where a number is beyond it.
    fn expected(&self, text: &str) -> String {
        let beyond = text.parse::<f64>().is_ok_and(|x| x > LARGEST_COUNT);
        match self.range {
            Range::Count(_) | Range::CountOr(..) if beyond => {
                format!("{}, at most {LARGEST_COUNT}", self.range)
            }
            _ => self.range.to_string(),
        }
    }

    fn parse(&self, text: &str) -> Option<Value> {
        let number = || text.parse::<f64>().ok().filter(|x| x.is_finite());
        let within = |ok: &dyn Fn(f64) -> bool| number().filter(|x| ok(*x)).map(Value::Number);
        match self.range {
            Range::Between(low, high) => within(&|x| low < x && x < high),
            Range::Positive => within(&|x| x > 0.0),
            Range::FromOr(_, _, word) | Range::CountOr(_, word) if text == word => Some(Value::Word(word)),
            Range::FromOr(low, high, _) => within(&|x| low <= x && x < high),
            Range::Real => within(&|_| true),
            Range::Count(least) | Range::CountOr(least, _) => within(&|x| is_count(x, least)),
            Range::Word(words) => words.iter().find(|w| **w == text).map(|w| Value::Word(w)),
            Range::Flag => text.parse().ok().map(Value::Flag),
        }
    }
}

/// The largest whole number that a parameter takes.
const LARGEST_COUNT: f64 = u32::MAX as f64;

fn is_count(x: f64, least: usize) -> bool {
    x.fract() == 0.0 && x >= least as f64 && x <= LARGEST_COUNT
}

/// Checked parameters by name: the only form in which settings reach the mathematics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params(BTreeMap<&'static str, Value>);

impl Params {
    /// Sets a checked value.
    pub fn set(&mut self, param: &Param, text: &str) -> Result<()> {
        self.0.insert(param.name, param.check(text)?);
        Ok(())
    }

    /// A number. Absent names give NaN, which no rule accepts; the tables guarantee presence.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        match self.0.get(name) {
            Some(Value::Number(x)) => *x,
            _ => f64::NAN,
        }
    }

    /// A whole number; a word such as `all` (and absence) is `usize::MAX`.
    #[must_use]
    pub fn count(&self, name: &str) -> usize {
        match self.0.get(name) {
            Some(Value::Number(x)) => *x as usize,
            _ => usize::MAX,
        }
    }

    /// A word; empty if absent.
    #[must_use]
    pub fn word(&self, name: &str) -> &'static str {
        match self.0.get(name) {
            Some(Value::Word(word)) => word,
            _ => "",
        }
    }

    /// A switch; false if absent.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.0.get(name), Some(Value::Flag(true)))
    }

    /// Whether the name is set at all.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// All values in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}
