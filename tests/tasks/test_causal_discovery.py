"""The task: the truth stays with the scores, a seed is a graph, and without a truth only counts are told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.datasets import synthetic_categorical
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.tasks import causal_discovery, causal_graph

LAW = synthetic_categorical.load(Path(), nodes=5, sparseness=0.4, records=500)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


class Fixed:
    """A population of one graph."""

    def __init__(self, dag: np.ndarray) -> None:
        self.dag = dag

    def draw(self, rng: np.random.Generator) -> tuple[Observations, np.ndarray]:
        p = len(self.dag)
        return Observations(rng.integers(2, size=(9, p)), tuple("abcdef"[:p]), (2,) * p), self.dag


def graph(*arrows: tuple[int, int], p: int = 4) -> CausalGraph:
    cpdag = np.zeros((p, p), dtype=bool)
    for i, j in arrows:
        cpdag[i, j] = True
    return CausalGraph(tuple("abcdef"[:p]), cpdag, tests=7, reads=63)


def collider() -> Fixed:
    return Fixed(graph((0, 2), (1, 2), (2, 3)).cpdag)


def test_a_seed_draws_one_graph_for_all_methods() -> None:
    first, again, other = (causal_discovery.split(LAW, rng=rng(seed)) for seed in (1, 1, 2))
    assert first.train.values.tobytes() == again.train.values.tobytes()
    assert (first.truth.cpdag == again.truth.cpdag).all()
    assert first.train.values.tobytes() != other.train.values.tobytes()


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


def test_the_printed_columns_are_precision_missed_edges_and_recall() -> None:
    case = causal_discovery.split(collider(), rng=rng())
    scores = causal_discovery.score(graph((0, 2), (0, 1)), case)  # one of two edges right, two of three missed
    assert scores["tpr"] == scores["skeleton_precision"] == 1 / 2
    assert scores["tdr"] == scores["skeleton_recall"] == pytest.approx(1 / 3)
    assert scores["fpr"] == 2 / 4  # of the four gaps of the estimate
    assert scores["skeleton_false_positive_rate"] == 1 / 3  # of the three true gaps


def test_the_true_graph_has_no_mistake() -> None:
    case = causal_discovery.split(LAW, rng=rng(3))
    scores = causal_discovery.score(case.truth, case)
    assert scores["skeleton_precision"] == scores["skeleton_recall"] == scores["orientation_f1"] == 1
    assert scores["structural_hamming_distance"] == scores["skeleton_false_positive_rate"] == 0


def test_without_a_truth_only_counts_are_told() -> None:
    case = causal_discovery.split(LAW.draw(rng())[0], rng=rng())
    found = catalog.find("algorithms", "pc").fit(case.train, rng=rng())
    assert tuple(causal_discovery.score(found, case)) == causal_discovery.COUNTS


def test_pcs_own_graph_may_stand_for_the_truth() -> None:
    case = causal_discovery.split(LAW.draw(rng())[0], reference="pc", rng=rng())
    found = catalog.find("algorithms", "pc").fit(case.train, rng=rng())
    assert causal_discovery.score(found, case)["structural_hamming_distance"] == 0


def test_a_cyclic_truth_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        causal_discovery.split(Fixed(graph((0, 1), (1, 2), (2, 0)).cpdag), rng=rng())


def test_a_drawn_graph_has_a_number_for_each_pair() -> None:
    case = causal_graph.split(collider(), rng=rng())
    model = graph((0, 2), (3, 2), (0, 1), (1, 0))
    scores = causal_graph.score(model, case)
    pairs = {name: value for name, value in scores.items() if " | " in name}
    assert pairs == {"a | b": 3, "a | c": 1, "a | d": 0, "b | c": 0, "b | d": 0, "c | d": 2}
    assert set(scores) - set(pairs) == set(causal_graph.SCORES)


def test_methods_belong_to_the_task_of_their_data() -> None:
    assert {"pc", "priv_pc", "lap_mech"} <= set(catalog.methods("causal_discovery"))
    assert not set(catalog.methods("causal_discovery")) & set(catalog.methods("classification"))
    assert catalog.methods("causal_graph") == catalog.methods("causal_discovery")
    assert catalog.has_truth("synthetic_categorical")
    assert not catalog.has_truth("adult_discretised")
