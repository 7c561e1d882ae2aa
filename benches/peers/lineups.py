"""Which learners `auto` should be made of: line-ups chosen on one half of the sets and judged on the other.

    SUREFOOT_DATA=DIRECTORY python3 benches/peers/lineups.py PROGRAM

One pass, each example predicted before it is learned. Every other set, of text and counts and of measurements apart, is in one half. On a half that
line-up is chosen whose mean of ln(error) and ln(log loss) is the smallest: log loss counts as much as error. Results are kept in
lineups.json, so that another call goes on; the tables go to standard output, for docs/defaults.md.
"""

import json
import math
import statistics
import sys
from pathlib import Path

import data
import measure
import streams
from markdown import table
from results import Results
from sets import LOGS, SETS
from workloads.speed import made_apart

# Sets of 2,000 rows in so many random orders, the others in one; time orders as they are.
SMALL_ORDERS = 5
FIRST_SEED = 301

FOUR = ["arow/compact:r=0.02@words:sqrt+l2", "arow/compact:r=10@words:none", "scw1/compact:projection=covariance@words:sqrt",
        "logistic/compact:scale=1,floor=0.5@words:none+l2"]
ROOTS = "arow/compact:r=0.02,restart=true@words:sqrt+l2"
SURE = "scw1/compact:projection=covariance,restart=true@words:sqrt"
FOLLOWS = "logistic/compact:scale=1,floor=0.5@words:none+l2"
RATIOS = "scw1/compact:projection=covariance,restart=true@words:nb"
PLAIN = "arow/compact:r=10,restart=true@words:none"


def arow(cuts):
    """The learner that sees values by how well they tell labels apart, in rows of length 1, of some cuts of a text."""
    return f"arow/compact:r=30,per-row=true,restart=true@{cuts}:nb+l2"


PAIRS, CHARS = arow("words+pairs"), arow("chars")
BASE = [ROOTS, SURE, FOLLOWS, RATIOS]
PRESENT = [*BASE, PAIRS, CHARS]
CORRELATED = "cw-stdev/factored:rank=8,restart=true@none"
QUICK, SLOW = "arow/compact:r=0.02,half-life=30,forget=inflate@rms+l2", "arow/compact:r=10,half-life=300,forget=inflate@std"
CENTRED, FOLLOWS_CENTRED = "arow/compact:r=10,restart=true@std", "logistic/compact:scale=1,floor=0.5@std"
DENSE = [*BASE, CORRELATED, QUICK, SLOW, CENTRED, FOLLOWS_CENTRED]


NAMES = {
    ROOTS: "arow r=0.02, roots", SURE: "scw1, roots", FOLLOWS: "logistic, values", RATIOS: "scw1, ratios",
    PAIRS: "arow, words and pairs", CHARS: "arow, characters", CORRELATED: "cw-stdev/factored", QUICK: "arow, half-life 30",
    SLOW: "arow, half-life 300", CENTRED: "arow, centred", FOLLOWS_CENTRED: "logistic, centred",
}


def without(members):
    """The line-ups that lack one member."""
    return {f"without {NAMES[left]}": [member for member in members if member != left] for left in members}


RATIOS_PAIRS = RATIOS.replace("@words", "@words+pairs")
FOLLOWS_PAIRS = "logistic/compact:scale=1,floor=0.5@words+pairs:nb+l2"
# What is there only where there is text.
WORDS_CHARS, ALL_CUTS = arow("words+chars"), arow("words+pairs+chars")
JOINING = [PAIRS, CHARS, FOLLOWS_PAIRS, WORDS_CHARS, ALL_CUTS]
# Line-ups of text; on rows of numbers without those that join where there is text.
TEXTS = {
    "the four before": FOUR,
    "four and ratios": [*FOUR, arow("words")],
    "four and pairs": [*FOUR, PAIRS],
    "four and characters": [*FOUR, CHARS],
    "four, pairs and characters": [*FOUR, PAIRS, CHARS],
    "the present six": PRESENT,
    "six and r=10 on the values": [*PRESENT, PLAIN],
    "six and scw1 on pairs": [*PRESENT, RATIOS_PAIRS],
    "six and logistic on pairs": [*PRESENT, FOLLOWS_PAIRS],
    "six, ratios of scw1 on pairs": [ROOTS, SURE, FOLLOWS, RATIOS_PAIRS, PAIRS, CHARS],
    "six, all cuts for that of characters": [*BASE, PAIRS, ALL_CUTS],
    "with all cuts, arow for scw1 on ratios": [ROOTS, SURE, FOLLOWS, arow("words"), PAIRS, ALL_CUTS],
    "with all cuts, arow r=10 for scw1 on ratios": [ROOTS, SURE, FOLLOWS, PLAIN, PAIRS, ALL_CUTS],
    "six and arow on ratios of words": [*BASE, arow("words"), PAIRS, CHARS],
    "the same, all cuts for that of characters": [*BASE, arow("words"), PAIRS, ALL_CUTS],
    "six and one on all cuts": [*PRESENT, ALL_CUTS],
    "five on pairs and characters": [
        "arow/compact:r=0.3,per-row=true,restart=true@words+pairs:sqrt+l2", RATIOS_PAIRS,
        FOLLOWS.replace("@words", "@words+pairs"), PAIRS, CHARS,
    ],
}
MEASUREMENTS = {
    "the five before": [*FOUR, "cw-stdev/factored:rank=8@none"],
    "base and correlations": [*BASE, CORRELATED],
    "base, scaled and centred": [*BASE, CENTRED, FOLLOWS_CENTRED],
    "base, correlations, centred": [*BASE, CORRELATED, CENTRED, FOLLOWS_CENTRED],
    "the present nine": DENSE,
    "nine, arow for scw1 on ratios": [ROOTS, SURE, FOLLOWS, arow("words"), *DENSE[4:]],
    "nine and arow on ratios": [*DENSE, arow("words")],
    "nine and r=10 on the values": [*DENSE, PLAIN],
    "the five before, centred, forgetting": [*FOUR, CORRELATED, QUICK, SLOW, CENTRED],
}


