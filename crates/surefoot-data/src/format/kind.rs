//! What the cells of a column look like: running text, ids, dates, or anything else.

use std::collections::HashSet;

use super::survey::SampledColumn;
use crate::fast::number::whole_number;

/// So many cells must be there to tell text and dates, and to tell ids, which are told by being all different.
const FEW_CELLS: usize = 3;
const MANY_CELLS: usize = 20;

/// Words of a cell of text, on average.
const WORDS: usize = 3;

/// Ends of names that columns of ids have.
const ID_NAMES: [&str; 9] = ["id", "_no", "_nr", "number", "uuid", "guid", "key", "index", "row"];

/// The look of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    /// Mostly different values of several words.
    Text,
    /// Every row has another one, and it is no measurement.
    Id,
    /// Days, or times on a day.
    Date,
    Other,
}

/// What a column looks like in so many rows.
pub(super) fn kind(column: &SampledColumn, rows: usize) -> ColumnKind {
    let cells = &column.cells;
    if cells.len() < FEW_CELLS {
        return ColumnKind::Other;
    }
    let distinct = cells.iter().collect::<HashSet<_>>().len();
    if is_time(column) {
        ColumnKind::Date
    } else if distinct == rows && rows >= MANY_CELLS && are_ids(column) {
        ColumnKind::Id
    } else if 2 * distinct >= cells.len() && words(cells) >= WORDS * cells.len() {
        ColumnKind::Text
    } else {
        ColumnKind::Other
    }
}

/// All words of all cells: what stands between blanks, and of scripts that have none, two letters each.
fn words(cells: &[String]) -> usize {
    let unspaced =
        |c: char| matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
    let of = |cell: &String| match whole_number(cell.as_bytes()) {
        Some(_) => 0,
        None => cell.split_whitespace().count() + cell.chars().filter(|c| unspaced(*c)).count() / 2,
    };
    cells.iter().map(of).sum()
}

/// Whether cells that are all different are ids: whole numbers one after the other, or under a name of ids; or single words with
/// digits in them. Other numbers are measurements, and other words may mean something.
fn are_ids(column: &SampledColumn) -> bool {
    let cells = &column.cells;
    let numbers: Option<Vec<i64>> = cells.iter().map(|cell| cell.parse().ok()).collect();
    if let Some(numbers) = numbers {
        return numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
            || has_name_of_ids(&column.name);
    }
    let is_code = |cell: &String| {
        whole_number(cell.as_bytes()).is_none()
            && cell.bytes().any(|byte| byte.is_ascii_digit())
            && cell.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:#".contains(&byte))
    };
    // A few ids in hexadecimal have no letter or no digit.
    let is_hexadecimal =
        |cell: &String| cell.len() >= 8 && cell.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    cells.iter().all(|cell| is_code(cell) || is_hexadecimal(cell))
}

fn has_name_of_ids(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    // `paid` and `humid` end in `id` too: the word begins there, or the capital shows it.
    ID_NAMES.iter().any(|end| {
        lower.strip_suffix(end).is_some_and(|before| {
            let begins = name[before.len()..].starts_with(|c: char| c.is_uppercase() || c == '_');
            before.is_empty() || begins || before.ends_with(['_', '-', ' ', '.'])
        })
    })
}

/// Whether every cell is a date, with a time or without; in a column that is called so, seconds since 1970 and `20240131` too.
fn is_time(column: &SampledColumn) -> bool {
    let name = column.name.to_ascii_lowercase();
    let called = ["time", "date"].iter().any(|word| name.contains(word));
    let digits = |cell: &str| called && cell.bytes().all(|byte| byte.is_ascii_digit());
    let is_day = |cell: &str| {
        let part = |from, to| cell.get(from..to).and_then(|part: &str| part.parse().ok()).unwrap_or(0);
        cell.len() == 8
            && (1800..2200).contains(&part(0, 4))
            && (1..=12).contains(&part(4, 6))
            && (1..=31).contains(&part(6, 8))
    };
    let is_number = |cell: &str| digits(cell) && ((9..=13).contains(&cell.len()) || is_day(cell));
    column.cells.iter().all(|cell| is_date(cell) || is_number(cell))
}

