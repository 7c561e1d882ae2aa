"""Parameters of Python in the words of the Rust core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def parameter_text(value: Any) -> str:
    """A value as a SPEC spells it."""
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


def cuts(ngrams: Sequence[int] | str | None, char_ngrams: Sequence[int] | str | None) -> dict[str, Any]:
    """What is said of the ways to cut text; whatever is said of one, the other is then single words or nothing."""
    if _is_auto(ngrams) and _is_auto(char_ngrams):
        return {}
    words = (1, 1) if _is_auto(ngrams) else ngrams
    characters = None if _is_auto(char_ngrams) else char_ngrams
    return {"ngrams": _lengths(words), "characters": _lengths(characters), "apart": False, "within": None}


def _is_auto(lengths: Any) -> bool:
    return isinstance(lengths, str) and lengths == "auto"


def _lengths(pair: Any) -> dict[str, int] | None:
    return None if pair is None else {"min": int(pair[0]), "max": int(pair[1])}
