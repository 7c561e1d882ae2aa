"""Surefoot itself, from the release build of this repository."""

import json
from pathlib import Path

from . import BOTH, Contender

PROGRAM = Path(__file__).resolve().parents[3] / "target" / "dist" / "surefoot"
# Reads and parses, and does nothing else.
PARSE = PROGRAM.parent / "examples" / "parse"


def _data(files, text):
    return files.path("tsv" if text else "svm")


def _train(spec, *flags):
    learner = ["--learner", spec] if spec else []

    def command(job):
        data = _data(job.train, job.text)
        scores = ["--predictions", job.scores] if job.scores else []
        return [PROGRAM, "train", data, *learner, *flags, *scores, "-o", job.model, "--threads", str(job.threads), "--json"]

    return command


def _test(job):
    return [PROGRAM, "test", job.model, _data(job.test, job.text), "--threads", str(job.threads), "--json"]


def read(output):
    """Of training: progressive error and AUC; of testing: the same names, on the test part."""
    report = json.loads(output.strip().rsplit("\n", 1)[-1])
    return {"error": report["error_rate"], "auc": report.get("auc"), "features": report.get("features")}


def contender(name, spec, *flags, default=False):
    """Surefoot with a learner and flags."""
    return Contender(name, "surefoot", _train(spec, *flags), _test, read, default=default, kinds=BOTH)


# `auto` is what `train` does when nothing is said.
CONTENDERS = [
    contender("surefoot auto", None, default=True),
    contender("surefoot arow", "arow"),
]
# Beside the default, what forgets at one pace and what is told to act where the data changed.
CHANGING = [
    *CONTENDERS,
    contender("surefoot auto --scale-features standardize", None, "--scale-features", "standardize"),
    contender("surefoot arow half-life=1000", "arow", "--half-life", "1000"),
    contender("surefoot arow --on-drift adapt", "arow", "--on-drift", "adapt"),
    contender("surefoot arow --on-drift reset", "arow", "--on-drift", "reset"),
]
