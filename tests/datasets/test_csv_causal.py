"""A user's own binary table with a causal graph: what is read, and one line for every mistake."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.datasets import csv_causal
from dpfair_cli.kinds.causal_records import CausalRecords

TABLE = """\
born,married,degree,sex,hired
0,1,0,m,yes
1,1,1,f,no
0,0,1,m,yes
1,0,0,f,yes
0,1,1,f,no
1,0,0,m,no
"""
EDGES = "edges: [[sex, married], [born, hired], [married, hired], [sex, hired]]\n"
ROLES = {"through": ("married",), "observed": ("born",)}


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "own.csv") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


def load(file: str, graph: str, **options) -> CausalRecords:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # levels are read from the data
        return csv_causal.load(
            Path(),
            file=file,
            graph=graph,
            **{"label": "hired", "protected": "sex", **ROLES, **options},
        )


def arrows(people: CausalRecords) -> set[tuple[str, str]]:
    names = people.graph.names
    return {(names[i], names[j]) for i, j in np.argwhere(people.graph.arrows).tolist()}


def test_a_table_and_its_graph(write):
    """Attributes in the order of the columns, then the protected column, then the label."""
    people = load(write(TABLE), write(EDGES, "graph.yaml"))
    assert isinstance(people, CausalRecords)
    assert people.graph.names == ("born", "married", "degree", "sex", "hired")
    assert (people.graph.protected, people.graph.label) == ("sex", "hired")
    assert arrows(people) == {
        ("sex", "married"),
        ("born", "hired"),
        ("married", "hired"),
        ("sex", "hired"),
    }
    assert (people.through, people.context) == (("married",), ("born",))


def test_zeros_and_ones_are_codes_and_words_are_in_alphabetical_order(write):
    people = load(write(TABLE), write(EDGES, "graph.yaml"))
    assert people.codes.tolist() == [
        [0, 1, 0, 1, 1],
        [1, 1, 1, 0, 0],
        [0, 0, 1, 1, 1],
        [1, 0, 0, 0, 1],
        [0, 1, 1, 0, 0],
        [1, 0, 0, 1, 0],
    ]
    assert people.domain.groups == ("f", "m")
    assert people.X.shape == (6, 6)


def test_a_column_without_an_edge_stands_alone(write):
    people = load(write(TABLE), write(EDGES, "graph.yaml"))
    degree = people.graph.place("degree")
    assert people.graph.parents(degree) == ()
    assert people.graph.descendants(degree) == frozenset()


def test_a_graph_may_be_given_in_lines(write):
    text = "edges:\n- [sex, married]\n- [born, hired]\n- [married, hired]\n- [sex, hired]\n"
    one, two = (load(write(TABLE), write(form, "graph.yaml")) for form in (EDGES, text))
    np.testing.assert_array_equal(one.graph.arrows, two.graph.arrows)


def test_columns_may_be_named_in_no_role(write):
    people = load(write(TABLE), write(EDGES, "graph.yaml"), through=(), observed=())
    assert (people.through, people.context) == ((), ())


MISTAKES = {  # name -> (table, graph, options, what the line must say)
    "a cycle": (
        TABLE,
        "edges: [[sex, married], [married, born], [born, sex], [sex, hired]]",
        {},
        "cycle",
    ),
    "a loop": (TABLE, "edges: [[married, married], [sex, hired]]", {}, "cycle"),
    "an unknown column": (TABLE, "edges: [[sex, maried], [sex, hired]]", {}, "maried"),
    "a label with an effect": (TABLE, "edges: [[sex, hired], [hired, married]]", {}, "hired"),
    "three levels": (TABLE.replace("1,0,0,m,no", "2,0,0,m,no"), EDGES, {}, "born"),
    "three words": (TABLE.replace("0,1,0,m,yes", "0,maybe,0,m,yes"), EDGES, {}, "married"),
    "three groups": (TABLE.replace("0,1,0,m,yes", "0,1,0,x,yes"), EDGES, {}, "sex"),
    "three labels": (TABLE.replace("0,1,0,m,yes", "0,1,0,m,perhaps"), EDGES, {}, "hired"),
    "through no column": (TABLE, EDGES, {"through": ("wedded",)}, "wedded"),
    "context no column": (TABLE, EDGES, {"observed": ("age",)}, "age"),
    "through the label": (TABLE, EDGES, {"through": ("hired",)}, "hired"),
    "the protected column as context": (TABLE, EDGES, {"observed": ("sex",)}, "sex"),
    "no path through it": (TABLE, EDGES, {"through": ("degree",)}, "degree"),
    "a context that nobody has": (
        TABLE.replace("1,1,1,f,no", "1,0,1,f,no"),
        EDGES,
        {"observed": ("born", "married")},
        "born=1, married=1",
    ),
    "no such label": (TABLE, EDGES, {"label": "paid"}, "paid"),
    "no such protected column": (TABLE, EDGES, {"protected": "gender"}, "gender"),
    "a missing value": (TABLE.replace("0,1,0,m,yes", "0,,0,m,yes"), EDGES, {}, "married"),
    "a constant column": (
        "born,married,sex,hired\n0,1,m,yes\n1,1,f,no\n0,1,m,no\n",
        "edges: [[born, hired], [sex, hired]]",
        {},
        "married",
    ),
    "no edges": (TABLE, "nodes: [sex, hired]", {}, "graph.yaml"),
    "an edge of three": (TABLE, "edges: [[sex, married, hired]]", {}, "graph.yaml"),
    "no YAML": (TABLE, "edges: [[sex, married", {}, "graph.yaml"),
    "an empty graph file": (TABLE, "", {}, "graph.yaml"),
    "edges that are words": (TABLE, "edges: [sex, married]", {}, "graph.yaml"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_that_names_it(name, write):
    table, graph, options, said = MISTAKES[name]
    with pytest.raises(DpfairError, match=rf"^[^\n]*{said}[^\n]*$"):
        load(write(table), write(graph, "graph.yaml"), **options)


def test_files_that_are_not_there_are_named(write):
    with pytest.raises(DpfairError, match=r"nowhere\.csv"):
        load("nowhere.csv", write(EDGES, "graph.yaml"))
    with pytest.raises(DpfairError, match=r"nowhere\.yaml"):
        load(write(TABLE), "nowhere.yaml")
