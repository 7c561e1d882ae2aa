"""From Arrow's columns, as executors get them, to the rows of a native model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surefoot import _native

#: The fields of Spark's type for vectors: ``type`` is 0 for sparse ones and 1 for dense ones, which have values alone.
VECTOR = pa.schema(
    [
        ("type", pa.int8()),
        ("size", pa.int32()),
        ("indices", pa.list_(pa.int32())),
        ("values", pa.list_(pa.float64())),
    ]
)


@dataclass(frozen=True)
class RowKind:
    """How the columns of a frame are read as rows."""

    #: "text", "vector", "array" or "columns".
    name: str
    schema: pa.Schema
    #: Numbers of a row, where that is one number for all rows and known.
    width: int | None = None
    #: Whether rows with missing or infinite values are left out; otherwise they are an error.
    skip: bool = False

    def read(self, batch: pa.RecordBatch) -> Rows:
        """The rows of a batch whose columns are those of the schema."""
        refused = self._refused(batch)
        if refused.any():
            if not self.skip:
                raise ValueError(
                    f"{int(refused.sum())} of {batch.num_rows} rows have a missing value, or one that is not finite, in "
                    'the features; handleInvalid="skip" leaves such rows out'
                )
            batch = batch.filter(pa.array(~refused))
        rows, width = self._native(batch)
        if self.width is not None and width is not None and batch.num_rows and width != self.width:
            raise ValueError(f"a row has {width} features, expected {self.width}: as many as the rows that were learned")
        return Rows(rows, width, ~refused)

    def _refused(self, batch: pa.RecordBatch) -> np.ndarray:
        refused = np.zeros(batch.num_rows, dtype=bool)
        for name, column in zip(batch.schema.names, batch.columns):
            # What Spark's vectors leave out: dense ones have no size and no indices.
            if self.name != "vector" or name in ("type", "values"):
                refused |= _as_numpy(column.is_null())
            if pa.types.is_list(column.type) and pa.types.is_floating(column.type.value_type):
                rows = np.repeat(np.arange(batch.num_rows), _lengths(column))
                refused[rows[~np.isfinite(_as_numpy(column.flatten()))]] = True
            elif pa.types.is_floating(column.type):
                refused |= ~np.isfinite(_as_numpy(column))
        return refused

    def _native(self, batch: pa.RecordBatch) -> tuple[_native.Rows, int | None]:
        if self.name == "text":
            table = _native.texts(pa.Table.from_batches([batch]))
        elif self.name == "columns":
            table = _native.table(batch, batch.num_columns, True)
        else:
            lengths, values = _lengths(batch.column("values")), _as_numpy(batch.column("values").flatten())
            sizes, indices = self._places(batch, lengths)
            width = int(sizes[0]) if len(sizes) else 0
            if (sizes != width).any():
                raise ValueError(f"rows have {width} and {int(sizes[sizes != width][0])} features; all must have as many")
            return (np.concatenate([[0], np.cumsum(lengths)]), indices, values, width), width
        if table is None:
            raise ValueError(f"columns of the types {batch.schema.types} cannot be read as {self.name}")
        return table, None

    def _places(self, batch: pa.RecordBatch, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The width of every row, and the places of all values: counted up, but in sparse vectors, which have them."""
        starts = np.cumsum(lengths) - lengths
        counted = np.arange(lengths.sum()) - np.repeat(starts, lengths)
        if self.name == "array":
            return lengths, counted
        sparse = _as_numpy(batch.column("type")) == 0
        counted[np.repeat(sparse, lengths)] = _as_numpy(batch.column("indices").flatten())
        return np.where(sparse, _as_numpy(batch.column("size").fill_null(0)), lengths), counted


@dataclass(frozen=True)
class Rows:
    """Rows of a batch, as a native model takes them."""

    native: _native.Rows
    width: int | None
    #: Which rows of the batch they are.
    kept: np.ndarray


def _lengths(column: pa.ListArray) -> np.ndarray:
    return _as_numpy(pc.list_value_length(column).fill_null(0)).astype(np.int64)


def _as_numpy(column: pa.Array) -> np.ndarray:
    return column.to_numpy(zero_copy_only=False)
