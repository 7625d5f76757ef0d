"""Ours less published as numbers: sign, unit, intervals, and each number of an experiment once."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from dpfair_cli.verdicts.score.scoreboard import score
from dpfair_cli.verdicts.score.signed_differences import distinct_differences, signed_differences
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
    """The numbers of the one compared cell."""
    (one,) = signed_differences(verdicts(*cells))
    return [one.difference, one.our_noise, one.published_noise, one.noise]


def test_a_difference_has_two_standard_errors_of_each_and_of_both() -> None:
    assert numbers(REPRODUCED) == pytest.approx([-0.01, OURS, 0.02, (OURS**2 + 0.02**2) ** 0.5])


def test_a_tenth_of_the_published_value_is_0_02_of_a_score_that_is_no_rate() -> None:
    found = numbers(cell("adult", "LR", None, 10.0, metric="norm"))  # ours is 8, two tenths less
    assert found == pytest.approx([-0.04, 10 * OURS / 50, 0, 10 * OURS / 50])


def test_only_the_default_variant_of_a_compared_cell_is_there() -> None:
    assert [one.cell.verdict for one in signed_differences(verdicts(*ALL))] == [
        *("differs", "differs", "reproduced", "within noise", "undecided"),
    ]
    assert not signed_differences(verdicts(REPRODUCED | {"method": "SVM"}))  # missing
    assert not signed_differences(verdicts(UNDECIDED, standins={"us": "REPLICA"}))


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
    assert len(found) == sum(one.verdicts.total() for one in board.cells) == 7
    assert board.repeats == 5
    places = [(one.part, one.data) for one in found]
    assert list(dict.fromkeys(part for part, _ in places)) == ["ding2020", "xu2021, chapter 8"]
    for place in places:
        group = [one.signed.difference for one in found if (one.part, one.data) == place]
        assert group == sorted(group)


def test_a_published_zero_that_is_not_a_rate_has_no_parts() -> None:
    assert numbers(cell("adult", "LR", None, 0.0, metric="norm"))[0] == math.inf


def test_without_artefacts_or_cells_there_are_no_differences() -> None:
    assert not len(
        distinct_differences([(SPEC, verdicts(REPRODUCED, standins={"adult": "REPLICA"}))])
    )
