"""Vowpal Wabbit, by the command line of its wheel (`python -m vowpalwabbit`).

Enough bits that no two weights share a slot: the default of 18 collides silently with many classes. One pass needs no
cache; further passes would hold out a tenth of the examples unless told not to.
"""

import re
import sys

from . import BOTH, Contender

BASE = [sys.executable, "-m", "vowpalwabbit"]
# The grid: loss × learning rate, and the other optimisers. `squared, l=0.5` is what VW does when nothing is said.
GRID = {
    "vw squared": [],
    "vw logistic": ["--loss_function", "logistic"],
    "vw logistic l=0.1": ["--loss_function", "logistic", "-l", "0.1"],
    "vw logistic l=2": ["--loss_function", "logistic", "-l", "2"],
    "vw hinge": ["--loss_function", "hinge"],
    "vw hinge l=0.1": ["--loss_function", "hinge", "-l", "0.1"],
    "vw hinge l=2": ["--loss_function", "hinge", "-l", "2"],
    "vw adaptive": ["--loss_function", "logistic", "--adaptive", "--invariant"],
    "vw ftrl": ["--loss_function", "logistic", "--ftrl"],
    "vw coin": ["--loss_function", "logistic", "--coin"],
}


def bits(job):
    """Bits so that every feature of every class has a slot of its own; names of raw text get four slots each."""
    slots = max(job.train.features, 1 << 18 if job.text else 1) * (4 if job.text else 1)
    classes = 1 if job.classes == 2 else 1 << (job.classes - 1).bit_length()
    return max(18, (slots * classes).bit_length())


def _task(job):
    if job.classes > 2:
        return ["--oaa", str(job.classes)]
    return ["-p", job.scores] if job.scores else ["--binary"]


def _train(options):
    def command(job):
        data = ["-d", job.train.path("vw"), "-f", job.model, "-b", str(bits(job))]
        return [*BASE, *data, *_task(job), *options, "-P", str(1 << 30)]

    return command


def _test(job):
    # The model holds the task; only the reduction to −1 and 1 is not kept in it.
    binary = ["--binary"] if job.classes == 2 else []
    return [*BASE, "-t", "-i", job.model, "-d", job.test.path("vw"), *binary, "-P", str(1 << 30)]


def read(output):
    """With --oaa and --binary VW's average loss is its error rate."""
    return {"error": float(re.search(r"average loss = ([\d.e+-]+)", output)[1])}



def _contenders(grid):
    return [
        Contender(name, "vw", _train(options), _test, read, default=name == "vw squared", kinds=BOTH)
        for name, options in grid.items()
    ]


CONTENDERS = _contenders(GRID)
# Rates that do not fall, so that learning never stops.
CONSTANT = {
    f"vw {name} constant l={rate}": ["--loss_function", loss, *plain, "--power_t", "0", "-l", rate]
    for name, loss, plain, rates in (
        ("sgd", "logistic", ["--sgd"], ("0.01", "0.1", "1", "10")),
        ("logistic", "logistic", [], ("2", "10")),
        ("hinge", "hinge", [], ("2", "10")),
    )
    for rate in rates
}
CHANGING = [*CONTENDERS, *_contenders(CONSTANT)]
