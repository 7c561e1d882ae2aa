//! The loader of caches: any bytes are a cache, no cache, or an error. Because checksums stop nearly all bytes, they are also
//! put into a block whose frame and checksums are right.
#![no_main]

use surefoot_data::{Batch, Cache};
use xxhash_rust::xxh3::xxh3_64;

const START: &[u8] = b"surefoot cache 1\n\x05\0\0\0\0\0\0\0stamp";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&framed(bytes));
});

fn read(bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("surefoot-fuzz-{}.cache", std::process::id()));
    if std::fs::write(&path, bytes).is_ok()
        && let Ok(Some(mut cache)) = Cache::open(&path, "stamp")
    {
        let mut batch = Batch::new();
        while let Ok(true) = cache.next_batch(&mut batch) {
            for example in batch.iter() {
                (0..example.features.len()).for_each(|place| drop(example.features.name(place).to_vec()));
            }
        }
    }
}

/// A cache of one block with this content.
fn framed(content: &[u8]) -> Vec<u8> {
    let index = (START.len() as u64).to_le_bytes();
    let counts = [1u64, 0, 1].map(u64::to_le_bytes).concat();
    let sum = xxh3_64(&[&index[..], &counts].concat());
    let header = [content.len() as u64, xxh3_64(content)].map(u64::to_le_bytes).concat();
    [START, &header, content, &index, &counts, &sum.to_le_bytes(), b"complete"].concat()
}
