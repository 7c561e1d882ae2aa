//! The checksum of a model file.

use xxhash_rust::xxh3::Xxh3Default;

/// XXH3-128 over the header, and the name and the bytes of every tensor in the order of their names. Each comes behind its length,
/// so that no byte can move from one part to the next unnoticed.
pub(super) fn checksum<'a>(header: &str, tensors: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Xxh3Default::new();
    let mut add = |part: &[u8]| {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(header.as_bytes());
    for (name, bytes) in tensors {
        add(name.as_bytes());
        add(bytes);
    }
    format!("xxh3-128:{:032x}", hash.digest128())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
