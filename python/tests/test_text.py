"""The estimator for running text."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from surefoot import SurefootTextClassifier

TEXTS = ["cheap pills", "lunch today", "cheap watches", "see you at lunch", "pills and watches", "today at noon"] * 5
LABELS = ["spam", "ham", "spam", "ham", "spam", "ham"] * 5


def test_words_decide():
    fitted = SurefootTextClassifier().fit(TEXTS, LABELS)
    assert list(fitted.predict(["cheap", "lunch", "never seen"])[:2]) == ["spam", "ham"]
    assert fitted.predict_proba(TEXTS).shape == (30, 2)
    mean, std = fitted.margin(TEXTS, return_std=True)
    assert np.array_equal(fitted.decision_function(TEXTS) > 0, mean > 0)
    assert (std > 0).all()


@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, pl.Series, pa.array, iter])
def test_strings_of_every_container(container):
    expected = SurefootTextClassifier().fit(TEXTS, LABELS)._model.to_bytes()
    assert SurefootTextClassifier().fit(container(TEXTS), LABELS)._model.to_bytes() == expected


def test_explanations_add_up_to_the_margin():
    fitted = SurefootTextClassifier().fit(TEXTS, LABELS)
    for text in TEXTS[:6]:
        for label, sign in (("spam", 1), ("ham", -1)):
            reasons = fitted.explain(text, label)
            assert sum(reason.contribution for reason in reasons) == pytest.approx(sign * fitted.margin([text])[0])
            sizes = [abs(reason.contribution) for reason in reasons]
            assert sizes == sorted(sizes, reverse=True)
            assert all(reason.std > 0 for reason in reasons)


def test_explanations_of_many_classes():
    labels = ["spam", "food", "spam", "food", "ads", "time"] * 5
    fitted = SurefootTextClassifier().fit(TEXTS, labels)
    scores = fitted.margin(["cheap lunch"])[0]
    for place, label in enumerate(fitted.classes_):
        total = sum(reason.contribution for reason in fitted.explain("cheap lunch", label))
        assert total == pytest.approx(scores[place])
    with pytest.raises(ValueError, match="'none' is not one of the classes"):
        fitted.explain("cheap lunch", "none")


def test_weights_by_name():
    names, means, variances = SurefootTextClassifier().fit(TEXTS, LABELS).weights()
    assert names == sorted(names[:-1]) + ["(bias)"]
    weight = dict(zip(names, means[0]))
    assert weight["cheap"] > 0 > weight["lunch"]
    assert variances.shape == means.shape


def test_recipes():
    words = SurefootTextClassifier(stop_words="english", ngrams=(1, 2)).fit(["The cat sat", "a dog ran"], [0, 1])
    assert {"cat", "cat sat", "dog ran"} <= set(words.weights()[0])
    assert "the" not in words.weights()[0]
    characters = SurefootTextClassifier(ngrams=None, char_ngrams=(2, 2), lowercase=False).fit(["Ab", "bC"], [0, 1])
    assert "#Ab" in characters.weights()[0]


def test_bad_input():
    with pytest.raises(ValueError, match="string object received"):
        SurefootTextClassifier().fit("one text", [1])
    with pytest.raises(ValueError, match=r"X\[1\] is a int, expected a string"):
        SurefootTextClassifier().fit(["a", 2], [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        SurefootTextClassifier().fit([], [])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SurefootTextClassifier().fit(["a", "b"], [0])
    with pytest.raises(ValueError, match="n-grams 2-1 are not a range"):
        SurefootTextClassifier(ngrams=(2, 1)).fit(["a", "b"], [0, 1])


def test_batches_and_tools():
    batches = SurefootTextClassifier().partial_fit(TEXTS[:10], LABELS[:10], classes=["ham", "spam"])
    batches.partial_fit(TEXTS[10:], LABELS[10:])
    whole = SurefootTextClassifier(shuffle=False).fit(TEXTS, LABELS)
    assert batches._model.to_bytes() == whole._model.to_bytes()
    assert cross_val_score(clone(whole), TEXTS, LABELS, cv=3).mean() > 0.9
    assert GridSearchCV(SurefootTextClassifier(), {"ngrams": [(1, 1), (1, 2)]}, cv=2).fit(TEXTS, LABELS).best_score_ > 0.9
