"""The section of the page about raw text: the default beside systems of n-grams that converge."""

import statistics

from contenders import ngrams
from markdown import table
from sets import SETS, TEXT_ORDERS
from verdict import best_vw, means
from workloads.texts import SUREFOOT

AUTO, FAST = (contender.name for contender in SUREFOOT)
# A loss is a small one up to so much of the error, and a learner of one pass may take so much of the CPU time.
SMALL = 0.005
SHARE = 0.1
ABSENT = "–"
TITLES = {item.name: item.title for item in TEXT_ORDERS}


def fields(results):
    """What the template has places for."""
    texts = results.table("texts")
    measured = [item for item in TEXT_ORDERS if AUTO in texts.get(item.name, {})]
    beside = [item for item in measured if best(texts[item.name])]
    return {
        "texts": _beside(texts, beside),
        "texts_said": "\n".join(_said(texts, beside)),
        "texts_errors": _every(texts, measured, "error"),
        "texts_losses": _every(texts, measured, "log_loss"),
        "texts_cost": _cost(texts, measured),
        "texts_cuts": _cuts(results.table("cuts")),
        "texts_confidence": _confidence(results.table("confidence")),
    }


def figure(figures, name, key, orders=None):
    """The mean over the orders, of all or of those; none if any of them gave no figure."""
    found = figures.get(name, {})
    chosen = list(found) if orders is None else orders
    values = [found.get(order, {}).get(key) for order in chosen]
    return statistics.mean(values) if values and None not in values else None


def best(figures):
    """The smallest error of those that converge, and whose it is."""
    found = [(error, c.name) for c in ngrams.CONTENDERS if (error := figure(figures, c.name, "error")) is not None]
    return min(found, default=None)


def _lead(figures):
    """By how much the best that converges errs more than the default, on the orders that both have."""
    error, name = best(figures)
    return error - figure(figures, AUTO, "error", list(figures[name]))


def _seconds(figures, name):
    return figure(figures, AUTO, "cpu", list(figures[name])) / figure(figures, name, "cpu")


def _beside(texts, items):
    rows = []
    for item in items:
        figures = texts[item.name]
        error, name = best(figures)
        own = figure(figures, AUTO, "error", list(figures[name]))
        rows.append([
            item.title, str(len(figures[name])), _percent(own, own <= error), _percent(error, error <= own), name,
            f"{figure(figures, AUTO, 'cpu', list(figures[name])):.2f}", f"{figure(figures, name, 'cpu'):.1f}",
        ])
    return table(["test error, %", "orders", "auto", "converged, best", "which", "auto, CPU s", "its CPU s"], rows)


def _percent(value, bold=False):
    shown = f"{100 * value:.2f}"
    return f"**{shown}**" if bold else shown


def _said(texts, items):
    """The comparisons in words, and each that is lost."""
    leads = {item: _lead(texts[item.name]) for item in items}
    lost = [item for item in items if leads[item] < 0]
    close = [item for item in lost if leads[item] >= -SMALL]
    slow = [item for item in items if _seconds(texts[item.name], best(texts[item.name])[1]) > SHARE]
    head = (f"`auto` errs at most as often as the best of them on {len(items) - len(lost)} of {len(items)} sets, and is within "
            f"{100 * SMALL:.1f} points on {len(close)} of the other {len(lost)}." if lost
            else f"`auto` errs at most as often as the best of them on all {len(items)} sets.")
    lines = [head]
    lines += [f"It takes more than a tenth of the CPU time of that one on {', '.join(item.title for item in slow)}."] if slow else []
    behind = [f"- {item.title}: {best(texts[item.name])[1]} is {-100 * leads[item]:.2f} points better." for item in lost]
    rivals = [(item, loss, name) for item in items for loss, name in [_best_loss(texts[item.name])] if loss is not None]
    worse = [(item, loss, name) for item, loss, name in rivals if loss < _own_loss(texts[item.name], name)]
    lines.append(f"Its log loss is below that of each of them that gives probabilities on {len(rivals) - len(worse)} of "
                 f"{len(rivals)} sets.")
    behind += [f"- {item.title}: {name} has a log loss of {loss:.4f}, `auto` {_own_loss(texts[item.name], name):.4f}."
               for item, loss, name in worse]
    return [*lines, *([""] + behind if behind else [])]


def _best_loss(figures):
    found = [(loss, c.name) for c in ngrams.CONTENDERS if (loss := figure(figures, c.name, "log_loss")) is not None]
    return min(found, default=(None, None))


def _own_loss(figures, rival):
    return figure(figures, AUTO, "log_loss", list(figures[rival]))


def _every(texts, items, key):
    """One figure of every system on every set."""
    rows = []
    for contender in [*SUREFOOT, *ngrams.CONTENDERS]:
        cells = [_cell(texts[item.name].get(contender.name), texts[item.name], contender.name, key) for item in items]
        if any(cell != ABSENT for cell in cells):
            rows.append([contender.name, *cells])
    return table(["", *(f"{item.name} ({max(item.shuffles, 1)})" for item in items)], rows)


def _cell(entry, figures, name, key):
    if not entry:
        return "not run"
    value = figure(figures, name, key)
    if value is None:
        stopped = [one["stopped"] for one in entry.values() if "stopped" in one]
        return f"over {stopped[0]} s" if stopped else ABSENT
    shown = f"{100 * value:.2f}" if key == "error" else f"{value:.4f}"
    whole = len(figures.get(AUTO, {}))
    return shown if len(entry) == whole else f"{shown} ({len(entry)})"


def _cost(texts, items):
    rows = []
    for item in items:
        own, fast = ([figure(texts[item.name], name, key) for key in ("learn_cpu", "peak_mb")] for name in (AUTO, FAST))
        if None not in (*own, *fast):
            rows.append([item.title, *(f"{value:.2f}" for value in (own[0], fast[0])), f"{own[0] / fast[0]:.1f}",
                         *(f"{value:.0f}" for value in (own[1], fast[1])), f"{own[1] / fast[1]:.1f}"])
    return table(["learning", "auto, CPU s", "--fast", "times", "auto, MB", "--fast", "times"], rows)


def _cuts(cuts):
    rows = []
    for cut, sets in cuts.items():
        for item in SETS:
            figures = sets.get(item.name, {})
            if AUTO in figures and any(name.startswith("vw") for name in figures):
                own, (rival, which) = means(figures)[AUTO], best_vw(figures)
                rows.append([f"{item.title}, {cut}", str(len(figures[AUTO])), _percent(own, own <= rival),
                             _percent(rival, rival <= own), which.removeprefix("vw ")])
    return table(["progressive error, %", "orders", "auto", "VW, best of its grid", "which"], rows)


def _confidence(results):
    rows = []
    for name, found in results.items():
        late = found.get("late_calibration_error")
        sure = found["sure"]
        rows.append([
            TITLES.get(name, "examples/tickets.tsv"), f"{found['examples']:,}", f"{sure:,}",
            f"{100 * found['said'] / sure:.2f}" if sure else ABSENT, f"{100 * found['right'] / sure:.2f}" if sure else ABSENT,
            f"{100 * late:.2f}" if late is not None else ABSENT,
        ])
    return table(["", "examples", "at 99.5 % or more", "said, %", "right, %", "calibration error after 3,000, points"], rows)
