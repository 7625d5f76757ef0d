"""The task on graphs counted by hand: which truth, which scores under which name, and what differs between seeds."""

import numpy as np
import pytest
from causal_oracles import as_matrix, cpdag

from dpfair_cli.datasets import synthetic_categorical, synthetic_gaussian
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.tasks import causal_discovery

NAMES = ("a", "b", "c", "d")


class Fixed:
    """A population with one graph and one table of records."""

    def __init__(self, arcs, n=50):
        self.dag, self.n = as_matrix(arcs, 4), n

    def draw(self, rng):
        return Observations(rng.integers(0, 2, (self.n, 4)), NAMES, (2,) * 4), self.dag


def scores(found, arcs):
    case = causal_discovery.split(Fixed(arcs), rng=np.random.default_rng(0))
    return causal_discovery.score(CausalGraph(NAMES, as_matrix(found, 4), tests=7, reads=350), case)


def test_the_truth_is_the_class_of_the_graph_and_not_the_graph():
    chain = frozenset({(0, 1), (1, 2)})
    case = causal_discovery.split(Fixed(chain), rng=np.random.default_rng(0))
    np.testing.assert_array_equal(case.truth.cpdag, as_matrix(cpdag(chain, 4), 4))
    perfect = scores(cpdag(chain, 4), chain)
    assert perfect["structural_hamming_distance"] == 0
    assert perfect["orientation_f1"] == 1  # neither has an arrow
    assert scores(chain, chain)["structural_hamming_distance"] == 2  # two arrows that nobody can know


def test_the_columns_of_the_paper_are_the_others_the_other_way_round():
    truth = frozenset({(0, 1), (1, 2), (2, 3)})
    found = {(0, 1), (1, 0), (0, 3), (3, 0)}  # one of three true edges, one wrong
    got = scores(found, truth)
    assert got["skeleton_precision"] == got["tpr"] == pytest.approx(1 / 2)
    assert got["skeleton_recall"] == got["tdr"] == pytest.approx(1 / 3)
    assert got["skeleton_false_positive_rate"] == pytest.approx(1 / 3)  # one of three gaps
    assert got["fpr"] == pytest.approx(2 / 4)  # two missed of the four gaps of the estimate
    assert (got["edges"], got["true_edges"], got["tests"], got["reads"]) == (2, 3, 7, 350)
    assert set(got) == set(causal_discovery.SCORES)


def test_directions_are_scored_on_the_class():
    collider = frozenset({(0, 2), (1, 2), (2, 3)})  # all three arrows are known
    got = scores({(0, 2), (2, 1), (2, 3), (3, 2)}, collider)  # one right, one turned, one line
    assert got["orientation_f1"] == pytest.approx(2 * 1 / (2 + 3))
    assert got["structural_hamming_distance"] == 2
    assert got["skeleton_precision"] == got["skeleton_recall"] == 1


def test_a_true_graph_with_a_cycle_is_refused():
    with pytest.raises(ValueError, match="cycle"):
        causal_discovery.split(Fixed({(0, 1), (1, 2), (2, 0)}), rng=np.random.default_rng(0))


def test_records_without_a_known_graph_have_only_counts_or_the_graph_of_pc():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 500)
    values = np.column_stack([a, np.where(rng.random(500) < 0.9, a, 1 - a), rng.integers(0, 3, 500)])
    records = Observations(values, ("a", "b", "c"), (2, 2, 3))
    graph = CausalGraph(("a", "b", "c"), as_matrix({(0, 1), (1, 0), (1, 2)}, 3))
    alone = causal_discovery.score(graph, causal_discovery.split(records, rng=np.random.default_rng(0)))
    assert set(alone) == {"edges", "tests", "reads"}
    case = causal_discovery.split(records, reference="pc", rng=np.random.default_rng(0))
    np.testing.assert_array_equal(case.truth.cpdag, as_matrix({(0, 1), (1, 0)}, 3))
    against = causal_discovery.score(graph, case)
    assert against["skeleton_recall"] == 1
    assert against["skeleton_precision"] == 1 / 2


def test_a_seed_is_a_graph_and_its_records(tmp_path):
    for data in (
        synthetic_categorical.load(tmp_path, nodes=6, sparseness=0.4, records=30),
        synthetic_gaussian.load(tmp_path, nodes=6, sparseness=0.4, records=30),
    ):
        first, again, other = (causal_discovery.split(data, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
        np.testing.assert_array_equal(first.train.values, again.train.values)
        np.testing.assert_array_equal(first.truth.cpdag, again.truth.cpdag)
        assert first.train.values.shape == other.train.values.shape == (30, 6)
        assert not np.array_equal(first.train.values, other.train.values)


def test_what_a_fit_sees_does_not_hold_the_truth():
    data = Fixed(frozenset({(0, 1)}))
    case = causal_discovery.split(data, rng=np.random.default_rng(0))
    assert type(case.train) is Observations
    assert set(vars(case.train)) == {"values", "names", "levels", "bounds"}
