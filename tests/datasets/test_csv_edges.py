"""A user's edge list: its forms, its labels, unusual lines, and errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DataWarning, DpfairError, LeftOutWarning
from dpfair_cli.datasets import csv_edges, csv_links
from dpfair_cli.kinds.graphs import Graph

PAIRS = (("7", "3"), ("3", "12"), ("12", "7"), ("12", "100"))  # ids with gaps
LABELS = (("3", "red"), ("7", "red"), ("12", "blue"), ("100", "green"), ("55", "blue"))
Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A file of rows, its path."""

    def write(rows, name: str = "edges.csv", separator: str = ",", header: str = "") -> str:
        text = (
            rows if isinstance(rows, str) else "".join(separator.join(row) + "\n" for row in rows)
        )
        (tmp_path / name).write_text((header + "\n" if header else "") + text, encoding="utf-8")
        return str(tmp_path / name)

    return write


def load(file: str, labels: str = "") -> Graph:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return (
            csv_edges.load(Path(), file=file, labels=labels)
            if labels
            else csv_links.load(Path(), file=file)
        )


def shape(graph: Graph):
    """What does not depend on the order of the nodes."""
    return graph.nodes, len(graph), sorted(graph.degrees.tolist())


def described(graph: Graph) -> list[tuple[str, int]]:
    """Class and degree of every node."""
    return sorted(
        (graph.classes[code], int(degree))
        for code, degree in zip(graph.labels, graph.degrees, strict=True)
    )


def test_an_edge_list_by_hand(write: Write) -> None:
    """3 - 7, 3 - 12, 7 - 12, 12 - 100: ids with gaps are names, not places."""
    graph = load(write(PAIRS))
    assert shape(graph) == (4, 4, [1, 2, 2, 3])
    assert graph.labels.shape == (0,)
    assert graph.classes == ()


@pytest.mark.parametrize("separator", [",", "\t", " "], ids=["comma", "tab", "space"])
@pytest.mark.parametrize("header", ["", "source,target"], ids=["no header", "header"])
def test_separators_and_a_header_make_no_difference(
    write: Write, separator: str, header: str
) -> None:
    graph = load(write(PAIRS, separator=separator, header=header.replace(",", separator)))
    assert shape(graph) == (4, 4, [1, 2, 2, 3])
    assert graph.fingerprint() == load(write(PAIRS, "plain.csv")).fingerprint()


def test_ids_are_text(write: Write) -> None:
    """007 and 7 are two nodes, and so are words."""
    assert shape(load(write([("007", "1"), ("7", "1")]))) == (3, 2, [1, 1, 2])
    assert shape(load(write([("ann", "bob"), ("bob", "cy"), ("dee", "ann")]))) == (
        4,
        3,
        [1, 1, 2, 2],
    )


def test_direction_loops_and_repeats_are_left_out_and_counted(write: Write) -> None:
    graph = load(write([("1", "2"), ("2", "1"), ("1", "2"), ("3", "3"), ("2", "3")]))
    assert shape(graph) == (3, 2, [1, 1, 2])
    assert (graph.loops, graph.repeats) == (1, 2)


def test_a_node_with_nothing_but_a_loop_is_isolated(write: Write) -> None:
    counts = load(write([("1", "2"), ("9", "9")])).counts()
    assert (counts["nodes"], counts["isolated"]) == (3, 1)


def test_labels_are_attached_to_their_nodes_and_the_others_are_isolated(write: Write) -> None:
    graph = load(write(PAIRS), write(LABELS, "nodes.csv"))
    assert described(graph) == [("blue", 0), ("blue", 3), ("green", 1), ("red", 2), ("red", 2)]
    assert graph.counts()["isolated"] == 1
    assert set(graph.classes) == {"red", "blue", "green"}


@pytest.mark.parametrize("separator", [",", "\t", " "], ids=["comma", "tab", "space"])
@pytest.mark.parametrize("header", ["", "id,label"], ids=["no header", "header"])
def test_a_file_of_labels_has_the_same_forms(write: Write, separator: str, header: str) -> None:
    labels = write(LABELS, "nodes.csv", separator, header.replace(",", separator))
    assert described(load(write(PAIRS), labels)) == described(
        load(write(PAIRS), write(LABELS, "plain.csv"))
    )


def test_labels_that_are_numbers_are_classes_as_well(write: Write) -> None:
    graph = load(
        write([("1", "2"), ("2", "3")]), write([("1", "10"), ("2", "2"), ("3", "10")], "nodes.csv")
    )
    assert described(graph) == [("10", 1), ("10", 1), ("2", 2)]


def test_the_order_of_the_lines_does_not_matter_with_labels(write: Write) -> None:
    one = load(write(PAIRS), write(LABELS, "nodes.csv"))
    two = load(write(PAIRS[::-1], "turned.csv"), write(LABELS[::-1], "turned_nodes.csv"))
    assert described(one) == described(two)


def test_empty_lines_are_no_edges(write: Write) -> None:
    assert shape(load(write("1,2\n\n2,3\n\n"))) == (3, 2, [1, 1, 2])


def test_an_edge_list_with_windows_line_ends_is_the_same(write: Write, tmp_path: Path) -> None:
    (tmp_path / "windows.csv").write_bytes(b"7,3\r\n3,12\r\n12,7\r\n12,100\r\n")
    assert load(str(tmp_path / "windows.csv")).fingerprint() == load(write(PAIRS)).fingerprint()


def test_a_long_list_is_read_in_full(write: Write) -> None:
    ids = [f"n{k}" for k in range(2000)]
    assert shape(load(write(list(pairwise(ids))))) == (2000, 1999, [1, 1] + [2] * 1998)


