"""Learners inside Python for streams that change: River, scikit-learn, and what needs no learning. One example at a time, each
predicted before it is learnt. On dense streams linear learners get their measurements standardised, as in River's own examples.
"""

import sys

from . import Contender



class Majority:
    """The label that was more frequent so far."""

    def __init__(self):
        self.lead = 0

    def predict_one(self, _):
        return self.lead > 0

    def learn_one(self, _, y):
        self.lead += 1 if y else -1


class LabelBefore:
    """The label of the example before."""

    def __init__(self):
        self.label = False

    def predict_one(self, _):
        return self.label

    def learn_one(self, _, y):
        self.label = y


class OneByOne:
    """A scikit-learn classifier that is given one row at a time. What it predicts is computed here, from its weights: asking it
    takes as long as learning.
    """

    def __init__(self, features, **arguments):
        from sklearn.linear_model import SGDClassifier

        self.learner, self.features = SGDClassifier(loss="log_loss", random_state=1, **arguments), features

    def predict_one(self, x):
        weights = getattr(self.learner, "coef_", None)
        if weights is None:
            return False
        return sum(weights[0, int(name)] * value for name, value in x.items()) + self.learner.intercept_[0] > 0

    def learn_one(self, x, y):
        from scipy.sparse import csr_matrix

        columns = [int(name) for name in x]
        row = csr_matrix((list(x.values()), ([0] * len(columns), columns)), shape=(1, self.features + 1))
        self.learner.partial_fit(row, [y], classes=[False, True])


def _logistic():
    from river.linear_model import LogisticRegression

    return LogisticRegression()


def _restarting(detector):
    from river import drift

    made = {"ADWIN": drift.ADWIN, "DDM": drift.binary.DDM}[detector]()
    # ADWIN gives no warning that a background model could start at.
    return drift.DriftRetrainingClassifier(_logistic(), made, train_in_background=detector == "DDM")


def _river(module, name, **arguments):
    import importlib

    return getattr(importlib.import_module(f"river.{module}"), name)(**arguments)


# Name → what makes the learner for so many features.
SETTINGS = {
    "baseline majority": lambda features: Majority(),
    "baseline label before": lambda features: LabelBefore(),
    "sklearn SGD log": lambda features: OneByOne(features),
    "sklearn SGD log, constant rate 0.01": lambda features: OneByOne(features, learning_rate="constant", eta0=0.01),
    "river LogisticRegression": lambda features: _logistic(),
    "river LogisticRegression, restarted by ADWIN": lambda features: _restarting("ADWIN"),
    "river LogisticRegression, restarted by DDM": lambda features: _restarting("DDM"),
    "river PAClassifier": lambda features: _river("linear_model", "PAClassifier"),
    "river HoeffdingAdaptiveTree": lambda features: _river("tree", "HoeffdingAdaptiveTreeClassifier", seed=1),
    "river AdaptiveRandomForest": lambda features: _river("forest", "ARFClassifier", seed=1),
}
TREES = ("river HoeffdingAdaptiveTree", "river AdaptiveRandomForest")


def main(name, data, scores, dense):
    """Writes the label predicted for every row of an svmlight file."""
    from worker import iterate_svm

    scaler = None
    if dense and name.split(" ", 1)[0] in ("sklearn", "river") and name not in TREES:
        from river.preprocessing import StandardScaler

        scaler = StandardScaler()
    learner = SETTINGS[name](int(open(data + ".features").read()))
    with open(scores, "w") as out:
        for label, x in iterate_svm(data):
            if scaler:
                scaler.learn_one(x)
                x = scaler.transform_one(x)
            out.write("1\n" if learner.predict_one(x) else "-1\n")
            learner.learn_one(x, label == "1")


def _contender(name):
    def command(job):
        dense = "dense" if job.dense else "sparse"
        return [sys.executable, "-m", "contenders.changing", name, job.train.path("svm"), job.scores, dense]

    return Contender(name, name.split(" ", 1)[0], train=command, test=None, read=None, binary_only=True)


CONTENDERS = [_contender(name) for name in SETTINGS]

if __name__ == "__main__":
    main(*sys.argv[1:4], sys.argv[4] == "dense")
