"""Raw text, learned by the default in one pass, beside systems of n-grams that run until they converge.

Four fifths of each set are learned and the last fifth is judged: of the file where its order says something, else of random
orders that took no part in any choice. Everybody has the same splits. Then the progressive error of the three sets of 2,000
reviews as numbers, cut in two ways, beside Vowpal Wabbit.
"""

import json
import re
from dataclasses import replace

import contenders
import data
import measure
from contenders import ngrams, surefoot
from sets import SETS, TEXT_ORDERS
from workloads import progressive
from workloads.speed import made_apart

# What takes longer to learn and to judge is stopped, and the page says so. Seconds of CPU time.
ENOUGH_SECONDS = 600
# Random orders have these numbers and those above; choices were made on smaller ones.
FIRST_SEED = 201
# Of the three sets as numbers: how many orders, and how words are cut.
REVIEWS = ["books", "dvd", "kitchen"]
REVIEW_ORDERS = 10
CUTS = {"letters and digits": data.WORD, "blanks": re.compile(r"\S+")}


def run(options, results):
    """Fills results["texts"][set][contender] with the figures of each order, and results["cuts"] with progressive errors."""
    for item in TEXT_ORDERS:
        if options.sets and item.name not in options.sets or not data.available(item):
            continue
        orders = min(item.shuffles, options.orders or item.shuffles)
        for seed in range(FIRST_SEED, FIRST_SEED + orders) if orders else [None]:
            _one_order(options, results, item, seed)
    for cut, words in CUTS.items():
        for item in SETS:
            if item.name in REVIEWS and data.available(item) and (not options.sets or item.name in options.sets):
                _progressive(options, results, item, cut, words)


def _one_order(options, results, item, seed):
    place = results.table("texts", item.name)
    number = str(seed or "file")
    todo = [c for c in [*SUREFOOT, *ngrams.CONTENDERS] if options.wants(c)]
    todo = [c for c in todo if options.again or number not in place.get(c.name, {})]
    if not todo:
        return
    raw = made_apart(lambda: data.parts(item, text=True, seed=seed))
    cut = made_apart(lambda: _cut_beforehand(item, seed))
    for contender in todo:
        train, test = cut if contender.peer in ("vw", "fasttext") else raw
        job = contenders.Job(train, test, data.WORK / "model", text=True, threads=1)
        place.setdefault(contender.name, {})[number] = _figures(contender, job)
        results.save()


def _figures(contender, job):
    """Error, log loss and calibration error on the test part, and what learning and judging cost together."""
    commands = [command for command in (contender.train(job), contender.test(job)) if command]
    try:
        costs = [measure.run(command, limit=ENOUGH_SECONDS) for command in commands]
    except measure.TooSlow:
        return {"stopped": ENOUGH_SECONDS}
    except measure.Failed as problem:
        return {"failed": str(problem).strip().rsplit("\n", 1)[-1]}
    found = contender.read(costs[-1].output)
    kept = {name: found[name] for name in ("error", "log_loss", "calibration_error") if found.get(name) is not None}
    return {**kept, "cpu": sum(cost.cpu for cost in costs), "learn_cpu": costs[0].cpu, "peak_mb": costs[0].peak_mb}


def _cut_beforehand(item, seed):
    """The parts for those that only cut at blanks: words in lower case as our own numbers have them, with blanks between."""
    stems = [f"{item.name}-cut-{seed or 'file'}-{part}" for part in ("train", "test")]
    made = data.kept(*stems)
    if made:
        return made
    rows = [(label, " ".join(data.WORD.findall(words.lower()))) for label, words in data.rows(item)]
    rows = data.shuffled(rows, seed) if seed else rows
    at = int(len(rows) * data.SPLIT)
    return tuple(data.write(stem, part, item.classes, 0, text=True) for stem, part in zip(stems, (rows[:at], rows[at:])))


def _progressive(options, results, item, cut, words):
    table, features = data.numeric(data.rows(item), item.text, words)
    place = results.table("cuts", cut, item.name)
    for number in range(REVIEW_ORDERS):
        order = data.shuffled(table, FIRST_SEED + number)
        progressive.one_order(options, results, item, place, (order, features, number + 1))


def _judged(output):
    return json.loads(output.strip().rsplit("\n", 1)[-1]) | {"error": surefoot.read(output)["error"]}


def _surefoot(name, *flags):
    own = surefoot.contender(name, None, *flags)
    return replace(own, read=_judged)


# The default, and what it was before text was cut in several ways.
SUREFOOT = [_surefoot("surefoot auto"), _surefoot("surefoot auto --fast", "--fast")]
