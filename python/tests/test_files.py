"""Files: the same model from Python and from the command line, bit for bit, and back."""

import copy
import json
import pathlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import surefoot
from surefoot import Stream, SurefootClassifier, SurefootTextClassifier

ROOT = pathlib.Path(__file__).parents[2]
MAIL = [
    ("spam", "cheap pills, cheap watches"),
    ("ham", "lunch at noon?"),
    ("spam", "watches for you"),
    ("work", "the report is due at noon"),
    ("ham", "see you at lunch"),
] * 4


@pytest.fixture(scope="session")
def program():
    """The command line, built from this source."""
    build = ["cargo", "build", "--package", "surefoot-cli", "--message-format", "json"]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=True)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return next(path for path in (m.get("executable") for m in messages) if path)


@pytest.fixture
def run(program, tmp_path):
    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def write_svmlight(path, X, y):
    """Exactly: every digit of every number."""
    X = X.tocsr()
    with open(path, "w") as file:
        for row, label in enumerate(y):
            span = slice(X.indptr[row], X.indptr[row + 1])
            pairs = (f"{column}:{value!r}" for column, value in zip(X.indices[span], X.data[span].tolist()))
            print(label, *pairs, file=file)


@pytest.mark.parametrize("learner", ["arow:r=0.1", "cw-stdev/full", "pa1:average=true,c=0.5", "scw1"])
@pytest.mark.parametrize("labels", [["-1", "1"], ["ham", "spam"], ["1", "10", "9", "a"]])
def test_python_and_the_command_line_write_the_same_file(learner, labels, run, tmp_path, two_classes, four_classes):
    X, y = two_classes if len(labels) == 2 else four_classes
    y = np.array(labels)[y]
    write_svmlight(tmp_path / "data.svm", X, y)
    declared = ",".join(labels)
    run("train", "data.svm", "--learner", learner, "--labels=" + declared, "-o", "theirs")

    rule, _, parameters = learner.partition(":")
    rule, _, covariance = rule.partition("/")
    chosen = dict(pair.split("=") for pair in parameters.split(",") if pair)
    ours = SurefootClassifier(
        rule, covariance or None, **chosen, normalize="l2", max_iter=1, shuffle=False
    )
    ours.fit(X, y).save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()

    parts = SurefootClassifier(rule, covariance or None, **chosen, normalize="l2")
    for start in range(0, len(y), 250):
        parts.partial_fit(X[start : start + 250], y[start : start + 250], classes=labels)
    assert parts._model.to_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize("labels", [["-1", "1"], ["1", "10", "9", "a"]])
def test_an_ensemble_in_several_passes_is_the_same_file(labels, run, tmp_path, two_classes, four_classes):
    X, y = two_classes if len(labels) == 2 else four_classes
    y = np.array(labels)[y]
    write_svmlight(tmp_path / "data.svm", X, y)
    run("train", "data.svm", "--learner=auto", "--passes=3", "--labels=" + ",".join(labels), "-o", "theirs")
    ours = SurefootClassifier("auto", max_iter=3, shuffle=False).fit(X, y)
    assert ours._model.to_bytes() == (tmp_path / "theirs").read_bytes()


