"""Test error on the last fifth of each set: after one pass, and at what each peer reaches when it runs until it converges.

Text is learnt twice: as the same numbers for everybody, and as raw text in each tool's own way.
"""

import contenders
import data
import measure
from sets import SETS, TEXT_SETS

# River and the batch solvers take minutes on the largest sets; they run where that tells something.
SLOW = {"river": {"20news", "imdb", "titles", "domains", "flights"}}
# The sets on which everybody runs: the text sets that count, and dense ones.
SHOWN = [*TEXT_SETS, "enron", "usps", "letter", "adult"]


def run(options, results):
    """Fills results["test"][kind][set][contender] with error and seconds."""
    for item in SETS:
        if item.name not in SHOWN or options.sets and item.name not in options.sets or not data.available(item):
            continue
        for text in (False, True) if item.text else (False,):
            _one_set(options, results, item, text)


def _one_set(options, results, item, text):
    place = results.table("test", "text" if text else "numbers", item.name)
    todo = [c for c in contenders.ALL if c.name not in place and options.wants(c) and _fits(c, item, text)]
    if not todo:
        return
    train, test = data.parts(item, text)
    job = contenders.Job(train, test, data.WORK / "model", text=text)
    for contender in todo:
        learnt = measure.run(contender.train(job))
        judged = contender.read(measure.run(contender.test(job)).output)
        place[contender.name] = {
            "error": judged["error"], "wall": learnt.wall, "one_pass": contender.one_pass,
            "default": contender.default, "peer": contender.peer,
        }
        results.save()


def _fits(contender, item, text):
    return contender.fits(text, item.classes) and item.name not in SLOW.get(contender.peer, ())
