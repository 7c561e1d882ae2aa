"""What the peers inside Python share: reading, the clock, and the one line of figures at the end."""

import json
import sys
import time


class Clock:
    """Seconds by name: `with clock("read"): …`."""

    def __init__(self):
        self.seconds = {}

    def __call__(self, name):
        self.name = name
        return self

    def __enter__(self):
        self.started = time.perf_counter()

    def __exit__(self, *_):
        self.seconds[self.name] = time.perf_counter() - self.started


def read_text(path):
    """Labels and texts of a file of `label<TAB>text`."""
    with open(path, encoding="utf-8") as source:
        pairs = [line.rstrip("\n").split("\t", 1) for line in source]
    return [label for label, _ in pairs], [words for _, words in pairs]


def iterate_svm(path):
    """Rows of an svmlight file as (label, dictionary of features)."""
    with open(path) as source:
        for line in source:
            label, *features = line.split()
            yield label, {i: float(value) for i, value in (pair.split(":") for pair in features)}


def error(predicted, truth):
    """Share of wrong predictions."""
    wrong = sum(a != b for a, b in zip(predicted, truth, strict=True))
    return wrong / len(truth)


def main(train, test):
    """`train|test SETTING MODEL CLASSES DATA`: calls one of the two and prints what it found.

    `both … DATA TEST DATA TEST …` learns from each first file and judges on the second; Python starts once for all pairs.
    """
    what, setting, model, classes, *files = sys.argv[1:]
    for data in files if what != "both" else ():
        clock = Clock()
        found = {"train": train, "test": test}[what](setting, data, model, int(classes), clock)
        print(json.dumps({**found, **clock.seconds}))
    for data, judged in zip(files[::2], files[1::2]) if what == "both" else ():
        clock, started = Clock(), time.process_time()
        train(setting, data, model, int(classes), clock)
        found = test(setting, judged, model, int(classes), clock)
        print(json.dumps({**found, "cpu": time.process_time() - started}))
