//! Tables and columns in Arrow's memory, as pandas, polars and pyarrow lend them: read where they are.

mod column;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatchReader};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use surefoot::data::{Builder, Sink};

use crate::error::value;
use crate::rows::RowSource;
use column::{ArrowColumn, Words};

/// Rows of Arrow's chunks of columns.
#[pyclass(name = "Table", frozen, module = "surefoot._native")]
pub struct ArrowTable {
    chunks: Vec<ArrowChunk>,
    names: Vec<String>,
    told: ReadAs,
    rows: usize,
}

/// Columns of equal length.
struct ArrowChunk {
    /// The number of its first row.
    first: usize,
    columns: Vec<ArrowColumn>,
}

/// What the columns mean.
enum ReadAs {
    /// Column j is feature j; all of them are numbers.
    Columns,
    /// A column of numbers is a feature of its name, one of words is a category.
    Names,
    /// The one column is running text.
    Text,
}

/// A data frame, of which the first columns count; none if it is not one, or if a value is missing, is not finite or is
/// of no type that a learner takes. Words are taken only from frames whose columns have `named` features.
#[pyfunction]
pub fn table(frame: &Bound<'_, PyAny>, columns: usize, named: bool) -> Option<ArrowTable> {
    let reader = borrow(frame)?;
    let names = reader.schema().fields().iter().take(columns).map(|field| field.name().clone()).collect();
    let (mut rows, mut chunks) = (0, Vec::new());
    for batch in reader {
        let batch = batch.ok()?;
        let chosen = batch.columns().iter().take(columns);
        let columns = chosen.map(|array| ArrowColumn::new(array, named)).collect::<Option<_>>()?;
        chunks.push(ArrowChunk { first: rows, columns });
        rows += batch.num_rows();
    }
    Some(ArrowTable { chunks, names, told: if named { ReadAs::Names } else { ReadAs::Columns }, rows })
}

/// The first column of a data frame as running text; none if it holds no strings.
#[pyfunction]
pub fn texts(frame: &Bound<'_, PyAny>) -> PyResult<Option<ArrowTable>> {
    let Some(reader) = borrow(frame) else { return Ok(None) };
    let (mut rows, mut chunks) = (0, Vec::new());
    for batch in reader {
        let batch = batch.map_err(value)?;
        let Some((array, words)) =
            batch.columns().first().and_then(|array| Some((array, Words::new(array)?)))
        else {
            return Ok(None);
        };
        if let Some(missing) = (0..array.len()).find(|&row| array.is_null(row)) {
            return Err(value(format!("X[{}] is missing, expected a string", rows + missing)));
        }
        chunks.push(ArrowChunk { first: rows, columns: vec![ArrowColumn::Words(words)] });
        rows += array.len();
    }
    Ok(Some(ArrowTable { chunks, names: vec![], told: ReadAs::Text, rows }))
}

/// The record batches that a frame lends through Arrow's PyCapsule interface; none if it does not.
fn borrow(frame: &Bound<'_, PyAny>) -> Option<RecordBatchStreamReader> {
    let capsule = frame.call_method0("__arrow_c_stream__").ok()?.cast_into::<PyCapsule>().ok()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream")).ok()?;
    // SAFETY: a capsule of this name holds a valid stream, by the interface's contract, and keeps it alive while it is
    // moved out of it. The capsule is left with a released stream, which its destructor skips.
    #[allow(unsafe_code)]
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) };
    RecordBatchStreamReader::try_new(stream).ok()
}

#[pymethods]
impl ArrowTable {
    fn __len__(&self) -> usize {
        self.rows
    }
}

impl RowSource for &ArrowTable {
    fn len(&self) -> usize {
        self.rows
    }

    fn read(&self, row: usize, out: &mut Builder<'_>) {
        let chunk = &self.chunks[self.chunks.partition_point(|chunk| chunk.first <= row) - 1];
        let row = row - chunk.first;
        match self.told {
            ReadAs::Columns => {
                for (column, id) in chunk.columns.iter().zip(0u64..) {
                    if let ArrowColumn::Numbers(numbers) = column
                        && numbers.number(row) != 0.0
                    {
                        out.indexed(id, numbers.number(row));
                    }
                }
            }
            ReadAs::Names => {
                for (column, name) in chunk.columns.iter().zip(&self.names) {
                    match column {
                        ArrowColumn::Numbers(numbers) => out.named(name, numbers.number(row)),
                        ArrowColumn::Words(words) => {
                            out.category(name.as_bytes(), words.word(row).as_bytes())
                        }
                    }
                }
            }
            ReadAs::Text => {
                if let Some(ArrowColumn::Words(words)) = chunk.columns.first() {
                    out.text(b"", words.word(row).as_bytes());
                }
            }
        }
    }
}
