//! JSON lines: one object a line. Numbers are values, strings categories or text, lists of strings bags of words,
//! nested objects and lists of numbers namespaces; `true` is 1, `false` and `null` are nothing.

mod keys;
pub(super) mod scan;
pub(super) mod write;

use super::line::{Grammar, LabelOnly, Line, put_label};
use super::options::text_name;
use super::{Format, FormatOptions, Needs, Records, Role};
use crate::error::Fault;
use crate::record::Sink;
use keys::ModelKeys;
pub(super) use keys::sampled;
use scan::Scanner;

/// Objects within objects. Deeper is an attack, not data.
const DEEPEST: usize = 64;

pub(super) static FORMAT: Format = Format {
    name: "jsonl",
    aliases: &["json", "ndjson"],
    extensions: &["jsonl", "ndjson", "json"],
    about: "one JSON object a line; nested objects are namespaces; keys label, weight and id",
    header: false,
    columns: true,
    records: Records::Lines,
    telling: true,
    looks_like: |lines, _| {
        !lines.is_empty() && lines.iter().all(|line| line.trim_ascii_start().starts_with(b"{"))
    },
    parser: |options, _| Ok(Box::new(JsonLines::new(options.clone()))),
    sample: Some(|_, _, rows| sampled(Vec::new(), rows)),
    numbered: None,
    needs: Needs::Nothing,
    writer: Some(|options, _| Ok(Box::new(JsonLines::new(options.clone())))),
};

pub(super) struct JsonLines {
    pub(super) options: FormatOptions,
    keys: ModelKeys,
}

impl JsonLines {
    pub(super) fn new(options: FormatOptions) -> Self {
        let keys = ModelKeys::new(&options);
        JsonLines { options, keys }
    }
}

impl Grammar for JsonLines {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        let mut scan = Scanner { line, at: 0 };
        if scan.peek().is_none() {
            return Ok(Line::Blank);
        }
        let mut walk = JsonWalk { scan, out, lines: self, namespace: Vec::new(), depth: 0 };
        walk.object()?;
        self.keys.end_record();
        match walk.scan.peek() {
            None => Ok(Line::Example),
            Some(_) => Err(walk.scan.fault("the end of the line behind the object")),
        }
    }

    fn missing(&self) -> Vec<String> {
        self.keys.missing()
    }
}

/// The walk through one object.
struct JsonWalk<'a, S> {
    scan: Scanner<'a>,
    out: &'a mut S,
    lines: &'a JsonLines,
    /// Names of the objects around the current one, joined.
    namespace: Vec<u8>,
    depth: usize,
}

