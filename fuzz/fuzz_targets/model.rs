//! The loader of model files: any bytes are a model or an error.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = surefoot_data::model::from_bytes(bytes);
});
