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
    beside = _beside_measured(results)
    return {
        "texts": _beside(texts, beside),
        "texts_said": "\n".join(_said(results, beside)),
        "texts_errors": _every(texts, measured, "error"),
        "texts_losses": _every(texts, measured, "log_loss"),
        "texts_cost": _cost(texts, measured),
        "texts_cuts": _cuts(results.table("cuts")),
        "texts_confidence": _confidence(results.table("confidence")),
    }


def _beside_measured(results):
    texts = results.table("texts")
    return [item for item in TEXT_ORDERS if AUTO in texts.get(item.name, {}) and best(texts[item.name])]


def figure(figures, name, key, orders=None):
    """The mean over the orders, of all or of those; none if any of them gave no figure."""
    found = figures.get(name, {})
    chosen = list(found) if orders is None else orders
    values = [found.get(order, {}).get(key) for order in chosen]
    return statistics.mean(values) if values and None not in values else None


def best(figures):
    """The error of the one that converges with the largest lead over the default, on the orders that it was given, and whose it is.

    Leads, because not all have the same orders; none if nothing that converges gave a figure.
    """
    found = [(_lead(figures, c.name), c.name) for c in ngrams.CONTENDERS if figure(figures, c.name, "error") is not None]
    name = min(found, default=(None, None))[1]
    return (figure(figures, name, "error"), name) if name else None


def _lead(figures, name):
    """By how much that one errs more than the default, on the orders that it was given."""
    return figure(figures, name, "error") - figure(figures, AUTO, "error", list(figures[name]))


def _share(figures, name):
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


def wins(results):
    """A line for the top of the page."""
    found = _beside_measured(results)
    return [f"- Raw text, one pass beside systems of n-grams that converge: {_head(results['texts'], found)}"] if found else []


def losses(results):
    """Every comparison with a system of n-grams that is lost."""
    texts, lines = results.table("texts"), []
    for item in _beside_measured(results):
        which = best(texts[item.name])[1]
        lead = _lead(texts[item.name], which)
        if lead < 0:
            lines.append(f"- Raw text, test error on {item.title}: {which} is {-100 * lead:.2f} points better.")
        loss, which = _best_loss(texts[item.name])
        if loss is not None and loss < _own_loss(texts[item.name], which):
            lines.append(f"- Raw text, log loss on {item.title}: {which} has {loss:.4f}, `auto` {_own_loss(texts[item.name], which):.4f}.")
    return lines


def _head(texts, items):
    leads = [_lead(texts[item.name], best(texts[item.name])[1]) for item in items]
    lost = [lead for lead in leads if lead < 0]
    said = f"`auto` errs at most as often as the best of them on {len(items) - len(lost)} of {len(items)} sets"
    close = sum(lead >= -SMALL for lead in lost)
    return said + (f", and is within {100 * SMALL:.1f} points on {close} of the other {len(lost)}." if lost else ".")


def _said(results, items):
    """The comparisons in words, and each that is lost."""
    texts = results.table("texts")
    slow = [item.title for item in items if _share(texts[item.name], best(texts[item.name])[1]) > SHARE]
    rivals = [(figures, loss, name) for item in items for figures in [texts[item.name]]
              for loss, name in [_best_loss(figures)] if loss is not None]
    ahead = sum(_own_loss(figures, name) <= loss for figures, loss, name in rivals)
    lines = [
        _head(texts, items),
        f"It takes more than a tenth of the CPU time of that system on {', '.join(slow)}." if slow
        else "It takes less than a tenth of the CPU time of that system on every set.",
        f"Its log loss is at most that of each of them that gives probabilities on {ahead} of {len(rivals)} sets.",
    ]
    return ["\n".join(lines), "", *losses(results)]


def _best_loss(figures):
    """The same of log losses."""
    found = [(loss - _own_loss(figures, c.name), loss, c.name) for c in ngrams.CONTENDERS
             if (loss := figure(figures, c.name, "log_loss")) is not None]
    return min(found, default=(None, None, None))[1:]


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
