"""The types that the package declares, seen by a strict checker and compared with what is there."""

import pathlib

from mypy import api

HERE = pathlib.Path(__file__).parent


def test_a_strict_program(tmp_path):
    # sklearn and scipy declare no types.
    report, errors, code = api.run(
        ["--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path), str(HERE / "typed.py")]
    )
    assert code == 0, report + errors
