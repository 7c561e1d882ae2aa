//! Records as a Parquet file, some thousand rows a group.

use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use super::super::options::FormatOptions;
use super::super::table::{Columns, column_of};
use super::super::writer::{Piece, RecordWriter, full_name, joined_labels, misfit, pieces};
use super::layout::{CellKind, PAIRS, ParquetLayout};
use crate::error::{Fault, quoted};
use crate::record::Record;
use crate::record::RecordPart::{Category, Feature, Indexed, Namespace, Text};

/// Rows of a group, and bytes of it in memory, about.
const ROWS: usize = 1 << 13;
const BYTES: usize = 1 << 25;

/// Definition levels of an optional column, and of an element of a list.
const ABSENT: i16 = 0;
const PRESENT: i16 = 1;

/// The writer for records that need these columns.
pub(super) fn writer(options: &FormatOptions, columns: &Columns) -> Result<Box<dyn RecordWriter>, Fault> {
    let layout = ParquetLayout::new(options, &columns.cells)?;
    let (columns, schema) = columns_of(&layout).map_err(failed)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("surefoot ", env!("CARGO_PKG_VERSION")).into())
        .build();
    let file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).map_err(failed)?;
    let separator = options.label_separator.clone();
    Ok(Box::new(ParquetWriter { file, layout, separator, columns, rows: 0, bytes: 0 }))
}

struct ParquetWriter {
    file: SerializedFileWriter<Vec<u8>>,
    layout: ParquetLayout,
    /// What stands between two labels.
    separator: Option<String>,
    /// The rows that wait, column by column.
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

/// The values of a column in the rows that wait, and in which of them it has none.
enum Column {
    Words(Vec<ByteArray>, Vec<i16>),
    Numbers(Vec<f64>, Vec<i16>),
    Pairs(PairColumn),
}

/// A list of pairs a row.
#[derive(Default)]
struct PairColumn {
    /// One of the two is empty.
    names: Vec<ByteArray>,
    ids: Vec<i64>,
    values: Vec<f64>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

/// The cells of a row, and its features that are pairs.
type RowParts = (Vec<Cell>, Vec<(String, f64)>);

/// What a row says in a column.
enum Cell {
    Empty,
    Word(Vec<u8>),
    Number(f64),
}

impl RecordWriter for ParquetWriter {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        let (cells, pairs) = self.row(record)?;
        // Nothing is refused from here on: a row is there as a whole or not at all.
        let (mut cells, mut pairs) = (cells.into_iter(), Some(pairs));
        for column in &mut self.columns {
            match (column, cells.next()) {
                (Column::Pairs(column), _) => {
                    let pairs = pairs.take().unwrap_or_default();
                    self.bytes += pairs.iter().map(|(name, _)| 16 + name.len()).sum::<usize>();
                    column.add(pairs, self.layout.pairs.as_ref().is_some_and(|pairs| pairs.named));
                }
                (Column::Words(words, levels), Some(Cell::Word(word))) => {
                    self.bytes += word.len();
                    words.push(word.into());
                    levels.push(PRESENT);
                }
                (Column::Numbers(numbers, levels), Some(Cell::Number(number))) => {
                    self.bytes += size_of::<f64>();
                    numbers.push(number);
                    levels.push(PRESENT);
                }
                (Column::Words(_, levels) | Column::Numbers(_, levels), _) => levels.push(ABSENT),
            }
        }
        self.rows += 1;
        if self.rows >= ROWS || self.bytes >= BYTES {
            self.write_group(out)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        if self.rows > 0 {
            self.write_group(out)?;
        }
        self.file.finish().map_err(failed)?;
        out.append(self.file.inner_mut());
        Ok(())
    }
}

impl ParquetWriter {
    /// The cells of a record, and the features that are pairs.
    fn row(&self, record: &Record) -> Result<RowParts, Fault> {
        let layout = &self.layout;
        let word = |bytes: &Option<Vec<u8>>, what: &'static str| match bytes {
            Some(bytes) if !bytes.is_empty() => utf8(bytes, what).map(|text| Cell::Word(text.into())),
            _ => Ok(Cell::Empty),
        };
        let label = joined_labels(record, self.separator.as_deref())?;
        let mut cells = vec![word(&label, "a label in UTF-8")?];
        cells.extend(layout.weight.is_some().then_some(Cell::Number(record.weight)));
        if layout.id.is_some() {
            cells.push(word(&record.tag, "an id in UTF-8")?);
        }
        let first = cells.len();
        cells.extend(layout.columns.iter().map(|_| Cell::Empty));
        let mut pairs = Vec::new();
        for piece in pieces(record) {
            let as_pair = layout.pairs.as_ref().filter(|_| !matches!(piece.part, Text(..)));
            match as_pair {
                Some(own) => {
                    let (name, value) = pair(&piece)?;
                    own.check(&name)?;
                    pairs.push((name, value));
                }
                None => {
                    let name = column_of(&piece)?.0;
                    let place = layout.places.get(name.as_ref());
                    let place =
                        place.ok_or_else(|| misfit("a column of the file", quoted(name.as_bytes())))?;
                    cells[first + place].add(&piece, layout.columns[*place].1)?;
                }
            }
        }
        Ok((cells, pairs))
    }

