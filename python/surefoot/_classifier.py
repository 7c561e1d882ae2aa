"""The scikit-learn estimator for matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from surefoot._arrow import table_of
from surefoot._base import Reason, SurefootBase, csr_arrays, spelt_out
from surefoot._labels import LabelSets, encode, label_sets

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from surefoot._parameters import LearnerParameters

_CSR = (sparse.csr_matrix, sparse.csr_array)
_FLOATS = (np.float64, np.float32)


class SurefootClassifier(SurefootBase):
    """A linear classifier that learns one row at a time and knows how sure it is of every weight.

    It keeps a Gaussian over the weights. Each row moves it as little as is needed to classify the row as the rule
    demands. A call of ``partial_fit`` costs what the non-zeros of its rows cost, however many features there are.

    With ``normalize="l2", max_iter=1, shuffle=False`` a fit is what ``surefoot train --learner scw1`` does: the same data
    give the same model file, bit for bit.

    Two classes have one vector of weights, more have one each. Column j of ``X`` is feature j of the model file, so
    files move between Python and the command line in both directions.

    Parameters
    ----------
    rule : str, default="scw1"
        How to learn: ``surefoot.rules()`` lists the rules. ``"auto"`` and ``"ensemble(SPEC@VIEW; …)"`` run several
        learners side by side.
    covariance : str or None, default=None
        What is kept of the covariance: "diagonal", "full", "identity", …; None is what the rule is best with.
    fit_intercept : bool, default=True
        Whether a feature of constant value 1 is added. Its weight is ``intercept_``.
    normalize : {"none", "l2"}, default="none"
        Whether rows are scaled to length 1, as ``surefoot train`` does. ``margin`` is then that of the scaled row.
    values : {"none", "binary", "sqrt", "log"}, default="none"
        Transform of every value: sign(x)·f(abs(x)).
    scale_features : {"none", "rms", "standardize"}, default="none"
        Running scale of each feature, learned from the stream. "standardize" makes rows dense.
    max_iter : int, default=5
        Passes of ``fit`` over the data.
    shuffle : bool, default=True
        Whether each pass of ``fit`` goes in a new random order. Rows sorted by class are poison for a learner that sees
        each once.
    random_state : int, RandomState or None, default=0
        For shuffling. An int is also kept in the model file as its seed.
    class_weight : dict, "balanced" or None, default=None
        Factors on the weights of the rows of a class.
    warm_start : bool, default=False
        Whether ``fit`` goes on with the model that is there.
    new_classes : {"error", "grow"}, default="error"
        What ``partial_fit`` does with a label that was not declared. A model that grows is a many-class one from the
        start, even while it has two classes.
    on_drift : {"report", "adapt", "reset"}, default="report"
        What happens where error or log loss rise by more than chance explains, as rows come in their order: ``changes_``
        says so; besides, what was learned counts less ("adapt"), or the weights begin anew ("reset").
    drift_detector : str or None, default=None
        What looks for changes: "adwin", "page-hinkley" or "ddm", several with commas between them, or "none"; None is the
        usual one.
    threshold : float, "f1-micro" or "f1-label", default=0.5
        Where rows have several labels (``y`` is an indicator matrix or lists of labels): above which probability a label is
        predicted; "f1-micro" and "f1-label" are what the model has learned to be best for F1, of all labels together or of each.
    **parameters : default=None
        Parameters of the rule, of the store and of the schedule for many classes, by name: ``help(surefoot.LearnerParameters)``
        lists them. None is the rule's own default; a parameter that the rule does not have is an error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray or sparse matrix of shape (1, n_features) or (n_classes, n_features)
        Means of the weights.
    coef_variance_ : ndarray of the same shape
        Their variances.
    intercept_, intercept_variance_ : ndarray of shape (1,) or (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
    n_iter_ : int
    spec_ : str
        The learner with every parameter filled in.
    counts_ : dict
        Rounds, examples, progressive mistakes, updates, passes.
    changes_ : list of dict
        Where the data changed, as far as the model has learned from it; see the property.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = SurefootClassifier(scale_features="standardize").fit(X, y)
    >>> clf.predict(X[:3])
    array([0, 0, 0])
    >>> mean, std = clf.margin(X[:3], return_std=True)
    """

    @spelt_out
    def __init__(
        self,
        rule: str = "scw1",
        covariance: str | None = None,
        *,
        fit_intercept: bool = True,
        normalize: str = "none",
        values: str = "none",
        scale_features: str = "none",
        max_iter: int = 5,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
        new_classes: str = "error",
        on_drift: str = "report",
        drift_detector: str | None = None,
        threshold: float | str = 0.5,
        **parameters: Unpack[LearnerParameters],
    ) -> None:
        self.rule = rule
        self.covariance = covariance
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.values = values
        self.scale_features = scale_features
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.new_classes = new_classes
        self.on_drift = on_drift
        self.drift_detector = drift_detector
        self.threshold = threshold
        self._set_learner_parameters(parameters)

    _format = "svmlight"

    def _recipe(self) -> dict:
        return {
            "bias": bool(self.fit_intercept),
            "normalize": self.normalize,
            "values": self.values,
            "scale": self.scale_features,
            "space": "as-given",
        }

    def _check_rows(self, X, *, reset):
        rows = None if reset else self._plain_rows(X)
        if rows is not None:
            return rows
        table = table_of(X)
        if table is not None:
            validate_data(self, X, reset=reset, skip_check_array=True)  # names and number of the columns
            return table
        return _rows(validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, reset=reset))

    def _plain_rows(self, X):
        """Rows to predict that are what they should be, which costs a tenth of scikit-learn's way to find that out; None if
        they are anything else, for which scikit-learn has errors."""
        known = self.__dict__
        if "feature_names_in_" in known or type(X) not in (*_CSR, np.ndarray) or X.dtype not in _FLOATS:
            return None
        if X.ndim != 2 or X.shape[1] != known.get("n_features_in_") or not X.shape[0]:
            return None
        return _rows(X) if np.isfinite(X if type(X) is np.ndarray else X.data).all() else None

    # --- Learning -------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from all rows, ``max_iter`` times. Without ``warm_start`` the model starts anew."""
        again = self.warm_start and hasattr(self, "_model")
        rows, y, sample_weight = self._check_all(X, y, sample_weight, reset=not again)
        self._fit(rows, y, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learns from some rows, once, and goes on from what was learned before.

        ``classes`` names all labels at the first call (unless ``new_classes="grow"``). Parameters of the rule, the
        store and the features are those of the first call.

        A CSR matrix of floats with labels in an array is checked in Rust instead of by scikit-learn; anything that is
        not as it should be goes the long way and gets scikit-learn's own errors, with nothing learned. Only what shows
        when its row is met (repeated entries whose sum is infinite, a store at its limit) ends a batch in the middle:
        that error says how many rows were learned before it.
        """
        if classes is None and sample_weight is None and self._learned_quickly(X, y):
            return self
        rows, y, sample_weight = self._check_all(X, y, sample_weight, reset=not hasattr(self, "_model"))
        self._partial_fit(rows, y, classes, sample_weight)
        return self

    def _check_all(self, X, y, sample_weight, *, reset):
        sets = None if y is None else label_sets(y)
        if sets is not None:
            rows = self._check_rows(X, reset=reset)
            check_consistent_length(X, sets.starts[1:])
            return rows, sets, self._check_weights(sample_weight, sets)
        rows = table_of(X)
        if rows is None or not len(rows) or y is None:
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=_FLOATS, reset=reset)
            rows = _rows(X)
        else:
            y = column_or_1d(y, warn=True)
            assert_all_finite(y, input_name="y")
            check_consistent_length(X, y)
            validate_data(self, X, reset=reset, skip_check_array=True)
        return rows, y, self._check_weights(sample_weight, y)

    @staticmethod
    def _check_weights(sample_weight, y):
        if sample_weight is not None:
            rows = y.starts[1:] if isinstance(y, LabelSets) else y
            sample_weight = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
            if not sample_weight.any():
                raise ValueError("Sample weights must contain at least one non-zero number.")
        return sample_weight

    def _learned_quickly(self, X, y) -> bool:
        """Learns if nothing speaks against it; False, with nothing learned, if something does."""
        known = self.__dict__
        if (
            type(X) not in _CSR
            or "_model" not in known
            or "feature_names_in_" in known
            or self.class_weight is not None
            or X.shape[1] != self.n_features_in_
            or self._order.several
            or type(y) is not np.ndarray
            or y.shape != (X.shape[0],)
            or y.dtype.kind != self.classes_.dtype.kind
            or not len(y)
        ):
            return False
        places = encode(self.classes_, y)
        if places is None:
            return False
        return self._model.try_learn((X.indptr, X.indices, X.data, X.shape[1]), places, self._order.texts)

    # --- What was learned -----------------------------------------------------------------------------------------

    @property
    def coef_(self) -> Any:
        """Means of the weights; after ``sparsify`` a sparse matrix, made of the columns that were met alone."""
        if not getattr(self, "sparse_coef_", False):
            return self._weights_of_columns()[0][:, :-1]
        columns, means, _ = self._model.met_weights(self.n_features_in_)
        rows = self._weight_rows(means)
        places = np.broadcast_to(columns, rows.shape)[rows != 0]
        shape = (len(rows), self.n_features_in_)
        return sparse.csr_matrix((rows[rows != 0], (np.nonzero(rows)[0], places)), shape=shape)

    @property
    def coef_variance_(self) -> np.ndarray:
        """Variances of the weights; a feature never met has the prior's."""
        return self._weights_of_columns()[1][:, :-1]

    @property
    def intercept_(self) -> np.ndarray:
        """Mean of the weight of the constant feature; 0 without one."""
        return self._weights_of_columns(0)[0][:, -1]

    @property
    def intercept_variance_(self) -> np.ndarray:
        """Its variance."""
        return self._weights_of_columns(0)[1][:, -1]

    def _weights_of_columns(self, columns=None):
        if not hasattr(self, "_model"):
            raise AttributeError(f"{type(self).__name__} is not fitted yet, so it has no weights")
        means, variances = self._model.weights(self.n_features_in_ if columns is None else columns)
        return self._weight_rows(means), self._weight_rows(variances, sums=True)

    def weights(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Names of the features (x0, x1, … where ``X`` had none), and means and variances of their weights."""
        means, variances = self._weights_of_columns()
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{column}" for column in range(self.n_features_in_)] if names is None else list(names)
        return names, means[:, :-1], variances[:, :-1]

    def explain(self, X: Any, label: Any = None) -> list[Reason]:
        """What each column that is not 0 adds to the score of a label, what matters most first; ``X`` has one row.

        ``label`` is by default the predicted one, where rows have several the most probable one. Of two labels the weights for the one are minus those for the other.
        """
        check_is_fitted(self, "_model")
        rows = X if hasattr(X, "shape") and len(X.shape) == 2 else np.atleast_2d(np.asarray(X, dtype=np.float64))
        if rows.shape[0] != 1:
            raise ValueError(f"explain takes one row, found {rows.shape[0]}")
        names = getattr(self, "feature_names_in_", None)
        return [
            reason._replace(feature=_name_of(reason.feature, names))
            for reason in self._reasons(self._check_rows(rows, reset=False), label)
        ]

    def sparsify(self) -> Self:
        """Lets ``coef_`` be a sparse matrix."""
        check_is_fitted(self, "_model")
        self.sparse_coef_ = True
        return self

    def densify(self) -> Self:
        """Lets ``coef_`` be an array again."""
        check_is_fitted(self, "_model")
        self.sparse_coef_ = False
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags


def _name_of(feature: str, names: Any) -> str:
    """The name of a column, as ``weights`` has it, by its number in the model; the bias has no number."""
    if not feature.isdigit():
        return feature
    return f"x{feature}" if names is None else str(names[int(feature)])


def _rows(X):
    return csr_arrays(X) if sparse.issparse(X) else np.require(X, requirements=["A"])
