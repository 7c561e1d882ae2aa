"""Pictures of a model. Matplotlib is imported when the first one is drawn."""

from __future__ import annotations

import numpy as np


def plot_weights(estimator, *, label=None, top=20, ax=None):
    """The weights that are farthest from 0, with a bar of one standard deviation on either side."""
    ax = _axes(ax)
    names, means, variances = estimator.weights()
    row, sign = estimator._row_of(estimator.classes_[-1] if label is None else label, len(means))
    mean, std = sign * means[row], np.sqrt(variances[row])
    chosen = np.argsort(-np.abs(mean), kind="stable")[:top]
    chosen = chosen[np.argsort(mean[chosen], kind="stable")]
    places = np.arange(len(chosen))
    ax.errorbar(mean[chosen], places, xerr=std[chosen], fmt="o", capsize=2)
    ax.set_yticks(places, [names[at] for at in chosen])
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.set_xlabel(f"weight for {estimator.classes_[-1] if label is None else label} (mean ± one sd)")
    return ax


def plot_reliability(estimator, X, y, *, bins=10, ax=None):
    """How often the predicted label is right, against how probable the model said it is; the diagonal is perfect."""
    ax = _axes(ax)
    probability = estimator.predict_proba(X).max(axis=1)
    right = estimator.predict(X) == np.asarray(y)
    place = np.minimum((probability * bins).astype(int), bins - 1)
    filled = [at for at in range(bins) if (place == at).any()]
    said = [probability[place == at].mean() for at in filled]
    was = [right[place == at].mean() for at in filled]
    error = [np.sqrt(max(p * (1 - p), 0.25 / n) / n) for p, n in ((w, (place == at).sum()) for w, at in zip(was, filled))]
    ax.errorbar(said, was, yerr=error, fmt="o-", capsize=2)
    ax.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
    ax.set_xlabel("probability of the predicted label")
    ax.set_ylabel("share that was right")
    return ax


def _axes(ax):
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plots need matplotlib: pip install surefoot[plot]") from missing
    return pyplot.subplots()[1]
