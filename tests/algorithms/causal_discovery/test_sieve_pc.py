"""Priv-PC with sieve: epsilon = infinity, queries on adversarial neighbours, and budget."""

import warnings
from itertools import product
from math import inf

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery import sieve_pc
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.accounting.composition import composed_epsilon, step_epsilon
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.models.causal_discovery.contingency import counted
from dpfair_cli.models.causal_discovery.independence import Kendall, strata_of
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton
from tests.algorithms.causal_discovery.samples import observed

LEVELS = (2, 3, 4, 3, 2)
OPTIONS = [
    {"statistic": statistic, "sampling": sampling}
    for statistic, sampling in product(("p_value", "z"), ("optimised", "none"))
]
every_option = pytest.mark.parametrize("options", OPTIONS, ids=str)


def ladder(seed, n=600):
    """Ordered categories, each leaning on the one before."""
    rng = np.random.default_rng(seed)
    hidden = [rng.normal(size=n)]
    for _ in LEVELS[1:]:
        hidden.append(0.7 * hidden[-1] + rng.normal(size=n))
    columns = [
        np.digitize(h, np.quantile(h, np.arange(1, k) / k))
        for h, k in zip(hidden, LEVELS, strict=True)
    ]
    return Observations(np.column_stack(columns), tuple("abcde"), LEVELS)


def fit(observations, seed=0, **options):
    return sieve_pc.fit(observations, rng=np.random.default_rng(seed), **options)


def fit_values(values, levels, seed=0, **options):
    return fit(observed(values, levels), seed, **options)


class Public(Kendall):
    """Kendall's test, which finds everything dependent that it has not 32 records a stratum for."""

    def __init__(self, observations):
        super().__init__(counted(observations))
        self.observations = observations

    def p_values(self, questions):
        enough = 32 * np.array(strata_of(questions, LEVELS)) <= len(self.observations)
        return np.where(enough, super().p_values(questions), 0.0)


@every_option
def test_without_noise_it_finds_the_skeleton_of_pc_with_kendalls_test(options):
    found = []
    for seed in range(8):
        expected = find_skeleton(5, Public(ladder(seed)), significance=0.1).adjacent
        assert np.array_equal(
            fit(ladder(seed), epsilon=inf, significance=0.1, **options).skeleton, expected
        )
        found.append(expected.sum())
    assert len(set(found)) > 1


@every_option
@pytest.mark.parametrize("n", [2, 9, 200])
def test_queries_move_by_at_most_one_and_cost_at_most_epsilon(options, n):
    largest = 0.0
    for seed in range(12):
        left, right = neighbours(seed, n)
        with record() as tape:
            graph = fit(left, seed, epsilon=3.0, **options)
        with replay(tape) as again:
            other = fit(right, seed, epsilon=3.0, **options)
        moves = [np.abs(a.value - b.value).max(initial=0) for a, b in zip(tape, again, strict=True)]
        largest = max([largest, *moves])
        assert composed_epsilon([entry.sensitivity / entry.scale for entry in tape], 1e-5) <= 3 * (
            1 + 1e-9
        )
        assert np.array_equal(graph.cpdag, other.cpdag)
        assert (graph.tests, graph.reads) == (other.tests, other.reads)
    assert 0 < largest <= 1 + 1e-9


def neighbours(seed, n):
    rng = np.random.default_rng(seed)
    values = np.array(ladder(seed).values[:n])
    if seed % 3 == 1:
        values = np.tile(values[:, :1] % 2, (1, 5))
    other = values.copy()
    other[0] = np.where(rng.integers(0, 2, 5), np.array(LEVELS) - 1, 0)
    return [Observations(v, tuple("abcde"), LEVELS) for v in (values, other)]


