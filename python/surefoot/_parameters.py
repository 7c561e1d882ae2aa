"""The parameters of the rules, the stores and the schedules of many classes, from the tables of the Rust core.

Generated: ``SUREFOOT_REGENERATE=1 cargo test -p surefoot --test python_parameters`` writes this file anew.
"""

from __future__ import annotations

from typing import TypedDict


class LearnerParameters(TypedDict, total=False):
    """Keywords that the estimators take for the learner. None, or nothing, is the rule's own default; a parameter that
    rule and store do not have is an error.

    r
        regulariser r: larger trusts single examples less. Takes a finite number above 0; of arow. Default: 0.1.
    per_row
        count r in units of 1/(features of a row), in the mean of all rows so far: one r then fits short and long rows.
        Takes true or false; of arow. Default: false.
    confidence
        probability η with which the updated weights classify the example correctly. Takes a number strictly between 0.5
        and 1; of cw-stdev, cw-var, scw1, scw2. Default: 0.9.
    c
        aggressiveness C: larger follows single examples more. Takes a finite number above 0; of scw1, scw2, nherd, pa1,
        pa2. Default: 1.
    scale
        scale s of the logistic link: larger trusts single examples less. Takes a finite number above 0; of logistic.
        Default: 1.
    prior
        prior variance a of each weight: Σ starts at a·I. Takes a finite number above 0; of the stores diagonal,
        compact, factored, full, kernel, identity. Default: 1.
    floor
        once v < floor · (prior variance of the margin), only the mean moves; 0 = the papers' letter; auto = 0.0001, and
        those moves shrink with their number unless schedule=exact. Takes a number from 0 up to, but not including, 1,
        or `auto`; of the stores diagonal, compact, factored, full, kernel. Default: 0.0001; 0 for arow; auto for
        cw-stdev; 0 for logistic.
    projection
        which off-diagonals are dropped: those of the precision or those of the covariance. Takes one of precision,
        covariance; of the stores diagonal, compact, factored, full, kernel. Default: precision; covariance for
        cw-stdev; covariance for scw1; covariance for scw2.
    half_life
        for data that change: after so many examples what was learned counts half; none = never forgets. Takes a whole
        number of at least 1, or `none`; of the stores diagonal, compact, factored, full, kernel, identity. Default:
        none.
    forget
        with half-life: discount lets weights and certainty fade towards the start, inflate the certainty alone. Takes
        one of discount, inflate; of the stores diagonal, compact, factored, full, kernel. Default: discount.
    rank
        columns of R: how many directions of correlation are kept. Takes a whole number of at least 1; of the store
        factored. Default: 8.
    buffer
        updates kept as they were between compressions; 0 compresses at every update. Takes a whole number of at least
        0, or `rank`; of the store factored. Default: rank.
    compression
        how a full buffer is emptied: em as in the paper, rows at the cost of the rows touched, drop the oldest. Takes
        one of rows, em, drop; of the store factored. Default: rows.
    sweeps
        EM sweeps of a compression; auto is 10 for em, and for rows 1, or 10 where the buffer touched every one of few
        rows. Takes a whole number of at least 1, or `auto`; of the store factored. Default: auto.
    kernel
        linear x·z, poly (gamma·x·z + coef0)^degree, or rbf exp(−gamma·‖x − z‖²). Takes one of linear, poly, rbf; of the
        store kernel. Default: rbf.
    gamma
        poly: scale of the inner product; rbf: how fast similarity falls with distance. Takes a finite number above 0;
        of the store kernel. Default: 1.
    degree
        poly: the power. Takes a whole number of at least 1; of the store kernel. Default: 2.
    coef0
        poly: what is added to the inner product; above 0, lower powers count too. Takes a finite number; of the store
        kernel. Default: 1.
    budget
        the most support examples a class; beyond, the least important one is projected on the rest, with a ridge of
        1e-6: scores change a little even where the rest spans it. Takes a whole number of at least 1; of the store
        kernel. Default: 1000.
    average
        predict with the mean of the weights over all past rounds. Takes true or false; of the store identity. Default:
        false.
    restart
        start anew where its own mistakes say that the data changed (ADWIN). Takes true or false; of every learner.
        Default: false.
    top
        many classes: how many of the best-ranked wrong labels each update is made against. Takes a whole number of at
        least 1, or `all`; of every learner. Default: 1.
    schedule
        many classes: how the updates against several rivals are combined. Takes one of sequential, parallel, exact,
        one-vs-rest; of every learner. Default: sequential; one-vs-rest for arow; one-vs-rest for logistic.
    bound
        many classes: outer asks for the confidence against each rival, inner for all of them together. Takes one of
        outer, inner; of every learner. Default: outer.
    decision
        many classes: predict the label with the largest mean score, or with the largest vote. Takes one of mean, vote;
        of every learner. Default: mean.
    """

    r: float | None
    per_row: bool | None
    confidence: float | None
    c: float | None
    scale: float | None
    prior: float | None
    floor: float | str | None
    projection: str | None
    half_life: int | str | None
    forget: str | None
    rank: int | None
    buffer: int | str | None
    compression: str | None
    sweeps: int | str | None
    kernel: str | None
    gamma: float | None
    degree: int | None
    coef0: float | None
    budget: int | None
    average: bool | None
    restart: bool | None
    top: int | str | None
    schedule: str | None
    bound: str | None
    decision: str | None


class LearnerAttributes:
    """The same as attributes of an estimator."""

    r: float | None
    per_row: bool | None
    confidence: float | None
    c: float | None
    scale: float | None
    prior: float | None
    floor: float | str | None
    projection: str | None
    half_life: int | str | None
    forget: str | None
    rank: int | None
    buffer: int | str | None
    compression: str | None
    sweeps: int | str | None
    kernel: str | None
    gamma: float | None
    degree: int | None
    coef0: float | None
    budget: int | None
    average: bool | None
    restart: bool | None
    top: int | str | None
    schedule: str | None
    bound: str | None
    decision: str | None


#: Their names.
LEARNER_PARAMETERS: tuple[str, ...] = tuple(LearnerAttributes.__annotations__)
