//! fastText: `__label__a words of the text`. The prefix can be another; labels may stand anywhere, be several or be missing.

use memchr::memmem;

use super::line::{Grammar, LabelOnly, Line, token_end};
use super::text::running_text;
use super::writer::{RecordWriter, misfit, put_word};
use super::{Format, FormatOptions, Needs, Records};
use crate::error::{Fault, quoted};
use crate::record::{Record, Sink};

pub(super) static FORMAT: Format = Format {
    name: "fasttext",
    aliases: &["ft"],
    // fastText users call their files .txt; what does not begin with the prefix is plain text.
    extensions: &["ft", "fasttext", "txt"],
    about: "__label__x and then running text, as fastText reads it",
    header: false,
    columns: false,
    records: Records::Lines,
    telling: true,
    looks_like,
    parser: |options, _| Ok(Box::new(FastText::new(options))),
    sample: None,
    numbered: None,
    needs: Needs::Nothing,
    writer: Some(|options, _| Ok(Box::new(FastText::new(options)))),
};

struct FastText {
    prefix: Vec<u8>,
    /// What the words are called by: nothing, or the one text column of a model that learned from a table.
    name: Vec<u8>,
}

impl FastText {
    fn new(options: &FormatOptions) -> Self {
        let name = options.text_without_column().into();
        FastText { prefix: options.label_prefix.as_bytes().to_vec(), name }
    }
}

impl Grammar for FastText {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        if line.trim_ascii().is_empty() {
            return Ok(Line::Blank);
        }
        let label = |start: usize| &line[start + self.prefix.len()..token_end(line, start)];
        let starts = || labels(line, &self.prefix);
        if let Some(empty) = starts().find(|&start| label(start).is_empty()) {
            return Err(Fault::at_token(line, empty, "a label behind its prefix"));
        }
        let mut ahead = starts();
        match (ahead.next(), ahead.next()) {
            (None, _) => {
                out.text(&self.name, line);
                return Ok(Line::Example);
            }
            (Some(only), None) => out.label(label(only)),
            _ => out.labels(starts().map(label)),
        }
        let mut from = 0;
        for (start, next) in starts().map(|start| (start, token_end(line, start))).chain([(line.len(), 0)]) {
            let text = line[from..start].trim_ascii();
            if !text.is_empty() {
                out.text(&self.name, text);
            }
            from = next;
        }
        Ok(Line::Example)
    }

    fn skim(&self, line: &[u8], out: &mut LabelOnly) -> Option<Result<Line, Fault>> {
        // The label may stand anywhere, but looking for it is quick beside cutting the text into words.
        Some(self.parse(line, out))
    }
}

/// Where words start that have the prefix of labels.
fn labels<'a>(line: &'a [u8], prefix: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    // An empty prefix would make every word a label; then there are none.
    let found = memmem::find_iter(line, prefix).filter(|_| !prefix.is_empty());
    found.filter(|&at| at == 0 || matches!(line[at - 1], b' ' | b'\t'))
}

fn looks_like(lines: &[&[u8]], options: &FormatOptions) -> bool {
    let prefix = options.label_prefix.as_bytes();
    lines.first().is_some_and(|line| !prefix.is_empty() && line.starts_with(prefix))
}

impl RecordWriter for FastText {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        let text = running_text(record)?;
        if !self.prefix.is_empty() && memmem::find(&text, &self.prefix).is_some() {
            return Err(misfit("text without the prefix of labels", quoted(&self.prefix))
                .hint("choose another prefix"));
        }
        for label in record.each_label() {
            out.extend_from_slice(&self.prefix);
            put_word(label, b"", "a label without blanks", out)?;
            out.push(b' ');
        }
        out.extend_from_slice(&text);
        out.push(b'\n');
        Ok(())
    }
}
