"""Learning from streams: a model that is updated once a batch, and one that predicts with the newest."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.ml.base import Transformer

from surefoot.spark._files import read_folder, read_metadata, write_folder
from surefoot.spark._learning import learn_round, workers
from surefoot.spark._model import SurefootClassificationModel
from surefoot.spark._survey import Examples, Survey

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from surefoot.spark._estimator import SurefootClassifier

_log = logging.getLogger(__name__)

#: The folders of the two newest models, written in turn: one is whole whenever writing the other is interrupted.
_SLOTS = ("even", "odd")


class StreamingLearner:
    """What ``foreachBatch`` takes: it learns every batch once, whatever fails and is done again.

        learner = StreamingLearner(SurefootClassifier(textCol="text", labels=["ham", "spam"]), "hdfs:///models/mail")
        stream.writeStream.foreachBatch(learner).option("checkpointLocation", "hdfs:///checkpoints/mail").start()

    The folder holds the two newest models, each with the id of the batch that it learned last. A batch that comes again, because
    the query ended before Spark had noted it as done, is not learned again. A folder belongs to one query: that of another one,
    or of another checkpoint, counts its batches anew, which is an error.
    """

    def __init__(self, estimator: SurefootClassifier, path: str):
        self._grow = estimator.getOrDefault("newClasses") == "grow"
        if estimator.getOrDefault("newClasses") not in ("error", "grow"):
            raise ValueError(f'newClasses is "error" or "grow", not {estimator.getOrDefault("newClasses")!r}')
        if not self._grow and estimator._of("labels") is None:
            raise ValueError('labels are to come: name them in `labels`, or set newClasses="grow"')
        for name, only in (("rounds", 1), ("holdout", 0.0)):
            if estimator.getOrDefault(name) != only:
                raise ValueError(f"a stream is learned once and as a whole: leave {name} at {only}")
        self._estimator, self._path = estimator, path

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        spark = batch.sparkSession
        before = _newest(spark, self._path)
        if before is not None and batch_id <= before.batch:
            if batch_id < before.batch:
                raise ValueError(
                    f"batch {batch_id} comes after batch {before.batch}, which the model in {self._path} has learned: it belongs "
                    "to another query or another checkpoint; give this one a folder of its own"
                )
            _log.info("batch %d is in the model in %s already", batch_id, self._path)
            return
        model = self._learned(batch, before.model if before else None)
        if model is None:
            _log.info("batch %d has no rows to learn from", batch_id)
            return
        slot = _SLOTS[0] if before is None or before.slot == _SLOTS[1] else _SLOTS[1]
        extra = {**model._extra(), "batch": batch_id}
        write_folder(spark, f"{self._path}/{slot}", model, extra, overwrite=True)

    def _learned(self, batch: DataFrame, before: SurefootClassificationModel | None) -> SurefootClassificationModel | None:
        estimator, examples = self._estimator, Examples.of(batch, self._estimator)
        survey = examples.survey(empty_is_fine=True)
        if not survey.rows:
            return None
        labels = self._grown(before, survey) if self._grow else estimator._labels(examples, survey)
        examples = examples.usable()
        kind = examples.kind if before is None else replace(examples.kind, width=before._width)
        lesson = estimator._lesson(kind, labels, grow=self._grow)
        count = workers(estimator.getOrDefault("numWorkers"), survey, batch.sparkSession)
        learned = learn_round(examples, lesson, count, None if before is None else before.toBytes())
        return estimator._model(learned, examples, labels)

    @staticmethod
    def _grown(before: SurefootClassificationModel | None, survey: Survey) -> np.ndarray:
        """The labels of the model, and those of a batch."""
        return survey.labels if before is None else np.unique(np.concatenate([before._labels, survey.labels]))


class NewestModel(Transformer):
    """Predicts with the newest model in the folder of a :class:`StreamingLearner`, looked up at every call.

    The plan of a streaming query is made once, so it is called for each batch, in ``foreachBatch``.
    """

    def __init__(self, path: str):
        super().__init__()
        self._path = path

    def model(self, spark: SparkSession) -> SurefootClassificationModel:
        """The newest model."""
        found = _newest(spark, self._path)
        if found is None:
            raise ValueError(f"there is no model in {self._path} yet")
        return found.model

    def _transform(self, dataset: DataFrame) -> DataFrame:
        if dataset.isStreaming:
            raise ValueError("a streaming frame would keep the model of its start: call this in foreachBatch, for each batch")
        return self.model(dataset.sparkSession).transform(dataset)


class _Newest:
    """A model that a stream has left."""

    def __init__(self, slot: str, batch: int, model: SurefootClassificationModel):
        self.slot, self.batch, self.model = slot, batch, model


def _newest(spark: SparkSession, path: str) -> _Newest | None:
    """The newest whole model of a folder; none before the first."""
    found = []
    for slot in _SLOTS:
        metadata = _whole(lambda folder=f"{path}/{slot}": read_metadata(spark, folder))
        if metadata is not None:
            found.append((metadata["batch"], slot))
    for batch, slot in sorted(found, reverse=True):
        model = _whole(lambda folder=f"{path}/{slot}": read_folder(spark, folder, SurefootClassificationModel))
        if model is not None:
            return _Newest(slot, batch, model)
    if found:
        raise ValueError(f"no model in {path} is whole: it was changed by something else than a StreamingLearner")
    return None


def _whole(read: Any) -> Any:
    """What is read; None if it is not there, or if writing it was interrupted."""
    from pyspark.errors import AnalysisException

    try:
        return read()
    except AnalysisException as missing:
        if "PATH_NOT_FOUND" not in str(missing):
            raise
    except ValueError as torn:
        _log.warning("%s", torn)
    return None
