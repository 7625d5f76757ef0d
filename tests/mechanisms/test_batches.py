"""Batches: their laws, what they state about their sampling, and absent records."""

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.mechanisms.batches import (
    ALL_RECORDS,
    Draw,
    absent,
    poisson_batches,
    shuffled_batches,
    subsample,
)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("rate", [0.3, 0.8])
def test_records_enter_poisson_batches_independently_at_the_rate(rate):
    n, steps = 50, 4000
    entered = np.zeros((steps, n))
    for k, batch in enumerate(poisson_batches(n, sampling_rate=rate, steps=steps, rng=rng())):
        entered[k, batch.rows] = 1
    counts, sizes = entered.sum(axis=0), entered.sum(axis=1)
    assert (
        stats.chisquare(
            [counts.sum(), n * steps - counts.sum()], [rate * n * steps, (1 - rate) * n * steps]
        ).pvalue
        > 0.01
    )
    assert stats.kstest(counts, stats.binom(steps, rate).cdf).pvalue > 0.01
    assert sizes.var() == pytest.approx(n * rate * (1 - rate), rel=0.1)  # independent records


def test_a_poisson_batch_says_how_it_was_drawn():
    draws = [batch.draw for batch in poisson_batches(5, sampling_rate=0.4, steps=3, rng=rng())]
    assert draws == [Draw(1, 0.4, "poisson"), Draw(2, 0.4, "poisson"), Draw(3, 0.4, "poisson")]


def test_at_rate_one_every_batch_has_all_records():
    for batch in poisson_batches(7, sampling_rate=1, steps=3, rng=rng()):
        np.testing.assert_array_equal(batch.rows, np.arange(7))
    assert ALL_RECORDS.sampling_rate == 1


def test_a_shuffled_pass_holds_every_record_once():
    batches = list(shuffled_batches(10, batch_size=4, steps=6, rng=rng()))
    assert [len(batch.rows) for batch in batches] == [4, 4, 2, 4, 4, 2]
    passes = [np.concatenate([batch.rows for batch in batches[k : k + 3]]) for k in (0, 3)]
    for rows in passes:
        np.testing.assert_array_equal(np.sort(rows), np.arange(10))
    assert (passes[0] != passes[1]).any()
    assert [batch.draw for batch in batches] == [
        Draw(step, 1 / 3, "shuffled") for step in range(1, 7)
    ]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: poisson_batches(40, sampling_rate=0.5, steps=3, rng=rng),
        lambda rng: shuffled_batches(40, batch_size=20, steps=3, rng=rng),
    ],
    ids=["poisson", "shuffled"],
)
def test_another_generator_draws_other_batches(draw):
    """A public batch hides no record."""
    for one, other in zip(draw(rng(1)), draw(rng(2)), strict=True):
        assert set(one.rows) != set(other.rows)


def test_an_absent_record_is_in_no_batch_and_moves_no_other():
    for draw in (
        lambda: poisson_batches(9, sampling_rate=0.5, steps=4, rng=rng()),
        lambda: shuffled_batches(9, batch_size=4, steps=4, rng=rng()),
    ):
        present = list(draw())
        with absent(2, 5):
            without = list(draw())
        for one, other in zip(present, without, strict=True):
            np.testing.assert_array_equal(other.rows, one.rows[~np.isin(one.rows, [2, 5])])
            assert one.draw == other.draw
        assert any(2 in batch.rows for batch in draw())  # only inside the block


def test_a_subsample_is_uniform_and_states_its_rate():
    generator, parts = rng(), []
    for _ in range(6000):
        part = subsample(4, size=2, rng=generator)
        assert part.draw == Draw(1, 0.5, "without_replacement")
        parts.append(tuple(sorted(part.rows.tolist())))
    sets, counts = np.unique(parts, axis=0, return_counts=True)
    assert sets.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert stats.chisquare(counts).pvalue > 0.01


def test_all_records_are_a_part_of_rate_one():
    part = subsample(4, size=4, rng=rng())
    assert sorted(part.rows) == [0, 1, 2, 3]
    assert part.draw.sampling_rate == 1


@pytest.mark.parametrize("rate", [0, -0.1, 1.1, np.nan])
def test_a_rate_outside_zero_and_one_is_refused(rate):
    with pytest.raises(ValueError, match="sampling_rate must be "):
        next(poisson_batches(5, sampling_rate=rate, steps=1, rng=rng()))


@pytest.mark.parametrize("size", [0, 6])
def test_a_batch_without_records_or_larger_than_the_data_is_refused(size):
    with pytest.raises(ValueError, match="batch_size must be from 1 to 5, the number of records"):
        next(shuffled_batches(5, batch_size=size, steps=1, rng=rng()))
