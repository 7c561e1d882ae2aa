"""The plots of the page, as SVG, in colours that the colour-blind can tell apart (Okabe and Ito's)."""

from sets import SETS, STREAMS, TEXT_SETS, YARDSTICK, in_order, peer

COLOURS = {
    "surefoot": "#0072B2", "vw": "#D55E00", "liblinear": "#009E73", "sklearn": "#CC79A7", "river": "#E69F00",
    "fasttext": "#56B4E9",
}
# A second way to tell them apart, where they stand among each other.
MARKERS = {"surefoot": "o", "vw": "s", "liblinear": "^", "sklearn": "D", "river": "v", "fasttext": "P"}
NAMES = {"surefoot": "Surefoot", "vw": "Vowpal Wabbit", "liblinear": "LIBLINEAR", "sklearn": "scikit-learn",
         "river": "River", "fasttext": "fastText"}
# Errors above so many times the smallest are drawn at the upper edge: they would press the others together.
HIGHEST = 2.2


def draw(results, folder):
    """Draws all of them into the folder."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "surefoot", "font.size": 9})
    folder.mkdir(exist_ok=True)
    speed, test = results.table("speed"), results.table("test", "numbers")
    if speed:
        _bars(speed, folder / "throughput.svg", "thousand lines a second; more is better", _throughput)
        _bars(speed, folder / "memory.svg", "peak memory, MB; less is better", lambda stream, cost: cost["peak_mb"])
    if test:
        _error_against_time(test, folder / "error-time.svg")


def _throughput(stream, cost):
    return cost.get("lines", stream["lines"]) / cost["wall"] / 1000


def _save(figure, path):
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def _bars(speed, path, label, value):
    from matplotlib import pyplot

    names = [name for name in STREAMS if name in speed]
    shown = {name: _shown(speed[name], value) for name in names}
    heights = [len(bars) + 2.5 for bars in shown.values()]
    figure, axes = pyplot.subplots(len(names), 1, figsize=(7, 0.19 * sum(heights)), squeeze=False, height_ratios=heights)
    for axis, name in zip(axes[:, 0], names):
        bars = axis.barh(list(shown[name]), list(shown[name].values()), color=[COLOURS[peer(w)] for w in shown[name]])
        # A white ground, because the dotted line may run through the number.
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
        axis.bar_label(bars, fmt=_short, padding=3, fontsize=8, bbox=ground)
        axis.axvline(shown[name].get(YARDSTICK, 0), color="#444444", linewidth=0.8, linestyle=":", zorder=0)
        axis.invert_yaxis()
        axis.margins(x=0.1)
        axis.set_title(STREAMS[name], fontsize=9, loc="left", fontweight="bold")
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1, 0].set_xlabel(f"{label} (dotted: {YARDSTICK})")
    figure.tight_layout()
    _save(figure, path)
    pyplot.close(figure)


def _shown(stream, value):
    hidden = ("one core", "start-up", "parse")
    kept = [who for who in in_order(stream["train"]) if peer(who) in COLOURS and not any(h in who for h in hidden)]
    return {who: value(stream, stream["train"][who]) for who in kept}


def _short(number):
    return f"{number:.3g}" if number < 100 else f"{number:.0f}"


def _error_against_time(test, path):
    from matplotlib import pyplot

    items = [item for item in SETS if item.name in TEXT_SETS and item.name in test]
    figure, axes = pyplot.subplots(2, 3, figsize=(9, 5.6))
    for axis, item in zip(axes.flat, items):
        _one_set(axis, {who: entry for who, entry in test[item.name].items() if "cpu" in entry})
        axis.set_title(item.title, fontsize=9, fontweight="bold")
    for axis in axes.flat[len(items):]:
        axis.axis("off")
    axes[0, 0].set_ylabel("test error")
    axes[1, 0].set_ylabel("test error")
    axes.flat[-1].legend(handles=_legend(pyplot), loc="center", frameon=False, fontsize=9)
    figure.tight_layout()
    _save(figure, path)
    pyplot.close(figure)


def _one_set(axis, entries):
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    top = HIGHEST * min(entry["error"] for entry in entries.values())
    for entry in entries.values():
        colour = COLOURS[entry["peer"]]
        axis.scatter(
            entry["cpu"], min(entry["error"], top), marker=MARKERS[entry["peer"]], s=24, alpha=0.85, linewidth=0.9,
            facecolor=colour if entry["one_pass"] else "none", edgecolor="black" if entry["default"] else colour,
        )
    for own, offset in {"auto": (-8, -11), "arow": (-8, 6)}.items():
        found = entries.get(f"surefoot {own}")
        if found:
            axis.annotate(own, (found["cpu"], found["error"]), xytext=offset, textcoords="offset points", fontsize=8)
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.margins(x=0.12, y=0.12)
    axis.set_xlabel("CPU seconds")
    axis.spines[["top", "right"]].set_visible(False)


def _legend(pyplot):
    def mark(label, marker="o", face="#666666", edge="#666666"):
        return pyplot.Line2D([], [], marker=marker, linestyle="", label=label, markerfacecolor=face, markeredgecolor=edge)

    # fastText takes no numbers, which is what this plot is about.
    peers = [mark(NAMES[name], MARKERS[name], colour, colour) for name, colour in COLOURS.items() if name != "fasttext"]
    return [*peers, mark("filled: one pass"), mark("hollow: until it converged", face="none"),
            mark("black edge: defaults", edge="black")]
