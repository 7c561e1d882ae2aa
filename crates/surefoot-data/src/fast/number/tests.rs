use super::*;
use proptest::prelude::*;

fn agrees(text: &str) {
    let expected = text.parse::<f64>().ok().map(f64::to_bits);
    assert_eq!(whole_number(text.as_bytes()).map(f64::to_bits), expected, "{text}");
    // In the middle of a line, where eight bytes can be read at once.
    if let Some(bits) = expected {
        let line = format!("{text} 12:3.4 567:89");
        let found = number(line.as_bytes()).map(|(value, length)| (value.to_bits(), length));
        assert_eq!(found, Some((bits, text.len())), "{line}");
    }
}

#[test]
fn hard_cases_agree_with_std() {
    let cases = [
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5",
        "+.5",
        ".",
        "-",
        "",
        "+",
        "e5",
        "1e",
        "1e+",
        "1e5",
        "1E-5",
        "1e400",
        "1e-400",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "9007199254740993",
        "9007199254740992.5",
        "0.1",
        "123456789012345",
        "1234567890123456",
        "0.000000000000001",
        "0.0000000000000001",
        "00000000000000000001",
        "1_000",
        "0x10",
        "18446744073709551616",
        "99999999999999999999999999",
        "5e-324",
        "2.2250738585072011e-308",
        "1e22",
        "1e23",
    ];
    cases.iter().for_each(|text| agrees(text));
}

proptest! {
    #[test]
    fn shortest_form_of_any_bits(bits: u64) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        agrees(&format!("{value}"));
        agrees(&format!("{value:e}"));
        agrees(&format!("{value:.17e}"));
    }

    #[test]
    fn denormals(bits in 0u64..(1 << 52)) {
        agrees(&format!("{:e}", f64::from_bits(bits)));
    }

    #[test]
    fn anything_that_looks_like_a_number(text in "[+-]?[0-9]{0,22}(\\.[0-9]{0,25})?([eE][+-]?[0-9]{1,4})?") {
        agrees(&text);
    }

    #[test]
    fn short_decimals(text in "-?[0-9]{1,4}\\.[0-9]{1,6}") {
        agrees(&text);
    }

    #[test]
    fn a_prefix_has_the_right_length(value: f64, tail in "[ ,:;|#a-d]{0,4}") {
        prop_assume!(value.is_finite());
        let text = format!("{value}");
        let got = number(format!("{text}{tail}").as_bytes());
        prop_assert_eq!(got.map(|(v, n)| (v.to_bits(), n)), Some((value.to_bits(), text.len())));
    }
}

/// Whether a pair has the usual form.
fn is_short(pair: &str) -> bool {
    let Some((id, number)) = pair.split_once(':') else { return false };
    let digits = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let number = number.strip_prefix('-').unwrap_or(number);
    let decimal = number.split_once('.');
    digits(id, 7)
        && (digits(number, 8)
            || decimal.is_some_and(|(whole, places)| digits(whole, 1) && digits(places, 14)))
}

proptest! {
    #[test]
    fn a_short_pair_is_what_the_general_way_reads(
        text in "[0-9]{0,9}[: ]-?[0-9]{0,2}[.]?[0-9]{0,17}[ 0:x\u{80}]",
        tail in "[0-9:. ]{32}",
    ) {
        let line = text.clone() + &tail;
        let mut pairs = Pairs::default();
        let length = pairs.read(7, line.as_bytes());
        if length > 0 {
            let (ids, values) = pairs.finish();
            let (id, value) = (ids[7], values[7]);
            let (digits, number) = line[..length].split_once(':').unwrap();
            let expected = number.parse::<f64>().map(f64::to_bits);
            prop_assert_eq!((Ok(id), Ok(value.to_bits())), (digits.parse(), expected), "{}", line);
            prop_assert_eq!(line.as_bytes()[length], b' ');
        } else {
            prop_assert!(!text.strip_suffix(' ').is_some_and(is_short), "{}", line);
        }
    }

    #[test]
    fn two_numbers_are_what_each_is_alone(one: [u8; 8], other: [u8; 8], counts in (1usize..=8, 1usize..=8), digits: bool) {
        let word = |bytes: [u8; 8]| u64::from_le_bytes(bytes.map(|byte| if digits { b'0' + byte % 10 } else { byte }));
        let (one, other) = ((word(one), counts.0), (word(other), counts.1));
        let alone = some_digits(one.0, one.1).zip(some_digits(other.0, other.1));
        prop_assert_eq!(two_numbers(one, other).map(|[one, other]| (one, other)), alone);
        prop_assert!(!digits || alone.is_some());
    }
}
