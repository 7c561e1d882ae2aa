"""What executors do: learn from the rows of a partition."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surefoot import _native
from surefoot._labels import ClassOrder
from surefoot.spark._rows import RowKind

#: Columns beside the features, in frames to learn from.
LABEL, WEIGHT = "surefoot:label", "surefoot:weight"
#: What a partition gives: its model in parts that fit any message.
PARTS = "shard int, part int, rows long, width long, data binary"
_PARTS = pa.schema(
    [("shard", pa.int32()), ("part", pa.int32()), ("rows", pa.int64()), ("width", pa.int64()), ("data", pa.binary())]
)
PART_BYTES = 4 << 20


@dataclass(frozen=True)
class Settings:
    """Of a model at its start."""

    learner: tuple[str, str | None]
    parameters: tuple[tuple[str, str], ...]
    recipe: dict[str, Any]
    format: str | None
    seed: int
    grow: bool

    def model(self, label_texts: list[str]) -> _native.Model:
        """A model that has learned nothing."""
        return _native.Model(
            self.learner,
            list(self.parameters),
            label_texts,
            grow=self.grow,
            recipe=json.dumps(self.recipe),
            format=self.format,
            seed=self.seed,
        )


@dataclass(frozen=True)
class SentModel:
    """A model that the driver sent: its bytes, or, where there are none, a file of the session."""

    digest: str
    data: bytes | None = field(compare=False, repr=False)

    @property
    def file(self) -> str:
        """The name of that file."""
        return f"surefoot-{self.digest}.model"

    def read(self) -> _native.Model:
        """A copy that may learn."""
        if self.data is not None:
            return _native.from_bytes(self.data)
        from pyspark import SparkFiles

        return _native.Model.load(SparkFiles.get(self.file))

    @lru_cache(maxsize=2)  # noqa: B019  (of the process, by the digest)
    def shared(self) -> _native.Model:
        """The model for predictions, which do not change it: read once by each process."""
        return self.read()


@dataclass(frozen=True)
class Lesson:
    """What an executor needs to learn from its rows."""

    settings: Settings
    kind: RowKind
    #: All labels, sorted, and how the model spells them.
    labels: np.ndarray
    label_texts: list[str]
    #: The model to continue from; none starts anew.
    base: SentModel | None

    def learn(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Learns from the rows of this partition, in their order; gives parts of the model, or nothing if there are no rows."""
        from pyspark import TaskContext

        model, width, count = None, None, 0
        for batch in batches:
            names = self.kind.schema.names
            rows = self.kind.read(pa.RecordBatch.from_arrays(batch.columns[: len(names)], names=names))
            if not rows.kept.any():
                continue
            if width is not None and rows.width != width:
                raise ValueError(f"rows have {width} and {rows.width} features; all must have as many")
            model = model or self._start()
            codes, weights = self._truth(batch, rows.kept)
            model.learn(rows.native, codes, self.label_texts, weights=weights)
            width, count = rows.width, count + len(codes)
        if model is not None:
            yield from parts(TaskContext.get().partitionId(), count, width, model.to_bytes())

    def _start(self) -> _native.Model:
        if self.base is None:
            return self.settings.model([] if self.settings.grow else self.label_texts)
        return self.base.read()

    def _truth(self, batch: pa.RecordBatch, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        codes = pc.index_in(batch.column(LABEL), value_set=pa.array(self.labels, batch.column(LABEL).type))
        if codes.null_count:
            found = batch.column(LABEL).filter(codes.is_null())[0].as_py()
            raise ValueError(f"label {found!r} was not there when the labels were gathered: the rows must stay the same")
        weights = batch.column(WEIGHT).to_numpy()[kept] if WEIGHT in batch.schema.names else None
        return codes.to_numpy().astype(np.int64)[kept], weights


def parts(shard: int, rows: int, width: int | None, data: bytes) -> Iterator[pa.RecordBatch]:
    """The bytes of a model, a row a part."""
    for number, start in enumerate(range(0, len(data), PART_BYTES)):
        row = [[shard], [number], [rows], [width], [data[start : start + PART_BYTES]]]
        yield pa.record_batch([pa.array(cell, kind) for cell, kind in zip(row, _PARTS.types)], schema=_PARTS)


def scores_of(model: _native.Model, order: ClassOrder, rows: _native.Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, probabilities and logits, a row of numbers each, in the order of the labels."""
    labels = order.labels_of(model.classes(rows))
    logits = order.by_label(model.logits(rows))
    logits = np.column_stack([-logits, logits]) if logits.ndim == 1 else logits
    return labels, model.probabilities(rows)[:, order.model_class], logits
