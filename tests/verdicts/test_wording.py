"""How numbers, points and seeds are written."""

from __future__ import annotations

import pandas as pd
import pytest

from dpfair_cli.verdicts.wording import describe_point, describe_seeds, format_mean, format_number

MISSING = float("nan")


@pytest.mark.parametrize(
    ("mean", "std", "text"),
    [
        (0.5, 0.25, "0.5000 ± 0.2500"),
        (999.96, MISSING, "999.9600"),
        (1234567.8, 1500.4, "1,234,568 ± 1,500"),
        (-1000.0, 0.2, "-1,000 ± 0"),
        (MISSING, 1.0, ""),
    ],
)
def test_means_have_four_decimals_and_large_ones_none(mean: float, std: float, text: str) -> None:
    assert format_mean(mean, std) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(10000, "10000"), (1e8, "1e+08"), (0.0316227766, "0.03162"), ("age", "age"), (MISSING, "")],
)
def test_parameters_have_four_digits_and_whole_ones_all(value: float | str, text: str) -> None:
    assert format_number(value) == text


def test_a_point_is_a_data_set_with_its_parameters() -> None:
    assert (
        describe_point("adult", {"epsilon": 0.1, "nodes": 10.0}) == "adult, epsilon 0.1, nodes 10"
    )
    assert describe_point("adult", {}) == "adult"


def test_the_number_of_seeds_is_a_range_where_methods_differ() -> None:
    rows = pd.DataFrame({"dataset": "adult", "method": ["LR", "LR", "PFLR"], "seed": [0, 1, 0]})
    assert describe_seeds(rows) == "1 to 2 seeds"
    assert describe_seeds(rows[rows["method"] == "PFLR"]) == "1 seed"
    assert describe_seeds(rows[:0]) == "no runs"
