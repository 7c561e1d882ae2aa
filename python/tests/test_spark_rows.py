"""The rows of Spark's columns, without Spark: that needs Java, see python/spark.sh."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from surefoot import SurefootClassifier, SurefootTextClassifier
from surefoot.spark._rows import VECTOR, RowKind
from surefoot.spark._work import PART_BYTES, parts

ARRAY = pa.schema([("values", pa.list_(pa.float64()))])
MATRIX = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, -3.0, 0.5], [4.0, 0.0, 0.0]])


def vectors(sparse_rows):
    """The matrix as Spark's vectors, some of them sparse."""
    rows = []
    for place, row in enumerate(MATRIX.tolist()):
        filled = [column for column, value in enumerate(row) if value]
        if place in sparse_rows:
            rows.append((0, len(row), filled, [row[column] for column in filled]))
        else:
            rows.append((1, None, None, row))
    return pa.record_batch([pa.array(column, kind) for column, kind in zip(zip(*rows), VECTOR.types)], schema=VECTOR)


def matrix_of(rows):
    indptr, indices, data, width = rows.native
    return sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, width)).toarray()


@pytest.mark.parametrize("sparse_rows", [(), (0, 2), (0, 1, 2, 3)])
def test_vectors_are_their_matrix(sparse_rows):
    batch = vectors(sparse_rows)
    rows = RowKind("vector", VECTOR).read(batch)
    assert rows.width == 3 and rows.kept.all()
    assert np.array_equal(matrix_of(rows), MATRIX)
    # A part of a batch keeps the whole one's memory.
    assert np.array_equal(matrix_of(RowKind("vector", VECTOR).read(batch.slice(1, 2))), MATRIX[1:3])


def test_arrays_are_their_matrix():
    batch = pa.record_batch([pa.array(MATRIX.tolist(), ARRAY.types[0])], schema=ARRAY)
    rows = RowKind("array", ARRAY).read(batch.slice(1))
    assert np.array_equal(matrix_of(rows), MATRIX[1:])
    model = SurefootClassifier().fit(MATRIX, [0, 1, 0, 1])
    assert np.array_equal(model._model.classes(rows.native), model._model.classes(MATRIX[1:]))


def test_rows_that_are_left_out_or_refused():
    values = [[1.0, 2.0], None, [np.nan, 0.0], [0.0, None], [3.0, 4.0], [np.inf, 0.0]]
    batch = pa.record_batch([pa.array(values, ARRAY.types[0])], schema=ARRAY)
    with pytest.raises(ValueError, match="4 of 6 rows have a missing value, or one that is not finite"):
        RowKind("array", ARRAY).read(batch)
    rows = RowKind("array", ARRAY, skip=True).read(batch)
    assert rows.kept.tolist() == [True, False, False, False, True, False]
    assert np.array_equal(matrix_of(rows), [[1.0, 2.0], [3.0, 4.0]])
    text = pa.record_batch([pa.array(["a", None])], schema=pa.schema([("text", pa.string())]))
    assert len(RowKind("text", text.schema, skip=True).read(text).native) == 1


def test_widths():
    kind = RowKind("array", ARRAY)
    batch = pa.record_batch([pa.array([[1.0], [1.0, 2.0]], ARRAY.types[0])], schema=ARRAY)
    with pytest.raises(ValueError, match="rows have 1 and 2 features"):
        kind.read(batch)
    with pytest.raises(ValueError, match="a row has 1 features, expected 5"):
        RowKind("array", ARRAY, width=5).read(batch.slice(0, 1))
    assert RowKind("array", ARRAY, width=5).read(batch.slice(0, 0)).kept.tolist() == []


def test_words_and_numbers_are_named():
    schema = pa.schema([("size", pa.float64()), ("color", pa.string())])
    batch = pa.record_batch([pa.array([1.0, 2.0]), pa.array(["red", "blue"])], schema=schema)
    assert len(RowKind("columns", schema).read(batch).native) == 2


def test_models_are_sent_in_parts():
    data = bytes(range(256)) * (PART_BYTES // 100)
    batches = list(parts(3, 10, None, data))
    assert len(batches) == -(-len(data) // PART_BYTES) > 2
    assert b"".join(batch.column("data")[0].as_py() for batch in batches) == data
    assert {batch.column("shard")[0].as_py() for batch in batches} == {3}
    model = SurefootTextClassifier().fit(["a", "b"], [0, 1])
    assert b"".join(batch.column("data")[0].as_py() for batch in parts(0, 2, None, model.to_bytes())) == model.to_bytes()
