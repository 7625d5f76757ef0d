"""LapMech: its public self, its sensitivity, and the table that it refuses."""

from math import inf

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery import lap_mech, pc
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record, replay

LEVELS = (2, 3, 2, 4)


def chain(seed, n=500):
    """Each variable leans on the one before."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, LEVELS[0], n)]
    for k in LEVELS[1:]:
        columns.append(np.where(rng.random(n) < 0.5, columns[-1] % k, rng.integers(0, k, n)))
    return Observations(np.column_stack(columns), tuple("abcd"), LEVELS)


def fit(observations, seed=0, **options):
    return lap_mech.fit(observations, rng=np.random.default_rng(seed), **options)


@pytest.mark.parametrize("options", [{}, {"noise": "published"}, {"negative_counts": "zero"}], ids=str)
def test_without_noise_it_is_pc(options):
    for seed in range(8):
        expected = pc.fit(chain(seed), rng=np.random.default_rng(0))
        assert np.array_equal(fit(chain(seed), epsilon=inf, **options).cpdag, expected.cpdag)


def test_the_table_of_three_records_by_hand():
    observations = Observations(np.array([[0, 0], [1, 2], [1, 2]]), ("a", "b"), (2, 3))
    with record() as tape:
        fit(observations, epsilon=0.5)
    assert tape[0].value.tolist() == [1, 0, 0, 0, 0, 2]
    assert (tape[0].sensitivity, tape[0].scale) == (2, 4)


@pytest.mark.parametrize(("noise", "ratio"), [("replace_one", 1), ("published", 2)])
def test_a_replaced_record_moves_two_counts(noise, ratio):
    moves = []
    for seed in range(10):
        values = np.array(chain(seed).values)
        values[0] = np.random.default_rng(seed).integers(0, LEVELS)
        with record() as tape:
            graph = fit(chain(seed), noise=noise)
        with replay(tape) as again:
            assert np.array_equal(fit(Observations(values, tuple("abcd"), LEVELS), noise=noise).cpdag, graph.cpdag)
        moves.append(np.abs(tape[0].value - again[0].value).sum() / tape[0].sensitivity)
    assert max(moves) == ratio


def test_zeroing_negative_counts_first_adds_records_that_are_not_there():
    """On the 48 cells of 3 records at epsilon 0.01: about 45 positive halves of Laplace(200), on average 100 each."""
    few = Observations(np.array(chain(0).values[:3]), tuple("abcd"), LEVELS)
    with record() as tape:
        fit(few, epsilon=0.01)
    noisy = tape[0].output
    assert abs(noisy.sum()) < 5 * 200 * np.sqrt(2 * 48)
    assert np.maximum(noisy, 0).sum() > 2500
    graphs = {tuple(fit(few, seed, epsilon=0.01, negative_counts=word).edges) for seed in range(5) for word in
              ("summed", "zero")}  # fmt: skip
    assert len(graphs) > 1


def test_the_order_of_the_questions_can_be_limited():
    assert fit(chain(0), max_order=0.0).tests == 6
    assert fit(chain(0), epsilon=inf, max_order=0.0).tests == 6 < fit(chain(0), epsilon=inf).tests


def test_a_table_of_too_many_cells_is_refused_before_memory_is_taken():
    observations = Observations(np.zeros((2, 30), dtype=int), tuple(f"x{j}" for j in range(30)), (5,) * 30)
    with pytest.raises(ValueError, match=r"has 931,322,574,615,478,515,625 cells, more than 20,000,000"):
        fit(observations)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": "nonsense"}, "noise must be one of replace_one, published"),
        ({"negative_counts": "nonsense"}, "negative_counts must be one of summed, zero"),
        ({"significance": 0.0}, "significance must lie in"),
        ({"epsilon": -1.0}, "epsilon must be positive"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(options, message):
    with pytest.raises(ValueError, match=message):
        fit(chain(0), **options)


def test_numbers_are_refused():
    with pytest.raises(ValueError, match="needs categories"):
        fit(Observations(np.zeros((3, 2)), ("a", "b")))
