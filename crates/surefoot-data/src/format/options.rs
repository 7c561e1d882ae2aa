use std::borrow::Cow;

/// Column and key names that mean the label when the user names none.
const LABELS: [&str; 4] = ["label", "target", "class", "y"];
/// Names that mean the importance weight. Not `weight`: that is as often the weight of a car or a patient.
const WEIGHTS: [&str; 2] = ["importance", "sample_weight"];
/// Names that mean the identity of an example.
const IDS: [&str; 2] = ["id", "tag"];
/// Names that mean running text.
const TEXTS: [&str; 12] = [
    "text",
    "body",
    "message",
    "content",
    "document",
    "sentence",
    "review",
    "comment",
    "tweet",
    "title",
    "subject",
    "description",
];

/// How the columns (or keys) of a file are to be understood. Names compare without regard to ASCII case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatOptions {
    /// The column of the label; by default `label`, `target`, `class` or `y`, whichever is there first.
    pub label: Option<String>,
    /// The column of the importance weight; by default `importance` or `sample_weight`.
    pub weight: Option<String>,
    /// The column that names the example; by default `id` or `tag`.
    pub id: Option<String>,
    /// The columns of running text; empty means the usual names (`text`, `body`, `message`, `title`, …).
    pub text: Vec<String>,
    /// Columns whose numbers are names (postal codes, say) and not quantities.
    pub categories: Vec<String>,
    /// What precedes a label in fastText files.
    pub label_prefix: Cow<'static, str>,
    /// Whether a file may be without any label column, as for prediction.
    pub unlabelled: bool,
}

impl Default for FormatOptions {
    fn default() -> Self {
        FormatOptions {
            label: None,
            weight: None,
            id: None,
            text: Vec::new(),
            categories: Vec::new(),
            label_prefix: Cow::Borrowed("__label__"),
            unlabelled: false,
        }
    }
}

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Label,
    Weight,
    Id,
    Text,
    Category,
    Value,
}

impl FormatOptions {
    /// What the column of this name is for.
    pub(crate) fn role(&self, name: &str) -> Role {
        let listed = |names: &[String]| names.iter().any(|listed| listed.eq_ignore_ascii_case(name));
        if chosen(&self.label, &LABELS, name) {
            Role::Label
        } else if chosen(&self.weight, &WEIGHTS, name) {
            Role::Weight
        } else if chosen(&self.id, &IDS, name) {
            Role::Id
        } else if listed(&self.categories) {
            Role::Category
        } else if listed(&self.text) || (self.text.is_empty() && usual(&TEXTS, name)) {
            Role::Text
        } else {
            Role::Value
        }
    }
}

fn chosen(option: &Option<String>, defaults: &[&str], name: &str) -> bool {
    match option {
        Some(chosen) => chosen.eq_ignore_ascii_case(name),
        None => usual(defaults, name),
    }
}

fn usual(defaults: &[&str], name: &str) -> bool {
    defaults.iter().any(|default| default.eq_ignore_ascii_case(name))
}
