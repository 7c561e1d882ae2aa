use super::super::{Counts, FORMAT_VERSION};
use super::*;
use crate::recipe::Recipe;

fn header() -> Header {
    Header {
        version: FORMAT_VERSION,
        learner: "arow".into(),
        labels: "[]".into(),
        recipe: Recipe::default(),
        columns: crate::FormatOptions::default(),
        counts: Counts::default(),
        seed: 0,
        memory: 1.0,
        first_examples: Vec::new(),
        class_examples: None,
        on_drift: None,
        detectors: Vec::new(),
    }
}

/// Header and tensors are written one by one; the library would have written the same bytes.
#[test]
fn the_container_is_as_its_library_writes_it() {
    let mut state = State::new();
    state.put("b", Tensor::F64(vec![0.5, -1.0].into()));
    state.put("a", Tensor::U8(vec![7; 13].into()));
    state.put("c", Tensor::U32(vec![1, 2, 3].into()));
    state.put("d", Tensor::U64(vec![u64::MAX].into()));
    state.put("ab", Tensor::F64(vec![].into()));
    state.put("ac", Tensor::F32(vec![0.5, f32::MAX, -0.0].into()));
    let header = header();
    let bytes = to_bytes(&header, &state).unwrap();
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.len(), 6);
    assert_eq!(safetensors::serialize(tensors.tensors(), metadata.metadata().clone()).unwrap(), bytes);
    assert_eq!(from_bytes(&bytes).unwrap(), (header, state));
}

#[test]
fn a_model_that_could_not_be_read_again_does_not_replace_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    let model = |tensor: Tensor<'static>| {
        let mut state = State::new();
        state.put("cells", tensor);
        write(&path, &header(), &state)
    };
    // The last number of many.
    let last = |bad: f64| [vec![1.0; 40_000], vec![bad]].concat();
    model(Tensor::F64(last(f64::MAX).into())).unwrap();
    let before = fs::read(&path).unwrap();
    for bad in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let error = model(Tensor::F64(last(bad).into())).unwrap_err();
        assert!(error.to_string().contains("`cells` holds a number that is not finite"), "{error}");
        model(Tensor::F32(last(bad).iter().map(|&x| x as f32).collect())).unwrap_err();
    }
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn every_byte_and_its_place_counts() {
    let sum =
        |header: &str, tensors: [(&'static str, &'static [u8]); 2]| checksum(header, tensors.into_iter());
    let expected = sum("header", [("a", b"xy"), ("b", b"z")]);
    assert_eq!(expected, sum("header", [("a", b"xy"), ("b", b"z")]));
    for other in [
        sum("Header", [("a", b"xy"), ("b", b"z")]),
        sum("heade", [("ra", b"xy"), ("b", b"z")]),
        sum("header", [("a", b"xY"), ("b", b"z")]),
        sum("header", [("a", b"x"), ("yb", b"z")]),
        sum("header", [("a", b"x"), ("b", b"yz")]),
        sum("header", [("b", b"z"), ("a", b"xy")]),
    ] {
        assert_ne!(other, expected);
    }
}
