"""Which columns of a frame are read, and how."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import functions as F
from pyspark.sql import types as T

from surefoot.spark._rows import VECTOR, RowKind

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from surefoot.spark._params import ColumnParams

#: Arrow's types for labels, by Spark's.
LABEL_TYPES = {"string": pa.string(), "double": pa.float64(), "boolean": pa.bool_()}


def features(params: ColumnParams, frame: DataFrame) -> tuple[RowKind, list[Column]]:
    """How the features are read, and the columns of that kind's schema."""
    invalid = params.getOrDefault("handleInvalid")
    if invalid not in ("error", "skip"):
        raise ValueError(f'handleInvalid is "error" or "skip", not {invalid!r}')
    named = [name for name in ("textCol", "inputCols", "featuresCol") if params.isSet(name)]
    if len(named) > 1:
        raise ValueError(f"{' and '.join(named)} are set: the features are in one of them")
    text, several = params._of("textCol"), params._of("inputCols")
    if text is not None:
        kind, columns = _text(frame, text)
    elif several is not None:
        kind, columns = _several(frame, several)
    else:
        kind, columns = _one(frame, params.getOrDefault("featuresCol"))
    return replace(kind, skip=invalid == "skip"), columns


def label(frame: DataFrame, name: str) -> tuple[Column, str]:
    """The column of labels, and its type: numbers of all types become doubles, as MLlib's evaluators want them."""
    kind = _type(frame, name)
    if isinstance(kind, T.NumericType):
        return column(name).cast("double"), "double"
    if isinstance(kind, (T.StringType, T.BooleanType)):
        return column(name), kind.typeName()
    raise ValueError(f"column {name!r} is of the type {kind.simpleString()}; labels are strings, numbers or booleans")


def column(name: str) -> Column:
    """A column by its name, whatever signs that has."""
    return F.col("`" + name.replace("`", "``") + "`")


def _text(frame: DataFrame, name: str) -> tuple[RowKind, list[Column]]:
    kind = _type(frame, name)
    if not isinstance(kind, T.StringType):
        raise ValueError(f"column {name!r} is of the type {kind.simpleString()}; textCol takes strings")
    return RowKind("text", pa.schema([("text", pa.string())])), [column(name).alias("text")]


def _one(frame: DataFrame, name: str) -> tuple[RowKind, list[Column]]:
    kind = _type(frame, name)
    if isinstance(kind, VectorUDT):
        fields = F.unwrap_udt(column(name))
        return RowKind("vector", VECTOR), [fields[field].alias(field) for field in VECTOR.names]
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.NumericType):
        values = column(name).cast("array<double>").alias("values")
        return RowKind("array", pa.schema([("values", pa.list_(pa.float64()))])), [values]
    hint = "; set textCol to learn from text" if isinstance(kind, T.StringType) else ""
    raise ValueError(
        f"column {name!r} is of the type {kind.simpleString()}; featuresCol takes vectors and arrays of numbers{hint}"
    )


def _several(frame: DataFrame, names: list[str]) -> tuple[RowKind, list[Column]]:
    fields, columns = [], []
    for name in names:
        kind = _type(frame, name)
        if isinstance(kind, (T.NumericType, T.BooleanType)):
            fields.append((name, pa.float64()))
            columns.append(column(name).cast("double").alias(name))
        elif isinstance(kind, T.StringType):
            fields.append((name, pa.string()))
            columns.append(column(name).alias(name))
        else:
            raise ValueError(
                f"column {name!r} is of the type {kind.simpleString()}; inputCols takes numbers, booleans and strings"
            )
    if not fields:
        raise ValueError("inputCols names no columns")
    return RowKind("columns", pa.schema(fields)), columns


def _type(frame: DataFrame, name: str) -> Any:
    if name not in frame.columns:
        raise ValueError(f"there is no column {name!r}; the columns are {', '.join(frame.columns)}")
    return frame.schema[name].dataType
