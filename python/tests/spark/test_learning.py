"""What is learned, whatever the rows are made of and however Spark deals them."""

import numpy as np
import pytest
from conftest import COLUMNS, mail
from pyspark.ml.linalg import Vectors, VectorUDT
from pyspark.sql import functions as F

import surefoot
from surefoot.spark import SurefootClassificationModel, SurefootClassifier


def error(model, frame, label="label"):
    wrong = F.avg((F.col("prediction") != F.col(label)).cast("double"))
    return model.transform(frame).select(wrong).first()[0]


def vectors(spark, rows):
    """Dense and sparse ones in turn, of the same numbers."""

    def vector(place, values):
        return Vectors.dense(values) if place % 2 else Vectors.sparse(3, [(i, x) for i, x in enumerate(values) if x])

    found = [(row[0], row[3], vector(row[0], row[6])) for row in rows]
    return spark.createDataFrame(found, ["id", "number", "features"])


@pytest.mark.parametrize("features", [{"textCol": "text"}, {"featuresCol": "values"}, {"inputCols": ["x", "word"]}])
@pytest.mark.parametrize("label", ["label", "number", "truth"])
def test_every_kind_of_features_and_of_labels(features, label, frame):
    model = SurefootClassifier(labelCol=label, **features).fit(frame)
    assert error(model, frame, label) < 0.15
    assert model.transform(frame).schema["prediction"].dataType == frame.schema[label].dataType
    assert model.numClasses == 2
    row = model.transform(frame).first()
    assert row.probability.toArray().sum() == pytest.approx(1)
    best = model.labels[int(np.argmax(row.probability.toArray()))]
    assert row.prediction == best == model.labels[int(np.argmax(row.rawPrediction.toArray()))]


def test_the_same_model_as_without_spark(frame):
    """One worker, in an order that is said, is the estimator of scikit-learn."""
    rows = mail()
    ours = SurefootClassifier(textCol="text", orderCol="id", r=0.3, numWorkers=1).fit(frame)
    plain = surefoot.SurefootTextClassifier(r=0.3, shuffle=False).fit([row[1] for row in rows], [row[2] for row in rows])
    assert ours.toBytes() == plain.to_bytes()
    said = [row.probability.toArray() for row in ours.transform(frame).orderBy("id").collect()]
    assert np.array_equal(said, plain.predict_proba([row[1] for row in rows]))
    local = ours.toLocal()
    assert np.array_equal(local.predict_proba([row[1] for row in rows]), said)
    assert list(local.classes_) == ours.labels


def test_sparse_and_dense_vectors_and_arrays_are_the_same_rows(spark, frame):
    mixed = vectors(spark, mail())
    settings = {"labelCol": "number", "orderCol": "id", "normalize": "none"}
    ours = SurefootClassifier(**settings).fit(mixed)
    assert ours.numFeatures == 3
    assert ours.toBytes() == SurefootClassifier(featuresCol="values", **settings).fit(frame).toBytes()
    matrix, truth = np.array([row[6] for row in mail()]), np.array([int(row[3]) for row in mail()])
    plain = surefoot.SurefootClassifier("arow", max_iter=1, shuffle=False).fit(matrix, truth)
    assert ours.toBytes() == plain.to_bytes()
    assert isinstance(ours.transform(mixed).schema["features"].dataType, VectorUDT)


@pytest.mark.parametrize("workers", [1, 3])
def test_the_same_rows_give_the_same_bytes(workers, frame):
    estimator = SurefootClassifier(textCol="text", numWorkers=workers)
    model = estimator.fit(frame)
    for other in (frame.orderBy(F.rand(7)), frame.repartition(5), frame.coalesce(1).orderBy(F.desc("label"))):
        assert estimator.fit(other).toBytes() == model.toBytes()
    assert error(model, frame) < 0.15


