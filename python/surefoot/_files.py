"""Model files, the same as the command line's."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from surefoot import _native
from surefoot._base import SurefootBase
from surefoot._classifier import SurefootClassifier
from surefoot._labels import classes_from_texts, label_texts
from surefoot._text import SurefootTextClassifier

Estimator = TypeVar("Estimator", bound=SurefootBase)


def save(model: SurefootBase, path: str | os.PathLike[str]) -> None:
    """Writes the model file of an estimator."""
    model.save(path)


def load(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    classes: Iterable[Any] | None = None,
    feature_names: Sequence[str] | None = None,
) -> Any:
    """Reads a model file: a :class:`SurefootClassifier` if its features are numbers of columns, otherwise a
    :class:`SurefootTextClassifier`.

    ``n_features`` is the number of columns of the matrices to come; by default those up to the last one that the model
    has met. ``feature_names`` are the names of those columns, which are not in the file. Labels are text in a file:
    those that look like whole numbers, numbers or truth values become such, unless ``classes`` says what they are.
    """
    os.stat(path)  # Python's own error for a file that is not there.
    return wrap(_native.Model.load(os.fspath(path)), n_features, classes, feature_names)


def from_bytes(
    data: bytes,
    *,
    n_features: int | None = None,
    classes: Iterable[Any] | None = None,
    feature_names: Sequence[str] | None = None,
) -> Any:
    """As :func:`load`, from the bytes of a model file, which ``to_bytes`` of an estimator gives."""
    return wrap(_native.from_bytes(data), n_features, classes, feature_names)


def merge(models: Iterable[Estimator], base: Estimator | None = None, *, exact: bool = False) -> Estimator:
    """One estimator from several of the same settings that were trained apart, for example on parts of the data.

    What the models have learned adds up: precisions are summed, with the prior, or the ``base`` that all of them
    continued from, counted once. Labels and named features are united. The result goes on learning like any other.
    ``exact`` is the product of the Gaussians for the means too, as ``surefoot merge --exact``.
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
    merged._model = _native.merge([model._model for model in models], None if base is None else base._model, exact=exact)
    classes = np.unique(np.concatenate([model.classes_ for model in models]))
    merged._set_classes(classes)
    merged.n_iter_ = models[0].n_iter_
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(models[0], name):
            setattr(merged, name, getattr(models[0], name))
    return merged


def wrap(model: _native.Model, n_features=None, classes=None, feature_names=None):
    """An estimator around a native model."""
    recipe = json.loads(model.recipe())
    common = {"fit_intercept": recipe["bias"], "normalize": recipe["normalize"], **_learner_arguments(model.spec())}
    common["on_drift"], common["drift_detector"] = model.on_drift()
    if model.takes_columns():
        estimator = SurefootClassifier(values=recipe["values"], scale_features=recipe["scale"], **common)
        estimator.n_features_in_ = _columns(model.width(), n_features, feature_names)
        if feature_names is not None:
            estimator.feature_names_in_ = np.asarray(list(feature_names), dtype=object)
    elif feature_names is not None:
        raise ValueError("this model learned from text: its features have the names that are in the file")
    else:
        estimator = SurefootTextClassifier(**common, **_text_arguments(recipe))
    estimator._model = model
    estimator._set_classes(_classes(model.labels(), classes))
    estimator.n_iter_ = model.counts()["passes"]
    return estimator


def _classes(texts: list[str], classes: Iterable[Any] | None) -> np.ndarray:
    """The labels of a model, in the type of those that are given."""
    if classes is None:
        return classes_from_texts(texts)
    given = np.unique(np.asarray(list(classes)))
    if sorted(label_texts(given)) != sorted(texts):
        raise ValueError(f"classes are {label_texts(given)}, but the labels of the model are {sorted(texts)}")
    return given


def _columns(met: int, n_features: int | None, feature_names: Sequence[str] | None) -> int:
    """How many columns matrices have."""
    named = None if feature_names is None else len(feature_names)
    if named is not None and n_features not in (None, named):
        raise ValueError(f"n_features is {n_features}, but there are {named} feature names")
    columns = next((known for known in (n_features, named) if known is not None), met)
    if columns < met:
        raise ValueError(f"the model has met {met} columns, more than {columns}")
    return columns


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
