"""The types that the package declares, seen by a strict checker and compared with what is there."""

import pathlib
import subprocess
import sys

import pytest
from mypy import api

import surefoot

HERE = pathlib.Path(__file__).parent


def test_a_strict_program(tmp_path):
    # sklearn and scipy declare no types.
    report, errors, code = api.run(
        ["--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path), str(HERE / "typed.py")]
    )
    assert code == 0, report + errors


def test_importing_the_package_imports_little():
    """Every process of a cluster imports it; scikit-learn alone would take two seconds there."""
    heavy = "{'sklearn', 'scipy', 'pandas', 'pyarrow', 'pyspark'}"
    program = f"import sys, surefoot, surefoot._native; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_package_knows_its_names():
    assert set(surefoot.__all__) <= set(dir(surefoot))
    assert all(getattr(surefoot, name) is not None for name in surefoot.__all__)
    with pytest.raises(AttributeError, match="module 'surefoot' has no attribute 'nothing'"):
        surefoot.nothing