    /// Writes the rows that wait.
    fn write_group(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut group = self.file.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            column.write(&mut group).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        (self.rows, self.bytes) = (0, 0);
        out.append(self.file.inner_mut());
        Ok(())
    }
}

impl Cell {
    fn add(&mut self, piece: &Piece<'_>, kind: CellKind) -> Result<(), Fault> {
        let several = || misfit("one value in each column", "another, or one of another kind");
        let scale = piece.scale;
        *self = match (std::mem::replace(self, Cell::Empty), piece.part, kind) {
            (before, Indexed(_, value) | Feature(_, value), CellKind::Number) => before.plus(value * scale),
            (before, Category(..), CellKind::Number) if scale != 1.0 => before.plus(scale),
            (Cell::Empty, Category(_, value), CellKind::Word) if scale == 1.0 => {
                Cell::Word(utf8(value, "a category in UTF-8")?.into())
            }
            (before, Text(_, text), CellKind::Text) if scale == 1.0 => {
                let mut whole = match before {
                    Cell::Word(before) => [&before[..], b" "].concat(),
                    _ => Vec::new(),
                };
                whole.extend_from_slice(String::from_utf8_lossy(text).as_bytes());
                Cell::Word(whole)
            }
            _ => return Err(several().hint("jsonl can hold several")),
        };
        Ok(())
    }

    fn plus(self, value: f64) -> Self {
        Cell::Number(if let Cell::Number(before) = self { before + value } else { value })
    }
}

/// The whole name and the value of a feature.
fn pair(piece: &Piece<'_>) -> Result<(String, f64), Fault> {
    let (name, value) = match piece.part {
        Indexed(id, value) => (id.to_string().into_bytes(), *value),
        Feature(name, value) => (name.clone(), *value),
        Category(name, value) => ([name.as_slice(), b"=", value].concat(), 1.0),
        Text(name, _) | Namespace(name, _) => (name.clone(), 1.0),
    };
    let name = full_name(piece.namespace, &name);
    Ok((utf8(&name, "a feature name in UTF-8")?.into(), value * piece.scale))
}

fn utf8<'a>(bytes: &'a [u8], what: &'static str) -> Result<&'a str, Fault> {
    std::str::from_utf8(bytes).map_err(|_| misfit(what, quoted(bytes)))
}

impl PairColumn {
    fn add(&mut self, pairs: Vec<(String, f64)>, named: bool) {
        if pairs.is_empty() {
            self.definition.push(ABSENT);
            self.repetition.push(0);
        }
        for (at, (name, value)) in pairs.into_iter().enumerate() {
            match name.parse::<u64>() {
                // As wide as it is: the column says that it has no sign.
                Ok(id) if !named => self.ids.push(id.cast_signed()),
                _ => self.names.push(name.into_bytes().into()),
            }
            self.values.push(value);
            self.definition.push(PRESENT);
            self.repetition.push(i16::from(at > 0));
        }
    }
}

impl Column {
    /// Writes what waits as the next columns of a group, and forgets it.
    fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) -> Result<(), ParquetError> {
        match self {
            Column::Words(words, levels) => put::<ByteArrayType>(group, words, levels, None)?,
            Column::Numbers(numbers, levels) => put::<DoubleType>(group, numbers, levels, None)?,
            Column::Pairs(own) => {
                let lists = Some(&own.repetition[..]);
                if own.names.is_empty() {
                    put::<Int64Type>(group, &own.ids, &own.definition, lists)?;
                } else {
                    put::<ByteArrayType>(group, &own.names, &own.definition, lists)?;
                }
                put::<DoubleType>(group, &own.values, &own.definition, lists)?;
            }
        }
        *self = match self {
            Column::Words(..) => Column::Words(Vec::new(), Vec::new()),
            Column::Numbers(..) => Column::Numbers(Vec::new(), Vec::new()),
            Column::Pairs(_) => Column::Pairs(PairColumn::default()),
        };
        Ok(())
    }
}

