"""Progressive error on the real sets: one pass, every example predicted before it is learnt, same orders for all.

Everybody gets the same numeric features. Where time or source order matters, the order of the file is kept.
"""

import contenders
import data
import measure
from sets import SETS


def run(options, results):
    """Fills results["progressive"][set][contender] with one figure for each order."""
    for item in SETS:
        if options.sets and item.name not in options.sets or not data.available(item):
            continue
        table, features = data.numeric(data.rows(item), item.text)
        place = results.table("progressive", item.name)
        for contender in _takers(options) if options.again else ():
            place.pop(contender.name, None)
        for seed in range(1, max(item.shuffles, 1) + 1):
            order = data.shuffled(table, seed) if item.shuffles else table
            one_order(options, results, item, place, (order, features, seed))


def one_order(options, results, item, place, numbers):
    """Measures who has fewer figures than this order's number."""
    order, features, seed = numbers
    todo = [c for c in _takers(options) if len(place.get(c.name, [])) < seed]
    if not todo:
        return
    files = data.write("order", order, item.classes, features)
    for contender in todo:
        place.setdefault(contender.name, []).append(_figure(contender, files, item))
        results.save()


def _takers(options):
    return [c for c in contenders.ALL if c.peer in ("surefoot", "vw") and options.wants(c)]


def _figure(contender, files, item):
    """The error, or 1 − AUC: smaller is better either way."""
    scores = data.WORK / "scores" if item.measure == "auc" else None
    job = contenders.Job(files, None, data.WORK / "model", scores=scores)
    found = contender.read(measure.run(contender.train(job)).output)
    if item.measure == "error":
        return found["error"]
    return 1 - (found.get("auc") or _auc(files, scores))


def _auc(files, scores):
    from sklearn.metrics import roc_auc_score

    with open(files.path("svm")) as rows, open(scores) as guesses:
        return roc_auc_score([row.split(" ", 1)[0] == "1" for row in rows], [float(line.split()[0]) for line in guesses])
