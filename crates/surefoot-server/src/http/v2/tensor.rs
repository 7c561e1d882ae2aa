//! Tensors of requests: from JSON, or from the bytes behind it.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::http::reply::ApiError;

/// A tensor as a request has it.
#[derive(Debug, Deserialize)]
pub(super) struct InputTensor {
    pub(super) name: String,
    pub(super) shape: Vec<u64>,
    pub(super) datatype: String,
    #[serde(default)]
    pub(super) parameters: Map<String, Value>,
    #[serde(default)]
    data: Option<Value>,
}

/// The elements of a tensor, row after row.
#[derive(Debug)]
pub(super) enum Elements {
    Bytes(Vec<Vec<u8>>),
    Bools(Vec<bool>),
    Numbers(Vec<f64>),
}

impl Elements {
    pub(super) fn len(&self) -> usize {
        match self {
            Elements::Bytes(all) => all.len(),
            Elements::Bools(all) => all.len(),
            Elements::Numbers(all) => all.len(),
        }
    }
}

impl InputTensor {
    /// What is wrong with it.
    pub(super) fn refuse(&self, problem: impl std::fmt::Display) -> ApiError {
        ApiError::bad("bad_tensor", format!("input {}: {problem}", self.name.escape_debug()))
    }

    /// A whole number among the parameters.
    pub(super) fn parameter(&self, name: &str) -> Option<u64> {
        self.parameters.get(name).and_then(Value::as_u64)
    }

    /// The elements; those that are binary are taken off the front of `binary`.
    pub(super) fn elements(&self, binary: &mut &[u8]) -> Result<Elements, ApiError> {
        let elements = match (self.parameter("binary_data_size"), &self.data) {
            (Some(size), None) => {
                let split = usize::try_from(size).ok().and_then(|size| binary.split_at_checked(size));
                let (own, rest) =
                    split.ok_or_else(|| self.refuse("fewer bytes follow than binary_data_size says"))?;
                *binary = rest;
                self.of_bytes(own)?
            }
            (None, Some(data)) => self.of_json(data)?,
            _ => return Err(self.refuse("expected either data or the parameter binary_data_size")),
        };
        let expected = self.shape.iter().try_fold(1u64, |product, &side| product.checked_mul(side));
        if expected != Some(elements.len() as u64) {
            return Err(self.refuse(format!("{} elements for the shape {:?}", elements.len(), self.shape)));
        }
        Ok(elements)
    }

    fn of_json(&self, data: &Value) -> Result<Elements, ApiError> {
        let mut flat = Vec::new();
        flatten(data, &mut flat);
        let bad = |value: &Value| self.refuse(format!("{value} is no {}", self.datatype));
        match self.datatype.as_str() {
            "BYTES" => {
                let text = |value: &&Value| {
                    value.as_str().map(|text| text.as_bytes().to_vec()).ok_or_else(|| bad(value))
                };
                flat.iter().map(text).collect::<Result<_, _>>().map(Elements::Bytes)
            }
            "BOOL" => {
                let truth = |value: &&Value| value.as_bool().ok_or_else(|| bad(value));
                flat.iter().map(truth).collect::<Result<_, _>>().map(Elements::Bools)
            }
            _ if width(&self.datatype).is_some() => {
                let number = |value: &&Value| value.as_f64().ok_or_else(|| bad(value));
                flat.iter().map(number).collect::<Result<_, _>>().map(Elements::Numbers)
            }
            other => Err(self.unknown(other)),
        }
    }

    fn of_bytes(&self, bytes: &[u8]) -> Result<Elements, ApiError> {
        if self.datatype == "BYTES" {
            return self.strings(bytes).map(Elements::Bytes);
        }
        let width = width(&self.datatype).ok_or_else(|| self.unknown(&self.datatype))?;
        if !bytes.len().is_multiple_of(width) {
            return Err(self.refuse(format!("{} bytes for elements of {width}", bytes.len())));
        }
        if self.datatype == "BOOL" {
            return Ok(Elements::Bools(bytes.iter().map(|&byte| byte != 0).collect()));
        }
        let mut numbers = Vec::with_capacity(bytes.len() / width);
        for element in bytes.chunks_exact(width) {
            let mut wide = [0; 8];
            wide[..width].copy_from_slice(element);
            let unsigned = u64::from_le_bytes(wide);
            // The sign of a narrow number is its own top bit.
            let shift = 64 - 8 * width as u32;
            let signed = (unsigned << shift) as i64 >> shift;
            numbers.push(match self.datatype.as_str() {
                "FP32" => f64::from(f32::from_bits(unsigned as u32)),
                "FP64" => f64::from_bits(unsigned),
                kind if kind.starts_with('U') => unsigned as f64,
                _ => signed as f64,
            });
        }
        Ok(Elements::Numbers(numbers))
    }

    /// Strings, each behind its length in four bytes.
    fn strings(&self, mut bytes: &[u8]) -> Result<Vec<Vec<u8>>, ApiError> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let parts = bytes
                .split_first_chunk::<4>()
                .and_then(|(length, rest)| rest.split_at_checked(u32::from_le_bytes(*length) as usize));
            let (own, rest) =
                parts.ok_or_else(|| self.refuse("a string is longer than the bytes that are left"))?;
            all.push(own.to_vec());
            bytes = rest;
        }
        Ok(all)
    }

    fn unknown(&self, datatype: &str) -> ApiError {
        let known = "BYTES, BOOL, INT8 to INT64, UINT8 to UINT64, FP32 or FP64";
        self.refuse(format!("the datatype {} is not {known}", datatype.escape_debug()))
    }
}

fn width(datatype: &str) -> Option<usize> {
    match datatype {
        "BOOL" | "INT8" | "UINT8" => Some(1),
        "INT16" | "UINT16" => Some(2),
        "INT32" | "UINT32" | "FP32" => Some(4),
        "INT64" | "UINT64" | "FP64" => Some(8),
        _ => None,
    }
}

/// The elements of nested lists, in their order. serde_json bounds how deep they are.
fn flatten<'v>(value: &'v Value, out: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, out)),
        other => out.push(other),
    }
}
