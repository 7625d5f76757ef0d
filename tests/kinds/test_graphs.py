"""Graphs: construction from pairs, errors, counts, and the neighbours of an audit."""

import numpy as np
import pytest

from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.graphs import Graph
from tests.models.embedding.graphs import blocks, clique, edge_set, graph, path, star


def edges(*pairs):
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def labelled():
    return graph([(0, 1), (1, 2), (0, 3)], 5, labels=[0, 1, 1, 0, 2])


def test_direction_loops_and_repeats_are_left_out_and_counted():
    found = Graph.from_pairs(edges((2, 0), (0, 2), (1, 1), (0, 1), (2, 0)), 4)
    assert found.edges.tolist() == [[0, 1], [0, 2]]
    assert (found.loops, found.repeats) == (1, 2)
    assert found.counts() == {
        "nodes": 4,
        "edges": 2,
        "loops": 1,
        "repeats": 2,
        "isolated": 1,
        "classes": (),
    }


def test_a_node_with_nothing_but_a_loop_is_isolated():
    found = Graph.from_pairs(edges((0, 0), (1, 2)), 3)
    assert found.counts()["isolated"] == 1
    assert found.degrees.tolist() == [0, 1, 1]


def test_edges_are_sorted_by_row():
    found = Graph.from_pairs(edges((3, 1), (0, 3), (2, 1), (0, 1)), 4)
    assert found.edges.tolist() == [[0, 1], [0, 3], [1, 2], [1, 3]]


def test_a_record_is_an_edge():
    assert len(star(5)) == 4
    assert len(graph([], 3)) == 0


def test_the_degrees_of_a_star_by_hand():
    assert star(4).degrees.tolist() == [3, 1, 1, 1]
    assert graph([], 3).degrees.tolist() == [0, 0, 0]


def test_degrees_add_up_to_twice_the_edges():
    found = blocks()
    assert found.degrees.sum() == 2 * len(found)
    assert found.degrees.shape == (found.nodes,)


def test_classes_are_counted():
    assert labelled().counts()["classes"] == (2, 2, 1)
    assert blocks(nodes=10, classes=4).counts()["classes"] == (3, 3, 2, 2)


def test_a_class_without_a_node_is_counted_too():
    found = Graph(edges((0, 1)), 2, labels=np.array([0, 2]), classes=("a", "b", "c"))
    assert found.counts()["classes"] == (1, 0, 1)


def test_taken_edges_leave_the_nodes_and_their_labels():
    found = labelled().take(np.array([0, 2]))
    assert edge_set(found) == {tuple(row) for row in labelled().edges[[0, 2]].tolist()}
    assert (found.nodes, found.classes, found.labels.tolist()) == (
        5,
        ("a", "b", "c"),
        [0, 1, 1, 0, 2],
    )


def test_the_order_in_which_edges_are_taken_does_not_make_another_graph():
    found = labelled().take(np.array([2, 0]))
    assert edge_set(found) == edge_set(labelled().take(np.array([0, 2])))


def test_no_edge_can_be_taken():
    found = labelled().take(np.array([], dtype=np.int64))
    assert len(found) == 0
    assert found.counts()["isolated"] == 5


def test_without_labels_there_are_none_and_the_edges_stay():
    found = labelled().without_labels()
    assert found.labels.shape == (0,)
    assert found.classes == ()
    np.testing.assert_array_equal(found.edges, labelled().edges)
    assert found.nodes == 5


def test_order_and_direction_of_pairs_do_not_change_the_fingerprint():
    one, two = (
        Graph.from_pairs(edges((0, 1), (1, 2)), 3),
        Graph.from_pairs(edges((2, 1), (1, 0)), 3),
    )
    assert one.fingerprint() == two.fingerprint()


def test_an_edge_or_a_node_more_is_another_graph():
    prints = [
        found.fingerprint()
        for found in (path(3), path(4), clique(3), graph([(0, 1), (1, 2)], 4), graph([], 3))
    ]
    assert len(set(prints)) == 5


def test_a_graph_cannot_be_changed():
    found = path(3)
    with pytest.raises(ValueError, match="read-only"):
        found.edges[0, 0] = 1


def test_the_bounds_of_a_graph_are_public_unless_said_otherwise():
    assert path(3).bounds == "public"
    assert Graph(edges((0, 1)), 2, bounds="data").bounds == "data"


def test_the_columns_are_names():
    assert all(isinstance(name, str) for name in path(3).columns)


