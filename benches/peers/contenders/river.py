"""River: learners of dictionaries, one example at a time, each predicted before it is learnt."""

import pickle

from . import BOTH, Contender, last_json, worker

BINARY = {"LogisticRegression": {}, "PAClassifier": {}, "AdPredictor": {}}


def _learner(setting, classes):
    from river import linear_model

    if classes == 2:
        return getattr(linear_model, setting)()
    return linear_model.SoftmaxRegression()


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
    train, test = worker("river", setting)
    many = setting == "LogisticRegression"
    name = f"river {setting}"
    return Contender(name, "river", train, test, last_json, default=many, kinds=BOTH, binary_only=not many)


CONTENDERS = [_contender(setting) for setting in BINARY]

if __name__ == "__main__":
    from worker import main

    main(_train, _test)
