//! The loader of model files: any bytes are a model or an error. Because the checksum stops nearly all bytes, the numbers of
//! real models are changed too, under a checksum that is right; whatever is let in can be predicted with and learned on.
#![no_main]

#[path = "../../crates/surefoot/tests/common/models.rs"]
mod models;

use std::borrow::Cow;
use std::sync::LazyLock;

use surefoot::Model;
use surefoot::core::state::{State, Tensor};
use surefoot::data::model_file::{from_bytes, to_bytes};
use surefoot::data::KeyedFeatures;

static MODELS: LazyLock<Vec<(&str, Vec<u8>)>> = LazyLock::new(|| models::models().expect("models"));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = Model::from_bytes(bytes);
    let Some((&[model, tensor, place, what], rest)) = bytes.split_first_chunk() else { return };
    let number = rest.first_chunk().copied().map_or(0, u64::from_le_bytes);
    let (header, state) = from_bytes(&MODELS[usize::from(model) % MODELS.len()].1).expect("a model");
    let mut changed = State::new();
    let victim = usize::from(tensor) % state.iter().count();
    for (at, (name, tensor)) in state.iter().enumerate() {
        let edit = Edit { place: place.into(), what, number };
        changed.put(name, if at == victim { edit.apply(tensor) } else { tensor.clone() });
    }
    let Ok(mut model) = Model::from_bytes(&to_bytes(&header, &changed).expect("bytes")) else { return };
    let x = KeyedFeatures::given(&[1, 2, 9], &[1.0, -0.5, 2.0]);
    let label = model.labels().names()[0].to_string();
    drop(model.predict(&x));
    drop(model.learn(&x, label).map(drop));
    drop(model.to_bytes());
});

/// One number of a tensor is another, or it has one more or one less.
struct Edit {
    place: usize,
    what: u8,
    number: u64,
}

impl Edit {
    fn apply(&self, tensor: &Tensor<'_>) -> Tensor<'static> {
        match tensor {
            Tensor::U8(old) => Tensor::U8(self.change(old, self.number as u8)),
            Tensor::U32(old) => Tensor::U32(self.change(old, self.number as u32)),
            Tensor::U64(old) => Tensor::U64(self.change(old, self.number)),
            Tensor::F32(old) => Tensor::F32(self.change(old, f32::from_bits(self.number as u32))),
            Tensor::F64(old) => Tensor::F64(self.change(old, f64::from_bits(self.number))),
        }
    }

    fn change<T: Clone>(&self, old: &[T], new: T) -> Cow<'static, [T]> {
        let mut numbers = old.to_vec();
        match self.what % 8 {
            0 => numbers.push(new),
            1 => drop(numbers.pop()),
            _ if numbers.is_empty() => numbers.push(new),
            _ => {
                let place = self.place % numbers.len();
                numbers[place] = new;
            }
        }
        Cow::Owned(numbers)
    }
}
