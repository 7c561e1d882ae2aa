"""The page docs/benchmarks.md: the template with every number taken from the results."""

from pathlib import Path

import changing
import contenders
import plots
import texts
import verdict
from markdown import table
from sets import SETS, STREAMS, TEXT_SETS, YARDSTICK, in_order
from verdict import best, best_vw, means

HERE = Path(__file__).parent
# Where there is nothing to measure.
ABSENT = "–"


def write(results, docs):
    """Makes the page and its plots."""
    text = (HERE / "page.md").read_text()
    fields = {
        "machine": _machine(results),
        "versions": _versions(results),
        "speed": "\n\n".join(_speed(name, results["speed"][name]) for name in STREAMS if name in results.table("speed")),
        "progressive": _progressive(results.table("progressive")),
        "one_pass": _one_pass(results.table("test", "numbers"), "numbers"),
        "raw": _one_pass(results.table("test", "text"), "text"),
        "every_number": _every(results.table("test", "numbers"), "numbers"),
        "every_text": _every(results.table("test", "text"), "text"),
        "wins": "\n".join([*verdict.wins(results), *texts.wins(results)]),
        "choice": verdict.choice(results),
        "losses": "\n".join([*verdict.losses(results), *texts.losses(results)]),
        **changing.fields(results.table("drift")),
        **texts.fields(results),
        "commands": _commands(results.table("speed")),
    }
    for name, value in fields.items():
        text = text.replace("{{" + name + "}}", value)
    (docs / "benchmarks.md").write_text(text)
    plots.draw(results, docs / "benchmarks")


def _versions(results):
    """Of the peers; of Surefoot itself the revisions that were measured, which may differ between the tables."""
    peers = [f"{name} {version}" for name, version in sorted(results["versions"].items()) if name != "surefoot"]
    names = {"speed": "times", "progressive": "progressive errors", "one_pass": "test errors", "drift": "streams that change",
             "texts": "raw text beside n-grams"}
    own = [f"{title} {results.table('measured')[name]}" for name, title in names.items() if name in results.table("measured")]
    return f"{', '.join(peers)}; surefoot at revision {', '.join(own)}"


def _machine(results):
    machine = results["machine"]
    return f"{machine['cores']} cores of {machine['processor']}, {machine['memory_gb']} GB, {machine['system']}"


def _speed(name, stream):
    train, predict = stream["train"], stream["predict"]
    yard = train[YARDSTICK]["wall"]
    head = [STREAMS[name], "runs", "s", "spread", "CPU s", "times VW", "MB", "model MB", "learn s", "predict s"]
    rows = []
    for who in in_order(train):
        cost, found = train[who], predict.get(who, {})
        lines = cost.get("lines", stream["lines"])
        part = f", first {lines:,} lines" if lines < stream["lines"] else ""
        rows.append([
            who + part, str(len(cost["runs"])),
            f"{cost['wall']:.2f}", f"{cost['wall_min']:.2f}–{cost['wall_max']:.2f}", f"{cost['cpu']:.2f}",
            f"{yard / cost['wall'] * lines / stream['lines']:.2f}", f"{cost['peak_mb']:.0f}",
            _number(cost.get("model_mb"), "{:.1f}"),
            _number(cost.get("learn"), "{:.2f}"), _number(found.get("wall"), "{:.2f}"),
        ])
    size = f"{stream['lines']:,} lines, {stream['bytes'] / 1e6:.0f} MB."
    return f"{size}\n\n{table(head, rows)}"


def _number(value, form):
    return form.format(value) if value is not None else ""


def _progressive(results):
    rows = []
    for item in SETS:
        figures = results.get(item.name, {})
        if "surefoot auto" not in figures:
            continue
        own, (rival, setting) = means(figures), best_vw(figures)
        auto = own["surefoot auto"]
        rows.append([
            item.title, str(len(figures["surefoot auto"])), f"**{auto:.4f}**" if auto <= rival else f"{auto:.4f}",
            f"{own['surefoot arow']:.4f}", f"{rival:.4f}" if auto <= rival else f"**{rival:.4f}**",
            setting.removeprefix("vw "), f"{own['vw squared']:.4f}", f"{own['vw logistic']:.4f}",
        ])
    head = ["set", "orders", "auto", "arow", "VW, best of its grid", "which", "VW squared", "VW logistic"]
    return table(head, rows)


def _one_pass(results, kind):
    """The best of each peer; of those that converge, the best of all."""
    rows = []
    for item in _tested(results):
        figures = results[item.name]
        own = figures["surefoot auto"]
        row = [item.title, _rows(own["tested"]), f"{own['error']:.4f}", f"{figures['surefoot arow']['error']:.4f}"]
        for peer in ("vw", "sklearn", "river", "fasttext"):
            found = best(figures, lambda entry, peer=peer: entry["peer"] == peer and entry["one_pass"])
            absent = "not run" if any(c.peer == peer and c.fits(kind == "text", item.classes) for c in contenders.ALL) else ABSENT
            row.append(f"{found[0]:.4f} ({found[1].removeprefix(peer).strip()})" if found else absent)
        found = best(figures, lambda entry: not entry["one_pass"])
        row.append(f"{found[0]:.4f} ({found[1]})" if found else "not run")
        rows.append(row)
    head = ["set", "test rows", "auto", "arow", "VW", "scikit-learn", "River", "fastText", "converged, best of all"]
    return table(head, rows)


def _tested(results):
    return [item for item in SETS if item.name in TEXT_SETS and "surefoot auto" in results.get(item.name, {})]


def _rows(tested):
    return f"{len(tested)} × {tested[0]:,}" if len(tested) > 1 else f"{tested[0]:,}"


def _every(results, kind):
    """Every setting of everybody who takes part; the defaults of a peer are marked."""
    items = _tested(results)
    rows = []
    for contender in contenders.ALL:
        cells = [_figure(contender, item, kind, results[item.name].get(contender.name)) for item in items]
        if any(cell != ABSENT for cell in cells):
            rows.append([f"{contender.name}{' (default)' if contender.default else ''}", *cells])
    return table(["", *(item.title for item in items)], rows)


def _figure(contender, item, kind, entry):
    if not contender.fits(kind == "text", item.classes):
        return ABSENT
    if entry is None:
        return "not run"
    if "failed" in entry:
        return entry["failed"]
    return f"{entry['error']:.4f}" if "error" in entry else f"over {entry['stopped']} s"


def _commands(speed):
    stream = speed.get("sparse", {"train": {}})
    return "\n".join(f"{who}: {stream['train'][who]['command']}" for who in in_order(stream["train"]))
