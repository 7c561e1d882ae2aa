"""Test error after one pass, and at what each peer reaches when it runs until it converges.

The last fifth of a set is for testing; of a small set the last fifth of each of the orders in which the progressive error
is measured too. Text is learnt twice: as the same numbers for everybody, and as raw text in each tool's own way.
"""

import statistics

import contenders
import data
import measure
from sets import SETS, TEXT_SETS

# A contender that takes longer to learn and to judge is stopped, and the page says so. Seconds of CPU time.
ENOUGH_SECONDS = 300


def run(options, results):
    """Fills results["test"][kind][set][contender] with the error of each test part and the seconds of CPU time."""
    for item in SETS:
        if item.name not in TEXT_SETS or options.sets and item.name not in options.sets or not data.available(item):
            continue
        for text in (False, True):
            _one_set(options, results, item, text)


def _one_set(options, results, item, text):
    place = results.table("test", "text" if text else "numbers", item.name)
    todo = [c for c in contenders.ALL if options.wants(c) and c.fits(text, item.classes)]
    todo = [c for c in todo if options.again or c.name not in place]
    seeds = range(1, item.shuffles + 1) if item.small else [None]
    jobs = [contenders.Job(*data.parts(item, text, seed), data.WORK / "model", text=text) for seed in seeds if todo]
    for contender in todo:
        place[contender.name] = {
            "one_pass": contender.one_pass, "default": contender.default, "peer": contender.peer,
            "tested": [job.test.lines for job in jobs], **_figures(contender, jobs),
        }
        results.save()


def _figures(contender, jobs):
    try:
        found = _together(contender, jobs) if contender.both else [_judge(contender, job) for job in jobs]
    except measure.TooSlow:
        return {"stopped": ENOUGH_SECONDS}
    except measure.Failed as problem:
        return {"failed": str(problem).strip().rsplit("\n", 1)[-1]}
    errors = [error for error, _ in found]
    return {"error": statistics.mean(errors), "errors": errors, "cpu": statistics.mean(cpu for _, cpu in found)}


def _judge(contender, job):
    """The error on the test part, and what learning and judging cost together."""
    costs = [measure.run(command, limit=ENOUGH_SECONDS) for command in (contender.train(job), contender.test(job))]
    return contender.read(costs[-1].output)["error"], sum(cost.cpu for cost in costs)


def _together(contender, jobs):
    """The same of several jobs at once, without the start; one by one where that fails, as it does with fastText."""
    try:
        output = measure.run(contender.both(jobs), limit=ENOUGH_SECONDS * len(jobs)).output
    except measure.Failed:
        if len(jobs) == 1:
            raise
        return [figures for job in jobs for figures in _together(contender, [job])]
    lines = [line for line in output.split("\n") if line.startswith("{")]
    return [(found["error"], found["cpu"]) for found in map(contender.read, lines)]
