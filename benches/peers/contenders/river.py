"""River: learners of dictionaries, one example at a time, each predicted before it is learnt."""

import pickle

from . import BOTH, Contender, last_json, worker

# Setting → class, learning rate of its optimiser (none: as it comes), other arguments.
SETTINGS = {
    "LogisticRegression": ("LogisticRegression", None, {}),
    "LogisticRegression lr=0.1": ("LogisticRegression", 0.1, {}),
    "PAClassifier": ("PAClassifier", None, {}),
    "PAClassifier C=0.01": ("PAClassifier", None, {"C": 0.01}),
    "AdPredictor": ("AdPredictor", None, {}),
    "AdPredictor beta=1": ("AdPredictor", None, {"beta": 1.0}),
}
# Of these there is a form for many classes, called SoftmaxRegression.
MANY = "LogisticRegression"


def _learner(setting, classes):
    from river import linear_model, optim

    kind, rate, arguments = SETTINGS[setting]
    optimizer = {} if rate is None else {"optimizer": optim.SGD(rate)}
    if classes == 2:
        return getattr(linear_model, kind)(**optimizer, **arguments)
    return linear_model.SoftmaxRegression(**optimizer)


def _examples(data):
    """Pairs of label and features: an svmlight file, or text through River's bag of words."""
    from river.feature_extraction import BagOfWords

    from worker import iterate_svm, read_text

    if not data.endswith(".tsv"):
        yield from iterate_svm(data)
        return
    bag = BagOfWords(lowercase=True)
    for label, words in zip(*read_text(data)):
        yield label, bag.transform_one(words)


def _truth(label, classes):
    return label == "1" if classes == 2 else label


def _train(setting, data, model, classes, clock):
    learner = _learner(setting, classes)
    wrong = seen = 0
    with clock("learn"):
        for label, x in _examples(data):
            y = _truth(label, classes)
            guess = learner.predict_one(x)
            wrong += (guess if guess is not None else False) != y
            seen += 1
            learner.learn_one(x, y)
    with open(model, "wb") as out:
        pickle.dump(learner, out)
    return {"error": wrong / seen}


def _test(setting, data, model, classes, clock):
    with open(model, "rb") as source:
        learner = pickle.load(source)
    wrong = seen = 0
    with clock("predict"):
        for label, x in _examples(data):
            wrong += learner.predict_one(x) != _truth(label, classes)
            seen += 1
    return {"error": wrong / seen}


def _contender(setting):
    return Contender(
        f"river {setting}", "river", read=last_json, default=setting == MANY, kinds=BOTH,
        binary_only=not setting.startswith(MANY), **worker("river", setting),
    )


CONTENDERS = [_contender(setting) for setting in SETTINGS]

if __name__ == "__main__":
    from worker import main

    main(_train, _test)
