"""Learning on a Spark cluster: an estimator and a model of ``pyspark.ml``, and a learner for streams.

    from surefoot.spark import SurefootClassifier

    model = SurefootClassifier(textCol="text", labelCol="label").fit(frame)
    model.transform(other).select("prediction", "probability")

The package has to be installed on the driver and on every executor.
"""

from typing import TYPE_CHECKING

from surefoot._lazy import names_on_demand

if TYPE_CHECKING:
    from surefoot.spark._estimator import SurefootClassifier as SurefootClassifier
    from surefoot.spark._model import SurefootClassificationModel as SurefootClassificationModel
    from surefoot.spark._streaming import NewestModel as NewestModel
    from surefoot.spark._streaming import StreamingLearner as StreamingLearner
else:
    # Executors import the modules that work on rows, and nothing of pyspark.ml.
    __getattr__, __all__ = names_on_demand(
        __name__,
        {
            "_estimator": ["SurefootClassifier"],
            "_model": ["SurefootClassificationModel"],
            "_streaming": ["NewestModel", "StreamingLearner"],
        },
    )
