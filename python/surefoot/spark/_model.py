"""The model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.ml.base import Model
from pyspark.ml.functions import array_to_vector
from pyspark.sql import functions as F

from surefoot import _native
from surefoot._labels import classes_from_texts
from surefoot.spark._columns import features
from surefoot.spark._files import MODEL_FORMAT, ReadableModel, WritableModel
from surefoot.spark._params import ColumnParams, with_accessors
from surefoot.spark._rows import RowKind
from surefoot.spark._session import send

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SCORES = "surefoot:scores"
#: The parameter that names the columns of each kind of rows.
_SETTING = {"text": "textCol", "columns": "inputCols", "vector": "featuresCol", "array": "featuresCol"}


@with_accessors
class SurefootClassificationModel(Model, ColumnParams, WritableModel, ReadableModel):
    """A model that was learned on a cluster, or anywhere else.

    ``transform`` adds the columns of prediction, probabilities and raw predictions (calibrated logits), the two latter vectors
    in the order of ``labels``; a column whose name is set to "" is left out. With ``handleInvalid="skip"`` rows that cannot be
    predicted are left out.
    """

    def __init__(
        self,
        data: bytes = b"",
        labels: Any = (),
        label_type: str = "string",
        kind: str | None = None,
        width: int | None = None,
    ):
        super().__init__()
        self._data, self._labels, self._label_type = data, np.asarray(labels), label_type
        #: The kind of rows that were learned and their width, where that is known.
        self._kind, self._width = kind, width
        #: Rows and workers of the fit, and losses on held-out rows, a dict a round; None where that is not known.
        self.summary: dict[str, Any] | None = None

    @property
    def labels(self) -> list[Any]:
        """The labels, sorted: what the places of vectors of probabilities stand for."""
        return self._labels.tolist()

    @property
    def numClasses(self) -> int:
        return len(self._labels)

    @property
    def numFeatures(self) -> int:
        """Numbers of a row; −1 where rows are no vectors, or where it is not known."""
        return -1 if self._width is None else self._width

    def toBytes(self) -> bytes:
        """The bytes of the model file that the command line reads and writes too."""
        return self._data

    def saveNative(self, path: str) -> None:
        """Writes that file on the driver."""
        _native.from_bytes(self._data).save(path)

    @staticmethod
    def fromNative(path: str, **params: Any) -> SurefootClassificationModel:
        """The model of such a file, wherever it was learned; the parameters are those of columns."""
        native = _native.Model.load(path)
        if native.has_several_labels():
            raise ValueError(f"{path} is a model of several labels a row, and Spark's are of one: use surefoot.load")
        labels = classes_from_texts(native.labels())
        kind = {"U": "string", "b": "boolean"}.get(labels.dtype.kind, "double")
        labels = labels.astype(float) if kind == "double" else labels
        rows = "vector" if native.takes_columns() else None
        return SurefootClassificationModel(native.to_bytes(), labels, kind, rows)._set(**params)

    def toLocal(self) -> Any:
        """The estimator of scikit-learn that holds this model: ``surefoot.SurefootClassifier`` or ``SurefootTextClassifier``."""
        from surefoot._files import wrap

        return wrap(_native.from_bytes(self._data), self._width, labels_of(self._labels))

    def _transform(self, dataset: DataFrame) -> DataFrame:
        kind, columns = features(self, dataset)
        if self._kind is not None and _SETTING[kind.name] != _SETTING[self._kind]:
            raise ValueError(f"the model learned from {self._kind}: set {_SETTING[self._kind]}, not {_SETTING[kind.name]}")
        scored = self._scored(dataset, kind, columns)
        if kind.skip:
            scored = scored.where(F.col(SCORES)["label"].isNotNull())
        said = {
            self.getOrDefault("rawPredictionCol"): array_to_vector(F.col(SCORES)["raw"]),
            self.getOrDefault("probabilityCol"): array_to_vector(F.col(SCORES)["probability"]),
            self.getOrDefault("predictionCol"): F.col(SCORES)["label"],
        }
        taken = [name for name in said if name in dataset.columns]
        if taken:
            raise ValueError(f"there already is a column {taken[0]!r}; name another one for the model to write")
        return scored.withColumns({name: column for name, column in said.items() if name}).drop(SCORES)

    def _scored(self, dataset: DataFrame, kind: RowKind, columns: list[Column]) -> DataFrame:
        """The frame with a column of what the model says of a row."""
        from surefoot.spark._predict import predictor

        sent = send(dataset.sparkSession, self._data)
        kind = replace(kind, width=self._width)
        score = F.pandas_udf(
            predictor(sent, kind, labels_of(self._labels)),
            f"label {self._label_type}, probability array<double>, raw array<double>",
        )
        return dataset.withColumn(SCORES, score(F.struct(*columns)))

    def _extra(self) -> dict[str, Any]:
        """What is saved beside parameters and model file."""
        return {
            "format": MODEL_FORMAT,
            "labels": self.labels,
            "labelType": self._label_type,
            "kind": self._kind,
            "width": self._width,
            "summary": self.summary,
        }

    @classmethod
    def _from_saved(cls, extra: dict[str, Any], data: bytes) -> SurefootClassificationModel:
        model = cls(data, np.array(extra["labels"]), extra["labelType"], extra["kind"], extra["width"])
        model.summary = extra["summary"]
        return model


def labels_of(labels: np.ndarray) -> np.ndarray:
    """Labels as model files spell them: doubles that all are whole numbers are written so."""
    whole = labels.dtype.kind == "f" and bool(np.all(labels == np.floor(labels))) and bool(np.all(np.abs(labels) < 2**53))
    return labels.astype(np.int64) if whole else labels
