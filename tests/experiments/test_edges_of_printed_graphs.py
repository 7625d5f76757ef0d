"""How many edges the graphs of xu2021, chapter 4, had, from the printed row of PC alone.

The three columns are read as exchanged (experiments/xu2021/chapter4.md). PC without privacy then
has a printed precision of 1 in Tables 4.3 and 4.4, so that no graph has a superfluous edge. Of t
true edges a graph lacks m. Its printed TDR is 1 - m / t, and its FPR is m divided by the number of
pairs without an edge in the estimate. All choices of five graphs are tried whose means have the
printed digits. If all graphs have t edges, then a TDR is one of five multiples of 1 / t, and their
mean and standard deviation must have the printed digits in every cell of every method.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path
from statistics import mean, stdev

import pytest

PUBLISHED = Path(__file__).parent.parent.parent / "experiments/xu2021/published.csv"
GRAPHS = 5
DIGIT = 0.0005 + 1e-9  # half of the last printed digit


def printed(artefact: str, nodes: int) -> dict[str, float]:
    """The printed means of PC at the first setting with so many variables, by score."""
    found: dict[str, float] = {}
    with PUBLISHED.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            here = (row["artefact"], row["method"]) == (artefact, "PC")
            if here and float(row["nodes"]) == nodes:
                found.setdefault(row["metric"], float(row["mean"]))
    return found


def incomplete_graphs(nodes: int, means: dict[str, float]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yields (true edges, missed edges) of the graphs that lack an edge, for each possible choice.

    The other graphs lack none, and have a TDR of 1 and an FPR of 0 whatever their edges.
    """
    pairs = nodes * (nodes - 1) // 2
    kinds = [(t, m) for t in range(1, pairs + 1) for m in range(1, t + 1)]
    kinds = [(t, m) for t, m in kinds if m / (pairs - t + m) / GRAPHS <= means["fpr"] + DIGIT]
    for count in range(1, GRAPHS + 1):
        for chosen in combinations_with_replacement(kinds, count):
            fpr = sum(m / (pairs - t + m) for t, m in chosen) / GRAPHS
            tdr = 1 - sum(m / t for t, m in chosen) / GRAPHS
            if abs(fpr - means["fpr"]) <= DIGIT and abs(tdr - means["tdr"]) <= DIGIT:
                yield chosen


@pytest.mark.parametrize(
    ("artefact", "nodes", "edges"), [("table4.3", 10, 10), ("table4.4", 5, 3)], ids=str
)
def test_one_printed_graph_has_more_edges_than_the_sparseness(
    artefact: str, nodes: int, edges: int
) -> None:
    means = printed(artefact, nodes)
    assert means["tpr"] == 1
    assert list(incomplete_graphs(nodes, means)) == [((edges, 1),)]
    assert edges > 0.2 * nodes * (nodes - 1) / 2


def printed_recalls() -> set[tuple[float, float]]:
    """The printed mean and deviation of each TDR of categorical data with p = 10 and s = 0.2."""
    with PUBLISHED.open(encoding="utf-8") as file:
        return {
            (float(row["mean"]), float(row["std"]))
            for row in csv.DictReader(file)
            if (row["dataset"], row["metric"]) == ("synthetic_categorical", "tdr")
            and row["artefact"] in ("table4.3", "table4.4", "table4.5", "table4.6")
            and (row["nodes"], row["sparseness"]) == ("10", "0.2")
        }


def recalls_of(edges: int) -> set[tuple[float, float]]:
    """Mean and deviation, with three digits, of each five graphs with so many true edges."""
    chosen = combinations_with_replacement(range(edges + 1), GRAPHS)
    shares = ([found / edges for found in one] for one in chosen)
    return {(round(mean(one) + 1e-9, 3), round(stdev(one), 3)) for one in shares}


def test_only_graphs_of_ten_edges_each_have_the_printed_recalls() -> None:
    cells = printed_recalls()
    assert len(cells) == 14
    found = {}
    for edges in range(5, 17):
        possible = recalls_of(edges)
        # the last digit of a deviation may be rounded up or down
        found[edges] = sum(
            any((m, round(s + step, 3)) in possible for step in (-0.001, 0, 0.001))
            for m, s in cells
        )
    assert found.pop(10) == len(cells)
    assert max(found.values()) < len(cells) / 2