/// `2024-01-31`, `31.1.2024 12:30`, `1/31/24`, `2024-01-31T12:30:05Z`, `Jan 31, 2024`, `Wed Jan 31 12:30:05 UTC 2024`.
fn is_date(cell: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let short = cell.len() <= 40;
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-/.,:+ ()".contains(c);
    if !short || !cell.chars().all(allowed) {
        return false;
    }
    let first = cell.split(['T', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = first.split(['-', '/', '.']).collect();
    let digits = |part: &&str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let is_small = |part: &&str| part.parse::<u32>().is_ok_and(|number| (1..=31).contains(&number));
    let numeric = match &parts[..] {
        [year, month, day] if year.len() == 4 => digits(year, 4) && is_small(month) && is_small(day),
        [one, other, year] => {
            matches!(year.len(), 2 | 4) && digits(year, 4) && is_small(one) && is_small(other)
        }
        _ => false,
    };
    let lower = cell.to_ascii_lowercase();
    let words: Vec<&str> = lower.split([' ', ',', '-', '/', '.']).filter(|word| !word.is_empty()).collect();
    let month = words.iter().any(|word| MONTHS.iter().any(|month| word.starts_with(month)));
    let day = words.iter().any(is_small);
    let year = words.iter().any(|word| word.len() == 4 && digits(word, 4));
    numeric || (month && day && year && words.len() <= 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(name: &str, cells: impl IntoIterator<Item = String>) -> ColumnKind {
        let mut column = SampledColumn::new(name.into());
        cells.into_iter().for_each(|cell| column.add(cell.as_bytes()));
        let rows = column.cells.len();
        kind(&column, rows)
    }

    #[test]
    fn text_is_mostly_different_and_of_several_words() {
        assert_eq!(look("v2", (0..9).map(|n| format!("call me at {n} please"))), ColumnKind::Text);
        assert_eq!(look("v2", (0..5).map(|n| format!("これはとても良い映画です{n}"))), ColumnKind::Text);
        assert_eq!(
            look("plan", (0..90).map(|n| format!("plus plan for {} people", n % 4))),
            ColumnKind::Other
        );
        assert_eq!(look("name", (0..90).map(|n| format!("Ann Lee{n}"))), ColumnKind::Other);
    }

    #[test]
    fn ids_are_all_different_and_no_measurements() {
        assert_eq!(look("a", (7..40).map(|n| n.to_string())), ColumnKind::Id);
        assert_eq!(look("a", (0..40).map(|n| (n * 37 % 101).to_string())), ColumnKind::Other);
        for name in ["order_no", "customerId", "ID", "row_key"] {
            assert_eq!(look(name, (0..40).map(|n| (n * 37 % 101).to_string())), ColumnKind::Id, "{name}");
        }
        for name in ["paid", "humid", "arrow", "amount"] {
            assert_eq!(look(name, (0..40).map(|n| (n * 37 % 101).to_string())), ColumnKind::Other, "{name}");
        }
        assert_eq!(look("x_id", (0..40).map(|n| format!("{}.5", n * 37 % 101))), ColumnKind::Other);
        assert_eq!(look("a", (0..40).map(|n| format!("A-{n:05}"))), ColumnKind::Id);
        assert_eq!(look("a", (0..40).map(|n| format!("{:08x}-aaaa-{n:04x}", n * 7919))), ColumnKind::Id);
        assert_eq!(look("a", (0..40).map(|n| format!("A-{:05}", n % 39))), ColumnKind::Other);
        assert_eq!(look("url", (0..40).map(|n| format!("http://a.org/{n}"))), ColumnKind::Other);
        assert_eq!(look("a", (0..8).map(|n| n.to_string())), ColumnKind::Other, "too few to tell");
    }

    #[test]
    fn dates_in_many_forms() {
        for cell in [
            "2024-01-31",
            "31.1.2024",
            "1/31/24",
            "2024-01-31T12:30:05Z",
            "2024-01-31 12:30:05.25+01:00",
            "Jan 31, 2024",
            "31 January 2024",
            "Wed Jan 31 12:30:05 UTC 2024",
        ] {
            assert_eq!(look("when", (0..3).map(|_| cell.to_string())), ColumnKind::Date, "{cell}");
        }
        for cell in ["1.2.3", "192.168.1.20", "12:30", "20240131", "may 4 be with you", "3-4"] {
            assert_ne!(look("when", (0..3).map(|_| cell.to_string())), ColumnKind::Date, "{cell}");
        }
        assert_eq!(
            look("timestamp", (0..30).map(|n| (1_700_000_000 + 61 * n).to_string())),
            ColumnKind::Date
        );
        assert_eq!(look("date", (10..30).map(|n| format!("199801{n}"))), ColumnKind::Date);
        assert_ne!(look("date", (10..30).map(|n| format!("199899{n}"))), ColumnKind::Date);
        assert_eq!(look("amount", (0..30).map(|n| (1_700_000_000 + 61 * n).to_string())), ColumnKind::Other);
    }
}
