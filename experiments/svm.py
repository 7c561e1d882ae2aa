"""The SVM columns of MCCW Table 3: labels predicted by scikit-learn (LIBLINEAR) for splits that Rust made.

    python svm.py FOLDER

FOLDER holds rows.svm (svmlight, a bias of 1 among the features) and job.json (positions of the rows to tune on and to
test). Writes answers.json: for each kind of machine the C that did best on the tuning split, and the predicted labels;
null for one against one if there are too many labels.
"""

import json
import sys
import warnings
from pathlib import Path

from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import LinearSVC

CS = [0.001, 0.01, 0.1, 1.0, 10.0]
# One against one keeps a dense vector of weights for every pair of labels: 50,000 pairs do not fit.
MOST_LABELS_IN_PAIRS = 100


def one_vs_one(c):
    return OneVsOneClassifier(LinearSVC(C=c, loss="hinge", fit_intercept=False, random_state=0))


def multi_class(c):
    return LinearSVC(C=c, multi_class="crammer_singer", fit_intercept=False, random_state=0, max_iter=200)


def climb(score):
    """From the middle of CS to where neither neighbour does better, as the other methods are tuned."""
    at = len(CS) // 2
    best = score(CS[at])
    for step in (-1, 1):
        began = at
        while 0 <= at + step < len(CS) and (found := score(CS[at + step])) > best:
            at, best = at + step, found
        if at != began:
            break
    return CS[at]


def answer(make, x, y, job):
    train, judge = job["tuning"]
    best = climb(lambda c: make(c).fit(x[train], y[train]).score(x[judge], y[judge]))
    predicted = []
    for train, test in job["tests"]:
        predicted += make(best).fit(x[train], y[train]).predict(x[test]).astype(int).tolist()
    return {"c": best, "predicted": predicted}


def main(folder):
    x, y = load_svmlight_file(str(folder / "rows.svm"))
    job = json.loads((folder / "job.json").read_text())
    warnings.simplefilter("ignore", ConvergenceWarning)
    few = len(set(y)) <= MOST_LABELS_IN_PAIRS
    answers = {
        "one_vs_one": answer(one_vs_one, x.tocsr(), y, job) if few else None,
        "multi_class": answer(multi_class, x.tocsr(), y, job),
    }
    (folder / "answers.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
