"""Saving and loading, with frames alone: that works on every file system of Spark and over Spark Connect.

A saved model is a folder: `metadata` is one line of JSON, as pyspark.ml writes it, and `model` holds one file, which is the
model file of the command line.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from surefoot.spark._work import PART_BYTES

#: Of the folder; the model file has a version of its own.
MODEL_FORMAT = 1


class WritableParams(MLWritable):
    """Can be saved: parameters alone."""

    def write(self) -> MLWriter:
        return _Writer(self)


class WritableModel(WritableParams):
    """Parameters and a model file. Classes have ``_data``, ``_extra()`` and ``_from_saved(extra, data)``."""


class ReadableParams(MLReadable):
    """Can be loaded: parameters alone."""

    @classmethod
    def read(cls) -> MLReader:
        return _Reader(cls)


class ReadableModel(ReadableParams):
    """Parameters and a model file."""


class _Writer(MLWriter):
    """Writes a folder. What is there is an error, or with ``overwrite()`` replaced."""

    def __init__(self, instance: Any):
        super().__init__()
        self._instance = instance

    def save(self, path: str) -> None:
        extra = self._instance._extra() if isinstance(self._instance, WritableModel) else {}
        write_folder(self._sparkSession or session(), path, self._instance, extra, overwrite=self.shouldOverwrite)


class _Reader(MLReader):
    def __init__(self, cls: type):
        super().__init__()
        self._cls = cls

    def load(self, path: str) -> Any:
        return read_folder(self._sparkSession or session(), path, self._cls)


def write_folder(spark: SparkSession, path: str, instance: Any, extra: dict[str, Any], *, overwrite: bool) -> None:
    """The model first: where the metadata is whole, so is the model, and its checksum agrees."""
    mode = "overwrite" if overwrite else "error"
    if isinstance(instance, WritableModel):
        extra = {**extra, "sha256": hashlib.sha256(instance._data).hexdigest()}
        write_bytes(spark, f"{path}/model", instance._data, mode)
    # It asks its second argument for the version of Spark alone.
    told = DefaultParamsWriter._get_metadata_to_save(instance, spark, extra)  # type: ignore[arg-type]
    spark.createDataFrame([(told,)], "value string").coalesce(1).write.mode(mode).text(f"{path}/metadata")


def read_folder(spark: SparkSession, path: str, cls: Any) -> Any:
    """What was saved in a folder."""
    metadata = read_metadata(spark, path)
    expected = f"{cls.__module__}.{cls.__name__}"
    if metadata["class"] != expected:
        raise ValueError(f"{path} holds a {metadata['class']}, not a {expected}")
    if issubclass(cls, ReadableModel):
        if metadata["format"] != MODEL_FORMAT:
            raise ValueError(f"{path} has format {metadata['format']}; this version of surefoot reads format {MODEL_FORMAT}")
        data = read_bytes(spark, f"{path}/model")
        if hashlib.sha256(data).hexdigest() != metadata["sha256"]:
            raise ValueError(f"the model in {path} is not the one that its metadata tells of: was saving interrupted?")
        instance = cls._from_saved(metadata, data)
    else:
        instance = cls()
    instance._resetUid(metadata["uid"])
    DefaultParamsReader.getAndSetParams(instance, metadata)
    return instance


def read_metadata(spark: SparkSession, path: str) -> dict[str, Any]:
    row = spark.read.text(f"{path}/metadata").first()
    if row is None:
        raise ValueError(f"{path}/metadata is empty: was saving interrupted?")
    return json.loads(row[0])


def write_bytes(spark: SparkSession, path: str, data: bytes, mode: str) -> None:
    """Bytes as the one file of a folder.

    Spark writes no such files, but lines of text, which it does not look into, and any byte may end them. Where lines end
    with the byte that is the last one, the file is the lines and nothing else.
    """
    end, lines, start = data[-1:], [], 0
    while start < len(data):
        at = data.find(end, min(start + PART_BYTES, len(data)) - 1)
        lines.append((len(lines), bytearray(data[start:at])))
        start = at + 1
    frame = spark.createDataFrame(lines, "number int, line binary").repartition(1).sortWithinPartitions("number")
    options = {"lineSep": end.decode("latin-1"), "encoding": "ISO-8859-1", "compression": "none"}
    frame.select(F.col("line").cast("string").alias("value")).write.mode(mode).options(**options).text(path)


def read_bytes(spark: SparkSession, path: str) -> bytes:
    """The one file of a folder, in parts that fit any message."""
    places = F.explode(F.expr(f"sequence(0L, (length(content) - 1) div {PART_BYTES})")).alias("number")
    parts = spark.read.format("binaryFile").load(path).select(places, "content")
    part = F.expr(f"substring(content, cast(number * {PART_BYTES} + 1 as int), {PART_BYTES})")
    rows = parts.select("number", part.alias("part")).toLocalIterator()
    return b"".join(bytes(row["part"]) for row in sorted(rows, key=lambda row: row["number"]))


def session() -> SparkSession:
    """The session of this thread, of whichever kind."""
    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
