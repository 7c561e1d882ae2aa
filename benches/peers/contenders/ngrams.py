"""Systems of n-grams that run until they converge: what a person would build who has time, for raw text.

scikit-learn's tf-idf of words 1-2, of characters 3-5 within words, and of both, with a linear SVM and with logistic regression;
NB-SVM on words 1-2. C is chosen by cross-validation on the learning part alone. fastText with pairs of words, 25 epochs; Vowpal
Wabbit with pairs, several passes. Each is one command that learns, judges and prints error, log loss and calibration error.
"""

import json
import math
import re
import subprocess
import sys
import time

from . import TEXT, Contender, last_json

# The grid of C, the same for all. Up to so many rows it is chosen by three folds, above that by one held-out third.
GRID = [0.1, 0.3, 1, 3, 10, 30]
FOLDED_ROWS = 5_000
VIEWS = {
    "words 1-2": ("words",),
    "characters 3-5": ("characters",),
    "words 1-2 and characters 3-5": ("words", "characters"),
}
CUTS = {
    "words": {"ngram_range": (1, 2), "token_pattern": r"(?u)\b\w+\b"},
    "characters": {"analyzer": "char_wb", "ngram_range": (3, 5)},
}
VW_PASSES = "8"


def _sklearn(view, learner):
    def learn(train, test, classes, scratch):
        from scipy.sparse import hstack
        from sklearn.feature_extraction.text import TfidfVectorizer

        from worker import read_text

        (labels, texts), (truth, judged) = read_text(train), read_text(test)
        parts = []
        for cut in VIEWS[view]:
            vectoriser = TfidfVectorizer(sublinear_tf=True, dtype="float32", **CUTS[cut])
            parts.append((vectoriser.fit_transform(texts), vectoriser.transform(judged)))
        rows, unseen = (hstack(part, format="csr") for part in zip(*parts))
        return _judged(_chosen(learner, rows, labels), rows, labels, unseen, truth)

    return learn


def _learner(kind, strength, classes):
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    if kind == "SVM":
        return LinearSVC(C=strength)
    logistic = LogisticRegression(C=strength, solver="liblinear")
    return logistic if classes == 2 else OneVsRestClassifier(logistic)


def _chosen(kind, rows, labels):
    """The learner at the C of the smallest error on folds of the learning part."""
    from sklearn.model_selection import KFold, cross_val_score

    folds = list(KFold(3, shuffle=True, random_state=1).split(rows))
    folds = folds if len(labels) <= FOLDED_ROWS else folds[:1]
    classes = len(set(labels))
    score = {c: cross_val_score(_learner(kind, c, classes), rows, labels, cv=folds).mean() for c in GRID}
    return _learner(kind, max(score, key=score.get), classes)


def _judged(learner, rows, labels, unseen, truth):
    learner.fit(rows, labels)
    if not hasattr(learner, "predict_proba"):
        wrong = sum(a != b for a, b in zip(learner.predict(unseen), truth, strict=True))
        return {"error": wrong / len(truth)}
    names = list(learner.classes_)
    return figures([dict(zip(names, row)) for row in learner.predict_proba(unseen)], truth)


def _nb_svm(train, test, classes, scratch):
    """[Wang and Manning 2012]: whether n-grams are there, times their log-count ratio; each label against the rest."""
    import numpy
    from sklearn.feature_extraction.text import CountVectorizer

    from worker import read_text

    (labels, texts), (truth, judged) = read_text(train), read_text(test)
    vectoriser = CountVectorizer(binary=True, dtype="float32", **CUTS["words"])
    rows, unseen = vectoriser.fit_transform(texts), vectoriser.transform(judged)
    labels = numpy.array(labels)
    names = sorted(set(labels))
    scores = []
    for name in names[1:] if len(names) == 2 else names:
        own = labels == name
        ratio = (1 + rows[own].sum(axis=0)) / (1 + rows[~own].sum(axis=0)) * ((~own).sum() + 2) / (own.sum() + 2)
        ratio = numpy.log(numpy.asarray(ratio, dtype="float32"))
        scaled = rows.multiply(ratio).tocsr()
        scores.append(_chosen("SVM", scaled, own).fit(scaled, own).decision_function(unseen.multiply(ratio).tocsr()))
    best = (scores[0] > 0).astype(int) if len(names) == 2 else numpy.argmax(scores, axis=0)
    return {"error": float(numpy.mean([names[i] != true for i, true in zip(best, truth, strict=True)]))}


