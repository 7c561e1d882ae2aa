"""What is ours: the Gaussian, the order of labels, growing classes, layouts, errors."""

import signal
import threading
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from surefoot import SurefootClassifier


def test_margin_is_linear_in_the_weights(two_classes, four_classes):
    for X, y in (two_classes, four_classes):
        fitted = SurefootClassifier().fit(X, y)
        mean, std = fitted.margin(X, return_std=True)
        expected = X @ fitted.coef_.T + fitted.intercept_
        assert np.allclose(np.atleast_2d(mean.T).T, expected, atol=1e-12)
        variance = X.multiply(X) @ fitted.coef_variance_.T + fitted.intercept_variance_
        assert np.allclose(np.atleast_2d(std.T).T ** 2, variance, atol=1e-12)


def test_probability_follows_the_decision(two_classes, four_classes):
    X, y = two_classes
    fitted = SurefootClassifier().fit(X, y)
    assert np.allclose(fitted.predict_proba(X)[:, 1], 1 / (1 + np.exp(-fitted.decision_function(X))))
    X, y = four_classes
    fitted = SurefootClassifier().fit(X, y)
    exp = np.exp(fitted.decision_function(X))
    assert np.allclose(fitted.predict_proba(X), exp / exp.sum(axis=1, keepdims=True))
    assert np.allclose(fitted.predict_log_proba(X), np.log(fitted.predict_proba(X)))


def test_votes_say_how_sure_the_weights_are(two_classes):
    X, y = two_classes
    fitted = SurefootClassifier().fit(X, y)
    mean, std = fitted.margin(X, return_std=True)
    votes = fitted.predict_vote(X)
    assert np.allclose(votes.sum(axis=1), 1)
    assert np.array_equal(votes[:, 1] > 0.5, mean / std > 0)


@pytest.mark.parametrize(
    "labels",
    [[-1, 1], [0, 1], [False, True], [2.0, 10.0], ["ham", "spam"], ["10", "9"], ["b", "10", "9", "a"]],
)
def test_labels_of_every_kind_come_back(labels, two_classes, four_classes):
    X, y = two_classes if len(labels) == 2 else four_classes
    names = np.array(labels)[y]
    fitted = SurefootClassifier().fit(X, names)
    assert np.array_equal(fitted.classes_, np.unique(names))
    assert fitted.predict(X).dtype == names.dtype
    assert fitted.score(X, names) > 0.8
    best = np.argmax(fitted.predict_proba(X), axis=1)
    assert np.array_equal(fitted.classes_[best], fitted.predict(X))
    if len(labels) == 2:
        assert np.array_equal(fitted.decision_function(X) > 0, fitted.predict(X) == fitted.classes_[1])
        assert np.allclose(fitted.margin(X), X @ fitted.coef_[0] + fitted.intercept_[0])


def test_labels_that_a_file_could_not_tell_apart_are_refused(two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match="label '1' is declared twice"):
        SurefootClassifier().fit(X, np.array(["1", "1.0"])[y])


def test_batches_are_one_stream(two_classes):
    X, y = two_classes
    whole = SurefootClassifier(max_iter=1, shuffle=False).fit(X, y)
    parts = SurefootClassifier()
    for start in range(0, len(y), 70):
        parts.partial_fit(X[start : start + 70], y[start : start + 70], classes=[0, 1])
    assert whole._model.to_bytes() == parts._model.to_bytes()


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_layouts_give_the_same_bits(index, kind, two_classes):
    X, y = two_classes
    X = (X * 8).astype(kind).astype(np.float64)
    same = SurefootClassifier().fit(X, y)._model.to_bytes()
    matrix = X.astype(kind)
    matrix.indptr, matrix.indices = matrix.indptr.astype(index), matrix.indices.astype(index)
    dense = matrix.toarray()
    layouts = [matrix, matrix.tocsc(), matrix.tocoo(), dense, np.asfortranarray(dense), dense[:, ::-1][:, ::-1]]
    for layout in layouts:
        assert SurefootClassifier().fit(layout, y)._model.to_bytes() == same


