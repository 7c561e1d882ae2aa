//! How wide a text will be, and names cut so that they stay apart.

/// Widths of the letters from blank to tilde in Helvetica and the fonts made to its measure, in thousandths of the size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// Where no font of this measure is installed, another one is taken, and most are wider.
const ROOM: f64 = 1.1;

/// The width of a text in pixels, rather too much than too little.
pub(super) fn width(text: &str, size: u32) -> f64 {
    ROOM * f64::from(size) * text.chars().map(letter).sum::<f64>() / 1000.0
}

fn letter(letter: char) -> f64 {
    let place = (letter as usize).checked_sub(32).and_then(|place| WIDTHS.get(place));
    match place {
        Some(width) => f64::from(*width),
        // Letters of China, Japan and Korea, and pictures, fill a square.
        None if letter as u32 >= 0x1100 => 1000.0,
        None => 620.0,
    }
}

/// Names of at most so many letters, no two of them alike unless the names are: the middle of a long one is left out, in
/// a place where that keeps all apart, or it gets its number.
pub(super) fn abbreviated(names: &[String], letters: usize) -> Vec<String> {
    let letters = letters.max(6);
    let tails = [letters / 2, letters / 3, letters - 3, 0];
    let cut = |tail: usize| names.iter().map(|name| without_middle(name, letters, tail)).collect::<Vec<_>>();
    tails.into_iter().map(cut).find(|short| as_different(short, names)).unwrap_or_else(|| {
        let numbered = names.iter().enumerate().map(|(at, name)| match name.chars().count() > letters {
            true => {
                let number = format!("… {}", at + 1);
                let head = letters.saturating_sub(number.chars().count());
                name.chars().take(head).chain(number.chars()).collect()
            }
            false => name.clone(),
        });
        numbered.collect()
    })
}

fn as_different(short: &[String], names: &[String]) -> bool {
    let count = |names: &[String]| names.iter().collect::<std::collections::BTreeSet<_>>().len();
    count(short) == count(names)
}

/// A name of at most so many letters, of which so many are its last.
pub(super) fn without_middle(name: &str, letters: usize, tail: usize) -> String {
    let all: Vec<char> = name.chars().collect();
    if all.len() <= letters {
        return name.to_string();
    }
    let head = letters - tail - 1;
    all[..head].iter().chain(&['…']).chain(&all[all.len() - tail..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_and_stay_apart() {
        let names = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let short = abbreviated(&names(&["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "alt"]), 12);
        assert!(short[0] != short[1] && short[0].starts_with("comp") && short[2] == "alt", "{short:?}");
        for letters in [6, 9, 12, 20] {
            let long: Vec<String> =
                (0..30).map(|n| format!("{}{n}{}", "a".repeat(30), "b".repeat(30))).collect();
            let short = abbreviated(&long, letters);
            assert!(short.iter().all(|name| name.chars().count() <= letters), "{short:?}");
            assert!(as_different(&short, &long), "{short:?}");
        }
        assert_eq!(abbreviated(&names(&["same name twice", "same name twice"]), 8).len(), 2);
    }

    #[test]
    fn wide_letters_are_wider() {
        assert!(width("WWW", 12) > 2.0 * width("iii", 12) && width("標籤", 12) > width("ab", 12));
        assert_eq!(width("", 12), 0.0);
    }
}
