"""Ours less published as numbers: sign, unit, intervals, and each number of an experiment once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpfair_cli.verdicts.differences import NUMBERS, distinct_differences, signed_differences
from dpfair_cli.verdicts.scoreboard import score
from tests.reporting.compared_paper import (
    ALL,
    NORM,
    OURS,
    REPRODUCED,
    SPEC,
    UNDECIDED,
    cell,
    verdicts,
)


def numbers(*cells: dict[str, object]) -> list[float]:
    """NUMBERS of the one compared cell."""
    (line,) = signed_differences(verdicts(*cells), SPEC)[list(NUMBERS)].to_numpy()
    return [float(value) for value in line]


def test_a_difference_is_ours_less_published_with_two_standard_errors_of_each_and_of_both() -> None:
    assert numbers(REPRODUCED) == pytest.approx([-0.01, OURS, 0.02, (OURS**2 + 0.02**2) ** 0.5])


def test_a_tenth_of_the_published_value_is_0_02_of_a_score_that_is_no_rate() -> None:
    found = numbers(cell("adult", "LR", None, 10.0, metric="norm"))  # ours is 8, two tenths less
    assert found == pytest.approx([-0.04, 10 * OURS / 50, 0, 10 * OURS / 50])


def test_only_the_default_variant_of_a_compared_cell_is_there() -> None:
    assert list(signed_differences(verdicts(*ALL), SPEC)["verdict"]) == [
        *("differs", "differs", "reproduced", "within noise", "undecided"),
    ]
    assert not len(signed_differences(verdicts(REPRODUCED | {"method": "SVM"}), SPEC))  # missing
    assert not len(signed_differences(verdicts(UNDECIDED, standins={"us": "REPLICA"}), SPEC))


def test_all_differences_are_the_distinct_cells_of_the_scoreboard() -> None:
    again, other = (
        replace(SPEC, artefact="xu2021/table8.1"),
        replace(SPEC, artefact="ding2020/table1"),
    )
    decided = [
        (SPEC, verdicts(*ALL, NORM)),
        (again, verdicts(*ALL, spec=again)),  # the same numbers of the same experiments
        (other, verdicts(REPRODUCED, spec=other, standins={"us": "SUBSTITUTE"})),
    ]
    found, board = distinct_differences(decided), score(decided)
    assert len(found) == board.cells["in all"].sum() == 7
    assert board.repeats == 5
    assert list(found["part"].drop_duplicates()) == ["ding2020", "xu2021, chapter 8"]
    for _, group in found.groupby(["part", "data"]):
        assert group["difference"].is_monotonic_increasing


def test_without_artefacts_or_cells_there_are_no_differences() -> None:
    assert not len(
        distinct_differences([(SPEC, verdicts(REPRODUCED, standins={"adult": "REPLICA"}))])
    )
