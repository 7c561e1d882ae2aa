"""A cluster of two executors, or the server of Spark Connect; python/spark.sh runs these tests with both."""

import os
import random

import pytest

#: Where Spark is not installed, test files are not even read: python/test.sh runs without it.
try:
    from pyspark.sql import SparkSession
except ImportError:
    collect_ignore_glob = ["test_*.py"]

CONNECT = os.environ.get("SUREFOOT_SPARK") == "connect"


def pytest_collection_modifyitems(items):
    for item in items:
        if CONNECT and "classic" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="of classic sessions alone"))


def pytest_configure(config):
    config.addinivalue_line("markers", "classic: needs a session that is no Spark Connect")


@pytest.fixture(scope="session")
def spark():
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.config(map=settings)
    if CONNECT:
        session = builder.remote("local[2]").getOrCreate()
    else:
        session = builder.master("local-cluster[2,1,1024]").getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


WORDS = {"spam": ["cheap", "pills", "watches", "offer"], "ham": ["lunch", "noon", "report", "meeting"]}
COLUMNS = (
    "id int, text string, label string, number double, truth boolean, weight double, values array<double>, "
    "x int, word string"
)


def mail(rows=300, seed=3):
    """Rows of everything that can be learned from, with some noise."""
    dice = random.Random(seed)

    def row(place):
        label = dice.choice(["ham", "spam"])
        words = WORDS[label] if dice.random() < 0.9 else WORDS["ham"] + WORDS["spam"]
        text = " ".join(dice.choice(words) for _ in range(6)) + f" {place}"
        spam = label == "spam"
        values = [dice.random(), float(spam) + dice.gauss(0, 0.2), 0.0]
        return (place, text, label, float(spam), spam, 1.0, values, dice.randrange(5), dice.choice(words))

    return [row(place) for place in range(rows)]


@pytest.fixture(scope="session")
def frame(spark):
    return spark.createDataFrame(mail(), COLUMNS).cache()
