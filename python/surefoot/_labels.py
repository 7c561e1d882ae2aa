"""Between the labels of Python, which may be any type, and those of a model, which are text."""

from __future__ import annotations

import numpy as np


def label_texts(classes) -> list[str]:
    """Labels as a file would spell them."""
    return [str(label) for label in np.asarray(classes).tolist()]


def classes_from_texts(texts: list[str]) -> np.ndarray:
    """The labels of a model file: whole numbers if all of them are, else numbers, else strings; sorted."""
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
