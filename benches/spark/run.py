"""Surefoot on Spark beside MLlib: the same cluster of two executors, the same frames, one run.

    SUREFOOT_DATA=DIRECTORY .venv-spark/bin/python benches/spark/run.py [--sets imdb,domains] [--limit 120]

Needs the environment that python/spark.sh makes, with a release build of the package in it. Writes results.json, and the table
of docs/guides/spark.md. Processor time is of all processes of the cluster: driver, executors and their Python workers.
"""

import argparse
import json
import os
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))

from estimators import CONTENDERS  # noqa: E402
from data import SPLIT, available, rows, shuffled  # noqa: E402
from processes import processor_time  # noqa: E402
from pyspark.ml.feature import HashingTF, RegexTokenizer  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from results import Results  # noqa: E402
from sets import SETS  # noqa: E402

DEFAULT_SETS = ["imdb", "domains", "20news", "titles", "flights", "adult"]
#: Slots of the hashed words; what MLlib's HashingTF takes by itself.
SLOTS = 1 << 18
ORDER = 1


def cluster():
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.driver.memory": "3g",
        "spark.executor.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.memory.offHeap.enabled": "false",
    }
    spark = SparkSession.builder.master("local-cluster[2,1,2048]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def frames(spark, item):
    """The training and test part, with columns number (the label), text and features; and what making vectors of text cost."""
    table = rows(item)
    table = shuffled(table, ORDER) if item.shuffles else table
    names = sorted({label for label, _ in table}, key=float)
    numbers = {name: float(place) for place, name in enumerate(names)}
    columns = [(place, numbers[label], rest) for place, (label, rest) in enumerate(table)]
    if item.text:
        whole = spark.createDataFrame(columns, "place int, number double, text string")
    else:
        width = 1 + max(int(rest.rsplit(" ", 1)[-1].split(":")[0]) for _, rest in table if rest)
        parsed = [(place, number, Vectors.sparse(width, _pairs(rest))) for place, number, rest in columns]
        whole = spark.createDataFrame(parsed, ["place", "number", "features"])
    folder = str(HERE / ".work" / item.name)
    whole.repartition(4).write.mode("overwrite").parquet(folder)
    whole, cost = spark.read.parquet(folder), None
    if item.text:
        words = RegexTokenizer(inputCol="text", outputCol="words", pattern=r"\W+")
        hashed = HashingTF(inputCol="words", outputCol="features", numFeatures=SLOTS)
        vectors = hashed.transform(words.transform(whole)).drop("words")
        cost = measured(spark, lambda: vectors.write.mode("overwrite").parquet(folder + "-vectors"), None)
        whole = spark.read.parquet(folder + "-vectors")
    at = int(len(table) * SPLIT)
    train, test = whole.where(F.col("place") < at).cache(), whole.where(F.col("place") >= at).cache()
    train.count(), test.count()
    return train, test, cost


def _pairs(rest):
    return [(int(pair.split(":")[0]), float(pair.split(":")[1])) for pair in rest.split()]


def measured(spark, work, limit):
    """Wall and processor time of some work, and what it gives; work that takes more processor time than the limit is ended."""
    before, start, done = processor_time(), time.monotonic(), threading.Event()

    def end_what_takes_too_long():
        # More than once, because a fit is many jobs and the moment may be between two.
        while not done.wait(1):
            if limit and processor_time() - before >= limit:
                spark.sparkContext.cancelAllJobs()

    threading.Thread(target=end_what_takes_too_long, daemon=True).start()
    try:
        found, problem = work(), None
    except Exception as error:  # every kind of failure is a result
        found, problem = None, "out of memory" if "OutOfMemory" in str(error) else str(error).splitlines()[0][:200]
        if limit and processor_time() - before >= limit:
            problem = "not done"
    done.set()
    return {"wall": time.monotonic() - start, "cpu": processor_time() - before, "problem": problem, "found": found}


def error_of(model, test):
    wrong = F.avg((F.col("prediction") != F.col("number")).cast("double"))
    return model.transform(test).select(wrong).first()[0]


def start_up(spark):
    """What Python costs before anything is learned: the first job of each executor, and a later one."""

    def imports(batches):
        import surefoot.spark._work  # noqa: F401

        yield from batches

    job = lambda: spark.range(4).repartition(2).mapInArrow(imports, "id long").count()  # noqa: E731
    return {"first": _plain(measured(spark, job, None)), "later": _plain(measured(spark, job, None))}


def warm_up(spark):
    """A small fit of each kind, so that no contender pays for what is loaded and compiled once."""
    rows = [(place, float(place % 2), f"word{place % 2} of {place}", Vectors.dense([place % 2, 1.0])) for place in range(200)]
    small = spark.createDataFrame(rows, ["place", "number", "text", "features"])
    text = next(item for item in SETS if item.text and item.classes == 2)
    for make in CONTENDERS.values():
        error_of(make(text).fit(small), small)


def _plain(result):
    return {name: round(result[name], 2) for name in ("wall", "cpu")}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sets", default=",".join(DEFAULT_SETS))
    arguments.add_argument("--limit", type=int, default=120, help="seconds of processor time that a fit may take")
    arguments.add_argument("--only", help="contenders whose names contain this")
    chosen = arguments.parse_args()
    spark, results = cluster(), Results(HERE / "results.json", fresh=False)
    results["start-up"] = start_up(spark)
    warm_up(spark)
    known = {item.name: item for item in SETS}
    for item in [known[name] for name in chosen.sets.split(",") if available(known[name])]:
        train, test, cost = frames(spark, item)
        table = results.table("sets", item.name)
        table["title"], table["rows"] = item.title, train.count()
        if cost:
            table["vectors"] = _plain(cost)
        for name, make in CONTENDERS.items():
            estimator = make(item)
            if estimator is None or (chosen.only and chosen.only not in name):
                continue
            fit = measured(spark, lambda: estimator.fit(train), chosen.limit)
            error = None if fit["found"] is None else error_of(fit["found"], test)
            results.table("sets", item.name, "fits")[name] = {**_plain(fit), "problem": fit["problem"], "error": error}
            print(item.name, name, json.dumps(results["sets"][item.name]["fits"][name]), flush=True)
            results.save()
        spark.catalog.clearCache()
    spark.stop()


if __name__ == "__main__":
    main()
