//! What files turned out to be, told while they are read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::parse::FileContext;
use crate::error::{Error, Result};
use crate::format::{Format, FormatOptions, Layout, Role, Survey, listed};

/// What the files of a reader turned out to be. A handle: it is filled as files are opened.
#[derive(Clone, Default)]
pub struct Findings(Arc<Mutex<FileNotes>>);

#[derive(Default)]
struct FileNotes {
    layout: Option<Layout>,
    notes: Vec<String>,
    /// What is read ahead before the first example, while it is.
    ahead: Option<&'static str>,
    /// Each file with the name of its format.
    read: Vec<(Arc<str>, &'static str)>,
    files: Vec<Arc<FileContext>>,
}

impl Findings {
    /// The format and the columns of the first file, if they were looked for; known when its first examples are.
    #[must_use]
    pub fn layout(&self) -> Option<Layout> {
        self.lock().layout.clone()
    }

    /// What was understood in a way that the user may not have meant, a sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.lock().notes.clone()
    }

    /// Takes what the first file is.
    pub(super) fn take(&self, survey: Survey) -> Layout {
        let mut found = self.lock();
        found.notes.extend(survey.note);
        found.layout.insert(survey.layout).clone()
    }

    /// Notes in what a file differs from those that the model was trained on.
    pub(super) fn compare(&self, file: &str, format: &Format, options: &FormatOptions, header: &[u8]) {
        let Some(layout) = &options.layout else { return };
        let note = match format.name {
            // Numbers are words too: integers may be known to a model of text, and mean nothing.
            "svmlight" if layout.has_text() => {
                Some(format!("{file} is svmlight, and the model was trained on {layout}"))
            }
            "text" | "fasttext" => read_as_text(file, layout),
            _ if format.header && !layout.columns.is_empty() => {
                new_columns(format, options, header).map(|names| {
                    format!("{file} has columns that the model was not trained on: {}", listed(&names))
                })
            }
            _ => None,
        };
        self.lock().notes.extend(note);
    }

    /// Remembers a file, to be asked at the end.
    pub(super) fn watch(&self, file: &Arc<FileContext>, format: &Format) {
        let mut found = self.lock();
        found.read.push((file.name.clone(), format.name));
        found.files.push(file.clone());
    }

    /// What lines that came already wait for, where more of a file is read to find its format or its columns: a part of a
    /// sentence.
    #[must_use]
    pub fn waits_for(&self) -> Option<&'static str> {
        self.lock().ahead
    }

    /// Notes what is read ahead, or that nothing is any more.
    pub(super) fn read_ahead(&self, what: Option<&'static str>) {
        self.lock().ahead = what;
    }

    /// Each file that was opened so far and is not empty, with its format: `mail.txt as text`.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        self.lock().read.iter().map(|(file, format)| format!("{file} as {format}")).collect()
    }

    /// The format of the first file that is not empty, once it is open.
    pub(super) fn format(&self) -> Option<&'static Format> {
        self.lock().read.first().and_then(|(_, format)| Format::by_name(format))
    }

    /// Whether the first file is of records that carry numbers ([`Format::is_numbered`]); known when its first examples are.
    #[must_use]
    pub fn are_numbered(&self) -> bool {
        self.format().is_some_and(Format::is_numbered)
    }

    /// Refuses files none of whose records had what the model reads.
    pub(super) fn check(&self) -> Result<()> {
        for file in self.lock().files.drain(..) {
            let missing = file.parser.missing();
            if !missing.is_empty() {
                let keys = if missing.len() == 1 { "key" } else { "keys" };
                let problem =
                    format!("no record has the {keys} {} that the model was trained on", listed(&missing));
                let hint =
                    "name them as in the training data, or say --missing-columns ignore to go on without";
                return Err(Error::file(&file.name, problem).hint(hint));
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, FileNotes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which column the lines of plain text are read as, where the model has others besides.
fn read_as_text(file: &str, layout: &Layout) -> Option<String> {
    let text = layout.only_text()?;
    let others: Vec<&str> = layout.features().filter(|name| *name != text).collect();
    let note = || format!("{file} has no columns: its lines are read as {text}, without {}", listed(&others));
    (!others.is_empty()).then(note)
}

/// Columns of a table that would give features and that the model does not know, if there are any.
fn new_columns(format: &Format, options: &FormatOptions, header: &[u8]) -> Option<Vec<String>> {
    let known = options.layout.as_ref()?.by_name();
    let names: Vec<String> = (format.sample?)(options, header, &[]).into_iter().map(|one| one.name).collect();
    let roles = options.roles_by_name(&names).ok()?;
    let is_new =
        |(name, role): &(String, Role)| role.is_feature() && !known.contains_key(&name.to_ascii_lowercase());
    let new: Vec<String> = names.into_iter().zip(roles).filter(is_new).map(|(name, _)| name).collect();
    (!new.is_empty()).then_some(new)
}
