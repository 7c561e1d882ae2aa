"""What cannot be learned or predicted: an error that says what and what to do, or, where it is asked for, left out."""

import pytest
from conftest import COLUMNS, mail
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

import surefoot
from surefoot.spark import SurefootClassificationModel, SurefootClassifier

TEXT = SurefootClassifier(textCol="text")
VALUES = SurefootClassifier(featuresCol="values")


@pytest.fixture(scope="module")
def texts(frame):
    return TEXT.fit(frame)


@pytest.fixture(scope="module")
def values(frame):
    return VALUES.fit(frame)


def changed(frame, name, value):
    """The frame with one cell that is another."""
    return frame.withColumn(name, F.when(F.col("id") == 7, F.expr(value)).otherwise(F.col(name)))


@pytest.mark.parametrize(
    "estimator, name, value, message",
    [
        (TEXT, "label", "null", "1 rows have no label"),
        (SurefootClassifier(textCol="text", labelCol="number"), "number", "double('nan')", "1 rows have no label"),
        (TEXT, "text", "null", "1 rows have a missing value in the features"),
        (VALUES, "values", "null", "1 rows have a missing value in the features"),
        (SurefootClassifier(inputCols=["x", "word"]), "word", "null", "1 rows have a missing value in the features"),
        (SurefootClassifier(textCol="text", weightCol="weight"), "weight", "-1.0", "a weight that is missing, negative"),
        (SurefootClassifier(textCol="text", weightCol="weight"), "weight", "double('nan')", "a weight that is missing"),
    ],
)
def test_rows_that_cannot_be_learned(estimator, name, value, message, frame):
    wrong = changed(frame, name, value)
    with pytest.raises(ValueError, match=message):
        estimator.fit(wrong)
    skipped = estimator.copy().setHandleInvalid("skip").fit(wrong)
    assert skipped.summary["rows"] == 299
    assert skipped.toBytes() == estimator.fit(frame.where("id != 7")).toBytes()


@pytest.mark.parametrize("value", ["double('nan')", "null", "double('inf')"])
def test_numbers_that_are_none(value, frame, values):
    wrong = changed(frame, "values", f"array(1.0d, {value}, 0.0d)")
    for attempt in (lambda: VALUES.fit(wrong), lambda: values.transform(wrong).collect()):
        with pytest.raises(PySparkException, match="1 of .* rows have a missing value, or one that is not finite"):
            attempt()
    skipping = VALUES.copy().setHandleInvalid("skip")
    assert skipping.fit(wrong).toBytes() == VALUES.fit(frame.where("id != 7")).toBytes()
    assert skipping.fit(frame).transform(wrong).count() == 299


def test_text_that_is_missing_at_prediction(frame, texts):
    wrong = changed(frame, "text", "null")
    with pytest.raises(PySparkException, match="have a missing value"):
        texts.transform(wrong).collect()
    assert texts.copy().setHandleInvalid("skip").transform(wrong).count() == 299


def test_rows_of_another_width(frame, values):
    wider = frame.withColumn("values", F.concat("values", F.array(F.lit(1.0))))
    with pytest.raises(PySparkException, match="a row has 4 features, expected 3"):
        values.transform(wider).collect()
    for workers in (1, 2):
        with pytest.raises((PySparkException, ValueError), match="rows have [34] and [34] features"):
            VALUES.copy().setNumWorkers(workers).fit(frame.unionByName(wider))


def test_columns_that_do_not_fit(frame, texts):
    def refused(message, **params):
        with pytest.raises(ValueError, match=message):
            SurefootClassifier(**params).fit(frame)

    refused("there is no column 'features'; the columns are id, text")
    refused("set textCol to learn from text", featuresCol="text")
    refused("textCol takes strings", textCol="values")
    refused("inputCols takes numbers, booleans and strings", inputCols=["values"])
    refused("labels are strings, numbers or booleans", textCol="text", labelCol="values")
    refused("textCol and featuresCol are set", textCol="text", featuresCol="values")
    refused('handleInvalid is "error" or "skip"', textCol="text", handleInvalid="keep")
    refused("numWorkers is", textCol="text", numWorkers=0)
    refused("rounds is at least 1", textCol="text", rounds=0)
    refused("holdout is a share", textCol="text", holdout=1.5)
    refused("labels that `labels` does not name: \\['spam'\\]", textCol="text", labels=["ham", "eggs"])
    refused("unknown rule|no rule", textCol="text", rule="nothing")
    other = texts.copy().setFeaturesCol("values")
    other.clear(other.textCol)
    with pytest.raises(ValueError, match="the model learned from text: set textCol"):
        other.transform(frame)
    with pytest.raises(TypeError, match="no parameter 'passes'"):
        SurefootClassifier(passes=3)
    with pytest.raises(ValueError, match="there already is a column 'rawPrediction'"):
        texts.transform(texts.transform(frame))


def test_frames_without_rows_or_with_one_label(spark, frame):
    with pytest.raises(ValueError, match="no rows to learn from"):
        TEXT.fit(frame.where("id < 0"))
    with pytest.raises(ValueError, match="one label alone, 'ham'"):
        TEXT.fit(frame.where("label = 'ham'"))
    declared = SurefootClassifier(textCol="text", labels=["ham", "spam"]).fit(frame.where("label = 'ham'"))
    assert declared.transform(frame.where("id < 0")).count() == 0
    assert declared.labels == ["ham", "spam"]
    assert spark.createDataFrame(mail(1), COLUMNS).count() == 1


def test_models_of_several_labels(tmp_path):
    surefoot.SurefootTextClassifier().fit(["wheat by ship", "nothing"], [["grain", "ship"], []]).save(tmp_path / "news.model")
    with pytest.raises(ValueError, match="several labels a row"):
        SurefootClassificationModel.fromNative(str(tmp_path / "news.model"))
