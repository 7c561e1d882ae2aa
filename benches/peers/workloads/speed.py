"""Time from the file to the model on disk, interleaved; the floor beside it: copying the bytes, and parsing alone."""

import dataclasses
import multiprocessing
import os
import sys

import contenders
import data
import measure
from contenders import surefoot, vw
from sets import SETS

SPARSE = ["zipf", "decimals=8"]
COUNTS = ["zipf"]
CLASSES = ["zipf-classes", "features=200000", "labels=20"]
DENSE = ["coins", "copies=100"]
# Raw text that is timed.
TEXTS = ["20news", "imdb"]
# A contender that has taken this long is not started again, so that the slow ones run once.
ENOUGH_SECONDS = 8
# Peers that would take minutes learn from the first lines only, and are not timed at predicting; the table says so, and
# counts time by the line.
SHORT = {"river": 2_000}


def streams():
    """Name → how to make training and test part, and whether it is raw text."""
    program = surefoot.PROGRAM
    result = {
        "sparse": (lambda: data.generated(program, "weighed", SPARSE, 200_000, 2, 1_000_000), False),
        "counts": (lambda: data.generated(program, "counts", COUNTS, 200_000, 2, 1_000_000), False),
        "classes": (lambda: data.generated(program, "classes", CLASSES, 50_000, 20, 200_000), False),
        "dense": (lambda: data.generated(program, "dense", DENSE, 5_000, 2, 1_000), False),
    }
    for item in SETS:
        if item.name in TEXTS and data.available(item):
            result[item.name] = (lambda item=item: data.parts(item, text=True), True)
    return result


def run(options, results):
    """Fills results["speed"][stream] with costs of learning and predicting, all of it from one interleaved run."""
    for name, (make, text) in streams().items():
        if options.sets and name not in options.sets:
            continue
        train, test = made_apart(make)
        job = contenders.Job(train, test, data.WORK / "model", text=text)
        results.table("speed")[name] = {
            "lines": train.lines,
            "bytes": train.path("tsv" if text else "svm").stat().st_size,
            "train": _train(options, job),
            "predict": _predict(options, job),
            "revision": results["versions"]["surefoot"],
        }
        results.save()


def made_apart(make):
    """Files that a process of its own has made: what it held in memory would count as every command's (see measure.run)."""
    child = multiprocessing.get_context("fork").Process(target=make)
    child.start()
    child.join()
    return make()  # finds them, or fails as the child did


def _train(options, job):
    commands = {**_floor(job), **{c.name: c.train(_own(job, c)) for c in _takers(options, job)}}
    for c in _takers(options, job):
        if c.name in ("surefoot arow", "surefoot auto", "vw logistic"):
            one = dataclasses.replace(_own(job, c), threads=1)
            commands[f"{c.name}, one core"] = ["taskset", "-c", "0", *c.train(one)]
    return _costs(options, job, {**commands, **_cached(options, job)}, _without_model)


def _cached(options, job):
    """Learning again from the cache that an earlier run left, which is made here."""
    flags = {"surefoot arow": "--cache", "vw logistic": "--cache_file"}
    commands = {}
    for c in _takers(options, job):
        if c.name in flags and not job.text:
            cache = data.WORK / f"cache-{_slug(c.name)}"
            cache.unlink(missing_ok=True)
            commands[f"{c.name}, from its cache"] = [*c.train(_own(job, c)), flags[c.name], cache]
            measure.run(commands[f"{c.name}, from its cache"])
    return commands


def _predict(options, job):
    commands = {c.name: c.test(_own(job, c)) for c in _takers(options, job) if c.peer not in SHORT}
    return _costs(options, job, commands, lambda name: None)


def _costs(options, job, commands, clear):
    found = measure.interleave(commands, options.repeats, ENOUGH_SECONDS, clear)
    readers = {c.name: c.read for c in contenders.ALL}
    lines = {c.name: _own(job, c).train.lines for c in contenders.ALL}
    costs = {}
    for name, runs in found.items():
        costs[name] = {**measure.summary(runs), "command": shown(commands[name])}
        if name in readers:
            costs[name].update(readers[name](runs[-1].output))
            costs[name]["lines"] = lines[name]
        model = _model(name)
        if model.exists():
            costs[name]["model_mb"] = model.stat().st_size / 2**20
    return costs


def _floor(job):
    """What no program can beat, and what each of the two that read by themselves pays before it learns anything."""
    path = job.train.path("tsv" if job.text else "svm")
    return {
        "cat": ["sh", "-c", 'cat "$0" > /dev/null', path],
        "surefoot parse alone": [surefoot.PARSE, path, "2"],
        "surefoot parse alone, one core": ["taskset", "-c", "0", surefoot.PARSE, path, "1"],
        "vw start-up": [*vw.BASE, "--quiet", "-d", os.devnull],
        "python start-up": [sys.executable, "-c", ""],
    }


def _takers(options, job):
    """Every peer's defaults; of Vowpal Wabbit the logistic loss, of the others one pass too."""
    named = {"surefoot arow", "vw logistic", "sklearn SGD one pass", "fasttext one epoch"}
    return [c for c in contenders.ALL
            if (c.default or c.name in named) and options.wants(c) and c.fits(job.text, job.classes)]


def _slug(name):
    return name.replace(" ", "-").replace(",", "")


def _own(job, contender):
    """The job with a model of the contender's own, and with fewer lines if it is slow."""
    most = SHORT.get(contender.peer, job.train.lines)
    return dataclasses.replace(job, train=data.head(job.train, most), model=_model(contender.name))


def _model(name):
    return data.WORK / f"model-{_slug(name)}"


def _without_model(name):
    """Every run makes a model where there is none: taking one of an earlier run off the disk is not part of learning."""
    _model(name.partition(",")[0]).unlink(missing_ok=True)


def shown(command):
    """The command without the paths of the machine it ran on."""
    return " ".join(os.path.basename(str(part)) if str(part).startswith("/") else str(part) for part in command)
