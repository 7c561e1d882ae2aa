"""Streams: every batch is learned once, whatever ends the query."""

import pytest
from conftest import COLUMNS, mail
from pyspark.sql import functions as F

from surefoot.spark import NewestModel, StreamingLearner, SurefootClassifier, _streaming
from surefoot.spark._files import write_bytes

KNOWN = SurefootClassifier(textCol="text", orderCol="id", labels=["ham", "spam"])


@pytest.fixture(scope="module")
def batches(spark):
    rows = mail(90)
    return [spark.createDataFrame(rows[start : start + 30], COLUMNS).cache() for start in (0, 30, 60)]


def learned(path, batches, estimator=KNOWN):
    learner = StreamingLearner(estimator, str(path))
    for number, batch in enumerate(batches):
        learner(batch, number)
    return newest(path, batches[0].sparkSession)


def newest(path, spark):
    return NewestModel(str(path)).model(spark).toBytes()


def test_batches_are_one_pass(batches, spark, tmp_path):
    whole = KNOWN.fit(spark.createDataFrame(mail(90), COLUMNS))
    assert learned(tmp_path, batches) == whole.toBytes()


def test_a_batch_that_comes_again_is_not_learned_again(batches, spark, tmp_path):
    path = str(tmp_path / "again")
    StreamingLearner(KNOWN, path)(batches[0], 0)
    for _ in range(2):  # another learner each time, as after a restart
        StreamingLearner(KNOWN, path)(batches[1], 1)
    StreamingLearner(KNOWN, path)(batches[2].where("id < 0"), 2)
    StreamingLearner(KNOWN, path)(batches[2], 3)
    assert newest(path, spark) == learned(tmp_path / "once", batches)
    with pytest.raises(ValueError, match="batch 0 comes after batch 3.*a folder of its own"):
        StreamingLearner(KNOWN, path)(batches[0], 0)


@pytest.mark.parametrize("batch", [0, 1, 2])
@pytest.mark.parametrize("piece", ["model", "half a model"])
def test_an_end_in_the_middle_of_writing(batch, piece, batches, spark, tmp_path, monkeypatch):
    """What was written last is not whole; the batch comes again and is learned from the model before it."""
    path = str(tmp_path / "model")

    def interrupted(spark, folder, instance, extra, *, overwrite):
        data = instance.toBytes()
        write_bytes(spark, f"{folder}/model", data if piece == "model" else data[:100], "overwrite")
        raise InterruptedError

    for number, rows in enumerate(batches):
        if number == batch:
            with monkeypatch.context() as patched, pytest.raises(InterruptedError):
                patched.setattr(_streaming, "write_folder", interrupted)
                StreamingLearner(KNOWN, path)(rows, number)
        StreamingLearner(KNOWN, path)(rows, number)
    assert newest(path, spark) == learned(tmp_path / "undisturbed", batches)


def test_labels_that_come_later(spark, tmp_path):
    growing = SurefootClassifier(textCol="text", orderCol="id", newClasses="grow")
    one = spark.createDataFrame([row for row in mail(40) if row[2] == "ham"], COLUMNS)
    learned(tmp_path, [one, spark.createDataFrame(mail(60), COLUMNS)], growing)
    model = NewestModel(str(tmp_path)).model(spark)
    assert model.labels == ["ham", "spam"]
    said = NewestModel(str(tmp_path)).transform(spark.createDataFrame(mail(60), COLUMNS))
    assert said.select(F.avg((F.col("prediction") == F.col("label")).cast("int"))).first()[0] > 0.85


def test_what_a_stream_needs(spark, tmp_path, batches):
    with pytest.raises(ValueError, match="name them in `labels`"):
        StreamingLearner(SurefootClassifier(textCol="text"), str(tmp_path))
    with pytest.raises(ValueError, match="leave rounds at 1"):
        StreamingLearner(KNOWN.copy().setRounds(2), str(tmp_path))
    with pytest.raises(ValueError, match="there is no model in"):
        NewestModel(str(tmp_path)).transform(batches[0])
    unknown = StreamingLearner(KNOWN.copy().setLabels(["ham", "eggs"]), str(tmp_path))
    with pytest.raises(ValueError, match="`labels` does not name: \\['spam'\\]"):
        unknown(batches[0], 0)


def test_a_query_and_its_restart(spark, tmp_path):
    """Files that come between two runs of one query: the model is that of all batches, each learned once."""
    source, path = str(tmp_path / "source"), str(tmp_path / "model")
    rows = mail(60)

    def run(new):
        spark.createDataFrame(new, COLUMNS).coalesce(1).write.mode("append").parquet(source)
        stream = spark.readStream.schema(COLUMNS).parquet(source)
        with pytest.raises(ValueError, match="call this in foreachBatch"):
            NewestModel(path).transform(stream)
        writer = stream.writeStream.foreachBatch(StreamingLearner(KNOWN, path))
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
        query.awaitTermination()
        return newest(path, spark)

    parts = [spark.createDataFrame(part, COLUMNS) for part in (rows[:30], rows[30:])]
    assert run(rows[:30]) == learned(tmp_path / "one", parts[:1])
    assert run(rows[30:]) == learned(tmp_path / "two", parts)
