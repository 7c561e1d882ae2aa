"""LIBLINEAR, by its own Python package: the batch solvers, run until they converge."""

from . import Contender, last_json, worker

SETTINGS = {
    "L2 SVM": "-s 1",
    "L2 SVM, C=0.1, bias": "-s 1 -c 0.1 -B 1",
    "logistic": "-s 0 -B 1",
    "logistic, C=10": "-s 0 -c 10 -B 1",
}


def _train(setting, data, model, classes, clock):
    from liblinear.liblinearutil import save_model, svm_read_problem, train

    with clock("read"):
        y, x = svm_read_problem(data, return_scipy=True)
    with clock("learn"):
        learnt = train(y, x, SETTINGS[setting] + " -q")
    save_model(model, learnt)
    return {}


def _test(setting, data, model, classes, clock):
    from liblinear.liblinearutil import load_model, predict, svm_read_problem

    learnt = load_model(model)
    with clock("read"):
        y, x = svm_read_problem(data, return_scipy=True)
    with clock("predict"):
        _, (accuracy, *_), values = predict(y, x, learnt, "-q")
    found = {"error": 1 - accuracy / 100}
    if classes == 2:
        from sklearn.metrics import roc_auc_score

        first = learnt.get_labels()[0]
        found["auc"] = float(roc_auc_score(y == first, [value[0] for value in values]))
    return found


def _contender(setting):
    return Contender(
        f"liblinear {setting}", "liblinear", read=last_json, default=setting == "L2 SVM", one_pass=False,
        **worker("liblinear", setting),
    )


CONTENDERS = [_contender(setting) for setting in SETTINGS]

if __name__ == "__main__":
    from worker import main

    main(_train, _test)
