"""Who is measured: a name, and what makes the estimator for a set; None where it does not apply."""

from pyspark.ml.classification import LinearSVC, LogisticRegression, NaiveBayes, OneVsRest

from surefoot.spark import SurefootClassifier


def _svc(item):
    plain = LinearSVC(labelCol="number")
    return plain if item.classes == 2 else OneVsRest(classifier=plain, labelCol="number")


def _bayes(smoothing):
    # Some features of these sets are negative, which naive Bayes refuses.
    return lambda item: NaiveBayes(labelCol="number", smoothing=smoothing) if item.text else None


def _ours(rule, **settings):
    def make(item):
        return SurefootClassifier(labelCol="number", rule=rule, numWorkers=2, **settings)

    return make


def _text(rule):
    return lambda item: SurefootClassifier(labelCol="number", rule=rule, numWorkers=2, textCol="text") if item.text else None


CONTENDERS = {
    "surefoot arow, text": _text("arow"),
    "surefoot arow, vectors": _ours("arow"),
    "surefoot auto, text": _text("auto"),
    "surefoot auto, vectors": _ours("auto"),
    "MLlib naive Bayes": _bayes(1.0),
    "MLlib naive Bayes, smoothing 0.1": _bayes(0.1),
    "MLlib logistic regression": lambda item: LogisticRegression(labelCol="number"),
    "MLlib logistic regression, regParam 0.01": lambda item: LogisticRegression(labelCol="number", regParam=0.01),
    "MLlib linear SVC": _svc,
}
