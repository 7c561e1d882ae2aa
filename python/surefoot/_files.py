"""Model files, the same as the command line's."""

from __future__ import annotations

import json
import os

from surefoot import _native
from surefoot._classifier import SurefootClassifier
from surefoot._labels import classes_from_texts
from surefoot._text import SurefootTextClassifier


def save(model, path) -> None:
    """Writes the model file of an estimator."""
    model.save(path)


def load(path, *, n_features=None):
    """Reads a model file: a :class:`SurefootClassifier` if its features are numbers of columns, otherwise a
    :class:`SurefootTextClassifier`.

    ``n_features`` is the number of columns of the matrices to come; by default those up to the last one that the model
    has met.
    """
    os.stat(path)  # Python's own error for a file that is not there.
    return wrap(_native.Model.load(os.fspath(path)), n_features)


def wrap(model: _native.Model, n_features=None):
    """An estimator around a native model."""
    recipe = json.loads(model.recipe())
    common = {"fit_intercept": recipe["bias"], "normalize": recipe["normalize"], **_learner_arguments(model.spec())}
    if model.takes_columns():
        estimator = SurefootClassifier(values=recipe["values"], scale_features=recipe["scale"], **common)
        estimator.n_features_in_ = model.width() if n_features is None else n_features
    else:
        estimator = SurefootTextClassifier(**common, **_text_arguments(recipe))
    estimator._model = model
    estimator._set_classes(classes_from_texts(model.labels()))
    estimator.n_iter_ = model.counts()["passes"]
    return estimator


def _learner_arguments(spec: str) -> dict:
    """The arguments that make the learner of a SPEC with every parameter filled in."""
    if spec.startswith("bank("):
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
    lengths = {name: found and (found["min"], found["max"]) for name, found in text.items() if name in _LENGTHS}
    return {
        "ngrams": lengths["ngrams"],
        "char_ngrams": lengths["characters"],
        **{name: text[name] for name in ("lowercase", "stop_words", "tokens")},
        "values": text["values"],
        "bits": space["hashed"]["bits"] if isinstance(space, dict) else None,
    }
