"""The frontier of error and unfairness that one private method reaches as its `fairness_gap` grows.

One run is one draw: every gap of the grid is fitted with the generator in the same state, so a draw
has the same noise at all gaps, and its scores are curves over them. Scores are those of
tasks/in_sample.py.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.parameters import NotNegative, checked
from dpfair_cli.contracts.ranges import parse_ranges
from dpfair_cli.contracts.results import Classifier, Outcome
from dpfair_cli.kinds.records import Records
from dpfair_cli.tasks import classification, in_sample

AXIS = "fairness_gap"
SCORES = (AXIS, *in_sample.SCORES)


@dataclass(frozen=True, eq=False)
class GapGridSplit(classification.TrainTestSplit):
    """All records, to fit and to score, and the values of `fairness_gap` to fit with."""

    gaps: Floats


@checked
def split(
    records: Records,
    *,
    gaps: tuple[NotNegative, ...] = tuple(parse_ranges("0.01..0.2 by 0.01", "gaps")),
    rng: np.random.Generator,
) -> GapGridSplit:
    """All records, and the `gaps` to fit, in ascending order.

    Raises:
        ValueError: there is no gap, or a group has nobody with one of the labels.
    """
    if not gaps:
        raise ValueError("gaps must name at least one fairness_gap")
    whole = in_sample.split(records, rng=rng)
    return GapGridSplit(whole.train, whole.test, np.unique(gaps))


def study(
    fit: Callable[..., Classifier], case: GapGridSplit, *, rng: np.random.Generator
) -> Outcome:
    """The model of the last gap, and every score as a curve over the gaps."""
    models = [fit(case.train, fairness_gap=float(gap), rng=deepcopy(rng)) for gap in case.gaps]
    found = [
        {AXIS: float(gap)} | in_sample.score(model, case)
        for gap, model in zip(case.gaps, models, strict=True)
    ]
    return Outcome(
        models[-1], {}, curves={name: [point[name] for point in found] for name in SCORES}
    )


TASK = Study(
    split=split,
    study=study,
    scores=SCORES,
    axis=AXIS,
    fits=lambda protocol: len(set(protocol["gaps"])),
)
