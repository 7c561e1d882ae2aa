"""What the driver asks of a session, of either kind: of Spark itself and of Spark Connect."""

from __future__ import annotations

import hashlib
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from surefoot.spark._work import SentModel

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark Connect takes messages up to 128 MB, and a function with all that it needs is in one.
BYTES_OF_A_MESSAGE = 64 << 20
#: Files that were sent, by session; one cannot be taken back, and not be sent twice.
_files: set[tuple[str, str]] = set()


def send(spark: SparkSession, data: bytes) -> SentModel:
    """The bytes of a model for functions that executors run.

    They go with the function: Spark broadcasts large ones in blocks of 4 MB, and clears them away when the function is gone. Over
    Spark Connect large models are a file of the session instead.
    """
    digest = hashlib.sha256(data).hexdigest()
    if hasattr(spark, "_jsparkSession") or len(data) <= BYTES_OF_A_MESSAGE:
        return SentModel(digest, data)
    session: Any = spark
    sent = SentModel(digest, None)
    if (session.session_id, digest) not in _files:
        path = Path(_folder().name) / sent.file
        path.write_bytes(data)
        session.addArtifacts(str(path), file=True)
        path.unlink()
        _files.add((session.session_id, digest))
    return sent


def parallelism(spark: SparkSession) -> int:
    """How many tasks run at once, as far as the session tells: a range has a partition for each."""
    return spark.range(0, 1 << 16).select(F.spark_partition_id()).distinct().count()


@lru_cache(maxsize=1)
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="surefoot-")
