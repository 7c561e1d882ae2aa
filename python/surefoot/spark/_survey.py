"""The first pass: which labels there are, how much data, and whether rows are fit to be learned."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from surefoot.spark._columns import column, features, label
from surefoot.spark._rows import RowKind
from surefoot.spark._work import LABEL, WEIGHT

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from surefoot.spark._params import LearningParams

#: More labels than this are taken for a mistake: an id, or a quantity.
MOST_LABELS = 100_000
#: A partition learns so many bytes before it is worth another one, whose model has to be sent and merged.
BYTES_OF_A_WORKER = 32 << 20

_ORDER, _KEY, _KEYS = "surefoot:order", "surefoot:key", ("surefoot:key", "surefoot:second-key")


@dataclass(frozen=True)
class Examples:
    """Rows to learn from, with the columns that the executors read, and keys made of their content.

    Spark does not fix the order of rows after a shuffle, so every choice is made by the keys: which rows are held out, which
    partition a row belongs to, and the order there. The same rows give the same model, and so does a task that is retried.
    """

    kind: RowKind
    frame: DataFrame
    label_type: str

    @staticmethod
    def of(frame: DataFrame, params: LearningParams) -> Examples:
        """The columns that the parameters name."""
        kind, columns = features(params, frame)
        labels, label_type = label(frame, params.getOrDefault("labelCol"))
        columns = [*columns, labels.alias(LABEL)]
        if params._of("weightCol"):
            columns.append(column(params.getOrDefault("weightCol")).cast("double").alias(WEIGHT))
        if params._of("orderCol"):
            columns.append(column(params.getOrDefault("orderCol")).alias(_ORDER))
        chosen = frame.select(*columns)
        every = [column(name) for name in chosen.columns]
        # Two keys, because 64 bits are few for ten billion rows; rows that agree in both are the same row.
        keyed = chosen.withColumns(dict(zip(_KEYS, (F.xxhash64(*every), F.hash(*every)))))
        return Examples(kind, keyed, label_type)

    def held_out(self, share: float) -> tuple[Examples, Examples]:
        """The rows to learn, and a share of them that is not learned."""
        if not 0 < share < 1:
            raise ValueError(f"holdout is a share between 0 and 1, not {share}")
        place = F.pmod(F.xxhash64(column(_KEY), F.lit("holdout")), F.lit(1 << 20))
        chosen = place < F.lit(round(share * (1 << 20)))
        return Examples(self.kind, self.frame.where(~chosen), self.label_type), Examples(
            self.kind, self.frame.where(chosen), self.label_type
        )

    def dealt(self, workers: int) -> DataFrame:
        """The rows in partitions of their own, in their order there."""
        order = [name for name in (_ORDER, *_KEYS) if name in self.frame.columns]
        dealt = self.frame.repartition(workers, column(_KEY)).sortWithinPartitions(*map(column, order))
        # By number: Spark Connect takes a dot in the name of a column for a field where it hands frames to Python.
        numbered = [column(name).alias(f"feature{place}") for place, name in enumerate(self.kind.schema.names)]
        return dealt.select(*numbered, *(column(name) for name in (LABEL, WEIGHT) if name in self.frame.columns))

    def usable(self) -> Examples:
        """Without the rows that the survey refuses, where they are to be skipped."""
        if not self.kind.skip:
            return self
        wrong = reduce(lambda one, other: one | other, self._wrong().values())
        return Examples(self.kind, self.frame.where(~wrong), self.label_type)

    def survey(self, *, empty_is_fine: bool = False) -> Survey:
        """Looks at all rows."""
        wrong = self._wrong()
        counts = [F.sum(F.when(condition, 1).otherwise(0)).alias(what) for what, condition in wrong.items()]
        sums = [F.count(F.lit(1)).alias("rows"), F.sum(self._bytes()).alias("bytes")]
        found = self.frame.groupBy(column(LABEL)).agg(*sums, *counts).limit(MOST_LABELS + 2).collect()
        if not self.kind.skip:
            for what in wrong:
                if count := sum(row[what] for row in found):
                    raise ValueError(f'{count} rows have {what}; handleInvalid="skip" leaves such rows out')
        good = [row for row in found if _is_label(row[LABEL])]
        if len(good) > MOST_LABELS:
            raise ValueError(f"there are more than {MOST_LABELS:,} labels; is labelCol a quantity, or an id?")
        rows = sum(row["rows"] for row in good)
        if not rows and not empty_is_fine:
            raise ValueError("there are no rows to learn from")
        labels = np.sort(np.array([row[LABEL] for row in good]))
        return Survey(labels, rows, sum(row["bytes"] or 0 for row in good))

    def _wrong(self) -> dict[str, Column]:
        """What is wrong with a row, and how it is seen."""
        name = column(LABEL)
        wrong = {"no label": name.isNull() | F.isnan(name) if self.label_type == "double" else name.isNull()}
        if WEIGHT in self.frame.columns:
            weight = column(WEIGHT)
            fine = weight.isNotNull() & (weight >= 0) & (weight < float("inf"))
            wrong["a weight that is missing, negative or not finite"] = ~fine
        needed = ["type"] if self.kind.name == "vector" else self.kind.schema.names
        missing = reduce(lambda one, other: one | other, (column(needed_one).isNull() for needed_one in needed))
        return {**wrong, "a missing value in the features": missing}

    def _bytes(self) -> Column:
        """How much there is to learn of a row."""
        if self.kind.name == "text":
            return F.octet_length(column("text"))
        if self.kind.name == "columns":
            return F.lit(8 * len(self.kind.schema.names))
        return 8 * F.size(column("values"))


@dataclass(frozen=True)
class Survey:
    """What the first pass found."""

    #: Sorted.
    labels: np.ndarray
    rows: int
    bytes: int


def _is_label(value: object) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))
