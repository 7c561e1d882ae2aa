"""The estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.ml.base import Estimator

from surefoot._labels import label_texts
from surefoot._settings import cuts, parameter_text
from surefoot.spark._files import ReadableParams, WritableParams
from surefoot.spark._learning import Learned, held_out_losses, learn_round, no_better, workers
from surefoot.spark._model import SurefootClassificationModel, labels_of
from surefoot.spark._params import LEARNER, LearningParams, with_accessors
from surefoot.spark._rows import RowKind
from surefoot.spark._survey import Examples, Survey
from surefoot.spark._work import Lesson, Settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@with_accessors
class SurefootClassifier(Estimator, LearningParams, WritableParams, ReadableParams):
    """Learns from the partitions of a frame and merges what they learned.

    The features are a vector or an array (``featuresCol``), running text (``textCol``) or several columns of numbers and words
    (``inputCols``). Labels are strings, booleans or numbers, which become doubles. ``explainParams()`` tells of every parameter;
    those of the learner are the ones of ``surefoot.SurefootClassifier``, in Spark's spelling (``halfLife``).

    >>> estimator = SurefootClassifier(textCol="text", rule="arow", r=0.1)
    >>> estimator.getRule(), estimator.getNumWorkers()
    ('arow', 'auto')
    """

    def __init__(self, **params: Any):
        super().__init__()
        self.setParams(**params)

    def setParams(self, **params: Any) -> SurefootClassifier:
        """Sets parameters by name."""
        for name in params:
            if not self.hasParam(name):
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}; explainParams() tells of all")
        self._set(**params)
        return self

    def _fit(self, dataset: DataFrame) -> SurefootClassificationModel:
        examples, rounds = Examples.of(dataset, self), self.getOrDefault("rounds")
        if rounds < 1:
            raise ValueError(f"rounds is at least 1, not {rounds}")
        survey = examples.survey()
        labels = self._labels(examples, survey)
        if len(labels) < 2:
            raise ValueError(f"there is one label alone, {labels.tolist()[0]!r}; at least two are needed")
        examples = examples.usable()
        share = self.getOrDefault("holdout")
        examples, held_out = examples.held_out(share) if share else (examples, None)
        lesson = self._lesson(examples.kind, labels)
        count = workers(self.getOrDefault("numWorkers"), survey, dataset.sparkSession)

        best: Any = None
        losses: list[dict[str, float]] = []
        for _ in range(rounds):
            learned = learn_round(examples, lesson, count, best and best.toBytes())
            model = self._model(learned, examples, labels)
            if held_out is not None:
                losses.append(held_out_losses(model, held_out))
                if no_better(losses):
                    break
            best = model
        best.summary = {"rows": learned.rows, "workers": count, "heldOut": losses}
        return best

    def _lesson(self, kind: RowKind, labels: np.ndarray, *, grow: bool = False) -> Lesson:
        """What the partitions need to know."""
        settings, texts = self._settings(kind, grow=grow), label_texts(labels_of(labels))
        settings.model(texts)  # What is wrong with the settings is found here, not by an executor.
        return Lesson(settings, kind, labels, texts, None)

    def _labels(self, examples: Examples, survey: Survey) -> np.ndarray:
        """The labels that are declared, or those that there are."""
        declared = self._of("labels")
        if declared is None:
            return survey.labels
        labels = np.unique(np.array([float(label) for label in declared] if examples.label_type == "double" else declared))
        unknown = [label for label in survey.labels.tolist() if label not in labels]
        if unknown:
            raise ValueError(f"there are labels that `labels` does not name: {unknown[:10]}")
        return labels

    def _model(self, learned: Learned, examples: Examples, labels: np.ndarray) -> SurefootClassificationModel:
        kind = examples.kind.name
        return self._copyValues(
            SurefootClassificationModel(learned.data, labels, examples.label_type, kind, learned.width)
        )

    def _settings(self, kind: RowKind, *, grow: bool) -> Settings:
        """Of the models that the partitions begin with."""
        recipe: dict[str, Any] = {"space": {"text": "dictionary", "columns": "dictionary"}.get(kind.name, "as-given")}
        recipe |= self._chosen({"fitIntercept": "bias", "normalize": "normalize"})
        if kind.name == "text":
            text = self._chosen({"lowercase": "lowercase", "stopWords": "stop_words", "tokens": "tokens", "values": "values"})
            recipe["text"] = {**cuts(*(self._lengths(name) for name in ("ngrams", "charNgrams"))), **text}
        else:
            recipe |= self._chosen({"values": "values", "scaleFeatures": "scale"})
        if self._of("bits") is not None:
            recipe["space"] = {"hashed": {"bits": self._of("bits"), "seed": 0}}
        given = ((name, self._of(camel)) for camel, name in LEARNER.items())
        return Settings(
            (self.getOrDefault("rule"), self._of("covariance")),
            tuple((name, parameter_text(value)) for name, value in given if value is not None),
            recipe,
            {"text": "text", "columns": None}.get(kind.name, "svmlight"),
            self.getOrDefault("seed"),
            grow,
        )

    def _lengths(self, name: str) -> Any:
        """Lengths of n-grams; [] is none, and unset what the learner wants."""
        given = self._of(name)
        return "auto" if given is None else tuple(given) or None

    def _chosen(self, names: dict[str, str]) -> dict[str, Any]:
        """What is set of some parameters, by its name in a recipe."""
        return {field: self._of(name) for name, field in names.items() if self._of(name) is not None}
