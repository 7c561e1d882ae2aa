"""Streams that change: one pass, every example predicted before it is learnt, the same numbers for all.

Error, Cohen's kappa and seconds are counted from the predictions that each contender leaves in a file.
"""

import contenders
import data
import measure
from contenders.changing import TREES
from contenders.surefoot import PROGRAM
from streams import CHANGING

# A contender that takes longer is stopped, and the page says so. Seconds of CPU time.
ENOUGH_SECONDS = 600
# Streams of more examples are too long for those that take them one by one inside Python.
LONG = 60_000


def run(options, results):
    """Fills results["drift"][stream][contender] with its figures."""
    for stream in CHANGING:
        if options.sets and stream.name not in options.sets or not stream.available():
            continue
        place = results.table("drift", stream.name)
        takers = [c for c in contenders.CHANGING if options.wants(c)]
        todo = [c for c in takers if options.again or c.name not in place]
        if not todo:
            continue
        files = _files(stream)
        for contender in todo:
            if _takes(contender, stream, files.lines):
                place[contender.name] = _figures(contender, stream, files)
                results.save()


def _takes(contender, stream, lines):
    inside = contender.peer in ("river", "sklearn")
    return not (inside and lines > LONG) and not (contender.name in TREES and not stream.dense)


def _files(stream):
    stem = f"changing-{stream.name}"
    made = data.kept(stem)
    if made:
        return made[0]
    rows = stream.rows(PROGRAM)
    features = max(int(features.rsplit(" ", 1)[-1].split(":")[0]) for _, features in rows if features)
    return data.write(stem, rows, 2, features)


def _figures(contender, stream, files):
    scores = data.WORK / "scores"
    scores.unlink(missing_ok=True)
    job = contenders.Job(files, None, data.WORK / "model", scores=scores, dense=stream.dense)
    try:
        cost = measure.run(contender.train(job), limit=ENOUGH_SECONDS)
    except measure.TooSlow:
        return {"stopped": ENOUGH_SECONDS}
    with open(files.path("svm")) as rows, open(scores) as lines:
        truth = [row.split(" ", 1)[0] == "1" for row in rows]
        # A label, or a score whose sign is the label.
        guesses = [float(line.split()[0]) > 0 for line in lines]
    found = {**agreement(guesses, truth), "cpu": cost.cpu, "examples": len(truth)}
    if stream.halves:
        half = len(truth) // 2
        found["second_half"] = agreement(guesses[half:], truth[half:])["error"]
    return found


def agreement(guesses, truth):
    """The error, and Cohen's kappa: how much of the agreement with the truth is not what chance would give."""
    pairs = list(zip(guesses, truth, strict=True))
    right = sum(guess == true for guess, true in pairs) / len(pairs)
    guessed, positive = sum(guesses) / len(pairs), sum(truth) / len(pairs)
    chance = guessed * positive + (1 - guessed) * (1 - positive)
    return {"error": 1 - right, "kappa": (right - chance) / (1 - chance) if chance < 1 else 0.0}
