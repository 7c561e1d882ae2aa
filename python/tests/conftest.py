"""Data that several tests share."""

import numpy as np
import pytest
from scipy import sparse


@pytest.fixture(scope="session")
def two_classes():
    """A sparse problem with two classes that a line separates, but for some noise."""
    return _problem(classes=2)


@pytest.fixture(scope="session")
def four_classes():
    """The same with four classes."""
    return _problem(classes=4)


def _problem(classes, rows=600, columns=200):
    random = np.random.default_rng(7)
    X = sparse.random_array((rows, columns), density=0.05, rng=random, format="csr")
    scores = X @ random.normal(size=(columns, classes)) + 0.1 * random.normal(size=(rows, classes))
    return X, scores.argmax(axis=1)
