"""The rules with their parameters and the metrics, as the Rust core lists them."""

from __future__ import annotations

from typing import NamedTuple

from surefoot import _native


class Parameter(NamedTuple):
    """One parameter of a rule or of its store."""

    name: str
    takes: str
    default: str
    help: str


class Rule(NamedTuple):
    """One way to learn."""

    name: str
    title: str
    paper: str
    #: Whether sample weights change its step. Otherwise any weight but 0, which skips the row, is as good as 1.
    weighted: bool
    parameters: list[Parameter]


def rules(covariance: str | None = None) -> list[Rule]:
    """Every rule, with its parameters on a store (by default the rule's own).

    >>> rules()[0].name
    'arow'
    """
    return [
        Rule(name, title, paper, weighted, [Parameter(*row) for row in _native.parameters(name, covariance)])
        for name, title, paper, weighted in _native.rules()
    ]


class Metric(NamedTuple):
    """One number that sums up how good predictions are, as ``surefoot test`` reports it."""

    name: str
    #: What ``surefoot test --json`` calls it.
    key: str
    title: str
    help: str
    #: None if neither larger nor smaller is better.
    higher_is_better: bool | None
    #: Whether it has no value for more than two classes.
    two_classes: bool


def metrics() -> list[Metric]:
    """Every metric of ``surefoot test``; those of training are in the ``report_`` of ``Stream``, by key.

    >>> [metric.key for metric in metrics() if metric.two_classes]
    ['auc', 'pr_auc', 'f1']
    """
    return [Metric(*row) for row in _native.metrics()]
