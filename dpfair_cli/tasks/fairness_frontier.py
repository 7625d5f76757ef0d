"""The frontier of error and unfairness of one private method as its `fairness_gap` grows.

A run fits the method once for every gap of a grid, each time with the generator in the same state.
The fits of a run therefore have the same noise, up to its scale. The scores of a run are curves
over the gaps. The scores are those of tasks/in_sample.py.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.conversion import parse_ranges
from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.parameters import NotNegative, checked
from dpfair_cli.contracts.results import Classifier, Outcome
from dpfair_cli.kinds.records import Records
from dpfair_cli.tasks import classification, in_sample

AXIS = "fairness_gap"
SCORES = (AXIS, *in_sample.SCORES)


@dataclass(frozen=True, eq=False)
class GapGridSplit(classification.TrainTestSplit):
    """All records, for fitting and scoring, with the grid of fairness slacks."""

    gaps: Floats  # the values of `fairness_gap`, ascending


@checked
def split(
    records: Records,
    *,
    gaps: tuple[NotNegative, ...] = tuple(parse_ranges("0.01..0.2 by 0.01", "gaps")),
    rng: np.random.Generator,
) -> GapGridSplit:
    """All records, with the fairness slacks `gaps` in ascending order.

    Raises:
        ValueError: there is no gap, or a group has no record with one of the labels.
    """
    if not gaps:
        raise ValueError("`gaps` must contain at least one value of `fairness_gap`")
    whole = in_sample.split(records, rng=rng)
    return GapGridSplit(whole.train, whole.test, np.unique(gaps))


def study(
    fit: Callable[..., Classifier], case: GapGridSplit, *, rng: np.random.Generator
) -> Outcome:
    """The model for the last fairness slack, with every score as a curve over all slacks."""
    # from the same state of the generator: only the gap differs along the curve
    models = [fit(case.train, fairness_gap=float(gap), rng=deepcopy(rng)) for gap in case.gaps]
    curves: dict[str, list[float]] = {name: [] for name in SCORES}
    for gap, model in zip(case.gaps, models, strict=True):
        for name, value in ({AXIS: float(gap)} | in_sample.score(model, case)).items():
            curves[name].append(value)
    return Outcome(models[-1], {}, curves=curves)


TASK = Study(
    split=split,
    study=study,
    scores=SCORES,
    axis=AXIS,
    fits=lambda protocol: len(set(protocol["gaps"])),
)