def places():
    """Every set: its name, whether it is text, whether its rows are dense, its orders, and how its files are made."""
    for item in [*SETS, LOGS]:
        orders = range(FIRST_SEED, FIRST_SEED + (SMALL_ORDERS if item.small else 1)) if item.shuffles else [None]
        make = [lambda item=item, seed=seed: _written(item, seed) for seed in orders]
        yield item.name, item.text, item.name in ("letter", "usps", "stock"), make
    for stream in streams.CHANGING:
        if stream.name in ("elec2", "sea", "hyperplane"):
            yield stream.name, False, True, [lambda stream=stream: _stream(stream)]


def _written(item, seed):
    stem = f"whole-{item.name}-{seed or 'file'}"
    made = data.kept(stem)
    if made:
        return made[0]
    rows = data.rows(item)
    rows = data.shuffled(rows, seed) if seed else rows
    return data.write(stem, rows, item.classes, 0, text=item.text)


def _stream(stream):
    stem = f"changing-{stream.name}"
    made = data.kept(stem)
    return made[0] if made else data.write(stem, stream.rows(sys.argv[1]), 2, 0)


def main():
    results = Results(Path(__file__).parent / "lineups.json", False)
    halves = {}
    for name, text, dense, make in places():
        kind = halves.setdefault("dense" if dense else "text", [])
        kind.append((name, len(kind) % 2))
        candidates = {**MEASUREMENTS, **without(DENSE)} if dense else {**TEXTS, **without(PRESENT)}
        for candidate, members in candidates.items():
            if candidate not in results.table(name):
                seen = members if text or dense else _of_numbers(members)
                found = [_figures(made_apart(one), seen, text) for one in make]
                results.table(name)[candidate] = {key: statistics.mean(f[key] for f in found) for key in found[0]}
                results.save()
    for kind, candidates, present, name in (
        ("text", TEXTS, PRESENT, "the present six"), ("dense", MEASUREMENTS, DENSE, "the present nine"),
    ):
        names = [name for name, _ in halves[kind]]
        print(_choice(results, halves[kind], candidates), "\n")
        print(_errors(results, names, [next(iter(candidates)), name, *without(present)], name), "\n")


def _of_numbers(members):
    """The members where nothing is cut: those that differ in their cuts alone are one."""
    return list(dict.fromkeys(member.replace("+pairs", "") for member in members if member not in JOINING))


def _figures(files, members, text):
    command = [sys.argv[1], "train", files.path("tsv" if text else "svm"), "--learner", f"ensemble({'; '.join(members)})"]
    cost = measure.run([*command, "--threads", "1", "--json"])
    report = json.loads(cost.output.strip().rsplit("\n", 1)[-1])
    return {"error": report["error_rate"], "log_loss": report["log_loss"], "cpu": cost.cpu, "mb": cost.peak_mb}


def _means(results, names, candidate):
    """Geometric means over sets, of everything that is measured."""
    found = [results[name][candidate] for name in names]
    return {key: math.exp(statistics.mean(math.log(f[key]) for f in found)) for key in found[0]}


def _choice(results, halves, candidates):
    """The line-ups on both halves, beside the first; what each half would choose is bold there and in the other."""
    first = next(iter(candidates))
    parts = [[name for name, half in halves if half == which] for which in (0, 1)]
    means = {c: [_means(results, part, c) for part in parts] for c in candidates}
    chosen = [min(candidates, key=lambda c: means[c][half]["error"] * means[c][half]["log_loss"]) for half in (0, 1)]
    rows = []
    for candidate in candidates:
        cells = []
        for half in (0, 1):
            own, start = means[candidate][half], means[first][half]
            for key in ("error", "log_loss"):
                mark = "**" if candidate == chosen[half] else ""
                cells.append(f"{mark}{100 * (own[key] / start[key] - 1):+.1f} %{mark}")
        whole = [_means(results, parts[0] + parts[1], c) for c in (candidate, first)]
        rows.append([candidate, *cells, *(f"{whole[0][key] / whole[1][key]:.1f}" for key in ("cpu", "mb"))])
    head = ["line-up", "first half: error", "log loss", "second half: error", "log loss", "× time", "× memory"]
    return "\n".join([f"First half: {', '.join(parts[0])}; second: {', '.join(parts[1])}.", "", table(head, rows)])


def _errors(results, names, candidates, whole):
    """Errors of line-ups in percent; and by how much the geometric means differ from those of one of them."""
    start = _means(results, names, whole)
    rows = []
    for candidate in candidates:
        own = _means(results, names, candidate)
        changes = [f"{100 * (own[key] / start[key] - 1):+.1f} %" for key in ("error", "log_loss", "cpu", "mb")]
        rows.append([candidate, *(f"{100 * results[name][candidate]['error']:.2f}" for name in names), *changes])
    return table(["error, %", *names, "error", "log loss", "time", "memory"], rows)


if __name__ == "__main__":
    main()
