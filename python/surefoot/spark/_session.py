"""Files that the driver sends to the executors, for sessions of both kinds: of Spark itself and of Spark Connect."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: What was sent, by session and name; Spark cannot take a file back, and refuses to be sent one twice.
_sent: set[tuple[str, str]] = set()


def send(spark: SparkSession, data: bytes) -> str:
    """Sends the bytes of a model, in parts of a size that Spark chooses; gives the name by which executors find them."""
    name = f"surefoot-{hashlib.sha256(data).hexdigest()}.model"
    connect = not hasattr(spark, "_jsparkSession")
    session: Any = spark
    key = (session.session_id if connect else spark.sparkContext.applicationId, name)
    if key not in _sent:
        path = Path(_folder()) / name
        path.write_bytes(data)
        session.addArtifacts(str(path), file=True) if connect else spark.sparkContext.addFile(str(path))
        _sent.add(key)
    return name


def parallelism(spark: SparkSession) -> int:
    """How many tasks run at once, as far as the session tells: a range has a partition for each."""
    return spark.range(0, 1 << 16).select(F.spark_partition_id()).distinct().count()


def _folder() -> str:
    """A folder of this process; executors of the same machine read from it, so it stays until the process ends."""
    global _temporary
    if _temporary is None or not os.path.isdir(_temporary.name):
        _temporary = tempfile.TemporaryDirectory(prefix="surefoot-")
    return _temporary.name


_temporary: tempfile.TemporaryDirectory[str] | None = None
