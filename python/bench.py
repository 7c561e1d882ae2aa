"""Speed against scikit-learn and River, in one run: ratios, not seconds, are what the results say.

    python python/bench.py [--write]

``--write`` records the table in docs/python/speed.md. Wants a release build: python/wheel.sh, or `maturin develop -r`.
"""

from __future__ import annotations

import argparse
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import sklearn
from river import linear_model as river_linear
from scipy import sparse
from sklearn.linear_model import SGDClassifier

import surefoot.river
from surefoot import SurefootClassifier

FEATURES, NON_ZEROS = 2**18, 32
ROOT = pathlib.Path(__file__).parents[1]


def data(rows, classes, seed=0):
    """Rows of a sparse matrix in canonical form, and labels that depend on them."""
    random = np.random.default_rng(seed)
    columns = np.sort(random.integers(0, FEATURES - NON_ZEROS, (rows, NON_ZEROS)), axis=1) + np.arange(NON_ZEROS)
    values = random.random(rows * NON_ZEROS)
    indptr = np.arange(0, rows * NON_ZEROS + 1, NON_ZEROS, dtype=np.int32)
    X = sparse.csr_matrix((values, columns.astype(np.int32).ravel(), indptr), shape=(rows, FEATURES))
    return X, (X @ random.normal(size=FEATURES) > 0).astype(int) + 2 * random.integers(0, classes // 2, rows)


def rate(work, count, seconds=1.5):
    """Calls a second of ``work(i)``, the best of three."""
    best = 0.0
    for _ in range(3):
        done, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds / 3:
            work(done % count)
            done += 1
        best = max(best, done / (time.perf_counter() - start))
    return best


def one_row(make, classes, convert=lambda row: row):
    X, y = data(500, classes)
    rows = [(convert(X[i]), y[i : i + 1]) for i in range(X.shape[0])]
    model = make().partial_fit(X, y, classes=np.arange(classes))
    return rate(lambda i: model.partial_fit(*rows[i]), len(rows))


def batches(make, classes):
    X, y = data(20_000, classes)
    parts = [(X[i : i + 1000], y[i : i + 1000]) for i in range(0, X.shape[0], 1000)]
    model = make().partial_fit(X, y, classes=np.arange(classes))
    return 1000 * rate(lambda i: model.partial_fit(*parts[i]), len(parts))


def dicts(model):
    X, y = data(500, 2)
    rows = [({f"f{c}": v for c, v in zip(X[i].indices.tolist(), X[i].data.tolist())}, bool(y[i])) for i in range(500)]
    for x, label in rows:
        model.learn_one(x, label)
    return rate(lambda i: model.learn_one(*rows[i]), len(rows))


def fit_against_rust(rows=200_000):
    """Seconds of ``fit``, and of the library's own loop over the same rows without Python (examples/fit_rows)."""
    X, y = data(rows, 2)
    best = min(_timed(lambda: SurefootClassifier(max_iter=1, shuffle=False).fit(X, y)) for _ in range(3))
    with tempfile.NamedTemporaryFile() as file:
        for part in (X.indices.astype("<u4"), X.data.astype("<f8"), y.astype("u1")):
            file.write(part.tobytes())
        file.flush()
        command = ["cargo", "run", "--release", "--quiet", "--package", "surefoot", "--example", "fit_rows", file.name]
        rust = float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return best, rust


def _timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def memory():
    """What ``fit`` adds to the peak of the process, the input and the model, in bytes; in a process of its own."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import bench; print(*bench.measure_memory())"
    )
    command = [sys.executable, "-c", code, str(pathlib.Path(__file__).parent)]
    return map(float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def measure_memory(rows=1_000_000):
    X, y = data(rows, 2)
    SurefootClassifier().fit(X[:10], y[:10] * 0 + np.arange(10) % 2)  # whatever is loaded on first use
    given = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + y.nbytes
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fitted = SurefootClassifier(max_iter=1, shuffle=False).fit(X, y)
    added = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return added * 1024, given, len(fitted._model.to_bytes())


def table():
    sgd, ours = SGDClassifier, SurefootClassifier
    checked = lambda row: row.astype(np.int64)  # noqa: E731  integers go the long way through scikit-learn
    results = [
        ("one-row partial_fit, 20 classes, rows/s", one_row(sgd, 20), one_row(ours, 20), 200),
        ("one-row partial_fit, 2 classes, fully validated, rows/s", one_row(sgd, 2), one_row(ours, 2, checked), 3),
        ("one-row partial_fit, 2 classes, canonical CSR, rows/s", one_row(sgd, 2), one_row(ours, 2), 20),
        ("partial_fit in batches of 1000, 2 classes, rows/s", batches(sgd, 2), batches(ours, 2), 2),
        ("partial_fit in batches of 1000, 20 classes, rows/s", batches(sgd, 20), batches(ours, 20), 2),
        (
            "learn_one of 32 features, against River's LogisticRegression, rows/s",
            dicts(river_linear.LogisticRegression()),
            dicts(surefoot.river.SurefootClassifier()),
            3,
        ),
    ]
    lines = ["| what | theirs | Surefoot | ratio | goal |", "| --- | --: | --: | --: | --: |"]
    lines += [f"| {what} | {a:,.0f} | {b:,.0f} | {b / a:.1f} | ≥ {goal} |" for what, a, b, goal in results]
    python, rust = fit_against_rust()
    lines.append(f"| fit of 200,000 rows, against the Rust library, s | {rust:.3f} | {python:.3f} | {python / rust:.2f} | ≤ 1.3 |")
    added, given, model = memory()
    share = (added - model) / given
    lines.append(
        f"| peak memory of fit beyond model and input, MB | input {given / 1e6:.0f}, model {model / 1e6:.0f} "
        f"| {added / 1e6:.0f} | {share:+.2f} of the input | ≤ 0.10 |"
    )
    return "\n".join(lines)


TEXT = """# Speed of the Python package

Measured by `python/bench.py` in one run on one machine: look at the ratios. Rows have 32 non-zeros among 2¹⁸ features.
{versions}.

{table}

- *Theirs* is scikit-learn's SGDClassifier unless the row says otherwise. Its `partial_fit` costs the whole dimension at
  every call; ours costs the non-zeros of the rows.
- *Fully validated* rows go through scikit-learn's `validate_data`, which alone costs some 0.2 ms a call. A CSR matrix of
  floats is checked in Rust instead (`SurefootClassifier.partial_fit` says when).
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    versions = f"Python {platform.python_version()}, scikit-learn {sklearn.__version__}, numpy {np.__version__}"
    text = TEXT.format(versions=versions, table=table())
    print(text)
    if arguments.write:
        (ROOT / "docs/python/speed.md").write_text(text)


if __name__ == "__main__":
    main()
