"""scikit-learn's contract: its own checks, and its tools around the estimator."""

import inspect
import pickle

import joblib
import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefoot import SurefootClassifier, SurefootTextClassifier, _native, rules
from surefoot._parameters import LEARNER_PARAMETERS

#: What scikit-learn expects to fail for its own online learners (SGDClassifier, Perceptron), and for the same reason.
GRANTED = {
    "check_sample_weight_equivalence_on_dense_data": "rows are learned in turn: a weight of 2 is not the row twice",
    "check_sample_weight_equivalence_on_sparse_data": "rows are learned in turn: a weight of 2 is not the row twice",
}

CHECKED = [
    SurefootClassifier(),
    SurefootClassifier(rule="nherd", covariance="full"),
    SurefootClassifier(rule="pa1", average=True),
    SurefootClassifier(rule="logistic", normalize="l2", schedule="one-vs-rest"),
    SurefootClassifier(new_classes="grow", decision="vote"),
]


@parametrize_with_checks(CHECKED, expected_failed_checks=lambda _: GRANTED)
def test_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("rule", [rule.name for rule in rules()])
def test_every_rule_learns(rule, two_classes, four_classes):
    for X, y in (two_classes, four_classes):
        fitted = SurefootClassifier(rule=rule).fit(X, y)
        assert fitted.score(X, y) > 0.8
        assert fitted.spec_.startswith(rule + "/")


def test_every_parameter_of_the_core_is_an_argument():
    stores = [None, *(name for name, _ in _native.stores())]
    listed = {parameter.name for store in stores for rule in rules(store) for parameter in rule.parameters}
    assert listed == set(LEARNER_PARAMETERS)
    for estimator in (SurefootClassifier(), SurefootTextClassifier()):
        assert dict.fromkeys(LEARNER_PARAMETERS).items() <= estimator.get_params().items()
        assert set(inspect.signature(type(estimator)).parameters) == set(estimator.get_params())
        with pytest.raises(TypeError, match="unexpected keyword argument 'gama'"):
            type(estimator)(gama=1.0)


def test_grid_search(two_classes):
    X, y = two_classes
    search = GridSearchCV(SurefootClassifier(), {"rule": ["arow", "scw1"], "max_iter": [1, 5]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8


def test_cross_validation_with_processes(two_classes):
    X, y = two_classes
    alone = cross_val_score(SurefootClassifier(), X, y, cv=3)
    assert np.array_equal(alone, cross_val_score(SurefootClassifier(), X, y, cv=3, n_jobs=2))


@pytest.mark.parametrize("vectorizer", [TfidfVectorizer(), HashingVectorizer(n_features=2**20)])
def test_pipeline_with_text(vectorizer):
    texts = ["cheap pills now", "lunch at noon", "cheap watches", "see you at lunch"] * 5
    labels = ["spam", "ham", "spam", "ham"] * 5
    pipeline = make_pipeline(vectorizer, SurefootClassifier()).fit(texts, labels)
    assert list(pipeline.predict(["cheap", "lunch"])) == ["spam", "ham"]


def test_calibrated_classifier(two_classes):
    X, y = two_classes
    calibrated = CalibratedClassifierCV(SurefootClassifier(), cv=3).fit(X, y)
    assert calibrated.score(X, y) > 0.8


def test_one_vs_rest(four_classes):
    X, y = four_classes
    assert OneVsRestClassifier(SurefootClassifier()).fit(X, y).score(X, y) > 0.8


def test_clone_keeps_parameters_and_forgets_the_model(two_classes):
    fitted = SurefootClassifier(rule="scw1", c=0.5).fit(*two_classes)
    twin = clone(fitted)
    assert twin.get_params() == fitted.get_params()
    assert not hasattr(twin, "classes_")


@pytest.mark.parametrize("copied", [lambda it: pickle.loads(pickle.dumps(it)), lambda it: joblib.hash(it) and it])
def test_pickles_go_on_learning_as_if_nothing_had_happened(copied, two_classes):
    X, y = two_classes
    one = SurefootClassifier().partial_fit(X[:300], y[:300], classes=[0, 1])
    other = copied(pickle.loads(pickle.dumps(one)))
    one.partial_fit(X[300:], y[300:])
    other.partial_fit(X[300:], y[300:])
    assert one._model.to_bytes() == other._model.to_bytes()


def test_sample_weights_are_routed(two_classes):
    X, y = two_classes
    weights = np.where(np.arange(len(y)) < 300, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = SurefootClassifier(shuffle=False).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(routed).fit(X, y, sample_weight=weights)
    plain = SurefootClassifier(shuffle=False).fit(X[:300], y[:300])
    assert np.array_equal(pipeline[-1].coef_, plain.coef_)


def test_html(two_classes):
    assert "SurefootClassifier" in SurefootClassifier().fit(*two_classes)._repr_html_()


def test_sparsify(two_classes):
    fitted = SurefootClassifier().fit(*two_classes)
    dense = fitted.coef_
    assert sparse.issparse(fitted.sparsify().coef_)
    assert np.array_equal(fitted.coef_.toarray(), dense)
    assert isinstance(fitted.densify().coef_, np.ndarray)


def test_warm_start_is_more_passes(two_classes):
    X, y = two_classes
    once = SurefootClassifier(max_iter=2, shuffle=False).fit(X, y)
    twice = SurefootClassifier(max_iter=1, shuffle=False, warm_start=True).fit(X, y).fit(X, y)
    assert np.array_equal(once.coef_, twice.coef_)


def test_class_weight_is_sample_weight(two_classes):
    X, y = two_classes
    by_class = SurefootClassifier(class_weight={0: 1.0, 1: 3.0}).fit(X, y)
    by_row = SurefootClassifier().fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    assert np.array_equal(by_class.coef_, by_row.coef_)
    balanced = SurefootClassifier(class_weight="balanced")
    assert balanced.fit(X, y).score(X, y) > 0.8
    with pytest.raises(ValueError, match="balanced.*partial_fit"):
        balanced.partial_fit(X, y)
