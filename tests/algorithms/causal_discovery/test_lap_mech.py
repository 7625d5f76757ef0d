"""LapMech: its release and scale, PC on the noisy table, and tables that it refuses."""

import warnings
from math import inf

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery import lap_mech, pc
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.models.causal_discovery.bayesian_network import parse_bif
from tests.algorithms.causal_discovery.samples import observed
from tests.oracles.bif import read_bif

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


def fit_values(values, levels, seed=0, **options):
    return fit(observed(values, levels), seed, **options)


def copies(n, levels=(2, 3, 2, 2), seed=0):
    """Each variable copies its left neighbour seven times in ten."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(0, level, n) for level in levels])
    for j in range(1, len(levels)):
        copied = rng.random(n) < 0.7
        values[copied, j] = np.minimum(values[copied, j - 1], levels[j] - 1)
    return values


@pytest.mark.parametrize(
    "options",
    [{}, {"noise": "published"}, {"noise": "occupied"}, {"negative_counts": "zero"}],
    ids=str,
)
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


@pytest.mark.parametrize(("noise", "sensitivity"), [("replace_one", 2), ("published", 1)])
def test_the_one_release_is_the_table_of_all_variables(noise, sensitivity):
    values, levels = copies(50), (2, 3, 2, 2)
    with record() as tape:
        fit_values(values, levels, epsilon=0.5, noise=noise)
    (entry,) = tape
    slow = np.zeros(levels)
    for code in values:
        slow[tuple(code)] += 1
    assert entry.mechanism == "laplace"
    assert (entry.sensitivity, entry.scale) == (sensitivity, sensitivity / 0.5)
    np.testing.assert_array_equal(np.reshape(entry.value, levels), slow)


@pytest.mark.parametrize(("noise", "ratio"), [("replace_one", 1), ("published", 2)])
def test_a_replaced_record_moves_two_counts(noise, ratio):
    moves = []
    for seed in range(10):
        values = np.array(chain(seed).values)
        values[0] = np.random.default_rng(seed).integers(0, LEVELS)
        with record() as tape:
            graph = fit(chain(seed), noise=noise)
        with replay(tape) as again:
            assert np.array_equal(
                fit(Observations(values, tuple("abcd"), LEVELS), noise=noise).cpdag, graph.cpdag
            )
        moves.append(np.abs(tape[0].value - again[0].value).sum() / tape[0].sensitivity)
    assert max(moves) == ratio


def test_noise_on_occupied_cells_leaves_the_other_cells_empty():
    """Two binary variables that are equal: without noise on (0, 1) and (1, 0), they stay equal."""
    equal = observed(np.repeat([[0, 0], [1, 1]], 50, axis=0), (2, 2))
    edges = [fit(equal, seed, epsilon=0.1, noise="occupied").edges for seed in range(20)]
    with record() as tape:
        fit(equal, epsilon=0.1, noise="occupied")
    assert (tape[0].sensitivity, tape[0].scale) == (1, 10)
    assert all(len(found) == 1 for found in edges)


def test_with_noise_on_occupied_cells_equal_noise_gives_other_graphs():
    """One record in the empty cell (0, 1) lets its noise into the table."""
    equal = np.repeat([[0, 0], [1, 1]], 50, axis=0)
    neighbour = np.vstack([[0, 1], equal[1:]])
    differs = []
    for seed in range(20):
        with record() as tape:
            graph = fit_values(equal, (2, 2), seed, epsilon=0.01, noise="occupied")
        with replay(tape):
            other = fit_values(neighbour, (2, 2), seed, epsilon=0.01, noise="occupied")
        differs.append(graph.edges != other.edges)
    assert any(differs)


def test_given_its_release_the_graph_does_not_depend_on_the_data():
    values, levels = copies(60), (2, 3, 2, 2)
    with record() as tape:
        graph = fit_values(values, levels, epsilon=1.0)
    for other in (0 * values, values[::-1] % 2):
        with replay(tape):
            same = fit_values(other, levels, epsilon=1.0)
        np.testing.assert_array_equal(same.cpdag, graph.cpdag)
        assert (same.tests, same.reads) == (graph.tests, graph.reads)


def test_zeroing_negative_counts_first_adds_records_that_are_not_there():
    """48 cells, 3 records, epsilon 0.01: about 45 positive parts of Laplace(200), of mean 100."""
    few = Observations(np.array(chain(0).values[:3]), tuple("abcd"), LEVELS)
    with record() as tape:
        fit(few, epsilon=0.01)
    noisy = tape[0].output
    assert abs(noisy.sum()) < 5 * 200 * np.sqrt(2 * 48)
    assert np.maximum(noisy, 0).sum() > 2500
    graphs = {
        tuple(fit(few, seed, epsilon=0.01, negative_counts=word).edges)
        for seed in range(5)
        for word in ("summed", "zero")
    }
    assert len(graphs) > 1


def test_the_order_of_the_questions_can_be_limited():
    assert fit(chain(0), max_order=0.0).tests == 6
    assert fit(chain(0), epsilon=inf, max_order=0.0).tests == 6 < fit(chain(0), epsilon=inf).tests


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, np.inf])
@pytest.mark.parametrize(
    "values", [[[0, 0, 0]] * 9, [[0, 0, 0], [1, 1, 1]] * 9, [[1, 0, 1]], []], ids=len
)
def test_degenerate_data_give_a_graph_without_a_warning(values, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(5):
            assert fit_values(values, (2, 2, 2), seed, epsilon=epsilon).skeleton.shape == (3, 3)


def test_a_table_of_too_many_cells_is_refused_before_memory_is_taken():
    observations = Observations(
        np.zeros((2, 30), dtype=int), tuple(f"x{j}" for j in range(30)), (5,) * 30
    )
    with pytest.raises(
        ValueError, match=r"at most 20,000,000 cells, got 931,322,574,615,478,515,625: merge"
    ):
        fit(observations)


@pytest.mark.parametrize("name", ["alarm", "insurance", "child"])
def test_a_table_that_does_not_fit_is_refused_with_its_size(name, real_data):
    path = real_data / "bnlearn" / f"{name}.bif"
    if not path.is_file():
        pytest.skip("the networks are not here")
    records = parse_bif(path.read_text()).sample(50, rng=np.random.default_rng(0))
    cells = int(
        np.prod([len(states) for states in read_bif(path.read_text())[0].values()], dtype=object)
    )
    with pytest.raises(ValueError, match="cells") as error:
        lap_mech.fit(records, rng=np.random.default_rng(0))
    digits = "".join(c for c in str(error.value) if c.isdigit() or c in ".e+")
    assert str(cells)[:2] in digits  # in whatever notation
    assert "\n" not in str(error.value)


def test_numbers_are_refused_in_one_line():
    with pytest.raises(ValueError, match="lap_mech must be fitted to categorical variables"):
        lap_mech.fit(Observations(np.zeros((5, 2)), ("a", "b")), rng=np.random.default_rng(0))
