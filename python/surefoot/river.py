"""The same learner for River: dicts in, one at a time.

    from surefoot.river import SurefootClassifier
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from river import base

from surefoot import _native
from surefoot._arrow import table_of
from surefoot._settings import parameter_text


class SurefootClassifier(base.MiniBatchClassifier):
    """Confidence-weighted linear classification with a Gaussian over the weights.

    Numbers are values of features, strings are categories. Features and labels may come at any time.

    Parameters
    ----------
    rule
        How to learn: ``surefoot.rules()`` lists the rules.
    covariance
        What is kept of the covariance; None is what the rule is best with.
    parameters
        Parameters of the rule and the store, for example ``{"r": 0.3}``; what is not named is the rule's own default.
    fit_intercept
        Whether a feature of constant value 1 is added.
    normalize
        Whether examples are scaled to length 1: "l2" or "none".
    values
        Transform of every number: "none", "binary", "sqrt" or "log".
    scale_features
        Running scale of each feature: "none", "rms" or "standardize".
    seed
        Kept in the model file.
    on_drift
        What happens where error or log loss rise by more than chance explains: "report" adds it to ``changes``, "adapt" lets
        what was learned count less besides, "reset" lets the weights begin anew.
    drift_detector
        What looks for changes: "adwin", "page-hinkley" or "ddm", several with commas between them, or "none"; None is the
        usual one.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> model = SurefootClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 85.67%
    """

    def __init__(
        self,
        rule: str = "arow",
        covariance: str | None = None,
        parameters: dict | None = None,
        fit_intercept: bool = True,
        normalize: str = "none",
        values: str = "none",
        scale_features: str = "none",
        seed: int = 0,
        on_drift: str = "report",
        drift_detector: str | None = None,
    ) -> None:
        self.rule = rule
        self.covariance = covariance
        self.parameters = parameters
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.values = values
        self.scale_features = scale_features
        self.seed = seed
        self.on_drift = on_drift
        self.drift_detector = drift_detector
        self._model = _new_model(self, several=False)
        # Labels of any type by the text that the model knows them by, in the order of its classes.
        self._texts: dict = {}
        self._labels: list = []

    @property
    def _multiclass(self):
        return True

    @classmethod
    def _unit_test_params(cls):
        yield {}
        yield {"rule": "scw1", "parameters": {"c": 0.5}}

    def learn_one(self, x: dict, y: Any, w: float = 1.0) -> None:
        """Learns from one example of weight ``w``."""
        text = self._texts.get(y)
        if text is not None:
            self._model.learn_dict(x, text, w)
        else:
            text = _new_text(y, self._texts)
            self._model.learn_dict(x, text, w)
            self._meet({y: text})

    @property
    def changes(self) -> list[dict]:
        """Where the data changed by more than chance explains: the example near which it was, the one at which it was noticed,
        the signal, the detector, and how the signal was before, after and is now."""
        return json.loads(self._model.changes())

    def predict_one(self, x: dict) -> Any:
        """The most probable label, None before any was seen."""
        found = self._model.class_of_dict(x)
        return None if found is None else self._labels[found]

    def predict_proba_one(self, x: dict) -> dict[Any, float]:
        """The calibrated probability of each label seen."""
        return dict(zip(self._labels, self._model.probabilities_of_dict(x)))

    def learn_many(self, X: Any, y: Any) -> None:
        """Learns from the rows of a frame, in order: the same as one by one."""
        labels = _items(y)
        met = dict.fromkeys(labels)
        texts = {label: self._texts.get(label) or _new_text(label, self._texts) for label in met}
        places = {label: place for place, label in enumerate(texts)}
        codes = np.fromiter((places[label] for label in labels), dtype=np.int64, count=len(labels))
        self._model.learn(_rows(X), codes, list(texts.values()))
        self._meet(texts)

    def predict_many(self, X: Any) -> pd.Series:
        """The most probable label of each row."""
        if not self._labels:
            return pd.Series(dtype="object")
        found = self._model.classes(_rows(X))
        return pd.Series([self._labels[place] for place in found], index=_index(X))

    def predict_proba_many(self, X: Any) -> pd.DataFrame:
        """The calibrated probability of each label seen, for each row."""
        if not self._labels:
            return pd.DataFrame(index=_index(X))
        return pd.DataFrame(self._model.probabilities(_rows(X)), columns=self._labels, index=_index(X))

    def _meet(self, texts: dict) -> None:
        """Remembers labels once they are learned, in the order of the model's classes."""
        for label, text in texts.items():
            if label not in self._texts:
                self._texts[label] = text
                self._labels.append(label)


