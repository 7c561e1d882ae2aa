"""Pictures say what the numbers say."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

from surefoot import SurefootClassifier, SurefootTextClassifier  # noqa: E402


def test_weights(two_classes, four_classes):
    X, y = two_classes
    fitted = SurefootClassifier().fit(X, y)
    ax = fitted.plot_weights(top=7)
    drawn = ax.containers[0].lines[0].get_xdata()
    assert np.array_equal(np.sort(np.abs(drawn)), np.sort(np.abs(fitted.coef_[0]))[-7:])
    assert np.array_equal(fitted.plot_weights(top=7, label=0).containers[0].lines[0].get_xdata(), -drawn[::-1])
    X, y = four_classes
    assert SurefootClassifier().fit(X, y).plot_weights(label=2, top=3).get_xlabel().startswith("weight for 2")
    with pytest.raises(ValueError, match="7 is not one of the classes"):
        fitted.plot_weights(label=7)


def test_names_are_on_the_axis():
    frame = pd.DataFrame({"height": [1.0, 2.0, 3.0, 4.0], "age": [0.0, 1.0, 0.0, 1.0]})
    ax = SurefootClassifier().fit(frame, [0, 0, 1, 1]).plot_weights()
    assert {text.get_text() for text in ax.get_yticklabels()} == {"height", "age"}
    texts = SurefootTextClassifier().fit(["good", "bad"], ["+", "-"])
    assert "good" in {text.get_text() for text in texts.plot_weights().get_yticklabels()}


def test_reliability(two_classes):
    X, y = two_classes
    ax = SurefootClassifier().fit(X, y).plot_reliability(X, y)
    said, was = ax.containers[0].lines[0].get_data()
    assert ((0.5 <= said) & (said <= 1)).all()
    assert ((0 <= was) & (was <= 1)).all()
