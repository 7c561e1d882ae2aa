//! What a model was learned from: the format of its first file and, where it has some, its columns and what each is for.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The label.
    Label,
    /// The importance of the example.
    Weight,
    /// The name of the example.
    Id,
    /// Running text.
    Text,
    /// A word of several, numbers too.
    Category,
    /// A number, or else a category.
    Value,
    /// Left out: a column without a name, which is how data frames write their row numbers, or one that looks like ids or
    /// dates.
    Nothing,
}

impl Role {
    /// Whether the column gives features.
    pub(crate) fn is_feature(self) -> bool {
        matches!(self, Role::Text | Role::Category | Role::Value)
    }
}

/// So many columns are listed in messages.
const LISTED: usize = 8;

/// The format and the columns of the first file that a model learned from. Prediction gives columns of these names these
/// roles, and misses those that are not there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Layout {
    /// The name of the format.
    pub format: String,
    /// The columns of a table, or keys of JSON, by role, in the order of the file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<Role, Vec<String>>,
}

impl Layout {
    /// The layout of a file of this format with these columns.
    pub(crate) fn new(format: &str, columns: impl IntoIterator<Item = (String, Role)>) -> Self {
        let mut layout = Layout { format: format.to_owned(), columns: BTreeMap::new() };
        for (name, role) in columns {
            layout.columns.entry(role).or_default().push(name);
        }
        layout
    }

    /// The columns of this role.
    #[must_use]
    pub fn of(&self, role: Role) -> &[String] {
        self.columns.get(&role).map_or(&[], Vec::as_slice)
    }

    /// The columns that give features.
    pub fn features(&self) -> impl Iterator<Item = &str> {
        let features = self.columns.iter().filter(|(role, _)| role.is_feature());
        features.flat_map(|(_, names)| names).map(String::as_str)
    }

    /// The columns that give features and are not among these.
    pub(crate) fn lacking<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<&str> {
        let names: HashSet<String> = names.map(str::to_ascii_lowercase).collect();
        self.features().filter(|name| !names.contains(&name.to_ascii_lowercase())).collect()
    }

    /// The role of each column; names are in lower case.
    pub(crate) fn by_name(&self) -> HashMap<String, Role> {
        let each = |(role, names): (&Role, &Vec<String>)| -> Vec<(String, Role)> {
            names.iter().map(|name| (name.to_ascii_lowercase(), *role)).collect()
        };
        self.columns.iter().flat_map(each).collect()
    }

    /// Whether it is, or has, running text.
    #[must_use]
    pub fn has_text(&self) -> bool {
        matches!(self.format.as_str(), "text" | "fasttext") || !self.of(Role::Text).is_empty()
    }

    /// The text column, if there is one and no other.
    pub fn only_text(&self) -> Option<&str> {
        match self.of(Role::Text) {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl fmt::Display for Layout {
    /// `csv with the columns v1 (label), v2 (text)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format)?;
        let word = |role: &Role| match role {
            Role::Label => Some("label"),
            Role::Weight => Some("weight"),
            Role::Id => Some("id"),
            Role::Text => Some("text"),
            Role::Nothing => Some("left out"),
            Role::Category | Role::Value => None,
        };
        let named = self.columns.iter().flat_map(|(role, names)| names.iter().map(move |name| (role, name)));
        let named: Vec<String> = named
            .map(|(role, name)| match word(role).filter(|word| *word != name.as_str()) {
                Some(word) => format!("{name} ({word})"),
                None => name.clone(),
            })
            .collect();
        if named.is_empty() { Ok(()) } else { write!(f, " with the columns {}", listed(&named)) }
    }
}

/// Names behind one another, the first of many.
pub(crate) fn listed(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(LISTED).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &more
}
