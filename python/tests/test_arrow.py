"""Data frames and columns that Rust reads where they are: the same model as from arrays, and scikit-learn's errors."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import datasets

import surefoot.river
from surefoot import SurefootClassifier, SurefootTextClassifier
from surefoot._arrow import table_of, texts_of

KINDS = {
    "f8": np.float64,
    "f4": np.float32,
    "i8": np.int64,
    "i4": np.int32,
    "i2": np.int16,
    "i1": np.int8,
    "u8": np.uint64,
    "u4": np.uint32,
    "u2": np.uint16,
    "u1": np.uint8,
    "b1": np.bool_,
}


def columns(rows=300):
    """Columns of every type of numbers, zeros among them, and labels that depend on them."""
    random = np.random.default_rng(5)
    columns = {name: random.integers(0, 4, rows).astype(kind) for name, kind in KINDS.items()}
    columns["f8"] = columns["f8"] * random.normal(size=rows)
    total = sum(column.astype(float) for column in columns.values())
    return columns, (total > np.median(total)).astype(int)


def of_pandas(columns):
    """Whose columns Arrow keeps; the index, as after a split, is not 0, 1, 2, …"""
    frame = pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)
    return frame.set_index(pd.Index(np.arange(len(frame))[::-1] + 7))


def of_chunks(columns):
    table = pa.table(columns)
    return pa.concat_tables([table.slice(0, 100), table.slice(100, 1), table.slice(101)])


FRAMES = [pa.table, of_chunks, pl.DataFrame, of_pandas]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_is_its_matrix(frame):
    data, y = columns()
    X = frame(data)
    assert table_of(X) is not None
    matrix = np.column_stack([column.astype(float) for column in data.values()])
    ours, plain = SurefootClassifier().fit(X, y), SurefootClassifier().fit(matrix, y)
    assert ours._model.to_bytes() == plain._model.to_bytes()
    assert list(ours.feature_names_in_) == list(data)
    assert ours.n_features_in_ == len(data)
    assert np.array_equal(ours.predict_proba(X), plain.predict_proba(matrix))
    assert np.array_equal(ours.predict(X), plain.predict(matrix))
    weight = np.arange(len(y)) % 3
    ours, plain = ours.partial_fit(X, y, sample_weight=weight), plain.partial_fit(matrix, y, sample_weight=weight)
    assert ours._model.to_bytes() == plain._model.to_bytes()


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_get_scikit_learns_errors(frame):
    data, y = columns()
    fitted = SurefootClassifier().fit(frame(data), y)
    with pytest.raises(ValueError, match="feature names should match those that were passed during fit"):
        fitted.predict(frame(dict(reversed(data.items()))))
    with pytest.raises(ValueError, match="feature names should match|expecting 11 features"):
        fitted.predict(frame({"f8": data["f8"]}))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SurefootClassifier().fit(frame(data), y[:-1])
    with pytest.raises(ValueError, match="contains NaN|contains infinity"):
        SurefootClassifier().fit(frame(data | {"f4": np.where(y, np.inf, 1.0)}), y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        SurefootClassifier().fit(frame(data | {"f8": np.where(y, np.nan, 1.0)}), y)
    with pytest.raises(ValueError, match="could not convert string to float|Unable to convert"):
        SurefootClassifier().fit(frame(data | {"f4": np.array(["a", "b"])[y]}), y)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        SurefootClassifier().fit(frame(data), np.where(y, np.nan, 1.0))
    with pytest.raises(ValueError, match="Unknown label type"):
        SurefootClassifier().fit(frame(data), y + 0.5)


def test_missing_values_are_not_zeros():
    for missing in (pa.table({"a": [1.0, None]}), pl.DataFrame({"a": [1.0, None]}), pl.DataFrame({"a": [1, None]})):
        assert table_of(missing) is None
        with pytest.raises(ValueError, match="NaN"):
            SurefootClassifier().fit(missing, [0, 1])


def test_pandas_in_numpy_needs_no_arrow():
    data, y = columns()
    frame = pd.DataFrame(data)
    assert table_of(frame) is None
    matrix = np.column_stack([column.astype(float) for column in data.values()])
    assert SurefootClassifier().fit(frame, y)._model.to_bytes() == SurefootClassifier().fit(matrix, y)._model.to_bytes()


TEXTS = ["cheap pills", "lunch today", "", "süße Äpfel 🍎"] * 6
LABELS = ["spam", "ham", "none", "food"] * 6
STRINGS = {
    "string": lambda texts: pa.array(texts, pa.string()),
    "large": lambda texts: pa.array(texts, pa.large_string()),
    "view": lambda texts: pa.array(texts, pa.string_view()),
    "categories": lambda texts: pa.array(texts).dictionary_encode(),
    "chunks": lambda texts: pa.chunked_array([texts[:5], [], texts[5:]]),
    "polars": pl.Series,
    "polars categories": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "pandas": lambda texts: pd.Series(texts, dtype="str", index=range(5, 5 + len(texts))),
    "pandas arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas categories": lambda texts: pd.Series(texts, dtype="category"),
}


@pytest.mark.parametrize("column", STRINGS.values(), ids=STRINGS)
def test_a_column_of_strings_is_its_list(column):
    X = column(TEXTS)
    assert texts_of(X) is not None
    ours, plain = SurefootTextClassifier().fit(X, LABELS), SurefootTextClassifier().fit(TEXTS, LABELS)
    assert ours._model.to_bytes() == plain._model.to_bytes()
    assert list(ours.predict(X)) == list(plain.predict(TEXTS))
    with pytest.raises(ValueError, match=r"X\[2\]"):
        SurefootTextClassifier().fit(column(["a", "b", None, "c"]), [0, 1, 0, 1])


def test_columns_that_are_no_strings():
    for column in (pa.array([1, 2]), pl.Series([1, 2]), pd.Series([1, 2])):
        with pytest.raises(ValueError, match=r"X\[0\] is a int, expected a string"):
            SurefootTextClassifier().fit(column, [0, 1])


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame, pa.Table.from_pylist])
def test_frames_of_words_and_numbers_are_dicts(frame):
    rows = [{"size": i % 5, "color": ["red", "green"][i % 2], "on": i % 3 == 0, "price": i / 7} for i in range(60)]
    labels = ["a" if row["color"] == "red" or row["size"] > 3 else "b" for row in rows]
    one, many = surefoot.river.SurefootClassifier(), surefoot.river.SurefootClassifier()
    for x, y in zip(rows, labels):
        one.learn_one(x, y)
    X = frame(rows)
    many.learn_many(X, pd.Series(labels))
    assert one._model.to_bytes() == many._model.to_bytes()
    assert list(many.predict_many(X)) == [one.predict_one(x) for x in rows]


def test_river_reads_no_dicts_from_frames(monkeypatch):
    frame = pl.DataFrame([x for x, _ in datasets.Phishing().take(50)])
    monkeypatch.setattr(pl.DataFrame, "to_dicts", None)
    surefoot.river.SurefootClassifier().learn_many(frame, [y for _, y in datasets.Phishing().take(50)])
