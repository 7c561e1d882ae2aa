"""What executors do: predict. Not with postponed annotations, because Spark reads those of its functions."""

from collections.abc import Callable
from typing import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa

from surefoot._labels import ClassOrder
from surefoot.spark._rows import RowKind
from surefoot.spark._work import SentModel, scores_of

#: Names of what is said of a row.
LABEL, PROBABILITY, RAW = "label", "probability", "raw"


def predictor(sent: SentModel, kind: RowKind, labels: np.ndarray) -> Callable[[Iterator[pd.DataFrame]], Iterator[pd.DataFrame]]:
    """A function of Spark over columns of features."""

    def predict(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        model = sent.shared()
        order = ClassOrder(model, labels)
        for frame in batches:
            rows = kind.read(pa.RecordBatch.from_pandas(frame, schema=kind.schema, preserve_index=False))
            found = scores_of(model, order, rows.native)
            # Rows that are left out have no prediction.
            scores = {column: _spread(values, rows.kept) for column, values in zip((LABEL, PROBABILITY, RAW), found)}
            yield pd.DataFrame(scores)

    return predict


def _spread(values: np.ndarray, kept: np.ndarray) -> np.ndarray:
    cells = np.full(len(kept), None, dtype=object)
    places = np.flatnonzero(kept)
    for place, value in zip(places, values if values.ndim > 1 else values.tolist()):
        cells[place] = value
    return cells
