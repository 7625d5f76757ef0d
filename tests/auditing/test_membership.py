"""Tests of sampling: a wrong rate, one batch under two names, a batch too many in a pass."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dpfair_cli.auditing.noise import MembershipCheck
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.above_threshold import above_threshold
from dpfair_cli.mechanisms.accounting.accountant import noise_multiplier_for
from dpfair_cli.mechanisms.batches import (
    Batch,
    Draw,
    poisson_batches,
    shuffled_batches,
    subsample,
)
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.ledger import Release
from dpfair_cli.models.regression.linear import LinearClassifier
from tests.auditing.subjects import D

STEPS, RATE = 30, 0.3
MANY = "a record is in more batches than their sampling rate allows"
SAME = "batches that should be drawn independently are the same"
TWICE = "a record is in two batches of one pass over the data"
multiplier = cache(noise_multiplier_for)


def poisson(rate=RATE, steps=STEPS):
    return lambda n, rng: poisson_batches(n, sampling_rate=rate, steps=steps, rng=rng)


def all_records_declared_a_sample(n, rng):
    return [
        Batch(batch.rows, replace(batch.draw, sampling_rate=RATE)) for batch in poisson(1.0)(n, rng)
    ]


def twice_the_rate(n, rng):
    return [
        Batch(batch.rows, replace(batch.draw, sampling_rate=RATE))
        for batch in poisson(2 * RATE)(n, rng)
    ]


def one_sample_under_many_names(n, rng):
    seed = int(rng.integers(2**60))
    return [next(poisson(steps=1)(n, np.random.default_rng(seed))) for _ in range(STEPS)]


def each_sample_twice(n, rng):
    return [
        batch
        for one in poisson(steps=STEPS // 2)(n, rng)
        for batch in (one, replace(one, draw=_renamed(one.draw)))
    ]


def _renamed(draw):
    return replace(draw, sample=-draw.sample)


def a_pass(n):
    """Batches of a quarter."""
    return -(-n // -(-n // 4))


def shuffled(n, rng):
    return shuffled_batches(n, batch_size=-(-n // 4), steps=2 * a_pass(n), rng=rng)


def in_two_batches_of_a_pass(n, rng):
    batches = list(shuffled(n, rng))
    return [
        replace(one, rows=np.union1d(one.rows, batches[k - 1].rows))
        for k, one in enumerate(batches)
    ]


def trained(batches, sampling="poisson"):
    """A fit of clipped sums on these batches, with enough noise if they are as stated."""

    def fit(records, *, epsilon=1.0, delta=1e-5, rng):
        rate, steps = (
            (RATE, STEPS)
            if sampling == "poisson"
            else (1 / a_pass(len(records)), 2 * a_pass(len(records)))
        )
        sigma = multiplier(epsilon, delta, sampling_rate=rate, steps=steps, sampling=sampling)
        weights = np.zeros(D)
        for batch in batches(len(records), rng):
            X = records.X[batch.rows]
            total = (X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1)).sum(axis=0)
            weights = weights + gaussian(
                total, l2_sensitivity=1.0, sigma=sigma, draw=batch.draw, rng=rng
            )
        return LinearClassifier(weights)

    return fit


@pytest.mark.parametrize(
    ("batches", "problem"),
    [
        (all_records_declared_a_sample, MANY),
        (twice_the_rate, MANY),
        (one_sample_under_many_names, SAME),
        (each_sample_twice, SAME),
    ],
)
def test_samples_that_are_not_what_they_say_are_refuted(try_out, batches, problem):
    found = try_out(trained(batches), Neighbours.ADD_OR_REMOVE_ONE, delta=1e-5)
    assert found.noise == (problem,)


def test_a_record_in_two_batches_of_a_pass_is_refuted(try_out):
    found = try_out(
        trained(in_two_batches_of_a_pass, sampling="shuffled"),
        Neighbours.ADD_OR_REMOVE_ONE,
        delta=1e-5,
    )
    assert TWICE in found.noise


def test_honest_batches_raise_no_alarm(try_out):
    assert try_out(trained(poisson()), Neighbours.ADD_OR_REMOVE_ONE, delta=1e-5).problems == []
    assert (
        try_out(
            trained(shuffled, sampling="shuffled"), Neighbours.ADD_OR_REMOVE_ONE, delta=1e-5
        ).problems
        == []
    )


def sieves(parts):
    """Two sieves, each private on its own subsample; `parts(n, rng)` draws them."""

    def fit(records, *, epsilon=1.0, rng):
        chosen = []
        for part in parts(len(records), rng):
            values = records.X[part.rows].sum(axis=0) - len(part.rows) / 2
            chosen.append(
                above_threshold(
                    values, sensitivity=1.0, epsilon=epsilon / 2, draw=part.draw, rng=rng
                )
            )
        return LinearClassifier(np.array(chosen, dtype=float))

    return fit


def test_one_sample_for_all_sieves_that_is_amplified_each_time_is_refuted(try_out):
    def of_one(n, rng):
        return [subsample(n, size=-(-n // 4), rng=rng)] * 2

    def of_two(n, rng):
        return [subsample(n, size=-(-n // 4), rng=rng) for _ in range(2)]

    assert try_out(sieves(of_two)).problems == []
    assert try_out(sieves(of_one)).accounted > 1.05


def fits(rates, moved):
    """A check that has seen fits, each of queries on samples of these rates that move or not."""
    check, sample = MembershipCheck(), 0
    for row in moved:
        tape = []
        for step, rate in enumerate(rates, start=1):
            sample += 1
            tape.append(
                Release(
                    "gaussian", np.zeros(1), np.zeros(1), 1.0, 1.0, Draw(step, rate, sample=sample)
                )
            )
        check.see(tape, [float(moves) for moves in row])
    return list(check.problems())


def test_two_hundred_audits_raise_no_alarm_and_a_wrong_rate_does():
    rng, rates = np.random.default_rng(0), np.array([0.05, 0.3, 0.3, 0.9] * 5)
    assert not any(fits(rates, rng.random((60, 20)) < rates) for _ in range(200))
    assert fits([0.3] * 20, rng.random((60, 20)) < 0.42) == [MANY]
    assert fits([0.3] * 20, np.repeat(rng.random((60, 1)) < 0.3, 20, axis=1)) == [SAME]


def test_queries_that_seldom_move_or_belong_to_one_sample_raise_no_alarm():
    assert fits([0.1, 0.1], [[0, 0]] * 100) == []
    draws = [Draw(1, 0.1, sample=7)] * 50
    check = MembershipCheck()
    check.see(
        [Release("gaussian", np.zeros(1), np.zeros(1), 1.0, 1.0, draw) for draw in draws],
        [1.0] * 50,
    )
    assert list(check.problems()) == []  # fifty queries on one sample
