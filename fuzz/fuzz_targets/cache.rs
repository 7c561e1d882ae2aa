//! The loader of caches: any bytes are a cache, no cache, or an error.
#![no_main]

use surefoot_data::{Batch, Cache};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("surefoot-fuzz-{}.cache", std::process::id()));
    if std::fs::write(&path, bytes).is_ok()
        && let Ok(Some(mut cache)) = Cache::open(&path, "stamp")
    {
        let mut batch = Batch::new();
        while let Ok(true) = cache.next_batch(&mut batch) {
            batch.iter().for_each(|example| drop(example.features.name(0).to_vec()));
        }
    }
});