def crowds(levels, n, rng):
    """Random records, copies of one, two blocks, a dependence, one record unlike the others."""
    top = np.array(levels) - 1
    yield np.column_stack([rng.integers(0, level, n) for level in levels])
    yield np.zeros((n, len(levels)), dtype=int)
    yield (np.arange(n)[:, None] % 2) * top
    yield np.where(np.arange(n)[:, None] < n // 10 + 1, top, 0)
    first = rng.integers(0, 2, n)[:, None]
    yield np.where(
        rng.random((n, len(levels))) < 0.6,
        first * top,
        rng.integers(0, np.array(levels), (n, len(levels))),
    )


def replacements(levels, rng):
    top = np.array(levels) - 1
    yield 0 * top
    yield top
    yield np.where(np.arange(len(levels)) % 2, top, 0)
    yield rng.integers(0, np.array(levels))


@every_option
@pytest.mark.parametrize(
    ("levels", "n"), [((2, 2, 2), 40), ((2, 2, 2), 300), ((3, 5, 2), 400), ((2, 2, 2, 2), 300)]
)
def test_no_query_moves_by_more_than_its_declared_sensitivity(levels, n, options):
    rng, worst = np.random.default_rng(n), 0.0
    for values, other in product(crowds(levels, n, rng), replacements(levels, rng)):
        changed = values.copy()
        changed[rng.integers(n)] = other
        for epsilon in (2.0, 100.0):
            with record() as tape:
                fit_values(values, levels, epsilon=epsilon, **options)
            with replay(tape) as again:
                fit_values(changed, levels, epsilon=epsilon, **options)
            assert len(tape) == len(again)
            for old, new in zip(tape, again, strict=True):
                assert (old.sensitivity, old.scale) == (new.sensitivity, new.scale)
                move = np.abs(np.asarray(old.value) - new.value).max(initial=0)
                worst = max(worst, move / old.sensitivity)
    assert worst <= 1 + 1e-9


@every_option
def test_given_its_releases_the_graph_does_not_depend_on_the_data(options):
    levels, n = (2, 3, 2), 200
    rng = np.random.default_rng(0)
    first, *others = crowds(levels, n, rng)
    with record() as tape:
        graph = fit_values(first, levels, epsilon=3.0, **options)
    for other in others:
        with replay(tape):
            np.testing.assert_array_equal(
                fit_values(other, levels, epsilon=3.0, **options).cpdag, graph.cpdag
            )


def test_the_first_sieve_of_two_variables_by_hand():
    """Four distinct concordant records without ties: z = 9 * 6 / 13 / sqrt(9 * 12 / 26)."""
    observations = Observations(np.arange(4)[:, None] * np.ones((1, 2), int), ("a", "b"), (4, 4))
    with record() as tape:
        fit(observations, epsilon=3.0, statistic="z", sampling="none", significance=0.05)
    z, level = (54 / 13) / np.sqrt(108 / 26), 2.0537489106318225  # the 1 - 0.04 / 2 quantile
    assert tape[0].value == pytest.approx([(level - z) / (6 / np.sqrt(4))])
    assert tape[0].mechanism == "above_threshold"
    assert tape[0].scale == pytest.approx(1 / step_epsilon(3.0, 1e-5, 2))


def sieved(monkeypatch, seed=0):
    """The records of every sample that a fit draws, and the rate that every sieve is told."""
    samples, rates = [], []
    take, above_threshold = Observations.take, sieve_pc.above_threshold

    def watched_take(observations, rows):
        samples.append(np.asarray(rows))
        return take(observations, rows)

    def watched_sieve(values, *, draw, **options):
        rates.append(draw.sampling_rate)
        return above_threshold(values, draw=draw, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Observations, "take", watched_take)
        patch.setattr(sieve_pc, "above_threshold", watched_sieve)
        fit(ladder(0), seed, epsilon=1.0)
    return samples, rates


def test_every_sieve_has_a_sample_of_its_own_and_says_its_rate(monkeypatch):
    """Amplification holds for a secret sample without replacement, drawn for this sieve alone."""
    samples, rates = sieved(monkeypatch)
    assert len(samples) == len(rates) > 2
    assert rates == [len(rows) / 600 for rows in samples]
    assert max(rates) < 1
    assert all(len(np.unique(rows)) == len(rows) for rows in samples)
    another, _ = sieved(monkeypatch, seed=1)
    drawn = {frozenset(rows.tolist()) for rows in (*samples, *another)}
    assert len(drawn) == len(samples) + len(another)


def test_a_run_makes_no_more_releases_than_its_budget_has():
    for hits, most in ((0.3, 6), (1.0, 20)):
        with record() as tape:
            fit(ladder(0), epsilon=0.1, hits_per_pair=hits)
        assert 0 < len(tape) <= most
        assert {entry.mechanism for entry in tape} <= {"above_threshold", "laplace"}


def test_more_budget_gives_the_skeleton_of_pc():
    expected = find_skeleton(5, Public(ladder(0)), significance=0.01).adjacent
    assert np.array_equal(fit(ladder(0), epsilon=100_000.0, sampling="none").skeleton, expected)
    assert any((fit(ladder(0), seed, epsilon=0.5).skeleton != expected).any() for seed in range(5))


@pytest.mark.parametrize("epsilon", [0.5, np.inf])
@pytest.mark.parametrize(
    "values", [[[0, 0, 0]] * 50, [[0, 0, 0], [1, 1, 1]] * 50, [[1, 0, 1]], []], ids=len
)
def test_degenerate_data_give_a_graph_without_a_warning(values, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit_values(values, (2, 2, 2), epsilon=epsilon).skeleton.shape == (3, 3)


def test_numbers_are_refused_in_one_line():
    with pytest.raises(
        ValueError, match="sieve_pc must be fitted to ordered categorical variables"
    ):
        sieve_pc.fit(Observations(np.zeros((5, 2)), ("a", "b")), rng=np.random.default_rng(0))
