"""The frontier of error and unfairness that one private method reaches as its `fairness_gap` grows.

One run is one draw: every gap of the grid is fitted with the generator in the same state, so a draw has the same noise
at all gaps, and its scores are curves over them. Scores are those of tasks/in_sample.py.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts import Classifier, Floats, Records
from dpfair_cli.tasks import classification, in_sample

AXIS = "fairness_gap"
SCORES = (AXIS, *in_sample.SCORES)
DECIMALS = 9  # of a gap, so that 0.01 in two ranges is one point


@dataclass(frozen=True, eq=False)
class Case(classification.Case):
    """All records, and the gaps to fit."""

    gaps: Floats


def split(records: Records, *, gaps: str = "0.01:0.2:20", rng: np.random.Generator) -> Case:
    """All records; `gaps` are numbers and ranges low:high:count with equal steps, separated by spaces.

    Raises:
        ValueError: `gaps` is not that, or a group has nobody with one of the labels.
    """
    whole = in_sample.split(records, rng=rng)
    return Case(whole.train, whole.test, parse(gaps))


def study(
    fit: Callable[..., Classifier], case: Case, *, rng: np.random.Generator
) -> tuple[Classifier, dict[str, list[float]]]:
    """The model of the last gap, and every score as a curve over the gaps."""
    models = [fit(case.train, fairness_gap=float(gap), rng=deepcopy(rng)) for gap in case.gaps]
    found = [{AXIS: float(gap)} | in_sample.score(model, case) for gap, model in zip(case.gaps, models, strict=True)]
    return models[-1], {name: [point[name] for point in found] for name in SCORES}


def parse(gaps: str) -> Floats:
    """The points that `gaps` names, sorted, each once.

    Raises:
        ValueError: a word is neither a number nor low:high:count.
    """
    points = np.concatenate([[], *map(_range, gaps.split())])
    if not len(points) or not (points >= 0).all():
        raise ValueError(f"gaps must name points that are not negative, such as '0.05 0.1:1:10', got {gaps!r}")
    return np.unique(points.round(DECIMALS))


def _range(word: str) -> Floats:
    low, *more = word.split(":")
    try:
        if not more:
            return np.array([float(low)])
        high, count = more
        return np.linspace(float(low), float(high), int(count))
    except ValueError as error:
        raise ValueError(f"gaps are numbers and ranges low:high:count, got {word!r}") from error
