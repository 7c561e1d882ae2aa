"""Error rates of SurefootClassifier beside scikit-learn's linear classifiers, all with their defaults.

    python python/compare.py [--settings] FILE...

Files are svmlight (``.svm``) or lines of label, tab, text (``.tsv``); the first four fifths of the rows are learned, the
rest is the test. Text goes through each of scikit-learn's vectorizers. ``--settings`` is how the defaults are chosen: it
compares settings of ours, learned from the first three fifths and judged on the fourth, so that the test has no say.
docs/python/defaults.md records both tables.
"""

from __future__ import annotations

import argparse
import pathlib
import warnings

import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import load_breast_cancer, load_digits, load_svmlight_file, load_wine
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from surefoot import SurefootClassifier

OTHERS = {
    "SGDClassifier": SGDClassifier(random_state=0),
    "passive-aggressive": SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, random_state=0),
    "LogisticRegression": LogisticRegression(),
    "LinearSVC": LinearSVC(random_state=0),
}
SETTINGS = {
    "scw1": SurefootClassifier("scw1"),
    "arow": SurefootClassifier("arow"),
    "arow, r = 1": SurefootClassifier("arow", r=1.0),
    "arow, l2": SurefootClassifier("arow", normalize="l2"),
    "arow, rms": SurefootClassifier("arow", scale_features="rms"),
    "logistic": SurefootClassifier("logistic"),
    "cw-stdev": SurefootClassifier("cw-stdev"),
    "nherd": SurefootClassifier("nherd"),
    "scw1, 1 pass": SurefootClassifier("scw1", max_iter=1),
    "scw1, 10 passes": SurefootClassifier("scw1", max_iter=10),
    "logistic, 1 pass": SurefootClassifier("logistic", max_iter=1),
}


def problems(paths):
    """Names, and rows and labels in the order of the file."""
    for path in map(pathlib.Path, paths):
        name = path.name.partition(".")[0]
        if path.suffix == ".svm":
            yield name, *load_svmlight_file(str(path))
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        labels, texts = zip(*(line.split("\t", 1) for line in lines))
        for vectorizer in (TfidfVectorizer(), CountVectorizer(), HashingVectorizer(n_features=2**18)):
            yield f"{name}, {type(vectorizer).__name__}", vectorizer.fit_transform(texts), np.array(labels)


def small_problems():
    """What comes with scikit-learn, shuffled, as it is and scaled."""
    for load in (load_breast_cancer, load_wine, load_digits):
        X, y = load(return_X_y=True)
        order = np.random.default_rng(0).permutation(len(y))
        name = load.__name__.removeprefix("load_")
        yield f"{name}, as it is", X[order], y[order]
        yield f"{name}, StandardScaler", StandardScaler().fit_transform(X)[order], y[order]


def errors(models, X, y, fifths):
    """Learned from so many fifths of the rows, judged on the next one."""
    learned, end = (len(y) * part // 5 for part in (fifths, fifths + 1))
    for model in models.values():
        yield 1 - model.fit(X[:learned], y[:learned]).score(X[learned:end], y[learned:end])


def table(models, paths, fifths):
    print("| | " + " | ".join(models) + " |\n| --- |" + " --: |" * len(models))
    ranks = []
    for name, X, y in (*small_problems(), *problems(paths)):
        found = list(errors(models, X, y, fifths))
        ranks.append(rankdata(found))
        best = min(found)
        cells = (f"**{error:.4f}**" if error == best else f"{error:.4f}" for error in found)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print("| mean rank | " + " | ".join(f"{rank:.1f}" for rank in np.mean(ranks, axis=0)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", metavar="FILE")
    parser.add_argument("--settings", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.settings:
        table(SETTINGS, arguments.paths, fifths=3)
    else:
        table({"SurefootClassifier": SurefootClassifier(), **OTHERS}, arguments.paths, fifths=4)


if __name__ == "__main__":
    main()
