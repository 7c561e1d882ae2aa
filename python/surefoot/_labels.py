"""Between the labels of Python, which may be any type, and those of a model, which are text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from surefoot import _native


class ClassOrder:
    """Labels in Python's order beside a model's classes, which are in an order of their own: numbers before words, numbers
    by value, or by first appearance."""

    def __init__(self, model: _native.Model, labels: np.ndarray):
        self.labels = labels
        self.texts = label_texts(labels)
        #: The model's class of each label, and back.
        self.model_class = np.array(model.find_labels(self.texts), dtype=np.int64)
        self._place = np.argsort(self.model_class)

    def labels_of(self, found: np.ndarray) -> np.ndarray:
        """The labels of classes of the model."""
        return self.labels[self._place[found]]

    def by_label(self, numbers: np.ndarray, *, sums: bool = False) -> np.ndarray:
        """Numbers a block of weights, in the order of the labels. Two labels are one number, that of the second.

        Means change their sign with the order of two labels, and two blocks are subtracted; variances (``sums``) do
        not change, and are added.
        """
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