def test_columns_may_have_any_name(frame):
    """Also those that the columns beside the features have elsewhere."""
    names = {"x": "weight", "word": "label of x.y", "label": "type"}
    other = frame.select(*(F.col(old).alias(new) for old, new in names.items()), F.col("id").alias("values"))
    settings = {"labelCol": "type", "orderCol": "values"}
    model = SurefootClassifier(inputCols=["weight", "label of x.y"], **settings).fit(other)
    assert error(model, other, "type") < 0.15


def test_small_data_have_one_worker(frame):
    assert SurefootClassifier(textCol="text").fit(frame).summary["workers"] == 1


def test_workers_without_rows_or_with_one_label_alone(spark):
    few = spark.createDataFrame(mail(6), COLUMNS)
    model = SurefootClassifier(textCol="text", numWorkers=16).fit(few)
    assert model.summary["rows"] == 6
    assert error(model, few) == 0
    rare = spark.createDataFrame([*mail(40), (99, "goal match", "sport", 2.0, True, 1.0, [1.0, 1.0, 1.0], 1, "goal")], COLUMNS)
    model = SurefootClassifier(textCol="text", numWorkers=4).fit(rare)
    assert model.labels == ["ham", "spam", "sport"]
    assert model.transform(rare.where("id = 99")).first().prediction == "sport"


def test_weights(frame):
    weighted = frame.withColumn("weight", F.when(F.col("id") % 3 == 0, 0.0).otherwise(1.0))
    settings = {"textCol": "text", "orderCol": "id", "labels": ["ham", "spam"]}
    none = SurefootClassifier(weightCol="weight", **settings).fit(weighted).toLocal()
    without = SurefootClassifier(**settings).fit(frame.where("id % 3 != 0")).toLocal()
    texts = [row[1] for row in mail()]
    assert np.array_equal(none.predict_proba(texts), without.predict_proba(texts))
    doubled = SurefootClassifier(weightCol="w", **settings).fit(frame.withColumn("w", F.lit(2.0))).toLocal()
    assert not np.array_equal(doubled.predict_proba(texts), without.predict_proba(texts))


def test_rounds_end_when_held_out_rows_say_so(frame):
    model = SurefootClassifier(textCol="text", numWorkers=2, rounds=6, holdout=0.3).fit(frame)
    losses = model.summary["heldOut"]
    held_out = losses[0]["rows"]
    assert 50 < held_out < 130 and held_out + model.summary["rows"] == 300
    ranks = [(found["error"], found["log_loss"]) for found in losses]
    assert all(later < earlier for earlier, later in zip(ranks[:-2], ranks[1:-1]))
    assert len(losses) == 6 or ranks[-1] >= ranks[-2]
    # A second round continues from the first.
    two = SurefootClassifier(textCol="text", numWorkers=2, rounds=2).fit(frame)
    assert two.toLocal().counts_["examples"] == 600
    assert two.toBytes() == SurefootClassifier(textCol="text", numWorkers=2, rounds=2).fit(frame.orderBy("id")).toBytes()


def test_parameters_of_learner_and_text(frame):
    model = SurefootClassifier(textCol="text", rule="scw1", confidence=0.8, ngrams=[1, 2], charNgrams=[3, 3], bits=12).fit(frame)
    local = model.toLocal()
    assert (local.rule, local.confidence) == ("scw1", 0.8)
    assert (local.ngrams, local.char_ngrams, local.bits) == ((1, 2), (3, 3), 12)
    assert error(SurefootClassifier(textCol="text", rule="auto", numWorkers=2).fit(frame), frame) < 0.15
    with pytest.raises(ValueError, match="r"):
        SurefootClassifier(textCol="text", rule="scw1", r=0.1).fit(frame)


def test_files_of_the_command_line(frame, tmp_path):
    model = SurefootClassifier(textCol="text").fit(frame)
    model.saveNative(str(tmp_path / "mail.model"))
    assert (tmp_path / "mail.model").read_bytes() == model.toBytes()
    assert surefoot.load(tmp_path / "mail.model").to_bytes() == model.toBytes()
    again = SurefootClassificationModel.fromNative(str(tmp_path / "mail.model"), textCol="text", predictionCol="said")
    assert again.transform(frame).select("said").collect() == model.transform(frame).select("prediction").collect()
