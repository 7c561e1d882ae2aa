"""What the estimators share: building a model, learning in passes, and everything that is read from a model."""

from __future__ import annotations

import inspect
import json
import numbers
import os
import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from surefoot import _native
from surefoot._labels import ClassOrder, LabelSets, encode, label_texts
from surefoot._parameters import LEARNER_PARAMETERS, LearnerAttributes, LearnerParameters
from surefoot._plot import plot_reliability, plot_weights
from surefoot._settings import parameter_text

#: Rules whose step no weight changes.
_UNWEIGHTED = frozenset(rule for rule, *_, weighted in _native.rules() if not weighted)

_Init = TypeVar("_Init", bound=Callable[..., None])


def spelt_out(init: _Init) -> _Init:
    """An ``__init__`` whose signature names every keyword that its ``**parameters`` takes, as scikit-learn wants it."""
    signature = inspect.signature(init)
    own = [kept for kept in signature.parameters.values() if kept.kind is not inspect.Parameter.VAR_KEYWORD]
    kinds = LearnerAttributes.__annotations__.items()
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in kinds]
    init.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    return init


class Reason(NamedTuple):
    """What one feature adds to the score of a label."""

    feature: str
    #: Value of the feature in this text, after scaling.
    value: float
    #: Mean and standard deviation of its weight.
    mean: float
    std: float

    @property
    def contribution(self) -> float:
        """What it adds to the score."""
        return self.value * self.mean


