"""The task: the true graph, the scores and their names, and what a seed draws."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.datasets import synthetic_categorical, synthetic_gaussian
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.tasks import causal_discovery, causal_graph
from tests.oracles.causal import as_matrix, cpdag

NAMES = ("a", "b", "c", "d")
LAW = synthetic_categorical.load(Path(), nodes=5, sparseness=0.4, records=500)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


class Fixed:
    """A population with one graph."""

    def __init__(self, dag, n=50):
        self.dag, self.n = dag, n

    def draw(self, rng):
        p = len(self.dag)
        return Observations(rng.integers(2, size=(self.n, p)), NAMES[:p], (2,) * p), self.dag


def graph(*arrows: tuple[int, int], p: int = 4) -> CausalGraph:
    cpdag = np.zeros((p, p), dtype=bool)
    for i, j in arrows:
        cpdag[i, j] = True
    return CausalGraph(tuple("abcdef"[:p]), cpdag, tests=7, reads=63)


def collider() -> Fixed:
    return Fixed(graph((0, 2), (1, 2), (2, 3)).cpdag)


def scores_of(found, arcs):
    case = causal_discovery.split(Fixed(as_matrix(arcs, 4)), rng=np.random.default_rng(0))
    return causal_discovery.score(CausalGraph(NAMES, as_matrix(found, 4), tests=7, reads=350), case)


def test_every_score_by_hand() -> None:
    case = causal_discovery.split(collider(), rng=rng())
    # true: a > c < b, c > d; found: a > c, d > c, a > b
    scores = causal_discovery.score(graph((0, 2), (3, 2), (0, 1)), case)
    assert tuple(scores) == causal_discovery.SCORES
    assert scores == pytest.approx(
        {
            "skeleton_precision": 2 / 3,
            "skeleton_recall": 2 / 3,
            "skeleton_false_positive_rate": 1 / 3,
            "structural_hamming_distance": 3,  # b - c lost, c - d turned, a - b added
            "orientation_f1": 2 * 1 / (3 + 3),
            "true_edges": 3,
            "tpr": 2 / 3,
            "fpr": 1 / 3,
            "tdr": 2 / 3,
            "edges": 3,
            "tests": 7,
            "reads": 63,
        }
    )


def test_the_truth_is_the_class_of_the_graph_and_not_the_graph():
    chain = frozenset({(0, 1), (1, 2)})
    case = causal_discovery.split(Fixed(as_matrix(chain, 4)), rng=np.random.default_rng(0))
    np.testing.assert_array_equal(case.truth.cpdag, as_matrix(cpdag(chain, 4), 4))
    perfect = scores_of(cpdag(chain, 4), chain)
    assert perfect["structural_hamming_distance"] == 0
    assert perfect["orientation_f1"] == 1  # neither has an arrow
    directed = scores_of(chain, chain)
    assert directed["structural_hamming_distance"] == 2  # two arrows that are not identified


def test_the_columns_of_the_paper_are_the_others_the_other_way_round():
    truth = frozenset({(0, 1), (1, 2), (2, 3)})
    found = {(0, 1), (1, 0), (0, 3), (3, 0)}  # one of three true edges, one wrong
    got = scores_of(found, truth)
    assert got["skeleton_precision"] == got["tpr"] == pytest.approx(1 / 2)
    assert got["skeleton_recall"] == got["tdr"] == pytest.approx(1 / 3)
    assert got["skeleton_false_positive_rate"] == pytest.approx(1 / 3)  # one of three gaps
    assert got["fpr"] == pytest.approx(2 / 4)  # two missed of the four gaps of the estimate
    assert (got["edges"], got["true_edges"], got["tests"], got["reads"]) == (2, 3, 7, 350)
    assert set(got) == set(causal_discovery.SCORES)


def test_directions_are_scored_on_the_class():
    collider = frozenset({(0, 2), (1, 2), (2, 3)})  # all three arrows are known
    got = scores_of({(0, 2), (2, 1), (2, 3), (3, 2)}, collider)  # one right, one turned, one line
    assert got["orientation_f1"] == pytest.approx(2 * 1 / (2 + 3))
    assert got["structural_hamming_distance"] == 2
    assert got["skeleton_precision"] == got["skeleton_recall"] == 1


def test_the_true_graph_has_no_mistake() -> None:
    case = causal_discovery.split(LAW, rng=rng(3))
    scores = causal_discovery.score(case.truth, case)
    assert (
        scores["skeleton_precision"] == scores["skeleton_recall"] == scores["orientation_f1"] == 1
    )
    assert scores["structural_hamming_distance"] == scores["skeleton_false_positive_rate"] == 0


def test_without_a_true_graph_only_counts_are_scored() -> None:
    case = causal_discovery.split(LAW.draw(rng())[0], rng=rng())
    found = catalog.algorithms.module("pc").fit(case.train, rng=rng())
    assert tuple(causal_discovery.score(found, case)) == causal_discovery.COUNTS


def test_pcs_own_graph_may_stand_for_the_truth() -> None:
    case = causal_discovery.split(LAW.draw(rng())[0], reference="pc", rng=rng())
    found = catalog.algorithms.module("pc").fit(case.train, rng=rng())
    assert causal_discovery.score(found, case)["structural_hamming_distance"] == 0


def test_records_without_a_known_graph_have_only_counts_or_the_graph_of_pc():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 500)
    values = np.column_stack(
        [a, np.where(rng.random(500) < 0.9, a, 1 - a), rng.integers(0, 3, 500)]
    )
    records = Observations(values, ("a", "b", "c"), (2, 2, 3))
    graph = CausalGraph(("a", "b", "c"), as_matrix({(0, 1), (1, 0), (1, 2)}, 3))
    alone = causal_discovery.score(
        graph, causal_discovery.split(records, rng=np.random.default_rng(0))
    )
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
        first, again, other = (
            causal_discovery.split(data, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(first.train.values, again.train.values)
        np.testing.assert_array_equal(first.truth.cpdag, again.truth.cpdag)
        assert first.train.values.shape == other.train.values.shape == (30, 6)
        assert not np.array_equal(first.train.values, other.train.values)


def test_what_a_fit_sees_does_not_hold_the_truth():
    data = Fixed(as_matrix({(0, 1)}, 4))
    case = causal_discovery.split(data, rng=np.random.default_rng(0))
    assert type(case.train) is Observations
    assert set(vars(case.train)) == {"values", "names", "levels", "bounds"}


def test_a_cyclic_truth_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        causal_discovery.split(Fixed(graph((0, 1), (1, 2), (2, 0)).cpdag), rng=rng())


def test_the_graph_is_an_output_next_to_the_scores() -> None:
    case = causal_graph.TASK.split(collider(), rng=rng())
    model = graph((0, 2), (3, 2), (0, 1), (1, 0))
    outcome = causal_graph.TASK.study(lambda data, rng: model, case, rng=rng())
    edges = [["a", "-", "b"], ["a", "->", "c"], ["d", "->", "c"]]
    assert outcome.outputs == {"graph": {"variables": ["a", "b", "c", "d"], "edges": edges}}
    assert set(outcome.scores) == set(causal_graph.TASK.scores)


def test_methods_belong_to_the_task_of_their_data() -> None:
    algorithms = [catalog.algorithm(name) for name in catalog.algorithms.names]
    fitting = {}
    for name in ("causal_discovery", "causal_graph", "classification"):
        study = catalog.study(name)
        fitting[name] = {one.name for one in algorithms if matching.can_score(study, one)}
    assert {"pc", "priv_pc", "lap_mech"} <= fitting["causal_discovery"]
    assert not fitting["causal_discovery"] & fitting["classification"]
    assert fitting["causal_graph"] == fitting["causal_discovery"]
    assert catalog.data_source("synthetic_categorical").truth
    assert not catalog.data_source("adult_discretised").truth
