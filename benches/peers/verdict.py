"""What the figures say in words: where `auto` and `arow` lead and where they do not."""

import statistics

from sets import SETS, STREAMS, TEXT_SETS, YARDSTICK

KINDS = {"numbers": "the same numbers", "text": "raw text, each in its own way"}


def means(figures):
    """Contender → mean over the orders."""
    return {name: statistics.mean(values) for name, values in figures.items()}


def best_vw(figures):
    """The smallest mean among the settings of Vowpal Wabbit, and which it is."""
    return min((value, name) for name, value in means(figures).items() if name.startswith("vw"))


def best(figures, keep):
    """The smallest test error of those that are to be kept, and whose it is."""
    found = [(entry["error"], name) for name, entry in figures.items() if "error" in entry and keep(entry)]
    return min(found) if found else None


def _measured(results):
    sets = results.table("progressive")
    return [item for item in SETS if "surefoot auto" in sets.get(item.name, {})]


def _behind(results, item):
    figures = results["progressive"][item.name]
    return means(figures)["surefoot auto"] - best_vw(figures)[0]


def wins(results):
    """Lines for the top of the page."""
    items = _measured(results)
    won = [item for item in items if _behind(results, item) <= 0]
    lines = [f"- Progressive error: `auto`, nothing set, is at or below the best of VW's grid on {len(won)} of {len(items)} sets."]
    for kind, name in KINDS.items():
        leads, later = ([lead for s in TEXT_SETS if (lead := _lead(results, kind, s, one_pass)) is not None]
                        for one_pass in (True, False))
        if leads:
            converged = f", and of those that run until they converge none on {_won(later)} of {len(later)}" if later else ""
            lines.append(f"- Test error after one pass, {name}: no peer is better than `auto` on {_won(leads)} of the {len(leads)} "
                         f"text sets measured (of {len(TEXT_SETS)}){converged}.")
    for stream, title in STREAMS.items():
        train = results.table("speed").get(stream, {}).get("train", {})
        if YARDSTICK in train:
            yard = train[YARDSTICK]["wall"]
            arow, auto = (yard / train[f"surefoot {name}"]["wall"] for name in ("arow", "auto"))
            lines.append(f"- {title}: `arow` {arow:.1f} times as fast as VW, `auto` {auto:.1f} times{_cached(train)}.")
    return lines


def choice(results):
    """What the default costs and what it is worth, beside the fastest learner."""
    figures = [means(results["progressive"][item.name]) for item in _measured(results)]
    better = sum(own["surefoot auto"] < own["surefoot arow"] for own in figures)
    trains = [results["speed"][stream]["train"] for stream in STREAMS if stream in results.table("speed")]
    both = [(train["surefoot auto"], train["surefoot arow"]) for train in trains if "surefoot auto" in train]
    times = [auto["wall"] / arow["wall"] for auto, arow in both]
    memory = [auto["peak_mb"] / arow["peak_mb"] for auto, arow in both]
    worth = f"Its progressive error is below that of `arow` on {better} of {len(figures)} sets"
    cost = f"it takes {min(times):.1f} to {max(times):.1f} times the time and {min(memory):.1f} to {max(memory):.1f} times the memory"
    return f"{worth}; {cost} of `arow` on the streams above." if both else f"{worth}."


def _cached(train):
    both = [train.get(f"{who}, from its cache") for who in ("vw logistic", "surefoot arow")]
    return f"; from the caches of both `arow` {both[0]['wall'] / both[1]['wall']:.1f} times" if all(both) else ""


def _won(leads):
    return sum(lead >= 0 for lead in leads)


def _lead(results, kind, name, one_pass=True):
    """By how much the best peer of one pass, or of those that converge, errs more than `auto`; none if it was not measured."""
    figures = results.table("test", kind).get(name, {})
    peers = best(figures, lambda entry: entry["one_pass"] == one_pass and entry["peer"] != "surefoot")
    if not peers or "surefoot auto" not in figures:
        return None
    return peers[0] - figures["surefoot auto"]["error"]


def _by_order(figures, rival):
    """How the orders differ about a loss, if there are several."""
    leads = [100 * (theirs - ours) for ours, theirs in zip(figures["surefoot auto"], figures[rival])]
    return f", from {-max(leads):+.2f} to {-min(leads):+.2f} by the order" if len(leads) > 1 else ""


def losses(results):
    """Every comparison on this page that we lose."""
    lines = []
    for item in _measured(results):
        if _behind(results, item) > 0:
            figures = results["progressive"][item.name]
            which = best_vw(figures)[1]
            lines.append(f"- Progressive error on {item.title}: {which} is {100 * _behind(results, item):.2f} points better"
                         f"{_by_order(figures, which)}.")
    for kind, name in KINDS.items():
        for item in SETS:
            lead = _lead(results, kind, item.name)
            if lead is not None and lead < 0:
                lines.append(f"- Test error after one pass on {item.title}, {name}: a peer is {-100 * lead:.2f} points better.")
    for stream, title in STREAMS.items():
        lines += _slower(results.table("speed").get(stream, {}).get("train", {}), title)
    missing = [item.title for item in SETS if item not in _measured(results)]
    missing += [title for stream, title in STREAMS.items() if stream not in results.table("speed")]
    if missing:
        lines.append(f"- Not measured in this run: {'; '.join(missing)}.")
    return lines or ["- Nothing on this page."]


def _slower(train, title):
    """Peers that are faster than one of ours, or that need less memory."""
    lines = []
    for own in ("surefoot arow", "surefoot auto"):
        for who, cost in train.items():
            if own not in train or who.startswith(("surefoot", "cat", "python")) or "start-up" in who or ", " in who:
                continue
            whole = train[own].get("lines", 1)
            ratio = train[own]["wall"] / cost["wall"] * cost.get("lines", whole) / whole
            if ratio > 1:
                lines.append(f"- {title}: {who} takes {100 / ratio:.0f} % of the time of {own}.")
            if who.startswith("vw") and train[own]["peak_mb"] > cost["peak_mb"]:
                lines.append(f"- {title}: {own} needs {train[own]['peak_mb']:.0f} MB, {who} {cost['peak_mb']:.0f} MB.")
    return lines
