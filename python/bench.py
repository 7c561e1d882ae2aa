"""Speed against scikit-learn and River, in one run: ratios, not seconds, are what the results say.

    python python/bench.py [--write]

``--write`` records the table in docs/python/speed.md. Wants a release build (`maturin develop --release`) and Linux.
"""

from __future__ import annotations

import argparse
import pathlib
import platform
import re
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


def rates(theirs, ours, count, seconds=0.25, rounds=8):
    """Calls of ``theirs(i)`` and ``ours(i)`` in a second of the processor, the best of each.

    They take turns so that both meet the same machine, and what other programs do in the meantime is not counted.
    """
    best = [0.0, 0.0]
    for _ in range(rounds):
        for which, work in enumerate((theirs, ours)):
            done, start = 0, time.process_time()
            while time.process_time() - start < seconds:
                work(done % count)
                done += 1
            best[which] = max(best[which], done / (time.process_time() - start))
    return best


def one_row(classes, convert=lambda label: label):
    """``convert`` says how our labels come."""
    X, y = data(500, classes)
    rows = [(X[i], y[i : i + 1]) for i in range(X.shape[0])]
    converted = [(x, convert(label)) for x, label in rows]
    theirs, ours = (make().partial_fit(X, y, classes=np.arange(classes)) for make in (SGDClassifier, SurefootClassifier))
    return rates(lambda i: theirs.partial_fit(*rows[i]), lambda i: ours.partial_fit(*converted[i]), len(rows))


def batches(classes):
    X, y = data(20_000, classes)
    parts = [(X[i : i + 1000], y[i : i + 1000]) for i in range(0, X.shape[0], 1000)]
    theirs, ours = (make().partial_fit(X, y, classes=np.arange(classes)) for make in (SGDClassifier, SurefootClassifier))
    found = rates(lambda i: theirs.partial_fit(*parts[i]), lambda i: ours.partial_fit(*parts[i]), len(parts))
    return [1000 * rate for rate in found]


def dicts():
    X, y = data(500, 2)
    rows = [({f"f{c}": v for c, v in zip(X[i].indices.tolist(), X[i].data.tolist())}, bool(y[i])) for i in range(500)]
    theirs, ours = river_linear.LogisticRegression(), surefoot.river.SurefootClassifier()
    for x, label in rows:
        theirs.learn_one(x, label)
        ours.learn_one(x, label)
    return rates(lambda i: theirs.learn_one(*rows[i]), lambda i: ours.learn_one(*rows[i]), len(rows))


def fit_against_rust(rows=200_000):
    """Seconds of ``fit``, and of the library's own loop over the same rows without Python (examples/fit_rows)."""
    X, y = data(rows, 2)
    with tempfile.NamedTemporaryFile() as file:
        for part in (X.indices.astype("<u4"), X.data.astype("<f8"), y.astype("u1")):
            file.write(part.tobytes())
        file.flush()
        command = ["cargo", "run", "--release", "--quiet", "--package", "surefoot", "--example", "fit_rows", file.name]
        rust, ours = [], []
        for _ in range(4):
            rust.append(float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout))
            ours += (_timed(lambda: SurefootClassifier("arow", max_iter=1, shuffle=False).fit(X, y)) for _ in range(3))
    return min(ours), min(rust)


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
    # Making the data has its own peak: Linux forgets it when asked to.
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    before = _peak()
    fitted = SurefootClassifier(max_iter=1, shuffle=False).fit(X, y)
    return _peak() - before, given, len(fitted._model.to_bytes())


def _peak():
    """The most memory that the process ever held, in bytes."""
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))


def table():
    # Labels in a list make scikit-learn check everything.
    results = [
        ("one-row partial_fit, 20 classes, rows/s", one_row(20), 200),
        ("one-row partial_fit, 2 classes, fully validated, rows/s", one_row(2, np.ndarray.tolist), 3),
        ("one-row partial_fit, 2 classes, canonical CSR, rows/s", one_row(2), 20),
        ("partial_fit in batches of 1000, 2 classes, rows/s", batches(2), 2),
        ("partial_fit in batches of 1000, 20 classes, rows/s", batches(20), 2),
        ("learn_one of 32 features, against River's LogisticRegression, rows/s", dicts(), 3),
    ]
    lines = ["| what | theirs | Surefoot | ratio | goal |", "| --- | --: | --: | --: | --: |"]
    lines += [f"| {what} | {a:,.0f} | {b:,.0f} | {b / a:.1f} | ≥ {goal} |" for what, (a, b), goal in results]
    python, rust = fit_against_rust()
    lines.append(f"| fit of 200,000 rows, against the Rust library, s | {rust:.3f} | {python:.3f} | {python / rust:.2f} | ≤ 1.3 |")
    added, given, model = memory()
    share = (added - model) / given
    lines.append(
        f"| peak memory that fit adds, MB | input {given / 1e6:.0f}, model {model / 1e6:.0f} "
        f"| {added / 1e6:.0f} | {share:+.2f} of the input beyond the model | ≤ 0.10 |"
    )
    return "\n".join(lines)


TEXT = """# Speed of the Python package

Measured by `maturin develop --release && python python/bench.py --write` in one run on one machine: look at the
ratios. Rows have 32 non-zeros among 2¹⁸ features.
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