class SurefootMultiLabelClassifier(base.MultiLabelClassifier):
    """The same where an example has any number of labels: ``y`` says of each label whether the example has it.

    A label comes to life with the first example that has it. The parameters are those of :class:`SurefootClassifier`, and:

    Parameters
    ----------
    threshold
        Above which probability a label is predicted.

    Examples
    --------
    >>> model = SurefootMultiLabelClassifier()
    >>> for _ in range(5):
    ...     model.learn_one({"wheat": 1.0}, {"grain": True, "ship": False})
    ...     model.learn_one({"cargo": 1.0}, {"grain": False, "ship": True})
    >>> model.predict_one({"cargo": 1.0})
    {'grain': False, 'ship': True}
    """

    def __init__(
        self,
        rule: str = "arow",
        covariance: str | None = None,
        parameters: dict | None = None,
        fit_intercept: bool = True,
        normalize: str = "none",
        values: str = "none",
        scale_features: str = "none",
        seed: int = 0,
        on_drift: str = "report",
        drift_detector: str | None = None,
        threshold: float = 0.5,
    ) -> None:
        self.rule = rule
        self.covariance = covariance
        self.parameters = parameters
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.values = values
        self.scale_features = scale_features
        self.seed = seed
        self.on_drift = on_drift
        self.drift_detector = drift_detector
        self.threshold = threshold
        self._model = _new_model(self, several=True)
        # Labels of any type by the text that the model knows them by, in the order of its classes.
        self._texts: dict = {}
        self._labels: list = []

    def learn_one(self, x: dict, y: dict[Any, bool], w: float = 1.0) -> None:
        """Learns from one example of weight ``w``."""
        own = [label for label, has in y.items() if has]
        texts = {label: self._texts.get(label) or _new_text(label, self._texts) for label in own}
        self._model.learn_dict_labels(x, list(texts.values()), w)
        for label, text in texts.items():
            if label not in self._texts:
                self._texts[label] = text
                self._labels.append(label)

    def predict_proba_one(self, x: dict, **kwargs: Any) -> dict[Any, dict[bool, float]]:
        """The calibrated probability that the example has each label seen, and that it has not."""
        found = zip(self._labels, self._model.probabilities_of_dict(x))
        return {label: {False: 1.0 - probability, True: probability} for label, probability in found}

    def predict_one(self, x: dict, **kwargs: Any) -> dict[Any, bool]:
        """Whether the example has each label seen."""
        return {label: both[True] > self.threshold for label, both in self.predict_proba_one(x).items()}


def _new_model(settings, *, several: bool) -> _native.Model:
    recipe = {
        "bias": settings.fit_intercept,
        "normalize": settings.normalize,
        "values": settings.values,
        "scale": settings.scale_features,
        "space": "dictionary",
    }
    return _native.Model(
        (settings.rule, settings.covariance),
        [(name, parameter_text(value)) for name, value in (settings.parameters or {}).items()],
        [],
        grow=True,
        several=several,
        recipe=json.dumps(recipe),
        seed=settings.seed,
        on_drift=settings.on_drift,
        drift_detector=settings.drift_detector,
    )


def _new_text(label, texts: dict) -> str:
    """The text of a label that was not met before."""
    text = str(label)
    if text in texts.values():
        raise ValueError(f"label {label!r} cannot be told from another label that is written {text!r}")
    return text


def _rows(X):
    """A frame where it is if Arrow can lend it, otherwise as dicts."""
    table = table_of(X, named=True)
    if table is not None:
        return table
    return X.to_dicts() if hasattr(X, "to_dicts") else X.to_dict("records")


def _items(y) -> list:
    return y.to_list() if hasattr(y, "to_list") else list(y)


def _index(X):
    return getattr(X, "index", None)
