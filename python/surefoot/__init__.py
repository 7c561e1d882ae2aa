"""Linear classifiers that learn from streams, one example at a time, and know how sure they are of every weight."""

from typing import TYPE_CHECKING

from surefoot._lazy import names_on_demand

if TYPE_CHECKING:
    from surefoot._base import Reason as Reason
    from surefoot._classifier import SurefootClassifier as SurefootClassifier
    from surefoot._files import from_bytes as from_bytes
    from surefoot._files import load as load
    from surefoot._files import merge as merge
    from surefoot._files import save as save
    from surefoot._parameters import LearnerParameters as LearnerParameters
    from surefoot._stream import Stream as Stream
    from surefoot._stream import fit_file as fit_file
    from surefoot._tables import Metric as Metric
    from surefoot._tables import Parameter as Parameter
    from surefoot._tables import Rule as Rule
    from surefoot._tables import metrics as metrics
    from surefoot._tables import rules as rules
    from surefoot._text import SurefootTextClassifier as SurefootTextClassifier
else:
    # scikit-learn takes two seconds to import, which every process of a cluster would pay.
    __getattr__, __all__ = names_on_demand(
        __name__,
        {
            "_base": ["Reason"],
            "_classifier": ["SurefootClassifier"],
            "_files": ["from_bytes", "load", "merge", "save"],
            "_parameters": ["LearnerParameters"],
            "_stream": ["Stream", "fit_file"],
            "_tables": ["Metric", "Parameter", "Rule", "metrics", "rules"],
            "_text": ["SurefootTextClassifier"],
        },
    )

    def __dir__() -> list[str]:
        return sorted([*globals(), *__all__])
