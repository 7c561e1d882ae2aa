"""The contract of pyspark.ml: parameters, copies, files, pipelines and cross-validation."""

import json
import pathlib

import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator, MulticlassClassificationEvaluator
from pyspark.ml.tuning import CrossValidator, CrossValidatorModel, ParamGridBuilder

from surefoot._parameters import LEARNER_PARAMETERS
from surefoot.spark import SurefootClassificationModel, SurefootClassifier

ESTIMATOR = SurefootClassifier(textCol="text", labelCol="number")


@pytest.fixture(scope="module")
def model(frame):
    return ESTIMATOR.fit(frame)


def test_parameters():
    estimator = SurefootClassifier(rule="cw-stdev", halfLife=100, rounds=2)
    assert (estimator.getRule(), estimator.getHalfLife(), estimator.getRounds()) == ("cw-stdev", 100, 2)
    assert estimator.setConfidence(0.8).getOrDefault("confidence") == 0.8
    copied = estimator.copy({estimator.rule: "scw1"})
    assert (copied.getRule(), estimator.getRule()) == ("scw1", "cw-stdev")
    told = estimator.explainParams()
    assert all(name.split("_")[0] in told for name in LEARNER_PARAMETERS)
    assert estimator.getNumWorkers() == "auto"


def test_columns_of_a_model(model, frame):
    other = model.copy().setPredictionCol("said").setProbabilityCol("").setRawPredictionCol("")
    assert set(other.transform(frame).columns) - set(frame.columns) == {"said"}
    assert set(model.transform(frame).columns) - set(frame.columns) == {"prediction", "probability", "rawPrediction"}


def test_evaluators(model, frame):
    scored = model.transform(frame)
    assert MulticlassClassificationEvaluator(labelCol="number", metricName="accuracy").evaluate(scored) > 0.85
    assert MulticlassClassificationEvaluator(labelCol="number", metricName="logLoss").evaluate(scored) < 0.4
    assert BinaryClassificationEvaluator(labelCol="number").evaluate(scored) > 0.9


def test_a_saved_model(model, frame, tmp_path):
    path = str(tmp_path / "model")
    model.save(path)
    loaded = SurefootClassificationModel.load(path)
    assert loaded.toBytes() == model.toBytes()
    assert (loaded.uid, loaded.labels, loaded.summary) == (model.uid, model.labels, model.summary)
    assert loaded.transform(frame).collect() == model.transform(frame).collect()
    files = list(pathlib.Path(path, "model").glob("part-*"))
    assert len(files) == 1 and files[0].read_bytes() == model.toBytes()
    with pytest.raises(Exception, match="(?i)already exists"):
        model.save(path)
    model.write().overwrite().save(path)
    with pytest.raises(ValueError, match="not a surefoot.spark._estimator.SurefootClassifier"):
        SurefootClassifier.load(path)


def test_a_model_whose_saving_was_interrupted(model, tmp_path):
    path = tmp_path / "model"
    model.save(str(path))
    (metadata,) = (path / "metadata").glob("part-*")
    told = json.loads(metadata.read_text())
    metadata.write_text(json.dumps({**told, "sha256": "0" * 64}))
    (path / "metadata" / f".{metadata.name}.crc").unlink(missing_ok=True)
    with pytest.raises(ValueError, match="was saving interrupted"):
        SurefootClassificationModel.load(str(path))


def test_bytes_of_every_length_are_kept(spark, tmp_path):
    """Also those that end with bytes that are no text, and that have parts of many sizes."""
    from surefoot.spark import _files

    for number, data in enumerate([b"\n", b"ab\x00\x00", bytes(range(256)) * 50, b"\xff" * 10]):
        path = str(tmp_path / str(number))
        _files.write_bytes(spark, path, data, "error")
        assert _files.read_bytes(spark, path) == data


def test_a_saved_estimator(tmp_path):
    estimator = SurefootClassifier(textCol="text", rule="scw1", c=0.5, ngrams=[1, 2], labels=["a", "b"])
    estimator.save(str(tmp_path / "estimator"))
    loaded = SurefootClassifier.load(str(tmp_path / "estimator"))
    assert loaded.uid == estimator.uid
    assert {param.name: value for param, value in loaded.extractParamMap().items()} == {
        param.name: value for param, value in estimator.extractParamMap().items()
    }


def test_pipelines_and_cross_validation(frame, tmp_path):
    grid = ParamGridBuilder().addGrid(ESTIMATOR.r, [0.1, 1.0]).build()
    pipeline = Pipeline(stages=[ESTIMATOR])
    evaluator = MulticlassClassificationEvaluator(labelCol="number")
    validator = CrossValidator(estimator=pipeline, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=1)
    found = validator.fit(frame)
    assert len(found.avgMetrics) == 2 and min(found.avgMetrics) > 0.8
    found.save(str(tmp_path / "validated"))
    loaded = CrossValidatorModel.load(str(tmp_path / "validated"))
    best = found.bestModel.transform(frame).collect()
    assert loaded.bestModel.transform(frame).collect() == best
    found.bestModel.save(str(tmp_path / "pipeline"))
    assert PipelineModel.load(str(tmp_path / "pipeline")).transform(frame).collect() == best
    validator.save(str(tmp_path / "validator"))
    maps = CrossValidator.load(str(tmp_path / "validator")).getEstimatorParamMaps()
    assert [list(chosen.values()) for chosen in maps] == [[0.1], [1.0]]
