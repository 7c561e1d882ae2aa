//! Labels as the numbers that Vowpal Wabbit learns from: −1 and 1 for two, 1 to k for more, and where a row may have several.

use std::collections::BTreeSet;

use crate::encode::labels::Label;
use crate::error::{Fault, quoted};

/// The numbers that some labels get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelNumbers {
    /// In the order of labels.
    labels: Vec<Label>,
    /// Whether they are two of which a row has one.
    pair: bool,
}

impl LabelNumbers {
    /// Numbers for these labels, of which a row may have `several`; none if they are such numbers already.
    pub(crate) fn new(labels: BTreeSet<Label>, several: bool) -> Option<Self> {
        let labels: Vec<Label> = labels.into_iter().collect();
        let taken = |label: &Label| match label {
            Label::Number(number) if labels.len() <= 2 && !several => number.abs() == 1.0,
            Label::Number(number) => *number >= 1.0 && number.fract() == 0.0,
            Label::Word(_) => false,
        };
        (!labels.iter().all(taken)).then_some(LabelNumbers { pair: labels.len() == 2 && !several, labels })
    }

    /// The number of the label at this place: of two the larger is the positive one, as everywhere.
    fn at(&self, place: usize) -> i64 {
        if self.pair { [-1, 1][place] } else { place as i64 + 1 }
    }

    /// The number of a label as a file spells it.
    pub(crate) fn of(&self, spelled: &[u8]) -> Result<i64, Fault> {
        let label = Label::read(&String::from_utf8_lossy(spelled));
        let place = self.labels.binary_search(&label);
        place.map(|place| self.at(place)).map_err(|_| {
            let expected = "a label that was there when the file was read the first time";
            Fault::new(0, expected, quoted(spelled)).hint("do not change the data while it is converted")
        })
    }

    /// Every number beside its label.
    pub(crate) fn all(&self) -> Vec<(i64, String)> {
        self.labels.iter().enumerate().map(|(place, label)| (self.at(place), label.to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_get_numbers_and_numbers_that_are_fine_stay() {
        let numbers = |labels: &[&str]| {
            let labels = labels.iter().map(|label| Label::read(label)).collect();
            LabelNumbers::new(labels, false).map(|numbers| {
                numbers
                    .all()
                    .into_iter()
                    .map(|(number, label)| format!("{number}={label}"))
                    .collect::<Vec<_>>()
            })
        };
        for fine in [&["1", "-1"][..], &["+1", "-1.0"], &["1"], &["1", "2", "3"], &["7", "2", "30"], &[]] {
            assert_eq!(numbers(fine), None, "{fine:?}");
        }
        assert_eq!(numbers(&["spam", "ham"]).unwrap(), ["-1=ham", "1=spam"]);
        assert_eq!(numbers(&["0", "1"]).unwrap(), ["-1=0", "1=1"]);
        assert_eq!(numbers(&["2", "1"]).unwrap(), ["-1=1", "1=2"]);
        assert_eq!(numbers(&["10", "9", "0"]).unwrap(), ["1=0", "2=9", "3=10"]);
        assert_eq!(numbers(&["b", "a", "3"]).unwrap(), ["1=3", "2=a", "3=b"]);
        assert_eq!(numbers(&["only"]).unwrap(), ["1=only"]);
        let two = LabelNumbers::new([Label::read("0"), Label::read("1")].into(), false).unwrap();
        assert_eq!((two.of(b"0.0").unwrap(), two.of(b"+1").unwrap()), (-1, 1));
        assert!(two.of(b"2").is_err());
        let several = LabelNumbers::new([Label::read("a"), Label::read("b")].into(), true).unwrap();
        assert_eq!((several.of(b"a").unwrap(), several.of(b"b").unwrap()), (1, 2));
    }
}
