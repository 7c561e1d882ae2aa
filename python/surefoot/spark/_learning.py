"""Rounds of learning: partitions learn apart, the driver merges what they learned."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from surefoot import _native
from surefoot.spark._columns import column
from surefoot.spark._model import SCORES, SurefootClassificationModel
from surefoot.spark._session import parallelism, send
from surefoot.spark._survey import BYTES_OF_A_WORKER, Examples, Survey
from surefoot.spark._work import LABEL, PARTS, WEIGHT, Lesson

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Learned:
    """A model, and how it came about."""

    data: bytes
    width: int | None
    rows: int


def workers(wanted: Any, survey: Survey, spark: SparkSession) -> int:
    """How many partitions learn. ``auto`` is one until the data outweigh the models that would have to be merged."""
    if wanted == "auto":
        worth = survey.bytes // BYTES_OF_A_WORKER
        return 1 if worth < 2 else min(int(worth), parallelism(spark))
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
        raise ValueError(f'numWorkers is "auto" or a whole number of at least 1, not {wanted!r}')
    return wanted


def learn_round(examples: Examples, lesson: Lesson, count: int, base: bytes | None) -> Learned:
    """One round over all rows, from a base that all partitions continue, or from nothing."""
    if base is not None:
        lesson = replace(lesson, base=send(examples.frame.sparkSession, base))

    def learn(batches):  # type: ignore[no-untyped-def]
        return lesson.learn(batches)

    shards = _collect(examples.dealt(count).mapInArrow(learn, PARTS))
    if not shards:
        raise ValueError("there are no rows to learn from")
    widths = {shard.width for shard in shards}
    if len(widths) > 1:
        raise ValueError(f"rows have {' and '.join(map(str, sorted(widths)))} features; all must have as many")
    return Learned(merged([shard.data for shard in shards], base), widths.pop(), sum(shard.rows for shard in shards))


def merged(models: list[bytes], base: bytes | None) -> bytes:
    """One model of several that partitions learned, in the order of the partitions."""
    if len(models) == 1:
        return models[0]
    common = None if base is None else _native.from_bytes(base)
    return _native.merge([_native.from_bytes(data) for data in models], common).to_bytes()


def _collect(parts: DataFrame) -> list[Learned]:
    """The models of the partitions that had rows.

    They are shuffled before they are fetched: so all partitions learn at once, nothing is learned again for a part that is
    fetched later, and a fetch is of as many parts as Spark puts together (64 MB), far below `spark.driver.maxResultSize`.
    """
    found: dict[int, dict[int, bytes]] = defaultdict(dict)
    sizes: dict[int, tuple[int, int | None]] = {}
    for row in parts.repartition(column("shard"), column("part")).toLocalIterator():
        found[row["shard"]][row["part"]] = bytes(row["data"])
        sizes[row["shard"]] = (row["rows"], row["width"])
    whole = {shard: b"".join(pieces[part] for part in sorted(pieces)) for shard, pieces in found.items()}
    return [Learned(whole[shard], sizes[shard][1], sizes[shard][0]) for shard in sorted(whole)]


def held_out_losses(model: SurefootClassificationModel, examples: Examples) -> dict[str, float]:
    """Error and log loss of a model on rows that it did not learn."""
    scored = model._scored(examples.frame, examples.kind, [column(name) for name in examples.kind.schema.names])
    scored = scored.where(F.col(SCORES)["label"].isNotNull())
    weight = column(WEIGHT) if WEIGHT in scored.columns else F.lit(1.0)
    # By name, because Spark 3.5 takes no columns for the second arguments of these.
    place = F.call_function("array_position", F.array(*map(F.lit, model.labels)), column(LABEL))
    said = F.call_function("element_at", F.col(SCORES)["probability"], place.cast("int"))
    loss = -F.log(F.greatest(said, F.lit(1e-15)))
    wrong = F.when(F.col(SCORES)["label"] != column(LABEL), 1.0).otherwise(0.0)
    row = scored.agg(F.sum(weight), F.sum(weight * wrong), F.sum(weight * loss), F.count(F.lit(1))).first()
    if row is None or not row[0]:
        raise ValueError("no rows were held out: the share is too small for so few rows")
    return {"error": row[1] / row[0], "log_loss": row[2] / row[0], "rows": row[3]}


def no_better(losses: list[dict[str, float]]) -> bool:
    """Whether the last round lost: held-out error first, log loss where errors are equal."""
    ranks = [(found["error"], found["log_loss"]) for found in losses]
    return len(ranks) > 1 and ranks[-1] >= ranks[-2]
