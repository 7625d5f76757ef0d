"""Released scores: computed from noisy counts alone, which one record changes by at most 2."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.mechanisms.sensitivity.counts import L1_REPLACED
from dpfair_cli.metrics import classification as metrics
from dpfair_cli.release.released_scores import SCORES, correct, held_out_counts, noisy_scores

DOMAIN = Domain(columns=("x",), attributes={"x": (0,)}, groups=("a", "b", "c"))


class Rule:
    """A rule whose probability of decision 1 is the feature."""

    def predict(self, records):
        return records.X[:, 0]


def table(rng, n=40):
    """Records with features at random, at the ends or in between."""
    X = rng.choice([0.0, 1.0, rng.random()], size=(n, 1))
    return Records(X, rng.integers(2, size=n), rng.integers(3, size=n), DOMAIN)


def neighbour(records, rng):
    """The records with another one in a random place."""
    place, other = rng.integers(len(records)), table(rng, 1)
    X, y, protected = records.X.copy(), records.y.copy(), records.protected.copy()
    X[place], y[place], protected[place] = other.X[0], other.y[0], other.protected[0]
    return Records(X, y, protected, DOMAIN)


def counted(records):
    return held_out_counts(Rule().predict(records), records)


def test_one_record_changes_the_counts_by_2_at_most_and_sometimes_by_2():
    rng, moves, corrects = np.random.default_rng(0), [], []
    for _ in range(300):
        records = table(rng)
        other = neighbour(records, rng)
        moves.append(np.abs(counted(records) - counted(other)).sum())
        corrects.append(abs(correct(counted(records)) - correct(counted(other))))
    assert max(moves) == pytest.approx(L1_REPLACED, abs=1e-12)
    assert max(corrects) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("strange", [7.0, -3.0, math.nan, math.inf, -math.inf])
def test_no_decision_counts_more_than_one_record(strange):
    records = table(np.random.default_rng(1))
    decision = Rule().predict(records).copy()
    before = held_out_counts(decision, records)
    decision[0] = strange
    assert np.abs(held_out_counts(decision, records) - before).sum() <= L1_REPLACED


def test_without_noise_the_scores_are_the_exact_ones():
    records = table(np.random.default_rng(2), 200)
    found = noisy_scores(Rule(), records, epsilon=math.inf, rng=np.random.default_rng(0))
    exact = metrics.tabulate(Rule().predict(records), records.y, records.protected, groups=3)
    assert found == pytest.approx({name: getattr(metrics, name)(exact) for name in SCORES})


def test_equal_releases_give_equal_scores_of_neighbours():
    """All that differs between neighbours goes through the one mechanism."""
    rng = np.random.default_rng(3)
    records = table(rng)
    with record() as tape:
        first = noisy_scores(Rule(), records, epsilon=1.0, rng=rng)
    with replay(tape) as again:
        second = noisy_scores(Rule(), neighbour(records, rng), epsilon=1.0, rng=rng)
    assert [entry.mechanism for entry in again] == ["laplace"]
    assert first == pytest.approx(second, nan_ok=True)


def test_the_noise_is_that_of_the_epsilon():
    with record() as tape:
        noisy_scores(
            Rule(), table(np.random.default_rng(4)), epsilon=0.5, rng=np.random.default_rng(0)
        )
    (release,) = tape
    assert (release.sensitivity, release.scale) == (2, 4)
    assert np.shape(release.value) == (3, 2, 2)


def test_a_score_without_a_positive_count_is_not_a_number():
    """One record and much noise: now and then no count is positive, and nothing is raised."""
    records = table(np.random.default_rng(5), 1)
    found = [
        noisy_scores(Rule(), records, epsilon=0.01, rng=np.random.default_rng(seed))
        for seed in range(30)
    ]
    gaps = [scores["equal_opportunity_difference"] for scores in found]
    assert 0 < sum(map(math.isnan, gaps)) < 30
    assert all(math.isnan(gap) or 0 <= gap <= 1 for gap in gaps)
