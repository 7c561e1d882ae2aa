"""The estimator for running text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, column_or_1d

from surefoot._arrow import texts_of
from surefoot._base import Reason, SurefootBase, spelt_out
from surefoot._labels import LabelSets, label_sets
from surefoot._native import Table
from surefoot._settings import cuts

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from surefoot._parameters import LearnerParameters


class SurefootTextClassifier(SurefootBase):
    """Strings in, labels out: words and n-grams are cut, counted and learned in Rust.

    The parameters of the learner are those of :class:`SurefootClassifier`.

    Parameters
    ----------
    ngrams : (int, int), None or "auto", default="auto"
        Lengths of the word n-grams; None for no words at all. With "auto", here and for ``char_ngrams``, text is cut as the
        learner wants it: into single words, or in several ways if members of an ensemble see several.
    char_ngrams : (int, int), None or "auto", default="auto"
        Lengths of the character n-grams; None for none.
    lowercase : bool, default=True
    stop_words : {"none", "english"}, default="none"
    tokens : {"words", "blanks", "url"}, default="words"
        What a word is: as Unicode says, what stands between blanks, or the parts of URLs.
    values : {"none", "binary", "sqrt", "log"}, default="sqrt"
        Transform of the counts.
    bits : int or None, default=None
        Hash the names of the features into 2**bits slots; None keeps every name.

    Examples
    --------
    >>> clf = SurefootTextClassifier().fit(["cheap pills", "lunch today", "cheap watches"], ["spam", "ham", "spam"])
    >>> clf.predict(["cheap lunch"])
    array(['spam'], dtype='<U4')
    >>> [reason.feature for reason in clf.explain("cheap pills")]
    ['(bias)', 'cheap', 'pills']
    """

    @spelt_out
    def __init__(
        self,
        rule: str = "arow",
        covariance: str | None = None,
        *,
        fit_intercept: bool = True,
        normalize: str = "l2",
        ngrams: tuple[int, int] | str | None = "auto",
        char_ngrams: tuple[int, int] | str | None = "auto",
        lowercase: bool = True,
        stop_words: str = "none",
        tokens: str = "words",
        values: str = "sqrt",
        bits: int | None = None,
        max_iter: int = 1,
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
        self.ngrams = ngrams
        self.char_ngrams = char_ngrams
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.tokens = tokens
        self.values = values
        self.bits = bits
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

    _format = "text"

    def _recipe(self) -> dict:
        return {
            "bias": bool(self.fit_intercept),
            "normalize": self.normalize,
            "space": "dictionary" if self.bits is None else {"hashed": {"bits": self.bits, "seed": 0}},
            "text": {
                **cuts(self.ngrams, self.char_ngrams),
                "lowercase": bool(self.lowercase),
                "stop_words": self.stop_words,
                "tokens": self.tokens,
                "values": self.values,
            },
        }

    def _check_rows(self, X, *, reset):
        return texts(X)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from texts, ``max_iter`` times. Without ``warm_start`` the model starts anew."""
        rows, y, sample_weight = _check_all(X, y, sample_weight)
        self._fit(rows, y, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learns from texts, once, and goes on from what was learned before."""
        rows, y, sample_weight = _check_all(X, y, sample_weight)
        self._partial_fit(rows, y, classes, sample_weight)
        return self

    def explain(self, text: str, label: Any = None) -> list[Reason]:
        """The features of a text that the model knows, those that matter most for a label first.

        ``label`` is by default the predicted one, where texts have several the most probable one. Of two labels the weights for the one are minus those for the other.
        """
        return self._reasons(texts([text]), label)

    def weights(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Names of the features, and means and variances of their weights: one row for two classes, otherwise one a
        class."""
        check_is_fitted(self, "_model")
        names, means, variances = self._model.named_weights()
        return names, self._weight_rows(means), self._weight_rows(variances, sums=True)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def texts(X) -> list[str] | Table:
    """Strings of any one-dimensional container: where they are if it is Arrow's, otherwise as a list."""
    if isinstance(X, (str, bytes)):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    column = texts_of(X)
    if column is not None:
        return column
    items = X.tolist() if hasattr(X, "tolist") else X.to_pylist() if hasattr(X, "to_pylist") else list(X)
    for at, item in enumerate(items):
        if not isinstance(item, str):
            raise ValueError(f"X[{at}] is a {type(item).__name__}, expected a string")
    return items


def _check_all(X, y, sample_weight):
    sets = label_sets(y)
    rows, y = texts(X), column_or_1d(y, warn=True) if sets is None else sets
    if not len(rows):
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    flat = y.starts[1:] if isinstance(y, LabelSets) else y
    check_consistent_length(rows, flat)
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, flat, dtype=np.float64, ensure_non_negative=True)
    return rows, y, sample_weight
