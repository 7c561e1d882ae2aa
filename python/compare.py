"""Error rates of SurefootClassifier beside scikit-learn's linear classifiers, all with their defaults.

    python python/compare.py [--settings] FILE...

Files are svmlight (``.svm``) or lines of label, tab, text (``.tsv``); the first four fifths of the rows are learned, the
rest is the test. Text goes through each of scikit-learn's vectorizers. docs/python/defaults.md records the table;
``--settings`` compares settings of ours instead of other classifiers.
"""

from __future__ import annotations

import argparse
import pathlib
import warnings

import numpy as np
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
    f"{rule}, {normalize}, {scale}, {passes} passes": SurefootClassifier(
        rule, normalize=normalize, scale_features=scale, max_iter=passes
    )
    for rule, normalize, scale in [
        ("scw1", "none", "none"),
        ("arow", "none", "none"),
        ("arow", "l2", "none"),
        ("arow", "none", "rms"),
        ("arow", "l2", "rms"),
        ("logistic", "none", "none"),
        ("auto", "none", "none"),
    ]
    for passes in (1, 5, 10)
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


def errors(models, X, y):
    learned = len(y) * 4 // 5
    for model in models.values():
        yield 1 - model.fit(X[:learned], y[:learned]).score(X[learned:], y[learned:])


def table(models, paths):
    lines = ["| | " + " | ".join(models) + " |", "| --- |" + " --: |" * len(models)]
    for name, X, y in (*small_problems(), *problems(paths)):
        found = list(errors(models, X, y))
        best = min(found)
        cells = (f"**{error:.4f}**" if error == best else f"{error:.4f}" for error in found)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", metavar="FILE")
    parser.add_argument("--settings", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    models = SETTINGS if arguments.settings else {"SurefootClassifier": SurefootClassifier(), **OTHERS}
    print(table(models, arguments.paths))


if __name__ == "__main__":
    main()