@pytest.mark.parametrize(
    "pairs",
    [((0, 3),), ((-1, 1),), ((1, 0),), ((1, 1),), ((0, 1), (0, 1)), ((0, 1), (1, 2), (0, 1))],
    ids=["out of range", "negative", "i above j", "loop", "repeat", "later repeat"],
)
def test_edges_that_are_none_are_refused_in_one_line(pairs):
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Graph(edges(*pairs), 3)


@pytest.mark.parametrize("pairs", [((0, 3),), ((-1, 1),)], ids=["too large", "negative"])
def test_pairs_of_nodes_that_there_are_not_are_refused(pairs):
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Graph.from_pairs(edges(*pairs), 3)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [([0, 1], ("a", "b")), ([0, 1, 2], ("a", "b")), ([0, -1, 1], ("a", "b")), ([0, 0, 0], ())],
    ids=["too few", "no such class", "negative", "no classes"],
)
def test_labels_that_do_not_fit_are_refused_in_one_line(labels, classes):
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Graph(edges((0, 1)), 3, labels=np.array(labels, dtype=np.int64), classes=classes)


def pairs_of(found, count=60, seed=0):
    """Each pair as (the graph with less, the graph with more, the edge between them)."""
    ordered = []
    for pair in found.neighbours(Neighbours.ONE_EDGE, count=count, rng=np.random.default_rng(seed)):
        less, more = sorted(pair, key=len)
        ordered.append((less, more, *(edge_set(more) - edge_set(less))))
    return ordered


def test_neighbours_differ_by_exactly_one_edge_on_the_same_nodes():
    found = list(
        blocks(nodes=20).neighbours(Neighbours.ONE_EDGE, count=60, rng=np.random.default_rng(0))
    )
    assert len(found) == 60
    for left, right in found:
        assert left.nodes == right.nodes
        assert len(edge_set(left) ^ edge_set(right)) == 1
        assert abs(len(left) - len(right)) == 1


def test_edges_are_added_and_removed():
    found = blocks(nodes=20).neighbours(Neighbours.ONE_EDGE, count=60, rng=np.random.default_rng(0))
    assert {len(right) - len(left) for left, right in found} == {1, -1}


def test_one_neighbour_of_the_empty_graph_is_tried():
    assert any(len(less) == 0 for less, _, _ in pairs_of(blocks(nodes=20)))


def test_stars_are_tried():
    def is_star(found):
        return len(found) >= 3 and found.degrees.max() == len(found)

    assert any(is_star(less) or is_star(more) for less, more, _ in pairs_of(blocks(nodes=20)))


def test_cliques_are_tried():
    def is_clique(found):
        members = (found.degrees > 0).sum()
        return members >= 3 and len(found) == members * (members - 1) // 2

    assert any(is_clique(less) or is_clique(more) for less, more, _ in pairs_of(blocks(nodes=20)))


def test_bridges_between_two_paths_are_tried():
    """A path of at least four nodes whose edge in the middle comes or goes."""

    def is_bridge(less, more, edge):
        return len(more) >= 3 and more.degrees.max() == 2 and all(less.degrees[list(edge)] == 1)

    assert any(is_bridge(*pair) for pair in pairs_of(blocks(nodes=20)))


def test_a_node_that_loses_its_only_edge_is_tried():
    def is_lonely(less, more, edge):
        return len(less) > 0 and min(less.degrees[list(edge)]) == 0 < max(less.degrees[list(edge)])

    assert any(is_lonely(*pair) for pair in pairs_of(blocks(nodes=20)))


def test_neighbours_of_the_data_themselves_are_tried():
    data = blocks(nodes=20)
    alike = [
        len(edge_set(more) & edge_set(data)) >= 0.5 * len(data) for _, more, _ in pairs_of(data)
    ]
    assert any(alike)


def test_the_same_generator_gives_the_same_neighbours():
    for one, two in zip(pairs_of(blocks(), 24), pairs_of(blocks(), 24), strict=True):
        assert [one[0].fingerprint(), one[1].fingerprint()] == [
            two[0].fingerprint(),
            two[1].fingerprint(),
        ]


@pytest.mark.parametrize(
    "data", [path(2), path(3), clique(4), graph([], 4)], ids=["edge", "path", "clique", "empty"]
)
def test_the_smallest_graphs_have_neighbours(data):
    found = list(data.neighbours(Neighbours.ONE_EDGE, count=24, rng=np.random.default_rng(0)))
    assert len(found) == 24
    assert all(len(edge_set(left) ^ edge_set(right)) == 1 for left, right in found)