def _fasttext(train, test, classes, scratch):
    import fasttext

    learnt = fasttext.train_supervised(input=str(train), wordNgrams=2, epoch=25, lr=0.5, thread=1, verbose=0)
    given, truth = [], []
    with open(test, encoding="utf-8") as lines:
        for line in lines:
            label, _, words = line.rstrip("\n").partition(" ")
            found, shares = learnt.predict(words, k=-1)
            total = sum(shares)
            given.append({name: share / total for name, share in zip(found, shares)})
            truth.append(label)
    return figures(given, truth)


def _vw(train, test, classes, scratch):
    model, output = f"{scratch}.vw", f"{scratch}.scores"
    task = ["--oaa", str(classes), "--probabilities"] if classes > 2 else []
    bits = "26" if classes > 2 else "24"
    base = [sys.executable, "-m", "vowpalwabbit", "--quiet"]
    learning = ["--ngram", "2", "--loss_function", "logistic", "-b", bits, "--passes", VW_PASSES, "--holdout_off", "-k", "-c"]
    subprocess.run([*base, "-d", train, "-f", model, "--cache_file", f"{scratch}.cache", *task, *learning], check=True)
    link = ["--probabilities"] if classes > 2 else ["--link", "logistic"]
    subprocess.run([*base, "-t", "-i", model, "-d", test, "-p", output, *link], check=True)
    with open(output) as lines:
        if classes == 2:
            given = [{"1": p, "-1": 1 - p} for p in (float(line.split()[0]) for line in lines)]
        else:
            given = [dict((name, float(p)) for name, p in re.findall(r"(\d+):([\d.e+-]+)", line)) for line in lines]
    with open(test, encoding="utf-8") as lines:
        return figures(given, [line.split(" ", 1)[0] for line in lines])


def figures(given, truth):
    """Error, log loss and calibration error of probabilities."""
    rounds, loss = [], 0.0
    for shares, true in zip(given, truth, strict=True):
        label, share = max(shares.items(), key=lambda pair: pair[1])
        rounds.append((share, label == true))
        loss -= math.log(min(max(shares.get(true, 0.0), 1e-15), 1.0))
    wrong = sum(not right for _, right in rounds)
    return {"error": wrong / len(truth), "log_loss": loss / len(truth), "calibration_error": calibration_error(rounds)}


def calibration_error(rounds):
    """Of pairs (probability of what was predicted, whether it was right), in ten bins of equal width."""
    gaps = [0.0] * 10
    for share, right in rounds:
        gaps[min(int(share * 10), 9)] += share - right
    return sum(map(abs, gaps)) / len(rounds)


SETTINGS = {
    **{
        f"tf-idf {view}, {name}": _sklearn(view, kind)
        for view in VIEWS
        for name, kind in (("linear SVM", "SVM"), ("logistic regression", "logistic"))
    },
    "NB-SVM words 1-2": _nb_svm,
    "fastText pairs, 25 epochs": _fasttext,
    f"VW --ngram 2, {VW_PASSES} passes": _vw,
}


def _contender(setting):
    format = "ft" if setting.startswith("fastText") else "vw" if setting.startswith("VW") else "tsv"

    def command(job):
        files = (job.train.path(format), job.test.path(format))
        return [sys.executable, "-m", "contenders.ngrams", setting, str(job.classes), job.model, *files]

    peer = {"ft": "fasttext", "vw": "vw"}.get(format, "sklearn")
    return Contender(setting, peer, command, lambda job: [], last_json, one_pass=False, kinds=TEXT)


CONTENDERS = [_contender(setting) for setting in SETTINGS]

if __name__ == "__main__":
    setting, classes, scratch, train, test = sys.argv[1:]
    started = time.process_time()
    print(json.dumps({**SETTINGS[setting](train, test, int(classes), scratch), "python_seconds": time.process_time() - started}))
