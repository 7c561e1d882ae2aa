"""Whether what the default is sure of is right: probabilities of raw text, each given before the example was learned."""

import shutil

import data
import measure
from contenders.ngrams import calibration_error
from contenders.surefoot import PROGRAM
from sets import TEXT_ORDERS
from workloads.speed import made_apart
from workloads.texts import FIRST_SEED

# A probability from which on a prediction counts as sure.
SURE = 0.995
# The calibration error is of what follows so many examples.
EARLY = 3_000
TICKETS = PROGRAM.parents[2] / "examples" / "tickets.tsv"


def run(options, results):
    """Fills results["confidence"][set]: how many predictions were sure, how many of them right, and the calibration error."""
    files = {item.name: (lambda item=item: _written(item)) for item in TEXT_ORDERS if data.available(item)}
    for name, make in {"tickets": _tickets, **files}.items():
        if options.sets and name not in options.sets or name in results.table("confidence") and not options.again:
            continue
        results.table("confidence")[name] = _figures(made_apart(make))
        results.save()


def _tickets():
    data.WORK.mkdir(exist_ok=True)
    return shutil.copy(TICKETS, data.WORK / "tickets.tsv")


def _written(item):
    """The whole set: in its own order where that says something, else in a random one."""
    seed = FIRST_SEED if item.shuffles else None
    stem = f"whole-{item.name}-{seed or 'file'}"
    rows = data.rows(item)
    made = data.kept(stem)
    files = made[0] if made else data.write(stem, data.shuffled(rows, seed) if seed else rows, item.classes, 0, text=True)
    return files.path("tsv")


def _figures(path):
    output = data.WORK / "predictions"
    measure.run([PROGRAM, "train", path, "--predictions", output, "--quiet"])
    with open(path, encoding="utf-8") as rows, open(output) as lines:
        truth = [row.split("\t", 1)[0] for row in rows]
        given = [line.rstrip("\n").split("\t") for line in lines]
    rounds = [(float(cells[-1]), cells[0] == true) for cells, true in zip(given, truth, strict=True)]
    sure = [(share, right) for share, right in rounds if share >= SURE]
    late = rounds[EARLY:]
    return {
        "examples": len(rounds), "sure": len(sure), "said": sum(share for share, _ in sure), "right": sum(right for _, right in sure),
        **({"late_calibration_error": calibration_error(late)} if late else {}),
    }
