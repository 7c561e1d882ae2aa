use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::layout::{Layout, Role, listed as several};
use crate::error::{Fault, quoted};

/// Column names that mean the label when the user names none, the surest first.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
    /// Columns that are taken as they stand, numbers or else categories, though they may look like text, ids or dates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Whether tables have no header: columns are called by their numbers, from 1.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_header: bool,
    /// What precedes a label in fastText files.
    pub label_prefix: Cow<'static, str>,
    /// What stands between two labels in a label column, where a row may have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_separator: Option<String>,
    /// What a model was learned from; none while there is no model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Whether the first rows are looked at to tell columns of text, ids and dates from others, as for a new model. What is
    /// found is the layout of the files behind the first. Not part of a model.
    #[serde(skip)]
    pub look: bool,
    /// Whether a file may lack columns of the layout. Not part of a model.
    #[serde(skip)]
    pub incomplete: bool,
    /// Whether a file may be without label and weight columns, as for prediction. Not part of a model.
    #[serde(skip)]
    pub unlabelled: bool,
    /// Whether a file may be of a format without columns although some are named: what a model remembers of a table need
    /// not hold for the next file. Not part of a model.
    #[serde(skip)]
    pub columnless: bool,
    /// The column that names the examples of this file, whatever the model has learned from it and whatever names its own; the
    /// file must have it. Not part of a model.
    #[serde(skip)]
    pub echo: Option<String>,
}

impl Default for FormatOptions {
    fn default() -> Self {
        FormatOptions {
            label: None,
            weight: None,
            id: None,
            text: Vec::new(),
            categories: Vec::new(),
            values: Vec::new(),
            no_header: false,
            label_prefix: Cow::Borrowed("__label__"),
            label_separator: None,
            layout: None,
            look: false,
            incomplete: false,
            unlabelled: false,
            columnless: false,
            echo: None,
        }
    }
}

impl FormatOptions {
    /// What each column of a table is for, or what is wrong with the header.
    pub(crate) fn roles(&self, names: &[String]) -> Result<Vec<Role>, Fault> {
        let roles = self.roles_by_name(names)?;
        if !self.unlabelled && !roles.contains(&Role::Label) {
            return Err(no_label(self.label.as_deref(), names));
        }
        let Some(layout) = self.layout.as_ref().filter(|_| !self.incomplete) else { return Ok(roles) };
        let lacking = layout.lacking(names.iter().map(String::as_str));
        if lacking.is_empty() { Ok(roles) } else { Err(incomplete(&lacking, names)) }
    }

    /// The same, if need be without a label: what the flags say, what the model remembers, or else what names mean.
    pub(crate) fn roles_by_name(&self, names: &[String]) -> Result<Vec<Role>, Fault> {
        let known = self.layout.as_ref().map(Layout::by_name).unwrap_or_default();
        let met = |role: Role| {
            let of = self.layout.as_ref().and_then(|layout| layout.of(role).first());
            of.filter(|name| listed(names, name)).cloned()
        };
        let label = find(names, &self.label.clone().or_else(|| met(Role::Label)), &LABELS);
        let weight = find(names, &self.weight.clone().or_else(|| met(Role::Weight)), &WEIGHTS);
        let id = find(names, &self.id.clone().or_else(|| met(Role::Id)), &IDS);
        let label_is_lacking = label.is_none() && self.label.is_some() && !self.unlabelled;
        let asked = self.weight.iter().filter(|_| !self.unlabelled);
        let features = self.text.iter().chain(&self.categories).chain(&self.values);
        let asked = asked.chain(&self.id).chain(&self.echo);
        let mut asked = asked.chain(features.filter(|_| self.layout.is_none() || self.look));
        if label_is_lacking {
            return Err(no_label(self.label.as_deref(), names));
        }
        if let Some(name) = asked.find(|name| !listed(names, name)) {
            return Err(missing(name, names));
        }
        let role = |(at, name): (usize, &String)| match Some(at) {
            _ if name.is_empty() => Role::Nothing,
            at if at == label => Role::Label,
            at if at == weight => Role::Weight,
            at if at == id => Role::Id,
            _ => match known.get(&name.to_ascii_lowercase()) {
                Some(role) if role.is_feature() || *role == Role::Nothing => *role,
                _ => self.plain_role(name),
            },
        };
        Ok(names.iter().enumerate().map(role).collect())
    }