def test_text_and_the_command_line_write_the_same_file(run, tmp_path):
    (tmp_path / "mail.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in MAIL))
    run("train", "mail.tsv", "--learner=arow", "--labels=ham,spam,work", "--ngrams=1-2", "-o", "theirs")
    labels, texts = zip(*MAIL)
    ours = SurefootTextClassifier(ngrams=(1, 2), shuffle=False).fit(texts, labels)
    assert ours._model.to_bytes() == (tmp_path / "theirs").read_bytes()


def test_a_stream_is_the_command_line(run, tmp_path):
    (tmp_path / "mail.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in MAIL))
    report = json.loads(run("train", "mail.tsv", "--passes", "2", "-o", "theirs", "--json"))
    ours = Stream(passes=2, progress=True).fit_file(tmp_path / "mail.tsv")
    ours.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    for volatile in ("seconds", "model"):
        report.pop(volatile, None), ours.report_.pop(volatile, None)
    assert ours.report_.items() <= report.items()


def test_a_stream_goes_on(tmp_path):
    lines = [f"{label}\t{text}\n" for label, text in MAIL]
    (tmp_path / "whole.tsv").write_text("".join(lines))
    (tmp_path / "first.tsv").write_text("".join(lines[:7]))
    (tmp_path / "second.tsv").write_text("".join(lines[7:]))
    known = {"labels": ["ham", "spam", "work"], "progress": False}
    whole = surefoot.fit_file(tmp_path / "whole.tsv", **known)
    parts = Stream(**known).fit_file(tmp_path / "first.tsv").fit_file(tmp_path / "second.tsv")
    assert parts.report_["examples"] == len(lines) - 7
    texts = [text for _, text in MAIL]
    assert np.array_equal(whole.estimator_.predict_proba(texts), parts.estimator_.predict_proba(texts))


def test_bad_files_say_where(tmp_path):
    (tmp_path / "bad.svm").write_text("1 2:0.5\n-1 x:1\n")
    with pytest.raises(ValueError, match=r"bad\.svm:2"):
        surefoot.fit_file(tmp_path / "bad.svm", format="svmlight", progress=False)
    skipped = surefoot.fit_file(tmp_path / "bad.svm", format="svmlight", skip_bad_lines=True, progress=False)
    assert skipped.report_["bad_lines"] == 1
    with pytest.raises(FileNotFoundError):
        surefoot.fit_file(tmp_path / "none.svm")
    with pytest.raises(FileNotFoundError):
        surefoot.load(tmp_path / "none")
    (tmp_path / "broken").write_bytes(b"not a model")
    with pytest.raises(ValueError, match="broken"):
        surefoot.load(tmp_path / "broken")
    with pytest.raises(ValueError, match="unknown format `xml`; known: .*svmlight"):
        surefoot.fit_file(tmp_path / "bad.svm", format="xml")


def test_an_exception_in_the_progress_ends_the_run(tmp_path, monkeypatch):
    (tmp_path / "data.svm").write_text("1 2:0.5\n-1 3:1\n")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("surefoot._stream._Bar.update", interrupt)
    with pytest.raises(KeyboardInterrupt):
        surefoot.fit_file(tmp_path / "data.svm")


def test_bars_of_tqdm_and_rich(tmp_path, monkeypatch, capsys):
    (tmp_path / "data.svm").write_text("1 2:0.5\n-1 3:1\n" * 50)
    surefoot.fit_file(tmp_path / "data.svm", progress=True)
    assert "examples=" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    surefoot.fit_file(tmp_path / "data.svm", progress=True)
    assert "examples=" in capsys.readouterr().out
    # Without a terminal.
    surefoot.fit_file(tmp_path / "data.svm")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setitem(sys.modules, "rich", None)
    surefoot.fit_file(tmp_path / "data.svm")
    with pytest.raises(ImportError, match="needs tqdm or rich"):
        surefoot.fit_file(tmp_path / "data.svm", progress=True)


@pytest.mark.parametrize("labels", [[-1, 1], ["ham", "spam"], [0, 1, 2, 10]])
def test_a_loaded_model_is_the_saved_one(labels, tmp_path, two_classes, four_classes):
    X, y = two_classes if len(labels) == 2 else four_classes
    y = np.array(labels)[y]
    saved = SurefootClassifier(rule="scw1", c=0.5).fit(X, y)
    surefoot.save(saved, tmp_path / "model")
    loaded = surefoot.load(tmp_path / "model", n_features=X.shape[1])
    assert np.array_equal(loaded.classes_, saved.classes_)
    assert np.array_equal(loaded.predict(X), saved.predict(X))
    assert np.array_equal(loaded.predict_proba(X), saved.predict_proba(X))
    assert np.array_equal(loaded.coef_, saved.coef_)
    assert (loaded.rule, loaded.c) == ("scw1", 0.5)
    assert loaded.partial_fit(X, y)._model.to_bytes() == saved.partial_fit(X, y)._model.to_bytes()


def test_a_text_model_comes_back_as_one(tmp_path):
    labels, texts = zip(*MAIL)
    saved = SurefootTextClassifier(ngrams=(1, 2), char_ngrams=(3, 3), bits=12).fit(texts, labels)
    saved.save(tmp_path / "model")
    loaded = surefoot.load(tmp_path / "model")
    assert (loaded.ngrams, loaded.char_ngrams, loaded.bits) == ((1, 2), (3, 3), 12)
    assert np.array_equal(loaded.predict_proba(texts), saved.predict_proba(texts))


def test_models_trained_apart_are_merged(two_classes, four_classes):
    for X, y in (two_classes, four_classes):
        classes = np.unique(y)
        parts = [SurefootClassifier(max_iter=1).partial_fit(X[i::3], y[i::3], classes=classes) for i in range(3)]
        merged = surefoot.merge(parts)
        assert merged.counts_["examples"] == len(y)
        assert merged.score(X, y) > max(part.score(X, y) for part in parts) - 0.05
        assert (merged.coef_variance_ <= parts[0].coef_variance_ + 1e-12).all()
        merged.partial_fit(X, y)
    assert np.array_equal(surefoot.merge(parts[:1]).coef_, parts[0].coef_)


def test_a_common_base_counts_once(two_classes):
    X, y = two_classes
    base = SurefootClassifier().partial_fit(X[:200], y[:200], classes=[0, 1])
    parts = [copy.deepcopy(base).partial_fit(X[a:b], y[a:b]) for a, b in ((200, 400), (400, 600))]
    assert surefoot.merge(parts, base).counts_["examples"] == len(y)


def test_merging_unites_words_and_labels():
    one = SurefootTextClassifier(new_classes="grow").fit(["cheap pills", "lunch"], ["spam", "ham"])
    two = SurefootTextClassifier(new_classes="grow").fit(["goal", "cheap"], ["sport", "spam"])
    merged = surefoot.merge([one, two])
    assert list(merged.classes_) == ["ham", "spam", "sport"]
    assert list(merged.predict(["goal", "pills"])) == ["sport", "spam"]


def test_models_that_do_not_fit_are_not_merged(two_classes):
    X, y = two_classes
    fitted = SurefootClassifier().fit(X, y)
    with pytest.raises(ValueError, match="differ in the learner"):
        surefoot.merge([fitted, SurefootClassifier(c=3.0).fit(X, y)])
    with pytest.raises(ValueError, match="different numbers of features"):
        surefoot.merge([fitted, SurefootClassifier().fit(X[:, :50], y)])
    with pytest.raises(ValueError, match="no models"):
        surefoot.merge([])


def test_labels_and_names_that_a_file_does_not_hold(tmp_path, two_classes):
    X, y = two_classes
    frame = pd.DataFrame(X.toarray(), columns=[f"c{i}" for i in range(X.shape[1])])
    for labels in (np.array(["0", "1"]), np.array([False, True]), np.array([0, 1])):
        saved = SurefootClassifier().fit(frame, labels[y])
        saved.save(tmp_path / "model")
        loaded = surefoot.load(tmp_path / "model", classes=labels, feature_names=list(frame.columns))
        assert loaded.classes_.dtype.kind == labels.dtype.kind
        assert np.array_equal(loaded.predict(frame), saved.predict(frame))
        assert list(loaded.feature_names_in_) == list(frame.columns)
        assert loaded.partial_fit(frame, labels[y]).to_bytes() == saved.partial_fit(frame, labels[y]).to_bytes()
    assert surefoot.load(tmp_path / "model").classes_.tolist() == [0, 1]
    SurefootClassifier().fit(X, np.array([False, True])[y]).save(tmp_path / "model")
    assert surefoot.load(tmp_path / "model").classes_.dtype == bool
    with pytest.raises(ValueError, match="classes are .*, but the labels of the model are"):
        surefoot.load(tmp_path / "model", classes=["a", "b"])
    with pytest.raises(ValueError, match="has met 200 columns, more than 3"):
        surefoot.load(tmp_path / "model", n_features=3)
    with pytest.raises(ValueError, match="n_features is 300, but there are 2 feature names"):
        surefoot.load(tmp_path / "model", n_features=300, feature_names=["a", "b"])


def test_models_are_bytes(two_classes):
    X, y = two_classes
    saved = SurefootClassifier().fit(X, y)
    loaded = surefoot.from_bytes(saved.to_bytes(), n_features=X.shape[1])
    assert np.array_equal(loaded.predict_proba(X), saved.predict_proba(X))
    assert loaded.to_bytes() == saved.to_bytes()
    with pytest.raises(ValueError):
        surefoot.from_bytes(saved.to_bytes()[:-1])


def test_the_exact_product_is_another_merge(run, tmp_path, two_classes):
    X, y = two_classes
    parts = [SurefootClassifier("cw-stdev", max_iter=1).fit(X[i::2], y[i::2]) for i in range(2)]
    for i, part in enumerate(parts):
        part.save(tmp_path / f"part{i}")
    run("merge", "part0", "part1", "--exact", "-o", "theirs")
    exact = surefoot.merge(parts, exact=True)
    assert exact.to_bytes() == (tmp_path / "theirs").read_bytes()
    assert exact.to_bytes() != surefoot.merge(parts).to_bytes()
