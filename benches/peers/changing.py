"""The section of the page about streams that change."""

from contenders import CHANGING as CONTENDERS
from contenders.changing import TREES
from markdown import table
from streams import CHANGING as STREAMS

AUTO = "surefoot auto"
LABEL_BEFORE = "baseline label before"
# Columns of the first table: the best of each of these.
RIVALS = {
    "VW": lambda name: name.startswith("vw"),
    "River, linear": lambda name: name.startswith("river") and name not in TREES,
    "scikit-learn": lambda name: name.startswith("sklearn"),
    "trees": lambda name: name in TREES,
    "label before": lambda name: name == LABEL_BEFORE,
    "majority": lambda name: name == "baseline majority",
}


def fields(results):
    """What the template has places for."""
    measured = [stream for stream in STREAMS if AUTO in results.get(stream.name, {})]
    return {
        "drift": _best(results, measured),
        "drift_said": "\n".join(_said(results, measured)),
        "drift_errors": _every(results, measured, _error),
        "drift_kappas": _every(results, measured, lambda entry: f"{round(100 * entry['kappa'], 1) + 0.0:.1f}"),
        "drift_seconds": _every(results, measured, lambda entry: f"{entry['cpu']:.1f}"),
    }


def _leader(figures, keep):
    """The smallest error of those that are to be kept, and whose it is."""
    found = [(entry["error"], name) for name, entry in figures.items() if "error" in entry and keep(name)]
    return min(found, default=None)


def _best(results, measured):
    rows = []
    for stream in measured:
        figures = results[stream.name]
        found = [_leader(figures, keep) for keep in RIVALS.values()]
        own = figures[AUTO]["error"]
        smallest = min(error for error, _ in [(own, AUTO), *filter(None, found)])
        cells = [_cell(one, smallest, figures) for one in [(own, AUTO), *found]]
        rows.append([stream.title, f"{figures[AUTO]['examples']:,}", *cells])
    return table(["error, %", "examples", "auto", *RIVALS], rows)


def _cell(found, smallest, figures):
    """An error and, where the peer has several settings, which of them it is of."""
    if found is None:
        return "–"
    error, name = found
    shown = f"**{100 * error:.2f}**" if error == smallest else f"{100 * error:.2f}"
    kind = name.split(" ", 1)[1]
    return shown if name.startswith(("surefoot", "baseline")) else f"{shown} ({kind})"


def _said(results, measured):
    """The comparisons in words: where `auto` leads, and each that it loses."""
    won = {"linear peer": [], "all": []}
    lines = []
    for stream in measured:
        figures = results[stream.name]
        own = figures[AUTO]["error"]
        others = {
            "linear peer": _leader(figures, lambda name: not name.startswith(("surefoot", "baseline")) and name not in TREES),
            "tree": _leader(figures, lambda name: name in TREES),
            "label before": _leader(figures, lambda name: name == LABEL_BEFORE),
            "other setting": _leader(figures, lambda name: name.startswith("surefoot") and name != AUTO),
        }
        behind = {kind: found for kind, found in others.items() if found and found[0] < own}
        won["linear peer"] += [stream] if "linear peer" not in behind else []
        won["all"] += [stream] if not {"linear peer", "tree", "label before"} & set(behind) else []
        for error, name in behind.values():
            lines.append(f"- {stream.title}: `{name}` has {100 * error:.2f} %, `auto` {100 * own:.2f} %.")
    head = [
        f"On {len(won['linear peer'])} of {len(measured)} streams no linear peer has fewer errors than `auto`, and on {len(won['all'])} "
        "neither has a tree or the label before."
    ]
    return [*head, "", "What has fewer errors than `auto`:", "", *lines] if lines else head


def _every(results, measured, show):
    rows = []
    for contender in CONTENDERS:
        cells = [_shown(results[stream.name].get(contender.name), show) for stream in measured]
        rows.append([contender.name, *cells])
    return table(["", *(stream.title for stream in measured)], rows)


def _shown(entry, show):
    if entry is None:
        return "–"
    return show(entry) if "error" in entry else f"over {entry['stopped']} s"


def _error(entry):
    second = f" ({100 * entry['second_half']:.2f})" if "second_half" in entry else ""
    return f"{100 * entry['error']:.2f}{second}"
