"""A user's program that a strict type checker accepts (test_types.py)."""

import numpy as np

import surefoot
from surefoot import Reason, Stream, SurefootClassifier, SurefootTextClassifier, rules

X, y = np.eye(4), np.array([0, 1, 0, 1])
clf = SurefootClassifier("scw1", c=0.5, class_weight={0: 1.0, 1: 2.0}).fit(X, y).partial_fit(X, y)
aggressiveness: float | None = clf.c
labels: np.ndarray = clf.predict(X)
mean: np.ndarray = clf.margin(X)
mean, std = clf.margin(X, return_std=True)
shape: tuple[int, ...] = clf.coef_variance_.shape
rounds: int = clf.counts_["rounds"]
clf.save("model")

texts = SurefootTextClassifier(ngrams=(1, 2)).fit(["a", "b"], [0, 1])
reasons: list[Reason] = texts.explain("a")
contribution: float = reasons[0].contribution

merged: SurefootClassifier = surefoot.merge([clf, clf])
stream: Stream = surefoot.fit_file("data.svm", passes=2)
better: bool | None = surefoot.metrics()[0].higher_is_better
names: list[str] = [parameter.name for rule in rules() for parameter in rule.parameters]