fn put<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
    definition: &[i16],
    repetition: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(values, Some(definition), repetition)?;
    column.close()
}

/// Empty columns, and the schema that they make.
fn columns_of(layout: &ParquetLayout) -> Result<(Vec<Column>, TypePtr), ParquetError> {
    let words = || Column::Words(Vec::new(), Vec::new());
    let numbers = || Column::Numbers(Vec::new(), Vec::new());
    let (mut columns, mut fields) = (vec![words()], vec![string(&layout.label, Repetition::OPTIONAL)?]);
    if let Some(weight) = &layout.weight {
        columns.push(numbers());
        fields.push(double(weight, Repetition::OPTIONAL)?);
    }
    if let Some(id) = &layout.id {
        columns.push(words());
        fields.push(string(id, Repetition::OPTIONAL)?);
    }
    for (name, kind) in &layout.columns {
        let is_number = *kind == CellKind::Number;
        columns.push(if is_number { numbers() } else { words() });
        let field = if is_number { double } else { string };
        fields.push(field(name, Repetition::OPTIONAL)?);
    }
    if let Some(pairs) = &layout.pairs {
        columns.push(Column::Pairs(PairColumn::default()));
        let index = if pairs.named { string("index", Repetition::REQUIRED)? } else { id("index")? };
        fields.push(list(PAIRS, vec![index, double("value", Repetition::REQUIRED)?])?);
    }
    let schema = Type::group_type_builder("examples").with_fields(fields).build()?;
    Ok((columns, Arc::new(schema)))
}

fn string(name: &str, repetition: Repetition) -> Result<TypePtr, ParquetError> {
    let builder = Type::primitive_type_builder(name, Physical::BYTE_ARRAY);
    let field = builder.with_repetition(repetition).with_converted_type(ConvertedType::UTF8).build()?;
    Ok(Arc::new(field))
}

fn double(name: &str, repetition: Repetition) -> Result<TypePtr, ParquetError> {
    let field = Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(repetition).build()?;
    Ok(Arc::new(field))
}

/// A whole number without a sign.
fn id(name: &str) -> Result<TypePtr, ParquetError> {
    let builder = Type::primitive_type_builder(name, Physical::INT64);
    let builder = builder.with_repetition(Repetition::REQUIRED).with_converted_type(ConvertedType::UINT_64);
    Ok(Arc::new(builder.build()?))
}

/// A list of groups, in the three levels that the format asks for.
fn list(name: &str, fields: Vec<TypePtr>) -> Result<TypePtr, ParquetError> {
    let element = Type::group_type_builder("element").with_repetition(Repetition::REQUIRED);
    let element = Arc::new(element.with_fields(fields).build()?);
    let inner = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
    let inner = Arc::new(inner.with_fields(vec![element]).build()?);
    let outer = Type::group_type_builder(name).with_repetition(Repetition::REQUIRED);
    let outer = outer.with_converted_type(ConvertedType::LIST).with_fields(vec![inner]).build()?;
    Ok(Arc::new(outer))
}

#[cold]
fn failed(error: ParquetError) -> Fault {
    misfit("a record that fits into Parquet", error.to_string())
}
