"""scikit-learn: linear models on an svmlight file, or on text through its hashing vectoriser."""

import pickle

from . import BOTH, Contender, last_json, worker

ONE = {"max_iter": 1, "tol": None}
# Setting → class, arguments. Those of one pass first, then those that run until they converge.
SETTINGS = {
    "SGD one pass": ("SGDClassifier", ONE),
    "SGD averaged one pass": ("SGDClassifier", {"average": True, **ONE}),
    "SGD log one pass": ("SGDClassifier", {"loss": "log_loss", **ONE}),
    "SGD log averaged one pass": ("SGDClassifier", {"loss": "log_loss", "average": True, **ONE}),
    "perceptron one pass": ("Perceptron", ONE),
    "passive-aggressive one pass": ("SGDClassifier", {"learning_rate": "pa1", "eta0": 1.0, "penalty": None, **ONE}),
    "SGD": ("SGDClassifier", {}),
    "LogisticRegression": ("LogisticRegression", {"max_iter": 300}),
    "LogisticRegression C=10": ("LogisticRegression", {"C": 10, "max_iter": 300}),
    "LinearSVC": ("LinearSVC", {}),
    "LinearSVC C=0.1": ("LinearSVC", {"C": 0.1}),
}


def _read(data):
    from sklearn.datasets import load_svmlight_file
    from sklearn.feature_extraction.text import HashingVectorizer

    from worker import read_text

    if data.endswith(".tsv"):
        labels, texts = read_text(data)
        return HashingVectorizer().transform(texts), labels
    features = int(open(data + ".features").read())
    x, labels = load_svmlight_file(data, n_features=features + 1, zero_based=True)
    # The reader gives 64-bit indices, which some of its own learners refuse.
    x.indices, x.indptr = x.indices.astype("int32"), x.indptr.astype("int32")
    return x, labels


def _train(setting, data, model, classes, clock):
    from sklearn import linear_model, svm

    kind, arguments = SETTINGS[setting]
    with clock("read"):
        x, y = _read(data)
    learner = (svm if kind == "LinearSVC" else linear_model).__dict__[kind](**arguments)
    with clock("learn"):
        learner.fit(x, y)
    with open(model, "wb") as out:
        pickle.dump(learner, out)
    return {}


def _test(setting, data, model, classes, clock):
    with open(model, "rb") as source:
        learner = pickle.load(source)
    with clock("read"):
        x, y = _read(data)
    with clock("predict"):
        predicted = learner.predict(x)
    found = {"error": float((predicted != y).mean())}
    if classes == 2:
        from sklearn.metrics import roc_auc_score

        found["auc"] = float(roc_auc_score(y, learner.decision_function(x)))
    return found


def _contender(setting):
    return Contender(
        f"sklearn {setting}", "sklearn", read=last_json, default=setting == "SGD", one_pass=setting.endswith("one pass"),
        kinds=BOTH, **worker("sklearn", setting),
    )


CONTENDERS = [_contender(setting) for setting in SETTINGS]

if __name__ == "__main__":
    from worker import main

    main(_train, _test)
