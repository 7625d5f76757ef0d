"""Causal graphs: order, families, errors; records with a graph: what they keep and refuse."""

import numpy as np
import pytest

from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.kinds.records import Domain, Records
from tests.models.causal_fairness.made_records import (
    GRAPHS,
    dag,
    graphs,
    people,
    random_joint,
    rows_of,
)

GRAPH = dag(GRAPHS["figure 7.3"])  # a, b, s, y: a -> s, a -> y, s -> b, s -> y, b -> y


def matrix(p, *pairs):
    found = np.zeros((p, p), dtype=bool)
    for i, j in pairs:
        found[i, j] = True
    return found


def some_people(graph=GRAPH, **roles):
    counts = (random_joint(len(graph.names), 0) * 200).astype(int) + 1
    return people(rows_of(counts), graph, **roles)


def with_graph(data, graph):
    return CausalRecords(
        data.X, data.y, data.protected, data.domain, graph=graph, through=(), context=()
    )


@pytest.mark.parametrize("name", graphs())
def test_every_variable_comes_after_its_parents(name):
    graph = graphs()[name]
    assert sorted(graph.order) == list(range(len(graph.names)))
    for i, j in np.argwhere(graph.arrows).tolist():
        assert graph.order.index(i) < graph.order.index(j)


def test_an_order_against_that_of_the_names_is_found():
    graph = dag("s>c c>b b>a a>y")
    assert [graph.names[place] for place in graph.order] == ["s", "c", "b", "a", "y"]


def test_parents_are_places_in_ascending_order():
    assert [GRAPH.parents(j) for j in range(4)] == [(), (2,), (0,), (0, 1, 2)]
    assert dag("c>y a>y s>y b>y").parents(4) == (0, 1, 2, 3)


def test_descendants_are_all_that_can_be_reached_and_not_oneself():
    assert [GRAPH.descendants(i) for i in range(4)] == [{1, 2, 3}, {3}, {1, 3}, set()]
    assert dag("s>a a>b b>c c>d d>y").descendants(4) == {0, 1, 2, 3, 5}
    assert isinstance(GRAPH.descendants(0), frozenset)


def test_a_name_has_its_place_and_another_one_is_refused_by_name():
    assert [GRAPH.place(name) for name in GRAPH.names] == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="sx"):
        GRAPH.place("sx")


@pytest.mark.parametrize(
    "pairs",
    [[(0, 1), (1, 0)], [(0, 2), (2, 1), (1, 0)], [(0, 0)], [(2, 3), (0, 1), (1, 0)]],
    ids=str,
)
def test_a_cycle_is_refused(pairs):
    with pytest.raises(ValueError, match="cycle"):
        CausalDag(("a", "b", "s", "y"), matrix(4, *pairs), "s", "y")


def test_what_comes_before_or_after_a_cycle_is_not_named_as_part_of_it():
    """s -> a <-> b -> y."""
    with pytest.raises(ValueError, match=r"cycle among a, b: remove"):
        CausalDag(("a", "b", "s", "y"), matrix(4, (2, 0), (0, 1), (1, 0), (1, 3)), "s", "y")


@pytest.mark.parametrize(
    ("names", "pairs", "protected", "label", "named"),
    [
        ("age age sex income", [(0, 3)], "sex", "income", ""),
        ("age job sex income", [(0, 3)], "gender", "income", "gender"),
        ("age job sex income", [(0, 3)], "sex", "wage", "wage"),
        ("age job sex income", [(3, 0)], "sex", "income", "income"),
    ],
    ids=["a name twice", "no such protected variable", "no such label", "a label with an effect"],
)
def test_names_and_roles_that_cannot_be_are_refused_in_one_line(
    names, pairs, protected, label, named
):
    with pytest.raises(ValueError, match=rf"^[^\n]*{named}[^\n]*$"):
        CausalDag(tuple(names.split()), matrix(4, *pairs), protected, label)


def test_a_graph_is_frozen():
    with pytest.raises(AttributeError):
        GRAPH.label = "a"


