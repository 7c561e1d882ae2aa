"""The plots of the page, as SVG, in colours that the colour-blind can tell apart (Okabe and Ito's)."""

from sets import STREAMS, TEXT_SETS, YARDSTICK

COLOURS = {
    "surefoot": "#0072B2", "vw": "#D55E00", "liblinear": "#009E73", "sklearn": "#CC79A7", "river": "#E69F00",
    "fasttext": "#56B4E9",
}


def draw(results, folder):
    """Draws all of them into the folder."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "surefoot", "font.size": 9})
    folder.mkdir(exist_ok=True)
    _bars(results["speed"], folder / "throughput.svg", "thousand lines a second", _throughput)
    _bars(results["speed"], folder / "memory.svg", "peak memory, MB", lambda stream, cost: cost["peak_mb"])
    _error_against_time(results["test"]["numbers"], folder / "error-time.svg")


def _throughput(stream, cost):
    return stream["lines"] / cost["wall"] / 1000


def _peer(name):
    return name.split(" ", 1)[0]


def _save(figure, path):
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def _bars(speed, path, label, value):
    from matplotlib import pyplot

    names = [name for name in STREAMS if name in speed]
    figure, axes = pyplot.subplots(len(names), 1, figsize=(7, 1.9 * len(names)), squeeze=False)
    for axis, name in zip(axes[:, 0], names):
        stream = speed[name]
        shown = {who: value(stream, cost) for who, cost in stream["train"].items() if _peer(who) in COLOURS
                 and "one core" not in who and "start-up" not in who and "parse" not in who}
        axis.barh(list(shown), list(shown.values()), color=[COLOURS[_peer(who)] for who in shown])
        axis.axvline(shown.get(YARDSTICK, 0), color="#666666", linewidth=0.8, linestyle=":")
        axis.invert_yaxis()
        axis.set_title(STREAMS[name], fontsize=9, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1, 0].set_xlabel(label)
    figure.tight_layout()
    _save(figure, path)
    pyplot.close(figure)


def _error_against_time(test, path):
    from matplotlib import pyplot

    names = [name for name in TEXT_SETS if name in test]
    figure, axes = pyplot.subplots(1, len(names), figsize=(2.6 * len(names), 2.8), squeeze=False)
    for axis, name in zip(axes[0], names):
        for who, entry in test[name].items():
            marker = "o" if entry["one_pass"] else "^"
            axis.scatter(entry["wall"], entry["error"], color=COLOURS[entry["peer"]], marker=marker, s=18,
                         edgecolor="black" if entry["default"] else "none", linewidth=0.7)
        axis.set_xscale("log")
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("seconds")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set_ylabel("test error")
    handles = [pyplot.Line2D([], [], color=colour, marker="o", linestyle="", label=peer) for peer, colour in COLOURS.items()]
    figure.legend(handles=handles, loc="lower center", ncols=len(COLOURS), frameon=False, bbox_to_anchor=(0.5, -0.08))
    figure.tight_layout()
    _save(figure, path)
    pyplot.close(figure)
