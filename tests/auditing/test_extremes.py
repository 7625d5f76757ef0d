"""Constructed neighbours are neighbours, and reach the sensitivities of the proofs."""

from itertools import combinations, islice

import numpy as np
import pytest

from dpfair_cli.auditing.extremes import MORE, extreme_pairs, three_blocks
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.sensitivity.dependence import L1_DEPENDENCE
from dpfair_cli.mechanisms.sensitivity.kendall_statistic import kendall_sensitivity
from dpfair_cli.mechanisms.sensitivity.minimiser import l2_minimiser
from dpfair_cli.mechanisms.sensitivity.walks import L1_WALKS
from dpfair_cli.models.causal_discovery.independence import kendall
from dpfair_cli.models.embedding.factorisation import walks_of
from dpfair_cli.models.regression.logistic import optimum


def pairs(data, relation, count=24):
    return list(islice(extreme_pairs(data, relation, rng=np.random.default_rng(0)), count))


def variables(levels, n=300):
    values = np.random.default_rng(0).integers(levels, size=(n, len(levels)))
    return Observations(values, tuple("abcdef"[: len(levels)]), levels)


GRAPH = Graph.from_pairs([(0, 1), (1, 2)], 6)


@pytest.mark.parametrize("relation", [Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE])
def test_constructed_records_differ_in_the_first_the_middle_or_the_last(records, relation):
    found = pairs(records, relation)
    for place, (left, right) in zip((0, 0.5, 1) * 8, found, strict=True):
        assert left.differing_rows(right).tolist() == [round(place * (len(left) - 1))]
        assert left.domain == right.domain == records.domain


def dependence_of(observations, i, j):
    """The L1 distance of the table of two variables from that of independent ones."""
    levels = observations.levels
    table = np.zeros((levels[i], levels[j]))
    np.add.at(table, (observations.values[:, i], observations.values[:, j]), 1)
    return np.abs(table - np.outer(table.sum(1), table.sum(0)) / table.sum()).sum()


def test_a_constructed_record_moves_dependences_by_nearly_6_in_both_directions():
    changes = [
        dependence_of(right, i, j) - dependence_of(left, i, j)
        for left, right in pairs(variables((4, 3, 2, 5, 3)), Neighbours.REPLACE_ONE)
        for i, j in combinations(range(5), 2)
    ]
    assert 0.9 * L1_DEPENDENCE < max(changes) <= L1_DEPENDENCE
    assert 0.9 * L1_DEPENDENCE < -min(changes) <= L1_DEPENDENCE


def test_constructed_variables_differ_in_one_record():
    for left, right in pairs(variables((4, 3, 2, 5)), Neighbours.REPLACE_ONE):
        assert len(left.differing_rows(right)) == 1


def test_constructed_graphs_differ_in_one_edge():
    for left, right in pairs(GRAPH, Neighbours.ONE_EDGE):
        one, other = ({tuple(edge) for edge in side.edges.tolist()} for side in (left, right))
        assert len(one ^ other) == 1
        assert left.nodes == right.nodes


def test_no_pairs_are_constructed_for_other_relations_and_numbers(records):
    assert pairs(records, Neighbours.ONE_EDGE) == []
    numbers = Observations(np.random.default_rng(0).normal(size=(50, 3)), tuple("abc"))
    assert pairs(numbers, Neighbours.REPLACE_ONE) == []


def test_few_records_of_one_feature_and_one_group_have_constructed_neighbours():
    domain = Domain(("a",), {"a": (0,)}, ("all",))
    few = Records(np.array([[0.5], [0.1]]), np.array([0, 1]), np.array([0, 0]), domain)
    for left, right in pairs(few, Neighbours.REPLACE_ONE):
        assert len(left) == len(right) == 2


def test_a_constructed_edge_reaches_the_sensitivity_of_walks():
    moves = [
        np.abs(walks_of(left).dense() - walks_of(right).dense()).sum()
        for left, right in pairs(GRAPH, Neighbours.ONE_EDGE)
    ]
    assert max(moves) == pytest.approx(L1_WALKS, abs=1e-12)


@pytest.mark.parametrize("levels", [(3, 3), (4, 5), (2, 3)])
def test_a_constructed_record_reaches_the_sensitivity_of_kendall(levels):
    question = np.array([[0, 1]])
    moves = [
        abs(abs(kendall(left).statistics(question)) - abs(kendall(right).statistics(question)))[0]
        for left, right in pairs(variables(levels), Neighbours.REPLACE_ONE)
    ]
    # of two variables with 200 records: sqrt((n - 1) / (n + 2.5)) of the bound, by hand 0.991
    assert 0.96 < max(moves) / kendall_sensitivity(200, 1) < 1


@pytest.mark.parametrize("centre", [0.0, 0.3])
def test_three_blocks_move_a_minimiser_by_most_of_its_sensitivity(centre):
    d, mu = 30, 0.01
    names = tuple(f"x{j}" for j in range(d))
    attributes = {name: (j,) for j, name in enumerate(names)}
    domain = Domain(names, attributes, ("a", "b"), standard=((centre, 1 - centre),) * d)
    left, right = three_blocks(MORE, domain, rest=0.1, wrong=0.35)
    one, other = (optimum(side, clip_norm=3.0, ridge=mu, train_size=MORE) for side in (left, right))
    moved = float(np.linalg.norm(one - other))
    assert 0.88 < moved / l2_minimiser(MORE, clip_norm=3.0, mu=mu) < 1


def test_the_group_of_the_first_the_middle_or_the_last_record_changes(records):
    found = pairs(records, Neighbours.ONE_PROTECTED_ATTRIBUTE)
    for place, (left, right) in zip((0, 0.5, 1) * 8, found, strict=True):
        assert left.differing_rows(right).tolist() == [round(place * (len(left) - 1))]
        np.testing.assert_array_equal(left.X, right.X)
        np.testing.assert_array_equal(left.y, right.y)