def test_unsorted_and_repeated_indices_are_summed(two_classes):
    X, y = two_classes
    halves = sparse.csr_array((X.shape[0], X.shape[1]))
    halves.indptr = X.indptr * 2
    halves.indices = np.concatenate([np.tile(X.indices[a:b][::-1], 2) for a, b in zip(X.indptr, X.indptr[1:])])
    halves.data = np.concatenate([np.tile(X.data[a:b][::-1] / 2, 2) for a, b in zip(X.indptr, X.indptr[1:])])
    fast = SurefootClassifier().partial_fit(X[:1], y[:1], classes=[0, 1]).partial_fit(halves, y)
    plain = SurefootClassifier().partial_fit(X[:1], y[:1], classes=[0, 1]).partial_fit(X, y)
    assert np.array_equal(fast.coef_, plain.coef_)


def test_a_fast_batch_and_a_checked_one_are_the_same(two_classes, four_classes):
    for X, y in (two_classes, four_classes):
        classes = np.unique(y)
        fast = SurefootClassifier().partial_fit(X, y, classes=classes)
        slow = SurefootClassifier().partial_fit(X, y, classes=classes)
        for row in range(20):
            assert fast._learned_quickly(X[row : row + 1], y[row : row + 1])
            slow.partial_fit(X[row : row + 1].toarray(), list(y[row : row + 1]))
        assert fast._model.to_bytes() == slow._model.to_bytes()


