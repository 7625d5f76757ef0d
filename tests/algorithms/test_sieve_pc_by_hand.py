"""The sieve-and-examine Priv-PC: its queries on adversarial neighbours, its budget, and what depends on the data."""

import warnings
from itertools import product

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery import sieve_pc
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record, replay


def observed(values, levels):
    values = np.asarray(values, dtype=np.int64).reshape(-1, len(levels))
    return Observations(values, tuple(f"v{j}" for j in range(len(levels))), tuple(levels))


def fit(values, levels, seed=0, **options):
    return sieve_pc.fit(observed(values, levels), rng=np.random.default_rng(seed), **options)


def crowds(levels, n, rng):
    """Random records, copies of one, two blocks, a dependence, one record unlike the others."""
    top = np.array(levels) - 1
    yield np.column_stack([rng.integers(0, level, n) for level in levels])
    yield np.zeros((n, len(levels)), dtype=int)
    yield (np.arange(n)[:, None] % 2) * top
    yield np.where(np.arange(n)[:, None] < n // 10 + 1, top, 0)
    first = rng.integers(0, 2, n)[:, None]
    yield np.where(rng.random((n, len(levels))) < 0.6, first * top, rng.integers(0, np.array(levels), (n, len(levels))))


def replacements(levels, rng):
    top = np.array(levels) - 1
    yield 0 * top
    yield top
    yield np.where(np.arange(len(levels)) % 2, top, 0)
    yield rng.integers(0, np.array(levels))


READINGS = [
    {"statistic": statistic, "sampling": sampling}
    for statistic, sampling in product(("p_value", "z"), ("optimised", "none"))
]
every_reading = pytest.mark.parametrize("reading", READINGS, ids=str)


@every_reading
@pytest.mark.parametrize(("levels", "n"), [((2, 2, 2), 40), ((2, 2, 2), 300), ((3, 5, 2), 400), ((2, 2, 2, 2), 300)])
def test_no_query_moves_by_more_than_its_declared_sensitivity(levels, n, reading):
    rng, worst = np.random.default_rng(n), 0.0
    for values, other in product(crowds(levels, n, rng), replacements(levels, rng)):
        changed = values.copy()
        changed[rng.integers(n)] = other
        for epsilon in (2.0, 100.0):
            with record() as tape:
                fit(values, levels, epsilon=epsilon, **reading)
            with replay(tape) as again:
                fit(changed, levels, epsilon=epsilon, **reading)
            assert len(tape) == len(again)
            for old, new in zip(tape, again, strict=True):
                assert (old.sensitivity, old.scale) == (new.sensitivity, new.scale)
                move = np.abs(np.asarray(old.value) - new.value).max(initial=0)
                worst = max(worst, move / old.sensitivity)
    assert worst <= 1 + 1e-9


@every_reading
def test_given_its_releases_the_graph_does_not_depend_on_the_data(reading):
    levels, n = (2, 3, 2), 200
    rng = np.random.default_rng(0)
    first, *others = crowds(levels, n, rng)
    with record() as tape:
        graph = fit(first, levels, epsilon=3.0, **reading)
    for other in others:
        with replay(tape):
            np.testing.assert_array_equal(fit(other, levels, epsilon=3.0, **reading).cpdag, graph.cpdag)


@pytest.mark.parametrize("epsilon", [0.5, np.inf])
@pytest.mark.parametrize("values", [[[0, 0, 0]] * 50, [[0, 0, 0], [1, 1, 1]] * 50, [[1, 0, 1]], []], ids=len)
def test_degenerate_data_give_a_graph_without_a_warning(values, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fit(values, (2, 2, 2), epsilon=epsilon).skeleton.shape == (3, 3)


NAN = float("nan")
OUTSIDE = [
    *({"epsilon": value} for value in (0, -1, NAN)),
    *({"delta": value} for value in (0, 1, NAN)),
    *({"significance": value} for value in (0, 1, NAN)),
    *({"hits_per_pair": value} for value in (0, -1, NAN)),
    {"statistic": "nonsense"},
    {"sampling": "nonsense"},
]


@pytest.mark.parametrize("option", OUTSIDE, ids=str)
def test_what_is_out_of_range_is_refused(option):
    with pytest.raises(ValueError, match=next(iter(option)).split("_")[0]):
        fit(np.zeros((50, 3)), (2, 2, 2), **option)


def test_numbers_are_refused_in_one_line():
    with pytest.raises(ValueError, match="sieve_pc needs ordered categories"):
        sieve_pc.fit(Observations(np.zeros((5, 2)), ("a", "b")), rng=np.random.default_rng(0))
