"""Graphs side by side: common, lost and added edges have distinct styles."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Table
from dpfair_cli.reporting.layouts import graphs
from dpfair_cli.running import spec

CONTENT = {
    "title": "two graphs",
    "source": "by hand",
    "task": "causal_graph",
    "datasets": ["synthetic_categorical"],
    "algorithms": [{"method": "PC", "name": "pc"}, {"method": "PrivPC", "name": "priv_pc"}],
    "seeds": 2,
    "graphs": {"graphs": ["PC", "PrivPC"], "values": ["tpr"]},
}
SPEC = spec.parse(CONTENT, "a/figure1")
NAMES = ["a", "b", "c", "d"]
PC = {"variables": NAMES, "edges": [["a", "->", "b"], ["b", "-", "c"], ["d", "->", "c"]]}
PRIV_PC = {"variables": NAMES, "edges": [["b", "->", "a"], ["a", "->", "d"], ["c", "-", "d"]]}
OTHER_SEED = {"variables": NAMES, "edges": [["a", "->", "c"]]}
ROWS = pd.DataFrame(
    [
        {"method": "PC", "seed": 0, "graph": PC},
        {"method": "PrivPC", "seed": 0, "graph": PRIV_PC},
        {"method": "PrivPC", "seed": 1, "graph": OTHER_SEED},
    ]
).assign(dataset="synthetic_categorical", tpr=1.0)
EDGES = graphs.compare_edges([PC, PRIV_PC], ["PC", "PrivPC"])


def write(rows: pd.DataFrame, folder: Path) -> list[Path]:
    return SPEC.layout.write(
        rows, Table("two graphs", (), pd.DataFrame(), pd.DataFrame()), SPEC, folder
    )


def test_edges_are_common_turned_lost_or_added_against_the_first_graph() -> None:
    assert [" ".join(line) for line in EDGES.to_numpy()] == [
        "PC a -> b common",
        "PC b - c common",
        "PC d -> c common",
        "PrivPC b -> a turned",
        "PrivPC a -> d added",
        "PrivPC b - c lost",
        "PrivPC c - d turned",
    ]


def test_an_edge_that_another_graph_lost_or_turned_is_marked_in_both() -> None:
    assert graphs.mark_changed(EDGES[EDGES["method"] == "PC"], EDGES)["is"].tolist() == [
        "turned",
        "lost",
        "turned",
    ]


def test_an_undirected_edge_does_not_depend_on_the_order_of_its_ends() -> None:
    other = {"variables": NAMES, "edges": [["a", "->", "b"], ["c", "-", "b"], ["d", "->", "c"]]}
    assert set(graphs.compare_edges([PC, other], ["PC", "PrivPC"])["is"]) == {"common"}


def test_kinds_of_edges_differ_in_colour_and_in_line_style() -> None:
    for name in ("color", "linestyle"):
        assert len({str(style[name]) for style in graphs.EDGE_STYLES.values()}) == 4


def test_every_variable_has_its_own_place_on_the_unit_circle() -> None:
    places = graphs.place_on_circle(EDGES[EDGES["method"] == "PC"], NAMES)
    assert sorted(places) == NAMES
    assert len({(round(x, 6), round(y, 6)) for x, y in places.values()}) == 4
    assert all(x**2 + y**2 == pytest.approx(1, abs=1e-12) for x, y in places.values())


def test_the_picture_shows_the_first_seed_with_the_same_bytes_each_time(
    tmp_path: Path,
) -> None:
    first = [file.read_bytes() for file in write(ROWS, tmp_path / "one")]
    assert [file.read_bytes() for file in write(ROWS, tmp_path / "two")] == first
    assert pd.read_csv(tmp_path / "one" / "figure.csv").equals(EDGES)


def test_a_method_without_a_graph_is_named(tmp_path: Path) -> None:
    with pytest.raises(DpfairError, match="exactly one graph of PrivPC with seed 0"):
        write(ROWS[ROWS["method"] == "PC"], tmp_path)


def test_graphs_need_known_methods_and_scores_and_a_task_with_graphs() -> None:
    for changed, problem in (
        ({"graphs": {"graphs": ["pc"], "values": ["tpr"]}}, "unknown method 'pc'"),
        ({"graphs": {"graphs": ["PC"], "values": ["tprs"]}}, "unknown score 'tprs': .*tpr"),
        ({"task": "causal_discovery"}, "unknown output 'graph'"),
        (
            {"algorithms": ["pflr"]},
            (
                "the task causal_graph cannot score the algorithm pflr: it is fitted to "
                "PartitionedRecords or Records, not to"
            ),
        ),
        ({"datasets": ["adult"]}, "adult are of a type that the task causal_graph cannot use"),
    ):
        with pytest.raises(DpfairError, match=problem):
            spec.parse({**CONTENT, **changed}, "a/figure1")
