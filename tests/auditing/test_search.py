"""Neighbours that are worse than every corner are found by the search, within two hundred pairs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dpfair_cli.auditing.audit import audit_fit
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.laplace import laplace
from tests.auditing.subjects import D

TRIGGERS = {
    "half a feature, of label 1": lambda r: 4 * ((r.X[:, 3] == 0.5) & (r.y == 1)).sum(),
    "half a feature, of group 1": lambda r: 4 * ((r.X[:, 2] == 0.5) & (r.protected == 1)).sum(),
    "two features": lambda r: 20 * ((r.X[:, 3] == 0.5) & (r.y == 1) & (r.X[:, 5] == 0)).sum(),
    "a peak between the ends": lambda r: (
        r.y * 8 * (1 - 2 * np.abs(r.X[:, 3] - 0.4)) * (r.X[:, 5] < 0.1)
    ).sum(),
    "the last record": lambda r: 4 * (r.X[-1, 1] == 0),
    "two equal records": lambda r: 5.0 * (len(np.unique(r.X[:, 0])) < len(r)),
}


@dataclass(frozen=True, eq=False)
class Toy(NotSaved):
    total: Any


def sum_with(extra):
    def fit(records, *, epsilon=1.0, rng):
        return Toy(
            laplace(
                records.X.sum(axis=0) + extra(records), l1_sensitivity=D, epsilon=epsilon, rng=rng
            )
        )

    return fit


def found(extra, data, seed=0):
    params = {"epsilon": 1.0}
    return audit_fit(
        "toy",
        sum_with(extra),
        data,
        relation=Neighbours.REPLACE_ONE,
        params=params,
        neighbours=200,
        seed=seed,
    )


@pytest.mark.parametrize("extra", TRIGGERS.values(), ids=TRIGGERS)
def test_a_neighbour_that_moves_a_sum_too_far_is_found(records, extra):
    for seed in range(4):
        finding = found(extra, records, seed)
        assert finding.largest_move > 1.2
        assert not finding.holds


def test_nothing_is_found_where_nothing_is(records):
    for seed in range(4):
        finding = found(lambda r: 0, records, seed)
        assert finding.largest_move == pytest.approx(1)
        assert finding.problems == []


@pytest.mark.parametrize("levels", [(4,) * 5, ()], ids=["categories", "numbers"])
def test_a_level_or_a_number_between_or_beyond_the_ends_is_found(levels):
    rng = np.random.default_rng(0)
    values = rng.integers(4, size=(300, 5)) if levels else rng.normal(size=(300, 5))
    data = Observations(values, tuple("abcde"), levels)
    wrong = (
        (lambda v: (v[:, 1] == 2) & (v[:, 3] == 0)) if levels else (lambda v: np.abs(v[:, 1]) > 10)
    )

    def fit(observations, *, epsilon=1.0, rng):
        total = 1.0 * (observations.values[:, 0] > 0).sum() + 3 * wrong(observations.values).sum()
        return Toy(laplace(total, l1_sensitivity=1.0, epsilon=epsilon, rng=rng))

    params = {"epsilon": 1.0}
    finding = audit_fit(
        "toy", fit, data, relation=Neighbours.REPLACE_ONE, params=params, neighbours=200
    )
    assert finding.largest_move >= 3