class SurefootBase(LearnerAttributes, ClassifierMixin, BaseEstimator):
    """Common half of the estimators. Subclasses say how ``X`` becomes rows (``_check_rows``) and the recipe."""

    classes_: np.ndarray
    n_iter_: int
    # The format of files with such rows, by which the command line reads more of them.
    _format: str

    def _set_learner_parameters(self, given: LearnerParameters) -> None:
        """Keeps the parameters of the learner; None leaves them to the rule."""
        for name in given:
            if name not in LEARNER_PARAMETERS:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument {name!r}")
        for name in LEARNER_PARAMETERS:
            setattr(self, name, given.get(name))

    def _recipe(self) -> dict:
        """What differs from how the command line prepares examples."""
        raise NotImplementedError

    def _check_rows(self, X, *, reset: bool):
        """``X`` as ``_native.Model`` takes it, checked."""
        raise NotImplementedError

    # --- Making a model -------------------------------------------------------------------------------------------

    def _learner(self) -> tuple[tuple[str, str | None], list[tuple[str, str]]]:
        """Rule, store and the parameters that are not left to the rule."""
        chosen = [(name, getattr(self, name)) for name in LEARNER_PARAMETERS]
        texts = [(name, parameter_text(value)) for name, value in chosen if value is not None]
        return (str(self.rule), None if self.covariance is None else str(self.covariance)), texts

    def _make_model(self, classes: np.ndarray, *, several: bool = False) -> None:
        """A new model that knows these labels, of which a row has one, or ``several``."""
        grow = self._grows()
        if len(classes) < (1 if several else 2) and not grow:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(classes)} class "
                '(new_classes="grow" lets further ones come)'
            )
        learner, parameters = self._learner()
        seed = self.random_state if isinstance(self.random_state, numbers.Integral) else 0
        self._model = _native.Model(
            learner,
            parameters,
            label_texts(classes),
            grow=grow,
            several=several,
            recipe=json.dumps(self._recipe()),
            format=self._format,
            seed=int(seed),
            on_drift=str(self.on_drift),
            drift_detector=self.drift_detector,
        )
        self._warned_of_weights = False
        self._set_classes(classes)

    def _grows(self) -> bool:
        if self.new_classes not in ("error", "grow"):
            raise ValueError(f'new_classes is "error" or "grow", not {self.new_classes!r}')
        return self.new_classes == "grow"

    def _set_classes(self, classes: np.ndarray) -> None:
        self.classes_ = classes
        self._order = ClassOrder(self._model, classes)

    def _learn(self, rows, y, sample_weight, *, balanced_is_fine, passes=1, shuffle=False) -> None:
        """Passes over rows whose labels may be new."""
        self._check_kind(y)
        starts = y.starts if isinstance(y, LabelSets) else None
        if isinstance(y, LabelSets):
            labels = self._classes_of(y)
            codes = y.among(labels)
            if self.class_weight is not None:
                raise ValueError("class_weight is for one label a row; with several, give rows a sample_weight")
            weights = None
        else:
            labels, codes = self.classes_, encode(self.classes_, y)
            if codes is None:
                labels = self._with_new(np.unique(y))
                codes = encode(labels, y)
            weights = self._class_weights(labels, y, balanced_is_fine)
        if sample_weight is not None or weights is not None:
            self._warn_of_weights()
        random = check_random_state(self.random_state) if shuffle else None
        try:
            for number in range(passes):
                order = random.permutation(len(y)) if random else None
                self._model.learn(
                    rows,
                    codes,
                    label_texts(labels),
                    starts=starts,
                    weights=sample_weight,
                    class_weights=weights,
                    order=order,
                    number=number,
                )
        finally:
            # Also after an error: the rows before it, with their labels, are learned.
            if len(labels) != len(self.classes_):
                known = [found is not None for found in self._model.find_labels(label_texts(labels))]
                self._set_classes(labels[known])

    def _check_kind(self, y) -> None:
        """Refuses rows of several labels for a model of one a row, and the other way round."""
        if self._order.several and not isinstance(y, LabelSets):
            raise ValueError("the model learns rows of several labels: give an indicator matrix or lists of labels")
        if not self._order.several and isinstance(y, LabelSets):
            raise ValueError("the model learns one label a row, and y has several")

    def _classes_of(self, y: LabelSets) -> np.ndarray:
        """The classes with those of these labels that are new."""
        if y.matrix and len(self.classes_) and len(self.classes_) != len(y.classes):
            raise ValueError(f"y has {len(y.classes)} columns, and the model has {len(self.classes_)} labels")
        if np.isin(y.classes, self.classes_).all():
            return self.classes_
        return self._with_new(y.classes)

    def _warn_of_weights(self) -> None:
        """Says once a model that its rule has no use for weights."""
        if self.rule in _UNWEIGHTED and not getattr(self, "_warned_of_weights", False):
            warnings.warn(
                f"the rule {self.rule!r} learns the same from rows of every weight but 0; "
                "rules that heed weights: " + ", ".join(rule for rule, *_, weighted in _native.rules() if weighted),
                stacklevel=4,
            )
            self._warned_of_weights = True

    def _with_new(self, labels: np.ndarray) -> np.ndarray:
        """The classes with labels that came later."""
        if not self._grows():
            known = set(self.classes_.tolist())
            new = [label for label in labels.tolist() if label not in known]
            raise ValueError(
                f"y contains labels that were not declared: {new[:10]}; the classes are {self.classes_[:10]}. "
                'Name all of them in `classes` at the first call, or use new_classes="grow".'
            )
        return np.unique(np.concatenate([self.classes_, labels])) if len(self.classes_) else labels

    # --- Learning -------------------------------------------------------------------------------------------------

    def _fit(self, rows, y, sample_weight) -> None:
        several = isinstance(y, LabelSets)
        if not several:
            _check_targets(y)
        passes = _count("max_iter", self.max_iter)
        if not (self.warm_start and hasattr(self, "_model")):
            self._make_model(y.classes if several else np.unique(y), several=several)
        self._learn(rows, y, sample_weight, balanced_is_fine=True, passes=passes, shuffle=self.shuffle)
        self.n_iter_ = passes

    def _partial_fit(self, rows, y, classes, sample_weight) -> None:
        several = isinstance(y, LabelSets)
        if not several:
            _check_targets(y)
        if not hasattr(self, "_model"):
            if classes is None and several and y.matrix:
                classes = y.classes  # The columns of the matrix are all that there are.
            if classes is None and not self._grows():
                raise ValueError("classes must be passed on the first call to partial_fit.")
            # Labels that are not declared come to life when they are first met.
            known = (y.classes if several else np.unique(y))[:0] if classes is None else np.unique(classes)
            self._make_model(known, several=several)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        # All that comes is one long pass.
        self._learn(rows, y, sample_weight, balanced_is_fine=False)
        self.n_iter_ = 1

    def _class_weights(self, labels, y, balanced_is_fine: bool) -> np.ndarray | None:
        """The weight of each label, or None if all are 1."""
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, str) and not balanced_is_fine:
            raise ValueError(
                f"class_weight {self.class_weight!r} is not supported for partial_fit: the data to come is not known. "
                "Use compute_class_weight from sklearn.utils.class_weight on a sample and pass the dict."
            )
        return compute_class_weight(self.class_weight, classes=labels, y=y)

    # --- Prediction -----------------------------------------------------------------------------------------------

    def _ask(self, what, X):
        """What the model says of rows: ``what`` is a method of ``_native.Model``."""
        self._check_fitted()
        return getattr(self._model, what)(self._check_rows(X, reset=False))

    def _check_fitted(self) -> None:
        if "_model" not in self.__dict__:  # scikit-learn's own question takes longer than a prediction
            check_is_fitted(self, "_model")

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row; where rows may have several, a matrix of 0 and 1, one column a label of ``classes_``.

        A row has the labels whose probability is above ``threshold``.
        """
        self._check_fitted()
        if self._order.several:
            return (self.predict_proba(X) > self._thresholds()).astype(np.int64)
        found = self._ask("classes", X)
        return self._order.labels_of(found)

    def _thresholds(self) -> np.ndarray | float:
        """The threshold of each label."""
        if self.threshold in ("f1-micro", "f1-label"):
            return np.array(self._model.f1_thresholds(self.threshold == "f1-label"))[self._order.model_class]
        if isinstance(self.threshold, str) or not 0 <= self.threshold <= 1:
            raise ValueError(f'threshold is a number from 0 to 1, "f1-micro" or "f1-label", not {self.threshold!r}')
        return float(self.threshold)

    def decision_function(self, X: Any) -> np.ndarray:
        """Calibrated logits: (n_samples,) for two classes, otherwise (n_samples, n_classes).

        The score μ·x divided by its uncertainty, times the slope that calibration has learned: probabilities are its
        logistic function (softmax for many classes). ``margin`` gives the plain score.
        """
        logits = self._ask("logits", X)
        return self._order.by_label(logits)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Calibrated probabilities: how often a label is right. Where rows may have several labels, each has its own."""
        return self._ask("probabilities", X)[:, self._order.model_class]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_vote(self, X: Any) -> np.ndarray:
        """The papers' label distribution: how often weights drawn from the Gaussian predict each label.

        It tells how sure the weights are, not how often the label is right; see ``predict_proba`` for that.
        """
        return self._ask("votes", X)[:, self._order.model_class]

    @overload
    def margin(self, X: Any, *, return_std: Literal[False] = False) -> np.ndarray: ...

    @overload
    def margin(self, X: Any, *, return_std: Literal[True]) -> tuple[np.ndarray, np.ndarray]: ...

    def margin(self, X, *, return_std=False):
        """The score μ·x of each row, and with ``return_std`` its standard deviation under the Gaussian."""
        means, variances = self._ask("moments", X)
        means = self._order.by_label(means)
        return (means, np.sqrt(self._order.by_label(variances, sums=True))) if return_std else means

    # --- What was learned -----------------------------------------------------------------------------------------

    def _weight_rows(self, numbers: np.ndarray, *, sums: bool = False) -> np.ndarray:
        """Numbers a block of weights as ``coef_`` has them: one row for two classes, otherwise one a class."""
        return np.atleast_2d(self._order.by_label(numbers.T, sums=sums).T)

    def weights(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Names of the features, and means and variances of their weights: one row for two classes, otherwise one a
        class."""
        raise NotImplementedError

    def _reasons(self, rows: Any, label: Any) -> list[Reason]:
        """The features of one row that the model knows, those that matter most for a label first."""
        check_is_fitted(self, "_model")
        names, values, means, variances = self._model.explain(rows)
        if label is None:
            # Of several labels the most probable one.
            several = self._order.several
            found = self._model.probabilities(rows).argmax(axis=1) if several else self._model.classes(rows)
            label = self._order.labels_of(found)[0]
        means, variances = self._weight_rows(means), self._weight_rows(variances, sums=True)
        row, sign = self._row_of(label, len(means))
        reasons = [
            Reason(name, value, float(sign * mean), float(np.sqrt(variance)))
            for name, value, mean, variance in zip(names, values, means[row], variances[row], strict=True)
        ]
        return sorted(reasons, key=lambda reason: -abs(reason.contribution))

    def _row_of(self, label, rows: int) -> tuple[int, int]:
        """Which row of weights speaks for a label, and the sign with which it does."""
        places = np.flatnonzero(self.classes_ == label)
        if not len(places):
            raise ValueError(f"{label!r} is not one of the classes {self.classes_}")
        place = int(places[0])
        return (0, 2 * place - 1) if rows == 1 and len(self.classes_) == 2 else (place, 1)

    def plot_weights(self, *, label: Any = None, top: int = 20, ax: Any = None) -> Any:
        """Draws the ``top`` weights that are farthest from 0, with their standard deviations (needs matplotlib).

        ``label`` is the one that the weights speak for, by default the last.
        """
        return plot_weights(self, label=label, top=top, ax=ax)

    def plot_reliability(self, X: Any, y: Any, *, bins: int = 10, ax: Any = None) -> Any:
        """Draws how often the predicted label is right against how probable it was said to be (needs matplotlib)."""
        self._check_fitted()
        if self._order.several:
            raise ValueError(
                "plot_reliability is for one label a row; with several, give a column of the labels and of predict_proba "
                "to sklearn.calibration.CalibrationDisplay.from_predictions"
            )
        return plot_reliability(self, X, y, bins=bins, ax=ax)

    @property
    def spec_(self) -> str:
        """The learner with every parameter filled in, as the command line writes it."""
        check_is_fitted(self, "_model")
        return self._model.spec()

    @property
    def counts_(self) -> dict[str, int]:
        """What the model has seen: rounds, examples, progressive mistakes, updates, passes."""
        check_is_fitted(self, "_model")
        return self._model.counts()

    @property
    def changes_(self) -> list[dict[str, Any]]:
        """Where the data changed by more than chance explains, since the model was made or loaded, the newest 1,000 of them.

        Each is a dict: the ``example`` near which it was, counted from 1, the example at which it was ``noticed``, the
        ``signal`` that changed ("error", "log-loss", "label-mix", then with the ``label``, or "unknown-features"), the
        ``detector``, and how the signal was ``before``, ``after`` and is ``now``. Only rows that are met for the first time
        count, in the order in which they are learned: ``partial_fit``, or the first pass of ``fit``.
        """
        check_is_fitted(self, "_model")
        return json.loads(self._model.changes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the command line reads and writes too."""
        check_is_fitted(self, "_model")
        self._model.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The bytes of that file; ``surefoot.from_bytes`` reads them."""
        check_is_fitted(self, "_model")
        return self._model.to_bytes()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")


def csr_arrays(matrix: sparse.csr_matrix | sparse.csr_array):
    """A CSR matrix as ``_native.Model`` takes it; nothing is copied unless the arrays are of mixed or odd types."""
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
    if indptr.dtype != indices.dtype:
        indptr, indices = indptr.astype(np.int64), indices.astype(np.int64)
    return tuple(np.require(part, requirements=["A", "C"]) for part in (indptr, indices, data)) + (matrix.shape[1],)


def _check_targets(y: np.ndarray) -> None:
    """Refuses what is no classification. Whole numbers, truth values and strings always are one, and scikit-learn takes
    half as long to find that out as all of its other checks together."""
    if y.dtype.kind not in "biuU":
        check_classification_targets(y)


def _count(name: str, value) -> int:
    if not isinstance(value, numbers.Integral) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, found {value!r}")
    return int(value)