def test_the_fast_way_leaves_errors_to_scikit_learn(two_classes):
    X, y = two_classes
    fitted = SurefootClassifier().partial_fit(X, y, classes=[0, 1])
    before = fitted._model.to_bytes()
    bad = X.copy()
    bad.data[-1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        fitted.partial_fit(bad, y)
    with pytest.raises(ValueError, match="features, but SurefootClassifier is expecting 200"):
        fitted.partial_fit(X[:, :100], y)
    with pytest.raises(ValueError, match="not declared"):
        fitted.partial_fit(X, y + 1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted.partial_fit(X, y[:-1])
    assert fitted._model.to_bytes() == before


def test_new_classes_grow(four_classes):
    X, y = four_classes
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    growing = SurefootClassifier(new_classes="grow")
    for part in np.array_split(np.arange(len(y)), 12):
        growing.partial_fit(X[part], y[part])
    assert np.array_equal(growing.classes_, [0, 1, 2, 3])
    assert growing.predict_proba(X).shape == (len(y), 4)
    assert growing.coef_.shape == (4, X.shape[1])
    with pytest.raises(ValueError, match='new_classes="grow"'):
        SurefootClassifier().partial_fit(X, y, classes=[0, 1])


def test_two_classes_of_a_growing_model_look_like_two_classes(two_classes):
    X, y = two_classes
    growing = SurefootClassifier(new_classes="grow").partial_fit(X, y)
    assert growing.decision_function(X).shape == (len(y),)
    assert growing.coef_.shape == (1, X.shape[1])
    assert np.allclose(growing.margin(X), X @ growing.coef_[0] + growing.intercept_[0])


def test_settings_are_checked_by_the_rules_own_tables(two_classes):
    cases = [
        ({"rule": "adaboost"}, "unknown rule `adaboost`; known: arow, "),
        ({"rule": "pa1", "r": 1.0}, "unknown parameter of pa1/identity `r`; known: c, "),
        ({"rule": "scw1", "confidence": 0.4}, "`confidence`: expected a number strictly between 0.5 and 1, found `0.4`"),
        ({"covariance": "triangular"}, "unknown store `triangular`"),
        ({"rule": "auto", "r": 1.0}, "brings its own stores and parameters"),
        ({"normalize": "l1"}, "unknown variant `l1`, expected `none` or `l2`"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, found 0"),
        ({"new_classes": "ignore"}, 'new_classes is "error" or "grow"'),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError) as caught:
            SurefootClassifier(**arguments).fit(*two_classes)
        assert message in str(caught.value)


def test_an_ensemble_has_probabilities_but_no_weights(two_classes):
    X, y = two_classes
    ensemble = SurefootClassifier(rule="auto").fit(X, y)
    assert ensemble.score(X, y) > 0.8
    assert np.allclose(ensemble.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(AttributeError, match="no single weight"):
        ensemble.coef_


def test_a_learner_of_correlations_joins_an_ensemble_on_dense_rows():
    rng = np.random.default_rng(3)
    common = rng.normal(size=(200, 1))
    X = common + 0.1 * rng.normal(size=(200, 12))
    y = (X[:, 0] > X[:, 1]).astype(int)
    ensemble = SurefootClassifier(rule="auto", max_iter=1).fit(X, y)
    assert "factored" in ensemble.spec_
    # Batch by batch it is the same, before and after it is clear what the rows are like.
    parts = SurefootClassifier(rule="auto", max_iter=1)
    for rows in np.array_split(np.arange(200), 9):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1])
    assert "factored" in parts.spec_
    # A few of many columns in every row.
    X[rng.random(X.shape) < 0.9] = 0
    X = np.hstack([X, np.zeros((200, 30))])
    X[np.arange(200), 12 + np.arange(200) % 30] = 1
    assert "factored" not in SurefootClassifier(rule="auto", max_iter=1).fit(X, y).spec_


def test_many_threads_predict_while_one_learns(two_classes):
    X, y = two_classes
    shared = SurefootClassifier().fit(X, y)
    expected = shared.predict_proba(X)
    wrong = []

    def ask():
        for _ in range(20):
            if not np.array_equal(shared.predict_proba(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong

    learners = [threading.Thread(target=shared.partial_fit, args=(X, y)) for _ in range(4)]
    [thread.start() for thread in learners]
    [shared.predict(X) for _ in range(5)]
    [thread.join() for thread in learners]
    assert shared.counts_["rounds"] == len(y) * (5 + 4)


def test_no_interpreter_is_needed_while_learning(two_classes):
    X, y = two_classes
    big, labels = sparse.vstack([X] * 200).tocsr(), np.tile(y, 200)
    model = SurefootClassifier(shuffle=False).partial_fit(X, y, classes=[0, 1])
    ticks = []
    learner = threading.Thread(target=model.partial_fit, args=(big, labels))
    learner.start()
    while learner.is_alive():
        ticks.append(None)
    assert len(ticks) > 10


def test_an_interruption_ends_learning_between_two_parts_of_the_rows():
    rows = 1_000_000
    X, codes = np.ones((rows, 1), np.float32), np.arange(rows) % 2
    model = SurefootClassifier().partial_fit(X[:2], codes[:2], classes=[0, 1])
    learning = threading.Event()

    def press_ctrl_c():
        learning.wait()
        signal.raise_signal(signal.SIGINT)

    presser = threading.Thread(target=press_ctrl_c)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        # The other thread can go on once the interpreter is released.
        learning.set()
        model._model.learn(X, codes, ["0", "1"])
    presser.join()
    assert model.counts_["rounds"] < rows
    assert len(model.partial_fit(X[:2], codes[:2]).predict(X[:2])) == 2


@pytest.mark.parametrize("kind", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("flavour", ["array", "matrix"])
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_every_sparse_format(kind, flavour, two_classes):
    X, y = two_classes
    fitted = SurefootClassifier().fit(X, y)
    other = getattr(sparse, f"{kind}_{flavour}")(X)
    assert SurefootClassifier().fit(other, y)._model.to_bytes() == fitted._model.to_bytes()
    assert np.array_equal(fitted.predict_proba(other), fitted.predict_proba(X))
    again = SurefootClassifier().partial_fit(other, y, classes=[0, 1]).partial_fit(other, y)
    assert np.array_equal(again.coef_, SurefootClassifier(max_iter=2, shuffle=False).fit(X, y).coef_)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_enter_without_a_copy(index, kind):
    random = np.random.default_rng(1)
    rows, filled, columns = 20_000, 20, 5000
    indices = np.sort(random.integers(0, columns - filled, (rows, filled)), axis=1) + np.arange(filled)
    X = sparse.csr_array((rows, columns), dtype=kind)
    X.data = random.random(rows * filled).astype(kind)
    X.indices, X.indptr = indices.ravel().astype(index), np.arange(0, rows * filled + 1, filled, dtype=index)
    y = random.integers(0, 2, rows)
    given = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + y.nbytes
    model = SurefootClassifier(shuffle=False, max_iter=1)
    for work in (model.fit, model.partial_fit, lambda X, _: model.predict(X)):
        work(X[:10], np.arange(10) % 2)
        tracemalloc.start()
        work(X, y)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        # The places of the labels, and the copies that scikit-learn's checks of them make.
        assert peak < 3 * y.nbytes < given / 5


def test_an_error_in_the_middle_of_a_batch_relearns_nothing(two_classes):
    X, y = two_classes
    for fast in (True, False):
        fitted = SurefootClassifier().partial_fit(X, y, classes=[0, 1])
        before = fitted.counts_["rounds"]
        # Both halves of a repeated entry are finite, their sum is not.
        bad = sparse.vstack([X[:5], X[:5]]).tocsr()
        bad.indices[bad.indptr[7] : bad.indptr[8]] = bad.indices[bad.indptr[7]]
        bad.data[bad.indptr[7] : bad.indptr[8]] = 1e308
        labels = y[:10] if fast else y[:10].tolist()
        with pytest.raises(ValueError, match=r"row 7: .*\(7 rows of this call were learned before it\)"):
            fitted.partial_fit(bad, labels)
        assert fitted.counts_["rounds"] == before + 7


def test_labels_met_before_an_error_stay_known(two_classes):
    X, _ = two_classes
    growing = SurefootClassifier(new_classes="grow").partial_fit(X[:2], ["a", "b"])
    bad = X[:3].copy()
    bad.indices[bad.indptr[2] :] = bad.indices[bad.indptr[2]]
    bad.data[bad.indptr[2] :] = 1e308
    with pytest.raises(ValueError, match="row 2"):
        growing.partial_fit(bad, ["c", "d", "e"])
    assert {"a", "b", "c", "d"} <= set(growing.classes_)
    assert growing.predict_proba(X).shape == (X.shape[0], len(growing.classes_))


def test_rules_without_a_use_for_weights_say_so_once(two_classes):
    X, y = two_classes
    weights = np.ones(len(y))
    for rule, warned in [("pa", True), ("cw-stdev", True), ("cw-var", True), ("arow", False), ("pa1", False)]:
        model = SurefootClassifier(rule=rule)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.partial_fit(X, y, classes=[0, 1], sample_weight=weights)
            model.partial_fit(X, y, sample_weight=weights)
            SurefootClassifier(rule=rule).fit(X, y)
        assert len(caught) == warned
        if warned:
            assert f"the rule {rule!r} learns the same from rows of every weight but 0" in str(caught[0].message)
    with pytest.warns(UserWarning, match="arow"):
        SurefootClassifier(rule="pa", class_weight="balanced").fit(X, y)


def test_scikit_learns_messages(two_classes):
    X, y = two_classes
    fit = SurefootClassifier().fit
    cases = [
        (lambda: fit(X, sparse.csr_array(y[:, None])), "Sparse data was passed for"),
        (lambda: fit(X, np.where(y, np.nan, 1.0)), "Input y contains NaN"),
        (lambda: fit(X, y + 0.5), "Unknown label type: continuous"),
        (lambda: fit(X, np.stack([y, y + 1], axis=1)), "a matrix of labels is to hold 1 where a row has the label"),
        (lambda: fit(X, y, sample_weight=-np.ones(len(y))), "Negative values in data passed to `sample_weight`"),
        (lambda: fit(X, y, sample_weight=np.zeros(len(y))), "Sample weights must contain at least one non-zero number"),
        (lambda: fit(X, y, sample_weight=np.ones(3)), r"sample_weight.shape == \(3,\), expected"),
        (lambda: fit(X.toarray() * 1j, y), "Complex data not supported"),
        (lambda: fit(X[:0], y[:0]), "Found array with 0 sample"),
        (lambda: fit(X[:, :0], y), "0 feature"),
        (lambda: fit(X, y * 0), "The number of classes has to be greater than one; got 1 class"),
        (lambda: fit([["a"], ["b"]], [0, 1]), "could not convert string to float"),
        (lambda: fit(X.toarray()[0], y), "Expected 2D array, got 1D array instead"),
        (lambda: fit(X, y).predict(X.toarray()[:, :3]), "X has 3 features, but SurefootClassifier is expecting 200"),
        (lambda: SurefootClassifier().partial_fit(X, y), "classes must be passed on the first call to partial_fit"),
    ]
    for call, message in cases:
        with pytest.raises((ValueError, TypeError), match=message):
            call()
    with pytest.raises(NotFittedError):
        SurefootClassifier().predict(X)


def test_the_memory_of_a_model_does_not_grow_with_the_features():
    wide = sparse.csr_array(([1.0, 1.0], ([0, 1], [0, 2**31 - 2])), shape=(2, 2**31 - 1))
    fitted = SurefootClassifier().fit(wide, [0, 1])
    assert list(fitted.predict(wide)) == [0, 1]
    assert len(fitted._model.to_bytes()) < 5000


def test_more_columns_than_memory(two_classes):
    """A sparse matrix may have any number of columns; what is as long as all of them is refused, or sparse."""
    X, y = two_classes
    wide = sparse.csr_matrix((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=(X.shape[0], 1 << 40))
    narrow, fitted = SurefootClassifier().fit(X, y), SurefootClassifier().fit(wide, y)
    for ask in (lambda: fitted.coef_, lambda: fitted.coef_variance_, fitted.weights):
        with pytest.raises(MemoryError, match="no memory for the weights"):
            ask()
    assert np.array_equal(fitted.intercept_, narrow.intercept_)
    assert fitted.sparsify().coef_.shape == (1, 1 << 40)
    assert np.array_equal(fitted.coef_[:, : X.shape[1]].toarray(), narrow.coef_)


def test_sparse_weights_are_the_dense_ones(two_classes, four_classes):
    for X, y in (two_classes, four_classes):
        fitted = SurefootClassifier().fit(X, y)
        dense = fitted.coef_
        assert np.array_equal(fitted.sparsify().coef_.toarray(), dense)


@pytest.mark.parametrize("rows", [np.array([[1.0, np.nan]]), np.array([[1.0]]), np.array([1.0, 2.0]), np.zeros((0, 2))])
def test_odd_rows_get_scikit_learns_errors(rows):
    fitted = SurefootClassifier().fit(np.eye(2), [0, 1])
    with pytest.raises(ValueError, match="NaN|features|1D array|0 sample"):
        fitted.predict(rows)
    with pytest.raises(ValueError, match="NaN|features|0 sample"):
        fitted.predict(sparse.csr_matrix(rows if rows.ndim == 2 else rows[:1, None]))


def test_a_row_is_explained(two_classes, four_classes):
    for X, y in (two_classes, four_classes):
        fitted = SurefootClassifier("arow", max_iter=1).fit(X, y)
        for row in (X[:1], X[:1].toarray(), X[:1].toarray()[0]):
            reasons = fitted.explain(row, label=fitted.classes_[-1])
            score = np.atleast_1d(fitted.margin(X[:1]).ravel())[-1]
            assert sum(reason.contribution for reason in reasons) == pytest.approx(score)
            assert {reason.feature for reason in reasons} == {f"x{column}" for column in X[:1].indices} | {"(bias)"}
    with pytest.raises(ValueError, match="one row, found 2"):
        fitted.explain(X[:2])
