//! State as named tensors: what a model file holds, without the file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{Error, Result};

/// One named array of numbers: its owner's own memory where it lies in the right order, or a copy.
#[derive(Debug, Clone, PartialEq)]
pub enum Tensor<'a> {
    /// Bytes.
    U8(Cow<'a, [u8]>),
    /// Real numbers.
    F64(Cow<'a, [f64]>),
    /// Real numbers in single precision.
    F32(Cow<'a, [f32]>),
    /// Small indices.
    U32(Cow<'a, [u32]>),
    /// Counts.
    U64(Cow<'a, [u64]>),
}

/// Named tensors, in the order of their names. Loading takes them out one by one and checks what it takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State<'a>(BTreeMap<String, Tensor<'a>>);

impl<'a> State<'a> {
    /// No tensors.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tensor under a name.
    pub fn put(&mut self, name: impl Into<String>, tensor: Tensor<'a>) {
        self.0.insert(name.into(), tensor);
    }

    /// Adds whole numbers under a name.
    pub fn put_counts(&mut self, name: impl Into<String>, counts: &[u64]) {
        self.put(name, Tensor::U64(counts.to_vec().into()));
    }

    /// Everything, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor<'a>)> {
        self.0.iter().map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Takes exactly `N` counts out.
    pub fn take_counts<const N: usize>(&mut self, name: &str) -> Result<[u64; N]> {
        let counts = self.take_u64(name)?;
        check_counts(name, &counts)?;
        counts.try_into().map_err(|_| wrong(name, "another number of counts", true))
    }

    /// Whether a tensor of that name is there.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Moves everything under `prefix.` into a state of its own, without the prefix.
    #[must_use]
    pub fn split(&mut self, prefix: &str) -> State<'a> {
        let own = |name: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'));
        let taken = self.0.extract_if(.., |name, _| own(name));
        State(taken.map(|(name, tensor)| (name[prefix.len() + 1..].to_string(), tensor)).collect())
    }

    /// Adds everything of another state under `prefix.`.
    pub fn join(&mut self, prefix: &str, part: State<'a>) {
        for (name, tensor) in part.0 {
            self.put(format!("{prefix}.{name}"), tensor);
        }
    }

    /// The same with everything copied that was borrowed.
    #[must_use]
    pub fn into_owned(self) -> State<'static> {
        let own = |tensor| match tensor {
            Tensor::U8(data) => Tensor::U8(data.into_owned().into()),
            Tensor::F64(data) => Tensor::F64(data.into_owned().into()),
            Tensor::F32(data) => Tensor::F32(data.into_owned().into()),
            Tensor::U32(data) => Tensor::U32(data.into_owned().into()),
            Tensor::U64(data) => Tensor::U64(data.into_owned().into()),
        };
        State(self.0.into_iter().map(|(name, tensor)| (name, own(tensor))).collect())
    }

    /// The rest, without the tensors of these names.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        names.iter().for_each(|name| drop(self.0.remove(*name)));
        self
    }

    /// The rest, without any part of this name, at whatever depth.
    #[must_use]
    pub fn without_part(mut self, part: &str) -> Self {
        self.0.retain(|name, _| name.split('.').rev().skip(1).all(|own| own != part));
        self
    }

    /// Refuses what was not taken.
    pub fn finish(self) -> Result<()> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(Error::State(format!("tensor `{name}` belongs to nothing"))),
        }
    }
}

macro_rules! take {
    ($($(#[$doc:meta])* $take:ident: $kind:ident of $number:ty, $what:literal;)*) => {
        impl State<'_> {
            $($(#[$doc])*
            pub fn $take(&mut self, name: &str) -> Result<Vec<$number>> {
                match self.0.remove(name) {
                    Some(Tensor::$kind(data)) => Ok(data.into_owned()),
                    found => Err(wrong(name, $what, found.is_some())),
                }
            })*
        }
    };
}

take! {
    /// Takes a tensor of bytes out.
    take_u8: U8 of u8, "bytes";
    /// Takes a tensor of real numbers out.
    take_f64: F64 of f64, "real numbers";
    /// Takes a tensor of real numbers in single precision out.
    take_f32: F32 of f32, "real numbers in single precision";
    /// Takes a tensor of indices out.
    take_u32: U32 of u32, "indices";
    /// Takes any number of counts out.
    take_u64: U64 of u64, "counts";
}

fn wrong(name: &str, expected: &str, present: bool) -> Error {
    let what = if present { "is of another kind than" } else { "is missing; expected" };
    Error::State(format!("tensor `{name}` {what} {expected}"))
}

/// A tensor that holds something that no run of ours can have written.
pub fn damaged(name: &str, what: impl std::fmt::Display) -> Error {
    Error::State(format!("tensor `{name}` is damaged: {what}"))
}

/// Refuses a tensor of another length than expected.
pub fn check_length(name: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::State(format!("tensor `{name}` has {found} numbers; expected {expected}")))
}

/// Refuses what no machine can have counted: counting on from there would overflow.
pub(crate) fn check_counts(name: &str, counts: &[u64]) -> Result<()> {
    if counts.iter().all(|&count| count <= 1 << 60) {
        return Ok(());
    }
    Err(Error::State(format!("`{name}` has an impossible count")))
}

/// A variance below zero: the model that holds it was damaged.
pub(crate) fn negative_variance(name: &str) -> Error {
    Error::State(format!("tensor `{name}` holds a negative variance"))
}

/// Refuses numbers that are NaN or infinite: a model that holds them was damaged.
pub fn check_finite<T: Copy + Into<f64>>(name: &str, data: &[T]) -> Result<()> {
    match data.iter().position(|&x| !x.into().is_finite()) {
        None => Ok(()),
        Some(i) => Err(Error::State(format!("tensor `{name}` holds {} at position {i}", data[i].into()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_are_taken_by_kind_name_and_prefix() -> Result<()> {
        let mut state = State::new();
        state.put("text", Tensor::U8(b"abc".into()));
        state.put("a.b", Tensor::U32(vec![1].into()));
        state.put("a.c", Tensor::F64(vec![0.5].into()));
        assert!(state.clone().finish().is_err_and(|e| e.to_string().contains("`a.b`")));
        let wrong = state.clone().take_u64("text").map_err(|e| e.to_string());
        assert_eq!(wrong, Err("model state: tensor `text` is of another kind than counts".into()));
        assert_eq!(state.take_u8("text")?, b"abc");
        assert!(state.take_u8("text").is_err_and(|e| e.to_string().contains("is missing; expected bytes")));
        let part = state.clone().split("a");
        assert_eq!(part.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!(state.split("a").iter().next(), Some(("b", &Tensor::U32(vec![1].into()))));
        state.finish()
    }
}
