"""fastText, by its Python package: raw text only."""

from . import TEXT, Contender, last_json, worker

SETTINGS = {
    "one epoch": {"epoch": 1},
    "defaults": {},
    "25 epochs, lr=0.5": {"epoch": 25, "lr": 0.5},
}


def _train(setting, data, model, classes, clock):
    import fasttext

    with clock("learn"):
        learnt = fasttext.train_supervised(input=data, thread=2, verbose=0, **SETTINGS[setting])
    learnt.save_model(model)
    return {}


def _test(setting, data, model, classes, clock):
    import fasttext

    learnt = fasttext.load_model(model)
    with clock("predict"):
        _, precision, _ = learnt.test(data)
    return {"error": 1 - precision}


def _contender(setting):
    train, test = worker("fasttext", setting)
    one_pass, default = setting == "one epoch", setting == "defaults"
    name = f"fasttext {setting}"
    return Contender(name, "fasttext", train, test, last_json, default=default, one_pass=one_pass, kinds=TEXT)


CONTENDERS = [_contender(setting) for setting in SETTINGS]

if __name__ == "__main__":
    from worker import main

    main(_train, _test)
