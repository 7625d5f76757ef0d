"""Values of other methods in the place of a cell; baselines without epsilon are in every place."""

from __future__ import annotations

from typing import Any

import pytest

from dpfair_cli.verdicts.cells.judging import rivals
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.means import fits


def cell(method: str, mean: float, dataset: str = "adult", **parameters: Any) -> PublishedCell:
    metric = parameters.pop("metric", "accuracy")
    return PublishedCell("table1", dataset, method, metric, mean, parameters=parameters)


def other_methods(cells: list[PublishedCell]) -> dict[PublishedCell, list[float]]:
    """The published means of other methods in the place of each cell."""
    return {cell: [one.mean for one in found] for cell, found in rivals(cells).items()}


def test_a_baseline_without_epsilon_meets_every_epsilon() -> None:
    low, high, baseline = cell("FM", 0.6, epsilon=0.1), cell("FM", 0.7, epsilon=1), cell("LR", 0.8)
    assert other_methods([low, high, baseline]) == {
        low: [0.8],
        high: [0.8],
        baseline: [0.6, 0.7],
    }


def test_private_methods_meet_at_one_epsilon_only() -> None:
    cells = [cell(name, mean, epsilon=e) for name, mean, e in (
        ("FM", 0.6, 0.1), ("FM", 0.7, 1), ("RFM", 0.65, 0.1), ("RFM", 0.75, 1.0),
    )]  # fmt: skip
    found = other_methods(cells)
    assert [found[one] for one in cells] == [[0.65], [0.75], [0.6], [0.7]]


@pytest.mark.parametrize(
    "other",
    [
        cell("RFM", 0.7, dataset="dutch", epsilon=1),
        cell("RFM", 0.7, metric="fpr", epsilon=1),
        cell("FM", 0.7, epsilon=1, degree=2),
    ],
    ids=["another data set", "another score", "the same method"],
)
def test_cells_elsewhere_and_of_the_same_method_are_no_rivals(other: PublishedCell) -> None:
    own = cell("FM", 0.6, epsilon=1)
    assert other_methods([own, other]) == {own: [], other: []}


@pytest.mark.parametrize(
    ("ours", "others", "expected"),
    [
        ({}, {}, True),
        ({}, {"epsilon": 1}, True),
        ({"epsilon": 1}, {"epsilon": 1.0}, True),
        ({"epsilon": 1}, {"epsilon": 2}, False),
        ({"epsilon": 1, "degree": 2}, {"epsilon": 1}, True),
        ({"epsilon": 1, "degree": 2}, {"degree": 3}, False),
    ],
)
def test_a_place_is_the_same_value_of_each_shared_parameter(
    ours: dict[str, object], others: dict[str, object], expected: bool
) -> None:
    assert fits(ours, others) is expected
    assert fits(others, ours) is expected
