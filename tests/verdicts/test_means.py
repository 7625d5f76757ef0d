"""Which rows have given values: numbers to six digits, one of a list, and any value where a row has
none.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.verdicts.means import equals_value, runs_of, standard_deviation

ROWS = pd.DataFrame(
    {"method": ["LR", "PFLR", "PFLR"], "epsilon": [float("nan"), 0.1, 0.0316227766]}
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"epsilon": 0.1}, [True, True, False]),  # LR has no epsilon
        ({"epsilon": [0.1, 10**-1.5]}, [True, True, True]),
        ({"method": "PFLR", "epsilon": 0.1}, [False, True, False]),
        ({"no_column": 3}, [True, True, True]),
    ],
)
def test_a_row_has_the_values_that_it_does_not_contradict(
    values: dict[str, object], expected: list[bool]
) -> None:
    found = runs_of(ROWS).having(values).positions
    assert [position in found for position in range(len(ROWS))] == expected


def test_numbers_are_equal_to_six_digits() -> None:
    column = pd.Series(
        [0.0316228, 0.03163]
    )  # 10^-1.5 = 0.0316227766 is 7e-7 and 2e-4 off, relatively
    assert list(equals_value(column, 10**-1.5)) == [True, False]


@pytest.mark.parametrize("runs", [2, 3, 10, 500])
def test_the_deviation_has_the_bits_of_numpy(runs: int) -> None:
    scores = np.random.default_rng(runs).normal(size=runs) * 1e-3
    assert standard_deviation(scores) == scores.std(ddof=1)


def test_one_run_has_no_deviation() -> None:
    assert np.isnan(standard_deviation(np.ones(1)))
