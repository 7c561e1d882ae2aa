"""Model files, the same as the command line's."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from surefoot import _native
from surefoot._base import SurefootBase
from surefoot._classifier import SurefootClassifier
from surefoot._labels import classes_from_texts
from surefoot._text import SurefootTextClassifier

Estimator = TypeVar("Estimator", bound=SurefootBase)


def save(model: SurefootBase, path: str | os.PathLike[str]) -> None:
    """Writes the model file of an estimator."""
    model.save(path)


def load(path: str | os.PathLike[str], *, n_features: int | None = None) -> Any:
    """Reads a model file: a :class:`SurefootClassifier` if its features are numbers of columns, otherwise a
    :class:`SurefootTextClassifier`.

    ``n_features`` is the number of columns of the matrices to come; by default those up to the last one that the model
    has met.
    """
    os.stat(path)  # Python's own error for a file that is not there.
    return wrap(_native.Model.load(os.fspath(path)), n_features)


def merge(models: Iterable[Estimator], base: Estimator | None = None) -> Estimator:
    """One estimator from several of the same settings that were trained apart, for example on parts of the data.

    What the models have learned adds up: precisions are summed, with the prior, or the ``base`` that all of them
    continued from, counted once. Labels and named features are united. The result goes on learning like any other.
    """
    models = list(models)
    if not models:
        raise ValueError("there are no models to merge")
    for model in (*models, *([] if base is None else [base])):
        check_is_fitted(model, "_model")
    widths = {getattr(model, "n_features_in_", None) for model in models}
    if len(widths) > 1:
        raise ValueError(f"the models have different numbers of features: {sorted(widths)}")
    merged = clone(models[0])
    merged._model = _native.merge([model._model for model in models], None if base is None else base._model)
    merged._several = models[0]._several
    classes = np.unique(np.concatenate([model.classes_ for model in models]))
    merged._set_classes(classes)
    merged.n_iter_ = models[0].n_iter_
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(models[0], name):
            setattr(merged, name, getattr(models[0], name))
    return merged


def wrap(model: _native.Model, n_features=None):
    """An estimator around a native model."""
    recipe = json.loads(model.recipe())
    common = {"fit_intercept": recipe["bias"], "normalize": recipe["normalize"], **_learner_arguments(model.spec())}
    common["on_drift"], common["drift_detector"] = model.on_drift()
    if model.takes_columns():
        estimator = SurefootClassifier(values=recipe["values"], scale_features=recipe["scale"], **common)
        estimator.n_features_in_ = model.width() if n_features is None else n_features
    else:
        estimator = SurefootTextClassifier(**common, **_text_arguments(recipe))
    estimator._model = model
    estimator._several = model.has_several_labels()
    estimator._set_classes(classes_from_texts(model.labels()))
    estimator.n_iter_ = model.counts()["passes"]
    return estimator


def _learner_arguments(spec: str) -> dict:
    """The arguments that make the learner of a SPEC with every parameter filled in."""
    if spec.startswith("ensemble("):
        return {"rule": spec}
    head, _, tail = spec.partition(":")
    rule, _, covariance = head.partition("/")
    pairs = (pair.partition("=") for pair in tail.split(",") if pair)
    return {"rule": rule, "covariance": covariance, **{name: _value(text) for name, _, text in pairs}}


def _value(text: str):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


_LENGTHS = ("ngrams", "characters")


def _text_arguments(recipe: dict) -> dict:
    text, space = recipe["text"], recipe["space"]
    if text.get("apart"):
        text = {**text, "ngrams": None, "characters": None}
    lengths = {name: found and (found["min"], found["max"]) for name, found in text.items() if name in _LENGTHS}
    return {
        "ngrams": "auto" if text.get("apart") else lengths["ngrams"],
        "char_ngrams": "auto" if text.get("apart") else lengths["characters"],
        **{name: text[name] for name in ("lowercase", "stop_words", "tokens")},
        "values": text["values"],
        "bits": space["hashed"]["bits"] if isinstance(space, dict) else None,
    }
