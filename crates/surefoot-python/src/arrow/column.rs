//! One column of one chunk, of any of Arrow's types for numbers and words.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, LargeStringArray, PrimitiveArray, StringArray, StringViewArray,
};

/// Values without gaps.
pub enum ArrowColumn {
    Numbers(Box<dyn Numbers>),
    Words(Words),
}

impl ArrowColumn {
    /// None if a value is missing or not finite, or if the type is neither numbers nor (if they are wanted) words.
    pub fn new(array: &ArrayRef, words: bool) -> Option<Self> {
        if array.logical_null_count() > 0 {
            return None;
        }
        if let Some(numbers) = numbers(array) {
            let finite = (0..array.len()).all(|row| numbers.number(row).is_finite());
            return finite.then_some(Self::Numbers(numbers));
        }
        if words { Words::new(array).map(Self::Words) } else { None }
    }
}

/// Numbers of some type, as the learner's.
pub trait Numbers: Send + Sync {
    /// The number of a row below the length.
    fn number(&self, row: usize) -> f64;
}

macro_rules! number_types {
    ($($kind:ty),* $(,)?) => {
        $(impl Numbers for PrimitiveArray<$kind> {
            fn number(&self, row: usize) -> f64 {
                self.value(row) as f64
            }
        })*

        fn numbers(array: &ArrayRef) -> Option<Box<dyn Numbers>> {
            $(if let Some(found) = array.as_primitive_opt::<$kind>() {
                return Some(Box::new(found.clone()));
            })*
            array.as_boolean_opt().map(|found| Box::new(found.clone()) as Box<dyn Numbers>)
        }
    };
}

number_types!(
    Float64Type,
    Float32Type,
    Int64Type,
    Int32Type,
    Int16Type,
    Int8Type,
    UInt64Type,
    UInt32Type,
    UInt16Type,
    UInt8Type,
);

impl Numbers for BooleanArray {
    fn number(&self, row: usize) -> f64 {
        f64::from(u8::from(self.value(row)))
    }
}

/// Strings of any of Arrow's layouts.
pub enum Words {
    Small(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
    /// A categorical column: the place of each row's word in a list of words.
    Coded(Vec<usize>, Box<Words>),
}

impl Words {
    /// None if the column holds no strings.
    pub fn new(array: &ArrayRef) -> Option<Self> {
        if let Some(found) = array.as_string_opt::<i32>() {
            return Some(Self::Small(found.clone()));
        }
        if let Some(found) = array.as_string_opt::<i64>() {
            return Some(Self::Large(found.clone()));
        }
        if let Some(found) = array.as_string_view_opt() {
            return Some(Self::View(found.clone()));
        }
        let coded = array.as_any_dictionary_opt()?;
        let words = Self::new(coded.values())?;
        // Codes of no words at all cannot be put in range.
        let codes = if coded.values().is_empty() { vec![] } else { coded.normalized_keys() };
        Some(Self::Coded(codes, Box::new(words)))
    }

    /// The string of a row below the length, empty where one is missing.
    pub fn word(&self, row: usize) -> &str {
        match self {
            Self::Small(words) => words.value(row),
            Self::Large(words) => words.value(row),
            Self::View(words) => words.value(row),
            Self::Coded(codes, words) => codes.get(row).map_or("", |&code| words.word(code)),
        }
    }
}