def test_the_codes_are_the_attributes_then_the_group_then_the_label():
    codes = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]])
    found = people(codes, GRAPH)
    np.testing.assert_array_equal(found.codes, codes)
    assert found.codes.shape == (3, 4)
    assert GRAPH.names == ("a", "b", "s", "y")


def test_an_attribute_is_one_in_the_second_of_its_columns():
    """The encoding "binned" has a column for each level, in the order of the levels."""
    found = people([[0, 1, 0, 0]], GRAPH)
    assert found.X.tolist() == [[1, 0, 0, 1]]
    assert found.codes.tolist() == [[0, 1, 0, 0]]


def test_people_with_a_graph_are_records():
    found = some_people(through=("b",), context=("a",))
    assert isinstance(found, Records)
    assert (found.through, found.context) == (("b",), ("a",))
    assert found.counts()["rows"] == len(found)


def test_people_that_are_taken_keep_the_graph_and_both_sets_of_attributes():
    records = some_people(through=("b",), context=("a",))
    rows = np.array([5, 2, 2, 9])
    found = records.take(rows)
    assert isinstance(found, CausalRecords)
    assert len(found) == 4
    np.testing.assert_array_equal(found.codes, records.codes[rows])
    assert (found.graph.names, found.graph.protected, found.graph.label) == (
        ("a", "b", "s", "y"),
        "s",
        "y",
    )
    np.testing.assert_array_equal(found.graph.arrows, GRAPH.arrows)
    assert (found.through, found.context) == (("b",), ("a",))


def test_an_empty_selection_of_records_is_possible():
    found = some_people().take(np.array([], dtype=np.int64))
    assert found.codes.shape == (0, 4)


def test_the_fingerprint_covers_the_graph_and_the_roles():
    """Fits read them: what is kept of one must not serve another."""
    codes = rows_of((random_joint(4, 0) * 200).astype(int) + 1)
    turned = dag("a>s a>y b>y s>y s>b a>b")
    kinds = [
        people(codes, GRAPH),
        people(codes, turned),
        people(codes, GRAPH, through=("b",)),
        people(codes, GRAPH, context=("b",)),
        people(codes, GRAPH, through=("a",)),
    ]
    assert len({found.fingerprint() for found in kinds}) == 5
    assert people(codes, GRAPH).fingerprint() == kinds[0].fingerprint()


@pytest.mark.parametrize("role", ["through", "context"])
@pytest.mark.parametrize("name", ["s", "y", "nothing"])
def test_only_an_attribute_can_be_in_a_role(role, name):
    with pytest.raises(ValueError, match=rf"^[^\n]*\b{name}\b[^\n]*$"):
        some_people(**{role: ("a", name)})


def test_an_attribute_of_three_levels_is_refused_by_its_name():
    values = {
        "degree": ("none", "school", "university"),
        "s": ("women", "men"),
        "y": ("refused", "hired"),
    }
    columns = tuple(f"degree={level}" for level in values["degree"])
    domain = Domain(columns, {"degree": (0, 1, 2)}, values["s"], values=values)
    y, s = np.array([0, 1, 1]), np.array([0, 1, 0])
    graph = dag("s>degree degree>y")
    with pytest.raises(ValueError, match=r"^[^\n]*degree[^\n]*$"):
        CausalRecords(np.eye(3), y, s, domain, graph=graph, through=(), context=())


@pytest.mark.parametrize(
    "text",
    ["a>s c>y", "a>s", "a>s b>y c>y"],
    ids=["another name", "a name too few", "a name too many"],
)
def test_a_graph_of_other_variables_is_refused(text):
    data = some_people()
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        with_graph(data, dag(text))


def test_a_graph_whose_names_are_in_another_order_is_refused():
    """The axes of a joint distribution follow the names: attributes, protected variable, label."""
    data = some_people()
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        with_graph(data, dag(GRAPHS["figure 7.3"], names=("b", "a", "s", "y")))
