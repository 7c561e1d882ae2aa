//! English function words.

use std::cmp::Ordering;

/// In alphabetical order. Negations (no, not, never, without, don't) are missing on purpose: they decide sentiment.
const ENGLISH: [&str; 116] = [
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could",
    "did", "do", "does", "doing", "down", "during", "each", "for", "from", "further", "had", "has", "have",
    "having", "he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in",
    "into", "is", "it", "it's", "its", "itself", "just", "me", "more", "most", "my", "myself", "of", "off",
    "on", "once", "or", "other", "our", "ours", "out", "over", "own", "same", "she", "should", "so", "some",
    "such", "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "under", "until", "up", "very", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
];

/// Whether a word is in the list, in upper or lower case.
pub(super) fn is_english(word: &str) -> bool {
    ENGLISH.binary_search_by(|stop| compare(stop, word)).is_ok()
}

fn compare(stop: &str, word: &str) -> Ordering {
    stop.bytes().cmp(word.bytes().map(|byte| byte.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_negations_are_not_in_it() {
        assert!(ENGLISH.is_sorted_by(|one, other| one < other));
        assert!(["the", "The", "IT'S", "your"].into_iter().all(is_english));
        assert!(["not", "No", "never", "", "th", "thee", "don't"].into_iter().all(|word| !is_english(word)));
    }
}
