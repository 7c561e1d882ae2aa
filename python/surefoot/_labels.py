"""Between the labels of Python, which may be any type, and those of a model, which are text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from surefoot import _native


class LabelSets(NamedTuple):
    """The labels of rows that have any number of them."""

    #: All labels, sorted; of an indicator matrix the numbers of its columns.
    classes: np.ndarray
    #: The place of every label of every row among them, row after row.
    codes: np.ndarray
    #: Where the labels of each row begin, and behind them where the last end.
    starts: np.ndarray
    #: Whether they came as an indicator matrix.
    matrix: bool

    def __len__(self) -> int:
        return len(self.starts) - 1

    def among(self, classes: np.ndarray) -> np.ndarray:
        """The codes among other classes, which hold all of these."""
        return np.searchsorted(classes, self.classes)[self.codes].astype(np.int64)


def label_sets(y) -> LabelSets | None:
    """The labels of an indicator matrix or of lists of labels; None where each row has one.

    Lists of 0 and 1 that are all as long as each other are an indicator matrix.
    """
    if sparse.issparse(y):
        return _of_matrix(y.toarray()) if y.ndim == 2 and y.shape[1] > 1 else None
    if isinstance(y, (list, tuple)) and len(y) and all(isinstance(row, (list, tuple, set, frozenset)) for row in y):
        same_length = not any(isinstance(row, (set, frozenset)) for row in y) and len({len(row) for row in y}) == 1
        if not (same_length and len(y[0]) > 1 and all(label in (0, 1) for row in y for label in row)):
            return _of_lists([list(dict.fromkeys(row)) for row in y])
    if getattr(y, "dtype", None) == object and getattr(y, "ndim", 1) == 1 and len(y):
        rows = y.tolist() if hasattr(y, "tolist") else list(y)
        if all(isinstance(row, (list, tuple, set, frozenset, np.ndarray)) for row in rows):
            return _of_lists([list(dict.fromkeys(row)) for row in rows])
    matrix = np.asarray(y) if isinstance(y, (list, tuple)) or hasattr(y, "__array__") else None
    if matrix is None or matrix.ndim != 2 or matrix.shape[1] < 2:
        return None
    return _of_matrix(matrix)


def _of_matrix(matrix: np.ndarray) -> LabelSets:
    if not np.isin(matrix, (0, 1)).all():
        raise ValueError("a matrix of labels is to hold 1 where a row has the label and 0 elsewhere")
    rows, codes = np.nonzero(matrix)
    starts = np.zeros(len(matrix) + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=len(matrix)), out=starts[1:])
    return LabelSets(np.arange(matrix.shape[1]), codes.astype(np.int64), starts, True)


def _of_lists(rows: list[list]) -> LabelSets:
    labels = [label for row in rows for label in row]
    starts = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    classes, codes = np.unique(np.array(labels), return_inverse=True) if labels else (np.array([], dtype=str), labels)
    return LabelSets(classes, np.asarray(codes, dtype=np.int64), starts, False)


class ClassOrder:
    """Labels in Python's order beside a model's classes, which are in an order of their own: numbers before words, numbers
    by value, or by first appearance."""

    def __init__(self, model: _native.Model, labels: np.ndarray):
        self.labels = labels
        self.texts = label_texts(labels)
        #: Whether a row may have several of them.
        self.several = model.has_several_labels()
        #: The model's class of each label, and back.
        self.model_class = np.array(model.find_labels(self.texts), dtype=np.int64)
        self._place = np.argsort(self.model_class)

    def labels_of(self, found: np.ndarray) -> np.ndarray:
        """The labels of classes of the model."""
        return self.labels[self._place[found]]

    def by_label(self, numbers: np.ndarray, *, sums: bool = False) -> np.ndarray:
        """Numbers a block of weights, in the order of the labels. Two labels are one number, that of the second, unless a row
        may have both.

        Means change their sign with the order of two labels, and two blocks are subtracted; variances (``sums``) do
        not change, and are added.
        """
        if self.several:
            return numbers[:, self.model_class]
        if numbers.shape[1] == 1 and len(self.labels) == 2:
            flipped = self.model_class[0] == 1 and not sums
            return -numbers[:, 0] if flipped else numbers[:, 0]
        numbers = numbers[:, self.model_class]
        if len(self.labels) == 2:
            return numbers[:, 0] + numbers[:, 1] if sums else numbers[:, 1] - numbers[:, 0]
        return numbers


def label_texts(classes) -> list[str]:
    """Labels as a file would spell them."""
    return [str(label) for label in np.asarray(classes).tolist()]


def classes_from_texts(texts: list[str]) -> np.ndarray:
    """The labels of a model file: truth values or whole numbers if all of them are, else numbers, else strings; sorted."""
    if set(texts) == {"False", "True"}:
        return np.array([False, True])
    for kind in (np.int64, np.float64):
        try:
            return np.sort(np.array([kind(text) for text in texts]))
        except ValueError:
            continue
    return np.sort(np.array(texts, dtype=str))


def encode(classes: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """The place of every label of ``y`` among the sorted ``classes``; None if one is not there.

    Not ``np.unique(return_inverse=True)``: that needs five times the memory of ``y``.
    """
    if not len(classes):
        return None
    try:
        places = np.searchsorted(classes, y)
    except TypeError:
        return None
    np.minimum(places, len(classes) - 1, out=places)
    return places if bool(np.all(classes[places] == y)) else None
