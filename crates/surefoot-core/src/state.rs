//! State as named tensors: what a model file holds, without the file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

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

/// Behind the name of tensors that are stacked: how long each is.
const LENGTHS: &str = "-lengths";

/// The same with the numbers of each kind.
macro_rules! each_kind {
    ($tensor:expr, $data:ident => $body:expr) => {
        match $tensor {
            Tensor::U8($data) => Tensor::U8($body.into()),
            Tensor::F64($data) => Tensor::F64($body.into()),
            Tensor::F32($data) => Tensor::F32($body.into()),
            Tensor::U32($data) => Tensor::U32($body.into()),
            Tensor::U64($data) => Tensor::U64($body.into()),
        }
    };
}

impl Tensor<'_> {
    /// How many numbers it holds.
    fn len(&self) -> usize {
        match self {
            Tensor::U8(data) => data.len(),
            Tensor::F64(data) => data.len(),
            Tensor::F32(data) => data.len(),
            Tensor::U32(data) => data.len(),
            Tensor::U64(data) => data.len(),
        }
    }

    /// A copy of what was borrowed.
    fn into_owned(self) -> Tensor<'static> {
        each_kind!(self, data => data.into_owned())
    }

    /// A part of it.
    fn slice(&self, range: Range<usize>) -> Tensor<'static> {
        each_kind!(self, data => data[range].to_vec())
    }

    /// Adds the numbers of another of its kind; those of another kind are left out.
    fn extend(&mut self, more: &Tensor<'_>) {
        match (self, more) {
            (Tensor::U8(own), Tensor::U8(more)) => own.to_mut().extend_from_slice(more),
            (Tensor::F64(own), Tensor::F64(more)) => own.to_mut().extend_from_slice(more),
            (Tensor::F32(own), Tensor::F32(more)) => own.to_mut().extend_from_slice(more),
            (Tensor::U32(own), Tensor::U32(more)) => own.to_mut().extend_from_slice(more),
            (Tensor::U64(own), Tensor::U64(more)) => own.to_mut().extend_from_slice(more),
            _ => {}
        }
    }
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
        State(self.0.into_iter().map(|(name, tensor)| (name, tensor.into_owned())).collect())
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

    /// The tensors of several alike under one name each, one behind the other, and how long each is.
    pub(crate) fn stacked<'s>(parts: impl Iterator<Item = State<'s>>) -> State<'static> {
        let (mut all, mut lengths) =
            (BTreeMap::<String, Tensor<'static>>::new(), BTreeMap::<String, Vec<u64>>::new());
        for (name, tensor) in parts.flat_map(|part| part.0) {
            lengths.entry(format!("{name}{LENGTHS}")).or_default().push(tensor.len() as u64);
            match all.entry(name) {
                Entry::Vacant(place) => _ = place.insert(tensor.into_owned()),
                Entry::Occupied(mut place) => place.get_mut().extend(&tensor),
            }
        }
        all.extend(lengths.into_iter().map(|(name, lengths)| (name, Tensor::U64(lengths.into()))));
        State(all)
    }

    /// What [`State::stacked`] made of so many.
    pub(crate) fn unstacked(mut self, parts: u64) -> Result<Vec<State<'static>>> {
        let is_length = |name: &String| name.ends_with(LENGTHS);
        let names: Vec<String> = self.0.keys().filter(|name| !is_length(name)).cloned().collect();
        let stacks = names.into_iter().map(|name| {
            let lengths = self.take_u64(&format!("{name}{LENGTHS}"))?;
            check_length(&name, lengths.len(), parts as usize)?;
            let stack = self.0.remove(&name).ok_or_else(|| wrong(&name, "a tensor", false))?;
            let sum = lengths.iter().try_fold(0u64, |sum, &length| sum.checked_add(length));
            if sum != Some(stack.len() as u64) {
                return Err(damaged(&name, "its lengths are of another tensor"));
            }
            Ok((name, stack, lengths))
        });
        let stacks = stacks.collect::<Result<Vec<_>>>()?;
        self.finish()?;
        if stacks.is_empty() && parts > 0 {
            return Err(Error::State(format!("nothing where {parts} of a kind are needed")));
        }
        let mut starts = vec![0; stacks.len()];
        let part = |number: usize| {
            let tensors = stacks.iter().zip(&mut starts).map(|((name, stack, lengths), start)| {
                let end = *start + lengths[number] as usize;
                (name.clone(), stack.slice(std::mem::replace(start, end)..end))
            });
            State(tensors.collect())
        };
        Ok((0..parts as usize).map(part).collect())
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
