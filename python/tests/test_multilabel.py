"""Rows that have several labels: indicator matrices, lists, files, metrics, River."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import metrics
from sklearn.datasets import make_multilabel_classification
from sklearn.model_selection import cross_val_predict

from surefoot import SurefootClassifier, SurefootTextClassifier, fit_file, from_bytes, load, merge


@pytest.fixture(scope="module")
def topics():
    X, Y = make_multilabel_classification(800, 40, n_classes=5, n_labels=2, allow_unlabeled=True, random_state=3)
    return sparse.csr_matrix(X.astype(float)), Y


def test_a_matrix_of_labels(topics):
    X, Y = topics
    fitted = SurefootClassifier(rule="arow", normalize="l2").fit(X[:600], Y[:600])
    found = fitted.predict(X[600:])
    assert found.shape == (200, 5) and found.dtype == Y.dtype
    assert list(fitted.classes_) == [0, 1, 2, 3, 4]
    assert np.array_equal(found, fitted.predict_proba(X[600:]) > 0.5)
    assert np.array_equal(found, fitted.decision_function(X[600:]) > 0)
    assert fitted.coef_.shape == (5, 40) and fitted.intercept_.shape == (5,)
    assert metrics.f1_score(Y[600:], found, average="micro") > 0.7
    assert fitted.score(X[600:], Y[600:]) == metrics.accuracy_score(Y[600:], found)
    assert cross_val_predict(SurefootClassifier(), X, Y, cv=3).shape == Y.shape


def test_thresholds(topics):
    X, Y = topics
    fitted = SurefootClassifier(rule="arow").fit(X, Y)
    few, many = (fitted.set_params(threshold=t).predict(X).sum() for t in (0.9, 0.1))
    assert few < Y.sum() < many
    for threshold in ("f1-micro", "f1-label"):
        f1 = metrics.f1_score(Y, fitted.set_params(threshold=threshold).predict(X), average="micro")
        assert f1 > 0.7
    with pytest.raises(ValueError, match="f1-micro"):
        fitted.set_params(threshold="f1").predict(X)


def test_lists_of_labels_are_the_matrix(topics):
    X, Y = topics
    names = np.array(["a", "b", "c", "d", "e"])
    lists = [[str(name) for name in names[row == 1]] for row in Y]
    one = SurefootClassifier(shuffle=False, max_iter=1).fit(X, Y)
    other = SurefootClassifier(shuffle=False, max_iter=1).fit(X, lists)
    assert list(other.classes_) == list(names)
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))
    grown = SurefootClassifier(new_classes="grow").partial_fit(X[:100], lists[:100]).partial_fit(X[100:], lists[100:])
    assert set(grown.classes_) == set(names)


def test_partial_fit_is_one_pass(topics):
    X, Y = topics
    whole = SurefootClassifier(shuffle=False, max_iter=1).fit(X, Y)
    parts = SurefootClassifier().partial_fit(X[:300], Y[:300]).partial_fit(X[300:], Y[300:])
    assert np.array_equal(whole.predict_proba(X), parts.predict_proba(X))


def test_what_does_not_fit_is_refused(topics):
    X, Y = topics
    fitted = SurefootClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="3 columns"):
        fitted.partial_fit(X, Y[:, :3])
    with pytest.raises(ValueError, match="several labels"):
        fitted.partial_fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="plot_reliability is for one label a row"):
        fitted.plot_reliability(X, Y)
    with pytest.raises(ValueError, match="1 where a row"):
        SurefootClassifier().fit(X, Y * 3)
    with pytest.raises(ValueError, match="class_weight"):
        SurefootClassifier(class_weight="balanced").fit(X, Y)
    with pytest.raises(ValueError, match="one label a row"):
        SurefootClassifier().fit(X, Y[:, 0]).partial_fit(X, Y)


def test_models_are_saved_pickled_and_merged(topics, tmp_path):
    X, Y = topics
    one, other = (SurefootClassifier(rule="arow").fit(X[part], Y[part]) for part in (slice(0, 400), slice(400, 800)))
    one.save(tmp_path / "m.model")
    again = load(tmp_path / "m.model", n_features=40)
    assert np.array_equal(again.predict(X), one.predict(X))
    assert metrics.f1_score(Y, merge([one, other]).predict(X), average="micro") > 0.7
    for again in (from_bytes(one.to_bytes(), n_features=40), pickle.loads(pickle.dumps(one))):
        assert np.array_equal(again.predict(X), one.predict(X))
    exact = merge([one, other], exact=True)
    assert metrics.f1_score(Y, exact.predict(X), average="micro") > 0.7
    assert not np.array_equal(exact.coef_, merge([one, other]).coef_)
    named = load(tmp_path / "m.model", n_features=40, classes=list("01234"))
    assert list(named.classes_) == list("01234") and np.array_equal(named.coef_, one.coef_)
    with pytest.raises(ValueError, match="label"):
        merge([one, SurefootClassifier(rule="arow").fit(X, Y[:, 0])])


def test_two_labels_are_two_numbers(topics):
    X, Y = topics
    names = [[name for name, has in zip("ba", row) if has] for row in Y[:, :2]]
    fitted = SurefootClassifier(rule="arow").fit(X, names)
    means, deviations = fitted.margin(X, return_std=True)
    assert means.shape == deviations.shape == fitted.decision_function(X).shape == fitted.predict_vote(X).shape == Y[:, :2].shape
    assert fitted.coef_.shape == fitted.coef_variance_.shape == (2, 40)
    assert np.allclose(means, X @ fitted.coef_.T + fitted.intercept_)
    assert np.array_equal(fitted.sparsify().coef_.toarray(), fitted.densify().coef_)
    for place, label in enumerate(fitted.classes_):
        reasons = fitted.explain(X[0], label=label)
        assert np.isclose(sum(reason.contribution for reason in reasons), means[0, place])
    likely = fitted.classes_[fitted.predict_proba(X[:1])[0].argmax()]
    assert fitted.explain(X[0]) == fitted.explain(X[0], label=likely)


def test_texts_with_topics():
    texts = ["wheat by ship", "ship sails", "wheat prices", "nothing of note"] * 10
    topics = [["grain", "ship"], ["ship"], ["grain"], []] * 10
    fitted = SurefootTextClassifier(rule="auto").fit(texts, topics)
    assert fitted.predict(["wheat by ship", "nothing of note"]).tolist() == [[1, 1], [0, 0]]
    alone = SurefootTextClassifier(rule="arow").fit(texts, topics)
    reasons = alone.explain("wheat prices")
    assert [reason.feature for reason in reasons if reason.feature != "(bias)"] == ["wheat", "prices"]
    assert reasons == alone.explain("wheat prices", label="grain") != alone.explain("wheat prices", label="ship")


def test_files_with_several_labels(tmp_path):
    news = tmp_path / "news.tsv"
    news.write_text("grain,ship\twheat by ship\nship\tship sails\n\tnothing of note\n" * 10)
    stream = fit_file(news, label_separator=",", progress=False)
    assert stream.report_["labels"] == 2 and stream.report_["f1_micro"] > 0.8
    assert stream.estimator_.predict(["wheat by ship", "nothing of note"]).tolist() == [[1, 1], [0, 0]]


def test_river():
    base = pytest.importorskip("river.base")
    from surefoot.river import SurefootMultiLabelClassifier

    model = SurefootMultiLabelClassifier(threshold=0.4)
    assert isinstance(model, base.MultiLabelClassifier) and model.predict_one({"a": 1.0}) == {}
    for _ in range(10):
        model.learn_one({"wheat": 1.0, "ship": 1.0}, {"grain": True, "ship": True})
        model.learn_one({"ship": 1.0}, {"grain": False, "ship": True})
        model.learn_one({"weather": 1.0}, {})
    assert model.predict_one({"wheat": 1.0}) == {"grain": True, "ship": False} or model.predict_one({"wheat": 1.0})["grain"]
    assert model.predict_one({"weather": 1.0}) == {"grain": False, "ship": False}
    assert model.clone().predict_one({"ship": 1.0}) == {}
