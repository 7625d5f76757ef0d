"""Graphs as figures: which edges are common, lost and added, the same bytes again, and looks that can be told apart."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reporting import graph_drawing, graph_figures
from dpfair_cli.running import spec

SPEC = spec.parse(
    {
        "title": "two graphs",
        "source": "by hand",
        "task": "causal_graph",
        "datasets": ["synthetic_categorical"],
        "algorithms": [{"method": "PC", "name": "pc"}, {"method": "PrivPC", "name": "priv_pc"}],
        "seeds": 2,
        "figure": {"graphs": ["PC", "PrivPC"], "values": ["tpr"]},
    },
    "a/figure1",
)
# PC: a > b, b - c, d > c; PrivPC: b > a, c - d, a > d
ROWS = pd.DataFrame(
    [
        {"method": "PC", "seed": 0, "a | b": 1, "a | c": 0, "a | d": 0, "b | c": 3, "b | d": 0, "c | d": 2},
        {"method": "PrivPC", "seed": 0, "a | b": 2, "a | c": 0, "a | d": 1, "b | c": 0, "b | d": 0, "c | d": 3},
        {"method": "PrivPC", "seed": 1, "a | b": 0, "a | c": 1, "a | d": 1, "b | c": 1, "b | d": 1, "c | d": 1},
    ]
).assign(dataset="synthetic_categorical", tpr=1.0)


def test_edges_are_common_lost_or_added_against_the_first_graph() -> None:
    found = graph_figures.edges(ROWS, SPEC)
    assert [" ".join(map(str, line)) for line in found.to_numpy()] == [
        "PC a -> b common",
        "PC b - c common",
        "PC d -> c common",
        "PrivPC b -> a common",
        "PrivPC a -> d added",
        "PrivPC b - c lost",
        "PrivPC c - d common",
    ]


def test_a_lost_edge_is_marked_in_the_graph_that_has_it() -> None:
    found = graph_figures.edges(ROWS, SPEC)
    shown = graph_drawing._with_lost(found[found["method"] == "PC"], found)
    assert shown["is"].tolist() == ["common", "lost", "common"]


def test_looks_differ_in_colour_and_in_line_style() -> None:
    colours, styles, _ = zip(*graph_drawing.LOOKS.values(), strict=True)
    assert len(set(colours)) == len(set(map(str, styles))) == 3


def test_every_variable_has_its_own_place_on_the_circle() -> None:
    found, names = graph_figures.edges(ROWS, SPEC), graph_figures.variables(ROWS)
    places = graph_drawing.around(found[found["method"] == "PC"], names)
    assert names == ["a", "b", "c", "d"]
    assert sorted(places) == names
    assert len({(round(x, 6), round(y, 6)) for x, y in places.values()}) == 4
    assert all(x**2 + y**2 == pytest.approx(1) for x, y in places.values())


def test_the_same_rows_give_the_same_bytes_and_are_not_drawn_twice(tmp_path: Path) -> None:
    first = [file.read_bytes() for file in graph_figures.write(ROWS, SPEC, tmp_path / "one")]
    assert [file.read_bytes() for file in graph_figures.write(ROWS, SPEC, tmp_path / "two")] == first
    before = (tmp_path / "one" / "figure.png").stat().st_mtime_ns
    graph_figures.write(ROWS, SPEC, tmp_path / "one")
    assert (tmp_path / "one" / "figure.png").stat().st_mtime_ns == before


def test_a_method_without_a_graph_is_named() -> None:
    with pytest.raises(DpfairError, match="not one graph of PrivPC with seed 0"):
        graph_figures.edges(ROWS[ROWS["method"] == "PC"], SPEC)


def test_a_spec_with_graphs_is_checked_at_the_door() -> None:
    content = {
        "title": "t",
        "source": "s",
        "task": "causal_graph",
        "datasets": ["synthetic_categorical"],
        "algorithms": ["pc"],
        "seeds": 1,
        "figure": {"graphs": ["PC"], "values": ["tpr"]},
    }
    with pytest.raises(DpfairError, match="no method 'PC'"):
        spec.parse(content, "a/figure1")
    with pytest.raises(DpfairError, match="pflr does not fit the task causal_graph"):
        spec.parse({**content, "algorithms": ["pflr"]}, "a/figure1")
    with pytest.raises(DpfairError, match="adult does not fit the task causal_graph"):
        spec.parse({**content, "datasets": ["adult"]}, "a/figure1")
