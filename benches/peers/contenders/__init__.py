"""Who runs: one module a peer, each with a list of contenders, gathered in ALL.

A contender is a peer at one setting. It says which command learns a model from a file and which one judges it on
another; `read` finds the figures in what the commands print.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from data import Files


@dataclass(frozen=True)
class Job:
    """What is to be learnt: the files, where the model goes, and what the contender must know beforehand."""

    train: Files
    test: Files | None
    model: Path
    text: bool = False
    threads: int = 2
    # Where to put the prediction of every example before it was learnt, one a line: a score, or the label first.
    scores: Path | None = None
    # Whether the features are measurements that every example has.
    dense: bool = False

    @property
    def classes(self):
        return self.train.classes


@dataclass(frozen=True)
class Contender:
    """A peer at one setting."""

    name: str
    peer: str
    train: Callable[[Job], list]
    test: Callable[[Job], list]
    read: Callable[[str], dict]
    default: bool = False
    one_pass: bool = True
    # Learning and judging of several jobs by one command, where starting would cost the most.
    both: Callable[[list[Job]], list] | None = None
    kinds: frozenset = field(default_factory=lambda: frozenset({"numbers"}))
    binary_only: bool = False

    def fits(self, text, classes):
        return ("text" if text else "numbers") in self.kinds and (classes == 2 or not self.binary_only)


BOTH = frozenset({"numbers", "text"})
TEXT = frozenset({"text"})


def worker(module, setting):
    """Commands of a peer that runs inside Python: the module's own `main`."""

    def data(files, job):
        return files.path("ft" if module == "fasttext" else "tsv" if job.text else "svm")

    def command(what, job, *files):
        return [sys.executable, "-m", f"contenders.{module}", what, setting, job.model, str(job.classes), *files]

    return {
        "train": lambda job: command("train", job, data(job.train, job)),
        "test": lambda job: command("test", job, data(job.test, job)),
        "both": lambda jobs: command("both", jobs[0], *(data(f, job) for job in jobs for f in (job.train, job.test))),
    }


def last_json(output):
    """The figures that a worker prints on its last line."""
    return json.loads(output.strip().rsplit("\n", 1)[-1])


from . import changing, fasttext, liblinear, river, sklearn, surefoot, vw  # noqa: E402 — the modules need what is above

ALL = [*surefoot.CONTENDERS, *vw.CONTENDERS, *liblinear.CONTENDERS, *sklearn.CONTENDERS, *river.CONTENDERS,
       *fasttext.CONTENDERS]
# Who learns streams that change.
CHANGING = [*surefoot.CHANGING, *vw.CHANGING, *changing.CONTENDERS]
