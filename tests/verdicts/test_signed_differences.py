"""Ours less published as numbers: sign, unit, intervals, and each number of an experiment once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from dpfair_cli.verdicts.scoreboard import cells_by_difference, score
from tests.reporting.compared_paper import (
    ALL,
    NORM,
    OURS,
    REPRODUCED,
    ROWS,
    SPEC,
    UNDECIDED,
    cell,
    verdicts,
)


def numbers(*cells: dict[str, object], **more: Any) -> list[float]:
    """The numbers of the one compared cell."""
    (one,) = verdicts(*cells, **more).compared
    compared = one.variants[0].comparison
    return [compared.signed_scaled, compared.half_width_scaled]


def test_a_difference_has_the_interval_of_the_test() -> None:
    # the squared standard errors are 1e-6 / 3 and 1e-6, of four runs each: by Welch, the degrees
    # of freedom are (4 / 3)^2 / ((1 / 9 + 1) / 3) = 4.8
    width = stats.t.ppf(0.95, 4.8) * (4e-6 / 3) ** 0.5
    assert numbers(REPRODUCED) == pytest.approx([-0.01, width])


def test_a_tenth_of_the_published_value_is_0_02_of_a_score_that_is_no_rate() -> None:
    found = numbers(cell("adult", "LR", None, 10.0, metric="norm"))  # ours is 8, two tenths less
    # our deviation stands for the published one, and both are of four runs
    width = stats.t.ppf(0.95, 3) * 2**0.5 * OURS / 2
    assert found == pytest.approx([-0.04, 10 * width / 50])


def test_an_unknown_interval_of_a_published_zero_stays_unknown() -> None:
    one_run = ROWS[ROWS["seed"] == 0]
    zero = cell("adult", "LR", None, 0.0, metric="norm")
    assert math.isnan(numbers(zero, rows=one_run)[1])


def test_only_the_default_variant_of_a_compared_cell_is_there() -> None:
    assert [one.verdict for one in verdicts(*ALL).compared] == [
        *("differs", "differs", "reproduced", "consistent", "undecided"),
    ]
    assert not verdicts(REPRODUCED | {"method": "SVM"}).compared  # missing
    assert not verdicts(UNDECIDED, standins={"us": "REPLICA"}).compared


def test_all_differences_are_the_distinct_cells_of_the_scoreboard() -> None:
    again, other = (
        replace(SPEC, artefact="xu2021/table8.1"),
        replace(SPEC, artefact="ding2020/table1"),
    )
    decided = [
        verdicts(*ALL, NORM),
        verdicts(*ALL, spec=again),  # the same numbers of the same experiments
        verdicts(REPRODUCED, spec=other, standins={"us": "SUBSTITUTE"}),
    ]
    found, board = cells_by_difference(decided), score(decided)
    assert sum(map(len, found.values())) == sum(one.verdicts.total() for one in board.cells) == 7
    assert board.repeats == 5
    assert [part for part, _ in found] == ["ding2020", "xu2021, chapter 8"]
    for group in found.values():
        differences = [one.variants[0].comparison.signed_scaled for one in group]
        assert differences == sorted(differences)


def test_a_published_zero_that_is_not_a_rate_has_no_parts() -> None:
    assert numbers(cell("adult", "LR", None, 0.0, metric="norm"))[0] == math.inf


def test_without_artefacts_or_cells_there_are_no_differences() -> None:
    assert not len(cells_by_difference([verdicts(REPRODUCED, standins={"adult": "REPLICA"})]))
