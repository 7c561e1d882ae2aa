"""Linear classifiers that learn from streams, one example at a time, and know how sure they are of every weight."""

from surefoot._classifier import SurefootClassifier
from surefoot._files import load, merge, save
from surefoot._parameters import LearnerParameters
from surefoot._stream import Stream, fit_file
from surefoot._tables import Metric, Parameter, Rule, metrics, rules
from surefoot._text import Reason, SurefootTextClassifier

__all__ = [
    "LearnerParameters",
    "Metric",
    "Parameter",
    "Reason",
    "Rule",
    "SurefootClassifier",
    "SurefootTextClassifier",
    "Stream",
    "fit_file",
    "load",
    "merge",
    "metrics",
    "rules",
    "save",
]