    /// A column that was asked for by name, which a file without columns cannot have.
    pub(crate) fn asked(&self) -> Option<&str> {
        let single = [&self.label, &self.weight, &self.id].into_iter().flatten();
        let mut names = single.chain(&self.text).chain(&self.categories).chain(&self.values);
        let known = if self.columnless { None } else { names.next() };
        self.echo.as_ref().or(known).map(String::as_str)
    }

    /// Whether a column names the examples of this file, besides what it is for otherwise.
    pub(crate) fn is_echoed(&self, name: &str) -> bool {
        self.echo.as_deref().is_some_and(|echo| echo.eq_ignore_ascii_case(name))
    }

    /// What a key of a JSON object is for: it stands alone, so only the one usual name of each kind counts.
    pub(crate) fn key_role(&self, name: &str) -> Role {
        let is = |option: &Option<String>, usual: &str| {
            option.as_deref().unwrap_or(usual).eq_ignore_ascii_case(name)
        };
        match name {
            _ if is(&self.label, "label") => Role::Label,
            _ if is(&self.weight, "weight") => Role::Weight,
            _ if is(&self.id, "id") => Role::Id,
            _ => self.plain_role(name),
        }
    }

    /// What a column is for that is neither label, weight nor id.
    pub(crate) fn plain_role(&self, name: &str) -> Role {
        if listed(&self.categories, name) {
            Role::Category
        } else if listed(&self.values, name) {
            Role::Value
        } else if listed(&self.text, name) || (self.text.is_empty() && listed(&TEXTS, name)) {
            Role::Text
        } else {
            Role::Value
        }
    }

    /// Whether the user has said that a column is taken as it stands.
    pub(super) fn takes_as_it_is(&self, name: &str) -> bool {
        listed(&self.values, name)
    }

    /// The name that the words of a file without columns get: those of the one text column that the model was trained on.
    pub(crate) fn text_without_column(&self) -> &[u8] {
        self.layout.as_ref().and_then(Layout::only_text).map_or(b"", text_name)
    }

    /// Whether a column name has a meaning: then the line it stands in is a header.
    pub(crate) fn knows(&self, name: &str) -> bool {
        let chosen = [&self.label, &self.weight, &self.id];
        listed(&LABELS, name)
            || listed(&WEIGHTS, name)
            || listed(&IDS, name)
            || chosen.into_iter().flatten().any(|chosen| chosen.eq_ignore_ascii_case(name))
            || self.plain_role(name) != Role::Value
    }
}

/// The name of the features of a text column. The column `text` is the text of the example and adds no prefix, so
/// that a model learnt from plain text reads a table or JSON too.
pub(crate) fn text_name(column: &str) -> &[u8] {
    if column.eq_ignore_ascii_case("text") { b"" } else { column.as_bytes() }
}

fn listed(names: &[impl AsRef<str>], name: &str) -> bool {
    names.iter().any(|listed| listed.as_ref().eq_ignore_ascii_case(name))
}

/// Which column has the name that was chosen, or else the first of the usual ones that is there.
fn find(names: &[String], chosen: &Option<String>, usual: &[&str]) -> Option<usize> {
    let position = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    match chosen {
        Some(chosen) => position(chosen),
        None => usual.iter().find_map(|usual| position(usual)),
    }
}

/// No column has the name that was chosen.
#[cold]
fn missing(name: &str, names: &[String]) -> Fault {
    Fault::new(
        0,
        format!("a column {}", quoted(name.as_bytes())),
        format!("the columns {}", names.join(", ")),
    )
}

/// No column can be the label.
#[cold]
fn no_label(chosen: Option<&str>, names: &[String]) -> Fault {
    match chosen {
        Some(name) => missing(name, names),
        None => {
            let found = format!("the columns {}", names.join(", "));
            Fault::new(0, format!("a column for the label ({})", LABELS.join(", ")), found)
                .hint("--label-column names the one that holds it")
        }
    }
}

/// The file lacks columns that the model has learned from.
#[cold]
fn incomplete(lacking: &[&str], names: &[String]) -> Fault {
    let columns = if lacking.len() == 1 { "column" } else { "columns" };
    let expected = format!("the {columns} {} that the model was trained on", several(lacking));
    Fault::new(0, expected, format!("the columns {}", several(names)))
        .hint("name them as in the training data, or say --missing-columns ignore to go on without")
}
