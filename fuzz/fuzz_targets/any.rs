//! Detection of formats and compression.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| surefoot_fuzz::read(None, bytes));
