"""fastText, by its Python package: raw text only."""

import sys

from . import TEXT, Contender, last_json, worker

SETTINGS = {
    "one epoch": {"epoch": 1},
    "one epoch, lr=0.5": {"epoch": 1, "lr": 0.5},
    "one epoch, lr=1": {"epoch": 1, "lr": 1.0},
    "defaults": {},
    "25 epochs, lr=0.5": {"epoch": 25, "lr": 0.5},
}


def _train(setting, data, model, classes, clock):
    import fasttext

    # Its threads write over each other: where the error counts and not the time, one of them gives the same figure each time.
    threads = 1 if sys.argv[1] == "both" else 2
    with clock("learn"):
        learnt = fasttext.train_supervised(input=data, thread=threads, verbose=0, **SETTINGS[setting])
    learnt.save_model(model)
    return {}


def _test(setting, data, model, classes, clock):
    import fasttext

    learnt = fasttext.load_model(model)
    with clock("predict"):
        _, precision, _ = learnt.test(data)
    return {"error": 1 - precision}


def _contender(setting):
    return Contender(
        f"fasttext {setting}", "fasttext", read=last_json, default=setting == "defaults",
        one_pass=setting.startswith("one epoch"), kinds=TEXT, **worker("fasttext", setting),
    )


CONTENDERS = [_contender(setting) for setting in SETTINGS]

if __name__ == "__main__":
    from worker import main

    main(_train, _test)
