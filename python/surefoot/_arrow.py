"""Data frames and columns whose memory Rust can read where it is, through Arrow's PyCapsule interface."""

from __future__ import annotations

import numpy as np

from surefoot import _native


def table_of(X, *, named: bool = False) -> _native.Table | None:
    """The numbers of a data frame of polars, pyarrow or pandas; with ``named`` also its words.

    None if it is anything else or if a value is missing, infinite or of another type: scikit-learn has errors for that.
    A frame of pandas that keeps its columns in numpy goes that way too, as Arrow would have to copy them.
    """
    shape = getattr(X, "shape", ())
    if len(shape) != 2 or not hasattr(X, "__arrow_c_stream__") or (_is_of_numpy(X) and not named):
        return None
    # A frame of pandas lends its index too, behind its columns.
    return _native.table(X, shape[1], named)


def texts_of(X) -> _native.Table | None:
    """The strings of a column of polars, pyarrow or pandas; None if it is anything else."""
    lends = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    if not lends or len(getattr(X, "shape", ())) > 1 or getattr(X, "dtype", None) == object:
        return None
    # What lends is a frame.
    if hasattr(X, "to_frame"):
        return _native.texts(X.to_frame())
    if hasattr(X, "to_pylist"):
        import pyarrow

        return _native.texts(pyarrow.table([X], names=["text"]))
    return None


def _is_of_numpy(frame) -> bool:
    dtypes = getattr(frame, "dtypes", None)
    return dtypes is not None and all(isinstance(dtype, np.dtype) for dtype in dtypes)
