"""River's contract, and that its interface is the same learner."""

import pickle

import pandas as pd
import polars as pl
import pytest
from river import checks, compose, datasets, evaluate, metrics, preprocessing

from surefoot.river import SurefootClassifier


@pytest.mark.parametrize("parameters", list(SurefootClassifier._unit_test_params()))
def test_contract(parameters):
    checks.check_estimator(SurefootClassifier(**parameters))


def test_streams():
    score = evaluate.progressive_val_score(datasets.Phishing(), SurefootClassifier(), metrics.Accuracy())
    assert score.get() > 0.85
    pipeline = compose.Pipeline(preprocessing.StandardScaler(), SurefootClassifier())
    score = evaluate.progressive_val_score(datasets.ImageSegments(), pipeline, metrics.Accuracy())
    assert score.get() > 0.75


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_many_is_one_by_one(frame):
    data = list(datasets.Phishing().take(100))
    rows, labels = [x for x, _ in data], [y for _, y in data]
    one, many = SurefootClassifier(), SurefootClassifier()
    for x, y in data:
        one.learn_one(x, y)
    many.learn_many(frame(rows), pd.Series(labels))
    assert one._model.to_bytes() == many._model.to_bytes()
    assert list(many.predict_many(frame(rows))) == [one.predict_one(x) for x in rows]


def test_labels_and_features_of_any_kind():
    model = SurefootClassifier()
    assert model.predict_one({"a": 1}) is None
    assert model.predict_proba_one({"a": 1}) == {}
    model.learn_one({"color": "red", 7: 2, "on": True}, "stop")
    assert model.predict_proba_one({"color": "red"}) == {"stop": 1.0}
    model.learn_one({"color": "green", "size": 1.5}, "go", w=2.0)
    assert model.predict_one({"color": "green"}) == "go"
    assert "color=green" in model._model.named_weights()[0]
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_proba_one({"size": 3}) == model.predict_proba_one({"size": 3})


def test_bad_input():
    model = SurefootClassifier()
    with pytest.raises(ValueError, match="feature 'a' is no number"):
        model.learn_one({"a": []}, True)
    with pytest.raises(ValueError, match="NaN"):
        model.learn_one({"a": float("nan")}, True)
    with pytest.raises(ValueError, match="importance weight -1"):
        model.learn_one({"a": 1.0}, True, w=-1)
    model.learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match="cannot be told from another label"):
        model.learn_one({"a": 1.0}, "1")
    with pytest.raises(ValueError, match="unknown rule"):
        SurefootClassifier(rule="none")