impl<S: Sink> JsonWalk<'_, S> {
    fn object(&mut self) -> Result<(), Fault> {
        self.scan.expect(b'{')?;
        if self.scan.take(b'}') {
            return Ok(());
        }
        loop {
            self.member()?;
            if !self.scan.another(b'}')? {
                return Ok(());
            }
        }
    }

    fn member(&mut self) -> Result<(), Fault> {
        let start = self.scan.at;
        let key = self.scan.string("a key in quotes")?;
        let name = std::str::from_utf8(&key).map_err(|_| {
            Fault::at_token(self.scan.line, start, "a key in UTF-8").hint("convert the file to UTF-8")
        })?;
        self.scan.expect(b':')?;
        let JsonLines { options, keys } = self.lines;
        let role = match self.depth {
            0 => keys.role(name).unwrap_or_else(|| options.key_role(name)),
            _ => options.plain_role(name),
        };
        if self.depth == 0 && options.is_echoed(name) {
            // Whatever else the key is for is read from the same place.
            let at = self.scan.at;
            self.id()?;
            self.scan.at = at;
        }
        match role {
            Role::Label => self.label(),
            Role::Weight => self.weight(),
            Role::Id if options.echo.is_none() => self.id(),
            Role::Id => self.pass_over(name),
            Role::Nothing => self.pass_over(name),
            _ => self.value(name, role),
        }
    }

    fn label(&mut self) -> Result<(), Fault> {
        const LABEL: &str = "a label, which is a string or a number";
        if !self.scan.take(b'[') {
            let label = self.scalar(LABEL)?;
            let separator = self.lines.options.label_separator.as_deref();
            label.into_iter().for_each(|label| put_label(&label, separator, self.out));
            return Ok(());
        }
        let mut labels = Vec::new();
        if !self.scan.take(b']') {
            self.items(|walk, _| {
                labels.extend(walk.scalar(LABEL)?);
                Ok(())
            })?;
        }
        self.out.labels(labels.iter().map(Vec::as_slice));
        Ok(())
    }

    fn weight(&mut self) -> Result<(), Fault> {
        match self.scan.peek() {
            Some(b'-' | b'0'..=b'9') => {
                let (weight, _) = self.scan.number()?;
                self.out.weight(weight);
                Ok(())
            }
            _ if self.scan.word(b"null") => Ok(()),
            _ => {
                let hint = "if this is a feature, name another key as the weight";
                Err(self.scan.fault("a number, the weight of the example").hint(hint))
            }
        }
    }

    fn id(&mut self) -> Result<(), Fault> {
        let id = self.scalar("an id, which is a string or a number")?;
        id.into_iter().for_each(|id| self.out.tag(&id));
        Ok(())
    }

    /// A string, or the spelling of a number or a truth value; none for null.
    fn scalar(&mut self, expected: &'static str) -> Result<Option<Vec<u8>>, Fault> {
        match self.scan.peek() {
            Some(b'"') => Ok(Some(self.scan.string(expected)?.into_owned())),
            Some(b'-' | b'0'..=b'9') => Ok(Some(self.scan.number()?.1.to_vec())),
            _ if self.scan.word(b"true") => Ok(Some(b"true".to_vec())),
            _ if self.scan.word(b"false") => Ok(Some(b"false".to_vec())),
            _ if self.scan.word(b"null") => Ok(None),
            _ => Err(self.scan.fault(expected)),
        }
    }

    /// A value that is left out of the example.
    fn pass_over(&mut self, name: &str) -> Result<(), Fault> {
        let scan = Scanner { line: self.scan.line, at: self.scan.at };
        let (mut nowhere, namespace) = (LabelOnly::default(), Vec::new());
        let mut walk = JsonWalk { scan, out: &mut nowhere, lines: self.lines, namespace, depth: 1 };
        walk.value(name, Role::Category)?;
        self.scan.at = walk.scan.at;
        Ok(())
    }

    /// The value of a key that is part of the example.
    fn value(&mut self, key: &str, role: Role) -> Result<(), Fault> {
        match self.scan.peek() {
            Some(b'"') => self.word_or_text(key, role),
            Some(b'{') => self.inside(key, Self::object),
            Some(b'[') => self.list(key, role),
            _ => self.quantity(key.as_bytes(), role),
        }
    }

    fn word_or_text(&mut self, key: &str, role: Role) -> Result<(), Fault> {
        let string = self.scan.string("a string")?;
        match role {
            Role::Text => self.out.text(text_name(key), &string),
            _ => self.out.category(key.as_bytes(), &string),
        }
        Ok(())
    }

    /// A number or a truth value.
    fn quantity(&mut self, name: &[u8], role: Role) -> Result<(), Fault> {
        if self.scan.word(b"true") {
            self.out.feature(name, 1.0);
        } else if !self.scan.word(b"false") && !self.scan.word(b"null") {
            let (value, spelling) = self.scan.number()?;
            match role {
                Role::Category => self.out.category(name, spelling),
                _ => self.out.feature(name, value),
            }
        }
        Ok(())
    }

    /// Strings are a bag of words; numbers are the namespace of their positions; objects share one namespace.
    fn list(&mut self, key: &str, role: Role) -> Result<(), Fault> {
        self.scan.expect(b'[')?;
        match self.scan.peek() {
            Some(b']') => {
                self.scan.at += 1;
                Ok(())
            }
            Some(b'"') => self.items(|walk, _| walk.word_or_text(key, role)),
            Some(b'{') => self.inside(key, |walk| walk.items(|walk, _| walk.object())),
            Some(b'[') => Err(self.scan.fault("a string, a number or an object in a list")),
            _ => self.inside(key, |walk| {
                walk.items(|walk, position| walk.quantity(position.to_string().as_bytes(), Role::Value))
            }),
        }
    }

    /// The items of a list up to its end, all of one kind.
    fn items(&mut self, mut item: impl FnMut(&mut Self, usize) -> Result<(), Fault>) -> Result<(), Fault> {
        let mut position = 0;
        loop {
            self.scan.peek();
            item(self, position)?;
            position += 1;
            if !self.scan.another(b']')? {
                return Ok(());
            }
        }
    }

    /// Does something inside the namespace `key` of the current one.
    fn inside(&mut self, key: &str, walk: impl FnOnce(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        if self.depth == DEEPEST {
            let expected = format!("at most {DEEPEST} objects within one another");
            return Err(Fault::new(self.scan.at, expected, "more"));
        }
        let length = self.namespace.len();
        if length > 0 {
            self.namespace.push(b'^');
        }
        self.namespace.extend_from_slice(key.as_bytes());
        self.out.namespace(&self.namespace, 1.0);
        self.depth += 1;
        walk(self)?;
        self.depth -= 1;
        self.namespace.truncate(length);
        self.out.namespace(&self.namespace, 1.0);
        Ok(())
    }
}
