"""No panic crosses the border: whatever Python passes, Rust answers with a result or an ordinary exception.

A panic in Rust becomes a PanicException, which is no Exception and so passes through every ``except Exception`` here.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from surefoot import SurefootClassifier, SurefootTextClassifier, _native, rules

RULES = [rule.name for rule in rules()]
STORES = [None, *(name for name, _ in _native.stores())]
floats = st.floats(width=64)
indices = st.sampled_from([np.int32, np.int64])
quick = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def survives(call, *arguments, **keywords):
    """The result, or None after an ordinary exception."""
    try:
        return call(*arguments, **keywords)
    except (ValueError, TypeError, OverflowError, AttributeError, IndexError):
        return None


def arrays(kind, elements=None, size=st.integers(0, 8)):
    return size.flatmap(lambda n: hnp.arrays(kind, n, elements=elements))


def model(labels=("a", "b"), grow=False):
    return _native.Model(("arow", None), [], list(labels), grow=grow, recipe='{"space": "as-given"}')


def ask_everything(native, rows):
    for what in ("classes", "logits", "probabilities", "votes", "moments", "explain"):
        survives(getattr(native, what), rows)
    survives(native.weights, 5)
    survives(native.named_weights)


@quick
@given(
    index=indices,
    data=st.data(),
    values=arrays(np.float64, floats),
    columns=st.integers(0, 10),
    codes=arrays(np.int64, st.integers(-2, 3)),
    weights=st.none() | arrays(np.float64, floats),
    order=st.none() | arrays(np.int64, st.integers(-2, 9)),
    grow=st.booleans(),
)
def test_csr_arrays_of_any_content(index, data, values, columns, codes, weights, order, grow):
    bounds = st.integers(-3, 12)
    rows = (data.draw(arrays(index, bounds)), data.draw(arrays(index, bounds)), values, columns)
    native = model(grow=grow)
    survives(native.learn, rows, codes, ["a", "b", "c"], weights=weights, order=order)
    ask_everything(native, rows)
    _native.from_bytes(native.to_bytes())


@quick
@given(
    matrix=hnp.arrays(st.sampled_from([np.float64, np.float32]), hnp.array_shapes(min_dims=2, max_dims=2, max_side=5), elements=st.floats(width=32)),
    scale=st.sampled_from([1.0, 1e-200, 1e200, 1e-308, 1e308]),
    rule=st.sampled_from(RULES),
    store=st.sampled_from(STORES),
    normalize=st.sampled_from(["none", "l2"]),
    scaling=st.sampled_from(["none", "rms", "standardize"]),
    fortran=st.booleans(),
    many=st.booleans(),
)
def test_matrices_of_any_numbers(matrix, scale, rule, store, normalize, scaling, fortran, many):
    with np.errstate(all="ignore"):
        matrix = matrix * matrix.dtype.type(scale)
    matrix = np.asfortranarray(matrix) if fortran else matrix
    y = np.arange(len(matrix)) % (3 if many else 2)
    classifier = SurefootClassifier(rule, store, normalize=normalize, scale_features=scaling)
    fitted = survives(classifier.partial_fit, matrix, y, classes=range(3 if many else 2))
    if fitted is not None:
        assert np.isfinite(fitted.predict_proba(matrix)).all()
        assert np.allclose(fitted.predict_proba(matrix).sum(axis=1), 1)
        ask_everything(fitted._model, matrix)


# numpy drops zeros at the end of a string, so such labels cannot come back.
strings = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


@quick
@given(texts=st.lists(strings, min_size=1, max_size=5), ngrams=st.tuples(st.integers(-1, 20), st.integers(-1, 20)))
def test_texts_of_any_characters(texts, ngrams):
    classifier = SurefootTextClassifier(ngrams=ngrams, char_ngrams=(1, 3), new_classes="grow")
    if survives(classifier.partial_fit, texts, texts) is not None:
        assert set(classifier.classes_) == set(texts)
        classifier.predict(texts)
        survives(classifier.explain, texts[0])
        _native.from_bytes(classifier._model.to_bytes())


keys = st.text(max_size=5) | st.integers() | st.none()
items = floats | st.integers() | st.text(max_size=5) | st.booleans() | st.none() | st.binary(max_size=3)


@quick
@given(dicts=st.lists(st.dictionaries(keys, items, max_size=5), min_size=1, max_size=5), labels=st.lists(st.text(max_size=3), min_size=5, max_size=5))
def test_dicts_of_anything(dicts, labels):
    native = _native.Model(("arow", None), [], [], grow=True, recipe='{"space": "dictionary"}')
    for x, label in zip(dicts, labels):
        survives(native.learn_dict, x, label, 1.0)
        survives(native.probabilities_of_dict, x)
        survives(native.class_of_dict, x)
    ask_everything(native, dicts)


@quick
@given(
    rule=st.sampled_from(RULES) | st.text(max_size=10),
    store=st.sampled_from(STORES) | st.text(max_size=10),
    parameters=st.lists(st.tuples(st.sampled_from(["r", "c", "confidence", "top", "schedule", "prior", "floor", "rank"]) | st.text(max_size=5), floats.map(repr) | st.text(max_size=8)), max_size=3),
    labels=st.lists(st.text(max_size=4), max_size=4),
    grow=st.booleans(),
    recipe=st.text(max_size=20) | st.sampled_from(["[]", "1", "null", '{"bias": 3}', '{"space": {"hashed": {"bits": 99, "seed": 0}}}']),
    seed=st.integers(0, 2**64 - 1),
)
def test_settings_of_any_kind(rule, store, parameters, labels, grow, recipe, seed):
    survives(_native.Model, (rule, store), parameters, labels, grow=grow, recipe=recipe, seed=seed)
    survives(_native.parameters, rule, store)


@quick
@given(damage=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=20), cut=st.integers(0, 5000))
def test_damaged_model_files(damage, cut):
    native = model(["a", "b", "c"])
    native.learn(np.eye(3), np.arange(3), ["a", "b", "c"])
    data = bytearray(native.to_bytes())
    for place, byte in damage:
        data[place % len(data)] = byte
    survives(_native.from_bytes, bytes(data[: max(1, len(data) - cut % 100)]))


@pytest.mark.parametrize("rows", [None, 3, "text", [1], [None], (), (1, 2), (1, 2, 3, 4), np.zeros(3), np.zeros((2, 2), complex)])
def test_rows_of_the_wrong_kind(rows):
    native = model()
    assert survives(native.learn, rows, np.zeros(1, np.int64), ["a", "b"]) is None
    assert survives(native.classes, rows) is None


def test_arrays_that_are_not_aligned():
    buffer = np.zeros(8 * 6 + 1, np.uint8)
    odd = buffer[1:].view(np.float64).reshape(2, 3)
    assert not odd.flags.aligned
    fitted = SurefootClassifier().partial_fit(np.eye(3)[:2], [0, 1], classes=[0, 1])
    assert len(fitted.predict(odd)) == 2
    assert survives(fitted._model.classes, odd) is None