BAD = {
    "weights": ([("1", "2", "0.5"), ("2", "3", "1.0")], LABELS),
    "a node without a label": ([("1", "2"), ("2", "3")], [("1", "a"), ("2", "b")]),
    "no edge": ("", [("1", "a"), ("2", "b")]),
    "a header alone": ("source,target\n", [("1", "a"), ("2", "b")]),
    "one column": ("1\n2\n", [("1", "a"), ("2", "b")]),
    "a line too long": ("1,2\n2,3,4\n", [("1", "a"), ("2", "b"), ("3", "b")]),
    "a line too short": ("1,2\n2\n", [("1", "a"), ("2", "b")]),
    "an end without an id": ("1,2\n2,\n", [("1", "a"), ("2", "b")]),
}
BAD_LABELS = {
    "a node twice": [("1", "a"), ("2", "b"), ("1", "a")],
    "a node twice with two labels": [("1", "a"), ("2", "b"), ("1", "b")],
    "three columns": [("1", "a", "x"), ("2", "b", "y")],
    "no label": "1,a\n2,\n",
    "nothing": "",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_edge_list_is_refused_in_one_line_that_names_the_file(
    write: Write, name: str
) -> None:
    rows, labels = BAD[name]
    with pytest.raises(DpfairError, match=r"^[^\n]*(edges|nodes)\.csv[^\n]*$"):
        load(write(rows), write(labels, "nodes.csv"))


@pytest.mark.parametrize("name", BAD_LABELS)
def test_a_bad_file_of_labels_is_refused_in_one_line_that_names_the_file(
    write: Write, name: str
) -> None:
    with pytest.raises(DpfairError, match=r"^[^\n]*nodes\.csv[^\n]*$"):
        load(write([("1", "2")]), write(BAD_LABELS[name], "nodes.csv"))


@pytest.mark.parametrize("name", ["weights", "no edge", "a header alone", "one column"])
def test_a_bad_edge_list_is_refused_without_labels_too(write: Write, name: str) -> None:
    with pytest.raises(DpfairError, match=r"^[^\n]*edges\.csv[^\n]*$"):
        load(write(BAD[name][0]))


def test_a_node_without_a_label_and_one_with_two_are_named(write: Write) -> None:
    with pytest.raises(DpfairError, match="n3"):
        load(write([("n1", "n2"), ("n2", "n3")]), write([("n1", "a"), ("n2", "b")], "nodes.csv"))
    with pytest.raises(DpfairError, match="n2"):
        load(write([("n1", "n2")]), write([("n1", "a"), ("n2", "b"), ("n2", "a")], "nodes.csv"))


def test_a_heading_of_other_words_is_named_as_the_first_line(write: Write) -> None:
    file = write([("a", "b"), ("b", "c")], header="person,friend")
    labels = write([("a", "0"), ("b", "1"), ("c", "0")], "labels.csv")
    with pytest.raises(DpfairError, match="the first line 'person, friend' looks like a heading"):
        load(file, labels)


def test_a_file_that_is_not_there_is_named(write: Write) -> None:
    with pytest.raises(DpfairError, match=r"nowhere\.csv"):
        load("nowhere.csv")
    with pytest.raises(DpfairError, match=r"nowhere\.csv"):
        load(write(PAIRS), "nowhere.csv")


def test_what_is_left_out_is_said(write: Write) -> None:
    file, labels = (
        write((("a", "b"), ("b", "a"), ("a", "a"))),
        write((("a", "x"), ("b", "y")), "nodes.csv"),
    )
    with pytest.warns(LeftOutWarning, match=r"edges\.csv: 1 loops and 1 repeated edges"):
        csv_edges.load(Path(), file=file, labels=labels)


def nodes_of(file: str) -> list[str]:
    """The names of the nodes of a file of edges."""
    nodes: list[str] = csv_links.named_nodes(file=file)["nodes"]
    return nodes


FORMS = {
    "a hash in a name": ("u,a#1\nu,a#2\n", ["a#1", "a#2", "u"]),
    "quotes": ('"1","2"\n"2","3"\n', ["1", "2", "3"]),
    "a heading above numbers": ("x,y\n1,2\n2,3\n", ["1", "2", "3"]),
    "a node called NA": ("NA,ZA\nZA,null\n", ["NA", "ZA", "null"]),
    "blanks in names": ("New York,New Jersey\nNew York,Ohio\n", ["New Jersey", "New York", "Ohio"]),
    "a comma in a quoted name": ('"a, b",c\nc,d\n', ["a, b", "c", "d"]),
    "comments of SNAP": ("# Nodes: 3 Edges: 2\n# From\tTo\n1\t2\n2\t3\n", ["1", "2", "3"]),
    "texts that may be a heading": ("ann,bob\ncy,dee\n", ["ann", "bob", "cy", "dee"]),
    "a text that recurs is a node": ("x,y\n1,x\n2,3\n", ["1", "2", "3", "x", "y"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_nodes_of_a_file_of_edges_are_those_written(write: Write, form: str) -> None:
    text, nodes = FORMS[form]
    assert nodes_of(write(text)) == nodes
    assert load(write(text)).nodes == len(nodes)


def test_an_edge_may_write_the_number_of_a_node_in_another_way(write: Write) -> None:
    labels = write([("1", "a"), ("2", "b"), ("3", "a")], "nodes.csv")
    graph = load(write([("1.0", "2.0"), ("2.0", "3.0")]), labels)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_the_nodes_in_a_model_file_have_the_order_of_the_graph(write: Write) -> None:
    edges, labels = write(PAIRS), write(LABELS, "nodes.csv")
    named = csv_edges.named_nodes(file=edges, labels=labels)
    assert named == {"nodes": ["3", "7", "12", "100", "55"]}
    assert load(edges, labels).degrees.tolist() == [2, 2, 3, 1, 0]
