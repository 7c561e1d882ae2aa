"""The parameters of the estimator and of its model, as pyspark.ml keeps them."""

from __future__ import annotations

import re
from typing import Any

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasInputCols,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasWeightCol,
)

from surefoot import _native
from surefoot._parameters import LEARNER_PARAMETERS
from surefoot._tables import rules

#: Parameters of the learner, by Spark's spelling of their names.
LEARNER: dict[str, str] = {re.sub("_(.)", lambda found: found[1].upper(), name): name for name in LEARNER_PARAMETERS}

#: What differs from how the command line prepares examples, by the name of the parameter. Left unset it is the learner's own.
_RECIPE = {
    "fitIntercept": "whether a feature of constant value 1 is added",
    "normalize": "whether rows are scaled to length 1: l2 or none",
    "values": "transform of every number, of text of every count: none, binary, sqrt or log",
    "scaleFeatures": "running scale of each feature: none, rms or standardize",
    "ngrams": "text: the shortest and the longest word n-gram, as [1, 2]; [] for no words",
    "charNgrams": "text: the shortest and the longest character n-gram, as [3, 5]; [] for none",
    "lowercase": "text: whether capitals are made small",
    "stopWords": "text: none or english",
    "tokens": "text: what a word is: words, blanks or url",
    "bits": "hash the names of the features into 2**bits slots, which bounds the size of every model; unset keeps every name",
}


def _param(name: str, doc: str, converter: Any = None) -> Any:
    return Param(Params._dummy(), name, doc, typeConverter=converter or TypeConverters.identity)


class ColumnParams(
    HasFeaturesCol, HasInputCols, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol
):
    """Columns that are read and written, by the estimator and by its model."""

    textCol = _param("textCol", "column of running text, instead of featuresCol", TypeConverters.toString)
    handleInvalid = _param(
        "handleInvalid",
        "what is done about rows with missing values, or values that are not finite: error, or skip, which leaves them out",
        TypeConverters.toString,
    )

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._setDefault(handleInvalid="error")

    def _of(self, name: str) -> Any:
        """The value of a parameter; None where it has none."""
        return self.getOrDefault(name) if self.isDefined(name) else None


class LearningParams(ColumnParams, HasLabelCol, HasWeightCol):
    """What the estimator has besides."""

    orderCol = _param(
        "orderCol",
        "column by which the rows of a worker are ordered; unset, they are in the order of a hash of their content",
        TypeConverters.toString,
    )
    rule = _param("rule", "how to learn: surefoot.rules() lists the rules; or auto, or ensemble(...)", TypeConverters.toString)
    covariance = _param(
        "covariance", "what is kept of the covariance; unset, what the rule is best with", TypeConverters.toString
    )
    numWorkers = _param(
        "numWorkers",
        "how many partitions learn apart; auto is one for every 32 MB of data, at most as many as the cluster has cores",
    )
    rounds = _param("rounds", "how often the workers learn from all rows and are merged", TypeConverters.toInt)
    holdout = _param(
        "holdout",
        "share of the rows that are not learned but say how good each round is: rounds end when one is no better",
        TypeConverters.toFloat,
    )
    labels = _param("labels", "labels that are known beforehand; needed for streams, unless newClasses is grow")
    newClasses = _param("newClasses", "streams: whether labels that come later are an error, or grow", TypeConverters.toString)
    seed = _param("seed", "kept in the model file", TypeConverters.toInt)

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._setDefault(rule="arow", numWorkers="auto", rounds=1, holdout=0.0, newClasses="error", seed=0)


def _with_params(params: type, docs: dict[str, str]) -> None:
    for name, doc in docs.items():
        setattr(params, name, _param(name, doc))


def with_accessors(owner: type) -> type:
    """Gives a class ``getX`` and ``setX`` of every parameter, as pyspark.ml has them."""
    for name in [name for name in dir(owner) if isinstance(getattr(owner, name), Param)]:
        title = name[0].upper() + name[1:]
        if not hasattr(owner, f"get{title}"):
            setattr(owner, f"get{title}", lambda self, name=name: self.getOrDefault(name))
        if not hasattr(owner, f"set{title}"):
            setattr(owner, f"set{title}", lambda self, value, name=name: self._set(**{name: value}))
    return owner


def _learner_docs() -> dict[str, str]:
    stores = [None, *(name for name, _ in _native.stores())]
    docs = {parameter.name: parameter.help for store in stores for rule in rules(store) for parameter in rule.parameters}
    return {camel: docs[name] for camel, name in LEARNER.items()}


_with_params(LearningParams, _RECIPE)
_with_params(LearningParams, _learner_docs())
