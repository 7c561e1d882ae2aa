"""The page docs/benchmarks.md: the template with every number taken from the results."""

from pathlib import Path

import plots
import verdict
from sets import SETS, STREAMS, YARDSTICK
from verdict import best, best_vw, means

HERE = Path(__file__).parent


def write(results, docs):
    """Makes the page and its plots."""
    text = (HERE / "page.md").read_text()
    fields = {
        "machine": _machine(results),
        "versions": ", ".join(f"{name} {version}" for name, version in sorted(results["versions"].items())),
        "speed": "\n\n".join(_speed(name, results["speed"][name]) for name in STREAMS if name in results.table("speed")),
        "progressive": _progressive(results.table("progressive")),
        "one_pass": _one_pass(results.table("test", "numbers")),
        "raw": _one_pass(results.table("test", "text")),
        "wins": "\n".join(verdict.wins(results)),
        "losses": "\n".join(verdict.losses(results)),
        "commands": _commands(results.table("speed")),
    }
    for name, value in fields.items():
        text = text.replace("{{" + name + "}}", value)
    (docs / "benchmarks.md").write_text(text)
    plots.draw(results, docs / "benchmarks")


def _machine(results):
    machine = results["machine"]
    return f"{machine['cores']} cores of {machine['processor']}, {machine['memory_gb']} GB, {machine['system']}"


def table(head, rows):
    """A Markdown table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(head) + " |", "| --- " + "| --: " * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _speed(name, stream):
    train, predict = stream["train"], stream["predict"]
    yard = train[YARDSTICK]["wall"]
    head = [STREAMS[name], "s", "spread", "CPU s", "times VW", "MB", "model MB", "learn s", "predict s"]
    rows = []
    for who, cost in train.items():
        found = predict.get(who, {})
        rows.append([
            who, f"{cost['wall']:.2f}", f"{cost['wall_min']:.2f}–{cost['wall_max']:.2f}", f"{cost['cpu']:.2f}",
            f"{yard / cost['wall']:.2f}", f"{cost['peak_mb']:.0f}", _number(cost.get("model_mb"), "{:.1f}"),
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


def _one_pass(results):
    rows = []
    for item in SETS:
        figures = results.get(item.name)
        if not figures or "surefoot auto" not in figures:
            continue
        row = [item.title, f"{figures['surefoot auto']['error']:.4f}", f"{figures['surefoot arow']['error']:.4f}"]
        for peer in ("vw", "sklearn", "river", "fasttext"):
            found = best(figures, lambda entry, peer=peer: entry["peer"] == peer and entry["one_pass"])
            row.append(f"{found[0]:.4f}" if found else "")
        found = best(figures, lambda entry: not entry["one_pass"])
        row.append(f"{found[0]:.4f} ({found[1]}, {figures[found[1]]['wall']:.1f} s)" if found else "")
        rows.append(row)
    head = ["set", "auto", "arow", "VW", "scikit-learn", "River", "fastText", "converged, best of all"]
    return table(head, rows)


def _commands(speed):
    stream = speed.get("sparse", {"train": {}})
    return "\n".join(f"{who}: {cost['command']}" for who, cost in stream["train"].items())
