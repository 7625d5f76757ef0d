"""LapMech: one table, one release, its scale, and PC on what comes out."""

import warnings

import numpy as np
import pytest
from bif_oracle import read_bif

from dpfair_cli.algorithms.causal_discovery import lap_mech, pc
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.models.causal_discovery.bayesian_network import parse_bif


def observed(values, levels):
    values = np.asarray(values, dtype=np.int64).reshape(-1, len(levels))
    return Observations(values, tuple(f"v{j}" for j in range(len(levels))), tuple(levels))


def fit(values, levels, seed=0, **options):
    return lap_mech.fit(observed(values, levels), rng=np.random.default_rng(seed), **options)


def chain(n, levels=(2, 3, 2, 2), seed=0):
    """Each variable copies its left neighbour seven times in ten."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(0, level, n) for level in levels])
    for j in range(1, len(levels)):
        copied = rng.random(n) < 0.7
        values[copied, j] = np.minimum(values[copied, j - 1], levels[j] - 1)
    return values


@pytest.mark.parametrize(("noise", "sensitivity"), [("replace_one", 2), ("published", 1)])
def test_the_one_release_is_the_table_of_all_variables(noise, sensitivity):
    values, levels = chain(50), (2, 3, 2, 2)
    with record() as tape:
        fit(values, levels, epsilon=0.5, noise=noise)
    (entry,) = tape
    slow = np.zeros(levels)
    for code in values:
        slow[tuple(code)] += 1
    assert entry.mechanism == "laplace"
    assert (entry.sensitivity, entry.scale) == (sensitivity, sensitivity / 0.5)
    np.testing.assert_array_equal(np.reshape(entry.value, levels), slow)


def test_replacing_a_record_moves_it_by_two_and_no_more():
    values, levels = chain(30), (2, 3, 2, 2)
    other = values.copy()
    other[3] = (values[3] + 1) % levels
    with record() as tape:
        fit(values, levels)
        fit(other, levels)
    old, new = tape
    assert np.abs(old.value - new.value).sum() == 2 == old.sensitivity


def test_given_its_release_the_graph_does_not_depend_on_the_data():
    values, levels = chain(60), (2, 3, 2, 2)
    with record() as tape:
        graph = fit(values, levels, epsilon=1.0)
    for other in (0 * values, values[::-1] % 2):
        with replay(tape):
            same = fit(other, levels, epsilon=1.0)
        np.testing.assert_array_equal(same.cpdag, graph.cpdag)
        assert (same.tests, same.reads) == (graph.tests, graph.reads)


def test_without_noise_it_is_pc():
    for seed in range(4):
        values, levels = chain(800, seed=seed), (2, 3, 2, 2)
        private = fit(values, levels, epsilon=np.inf)
        public = pc.fit(observed(values, levels), rng=np.random.default_rng(0))
        np.testing.assert_array_equal(private.cpdag, public.cpdag)


def test_a_limit_on_the_order_of_zero_tests_each_pair_once():
    assert fit(chain(500), (2, 3, 2, 2), epsilon=np.inf, max_order=0).tests == 6


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, np.inf])
@pytest.mark.parametrize("values", [[[0, 0, 0]] * 9, [[0, 0, 0], [1, 1, 1]] * 9, [[1, 0, 1]], []], ids=len)
def test_degenerate_data_give_a_graph_without_a_warning(values, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(5):
            assert fit(values, (2, 2, 2), seed, epsilon=epsilon).skeleton.shape == (3, 3)


@pytest.mark.parametrize("name", ["alarm", "insurance", "child"])
def test_a_table_that_does_not_fit_is_refused_with_its_size(name, real_data):
    path = real_data / "bnlearn" / f"{name}.bif"
    if not path.is_file():
        pytest.skip("the networks are not here")
    records = parse_bif(path.read_text()).sample(50, rng=np.random.default_rng(0))
    cells = int(np.prod([len(states) for states in read_bif(path.read_text())[0].values()], dtype=object))
    with pytest.raises(ValueError, match="cells") as error:
        lap_mech.fit(records, rng=np.random.default_rng(0))
    digits = "".join(c for c in str(error.value) if c.isdigit() or c in ".e+")
    assert str(cells)[:2] in digits  # in whatever notation
    assert "\n" not in str(error.value)


def test_numbers_are_refused_in_one_line():
    with pytest.raises(ValueError, match="lap_mech needs categories"):
        lap_mech.fit(Observations(np.zeros((5, 2)), ("a", "b")), rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    "option",
    [{"noise": "nonsense"}, {"significance": 1}, {"epsilon": 0}, {"epsilon": float("nan")}, {"max_order": -1}],
    ids=str,
)
def test_what_is_out_of_range_is_refused(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        fit(chain(20), (2, 3, 2, 2), **option)
