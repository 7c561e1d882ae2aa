//! State as named arrays of numbers: what feature spaces and scalers put into the model file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use thiserror::Error;

/// One array of the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Tensor<'a> {
    /// Bytes.
    U8(Cow<'a, [u8]>),
    /// 32-bit integers.
    U32(Cow<'a, [u32]>),
    /// 64-bit integers.
    U64(Cow<'a, [u64]>),
    /// Numbers in single precision.
    F32(Cow<'a, [f32]>),
    /// Numbers.
    F64(Cow<'a, [f64]>),
}

/// Named arrays, in the order of their names. Loading takes them out one by one and checks what it takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State<'a> {
    tensors: BTreeMap<String, Tensor<'a>>,
}

impl<'a> State<'a> {
    /// No arrays.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array under a name.
    pub fn put(&mut self, name: &str, tensor: Tensor<'a>) {
        self.tensors.insert(name.to_string(), tensor);
    }

    /// The arrays by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor<'a>)> {
        self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Takes an array of bytes out.
    pub fn take_u8(&mut self, name: &str) -> Result<Vec<u8>, StateProblem> {
        match self.take(name)? {
            Tensor::U8(values) => Ok(values.into_owned()),
            _ => Err(StateProblem::Type { name: name.to_string(), expected: "U8" }),
        }
    }

    /// Takes an array of 32-bit integers out.
    pub fn take_u32(&mut self, name: &str) -> Result<Vec<u32>, StateProblem> {
        match self.take(name)? {
            Tensor::U32(values) => Ok(values.into_owned()),
            _ => Err(StateProblem::Type { name: name.to_string(), expected: "U32" }),
        }
    }

    /// Takes an array of 64-bit integers out.
    pub fn take_u64(&mut self, name: &str) -> Result<Vec<u64>, StateProblem> {
        match self.take(name)? {
            Tensor::U64(values) => Ok(values.into_owned()),
            _ => Err(StateProblem::Type { name: name.to_string(), expected: "U64" }),
        }
    }

    /// Takes an array of numbers out.
    pub fn take_f64(&mut self, name: &str) -> Result<Vec<f64>, StateProblem> {
        match self.take(name)? {
            Tensor::F64(values) => Ok(values.into_owned()),
            _ => Err(StateProblem::Type { name: name.to_string(), expected: "F64" }),
        }
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Takes everything out whose name begins with `prefix`; the names come without it.
    pub fn take_all(&mut self, prefix: &str) -> Vec<(String, Tensor<'a>)> {
        let names: Vec<String> =
            self.tensors.keys().filter(|name| name.starts_with(prefix)).cloned().collect();
        let taken = names.into_iter().filter_map(|name| self.tensors.remove_entry(&name));
        taken.map(|(name, tensor)| (name[prefix.len()..].to_string(), tensor)).collect()
    }

    /// Refuses what nobody took.
    pub fn finish(self) -> Result<(), StateProblem> {
        self.tensors.into_keys().next().map_or(Ok(()), |name| Err(StateProblem::Unexpected(name)))
    }

    fn take(&mut self, name: &str) -> Result<Tensor<'a>, StateProblem> {
        self.tensors.remove(name).ok_or_else(|| StateProblem::Missing(name.to_string()))
    }
}

/// Why a stored state cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StateProblem {
    /// An array is not there.
    #[error("the model has no tensor '{0}'")]
    Missing(String),
    /// An array that belongs to nothing.
    #[error("the model has a tensor '{0}' that belongs to nothing")]
    Unexpected(String),
    /// An array has numbers of the wrong type.
    #[error("the tensor '{name}' has the wrong type; expected {expected}")]
    Type {
        /// The array.
        name: String,
        /// Its type.
        expected: &'static str,
    },
    /// An array has the wrong length.
    #[error("the tensor '{name}' has {found} numbers; expected {expected}")]
    Length {
        /// The array.
        name: String,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// An array holds something that no run of ours can have written.
    #[error("the tensor '{name}' is damaged: {what}")]
    Damaged {
        /// The array.
        name: String,
        /// What is wrong with it.
        what: String,
    },
}

impl StateProblem {
    /// An array that says something impossible.
    pub fn damaged(name: &str, what: impl Into<String>) -> Self {
        StateProblem::Damaged { name: name.to_string(), what: what.into() }
    }

    pub(crate) fn check_length(name: &str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(StateProblem::Length { name: name.to_string(), found, expected })
    }
}
