"""Released scores: computed from noisy counts alone, which one record changes by at most 2."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.mechanisms.sensitivity.counts import L1_REPLACED
from dpfair_cli.metrics import classification as metrics
from dpfair_cli.release.released_scores import (
    SCORES,
    correct,
    held_out_counts,
    interval,
    noisy_scores,
    released_scores,
    scores_of,
)

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


def test_equal_releases_give_equal_intervals_of_neighbours():
    rng = np.random.default_rng(3)
    records = table(rng, 80)
    with record() as tape:
        first = released_scores(Rule(), records, epsilon=4.0, rng=rng)
    with replay(tape) as again:
        second = released_scores(Rule(), neighbour(records, rng), epsilon=4.0, rng=rng)
    assert [entry.mechanism for entry in again] == ["laplace"]
    assert any(score.is_measurable for score in first.values())
    for name in SCORES:
        assert vars(first[name]) == pytest.approx(vars(second[name]), nan_ok=True)


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


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 2.0])
def test_an_interval_misses_the_exact_score_in_at_most_one_of_twenty_cases(epsilon):
    rng, tries = np.random.default_rng(6), 400
    counts = np.array([[[80.0, 40], [30, 50]], [[60, 20], [10, 30]], [[15, 5], [5, 15]]])
    exact, missed = scores_of(counts), dict.fromkeys(SCORES, 0)
    for _ in range(tries):
        noisy = counts + rng.laplace(scale=L1_REPLACED / epsilon, size=counts.shape)
        for name in SCORES:
            low, high = interval(name, noisy, epsilon=epsilon)
            missed[name] += not low <= exact[name] <= high
    assert max(missed.values()) / tries <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / tries)


@pytest.mark.parametrize("level", [0.05, 0.05 / 2, 0.05 / 6])
def test_no_weighted_sum_of_laplace_variables_is_farther_out_than_one(level):
    """The bound on which the intervals rely, in deviations; the first row attains it."""
    rng, draws = np.random.default_rng(7), 200_000
    for weights in ([1.0], [1, 0.1], [1, 0.5], [1, 1], [1, 1, 0.3, 0.3], [1] * 4, [1] * 20):
        total = sum(weight * rng.laplace(size=draws) for weight in weights)
        deviation = math.sqrt(2 * sum(weight**2 for weight in weights))
        far = np.abs(total) > deviation * math.log(1 / level) / math.sqrt(2)
        assert far.mean() <= level + 4 * math.sqrt(level / draws)


def test_the_interval_of_a_rate_is_the_one_worked_by_hand():
    """One group, epsilon 2: counts with noise of scale 1, 30 right and 10 wrong decisions.

    For one rate p of two counts each: |(1 - p) 30 - p 10| <= ln 20 sqrt(2 ((1 - p)^2 + p^2)), at
    p = 0.6709 and p = 0.8406 with equality.
    """
    noisy = np.array([[[15.0, 5.0], [5.0, 15.0]]])
    assert interval("accuracy", noisy, epsilon=2.0) == pytest.approx((0.6709, 0.8406), abs=1e-3)


def test_hidden_scores_are_not_measurable_and_clear_ones_are():
    records = table(np.random.default_rng(8), 80)
    for epsilon, expected in ((0.01, False), (1e6, True)):
        rng = np.random.default_rng(9)
        found = released_scores(Rule(), records, epsilon=epsilon, rng=rng)
        assert {score.is_measurable for score in found.values()} == {expected}
    assert found["accuracy"].high - found["accuracy"].low < 0.002
