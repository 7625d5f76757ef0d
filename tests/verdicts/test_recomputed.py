"""Numbers that are recomputed from the authors' files: verdicts by digits, counted apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpfair_cli.reporting import json_writer, score_tables
from dpfair_cli.verdicts.scoreboard import score
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.verdicts.toy_paper import OPEN, SPEC, published, verdicts

RECOMPUTED = replace(SPEC, recomputes="tables of the authors")
EQUAL, OTHER = "recomputed: equal digits", "recomputed: other digits"


def judged(*means: float, **more: object) -> Verdicts:
    """PFLR* at epsilon 1 and then at 10, where ours are 0.75 and 0.79."""
    pairs = zip((1, 10), means, strict=False)
    cells = [published("PFLR*", epsilon, mean) for epsilon, mean in pairs]
    return verdicts(*cells, spec=RECOMPUTED, **more)


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [(0.75, EQUAL), (0.750000009, EQUAL), (0.749999991, EQUAL), (0.75000002, OTHER), (0.74, OTHER)],
)
def test_digits_are_equal_up_to_one_unit_of_the_eighth_decimal(mean: float, verdict: str) -> None:
    (cell,) = judged(mean).cells
    assert cell.verdict == verdict
    assert not cell.verdict.is_compared
    assert not cell.verdict.agrees


def test_other_digits_need_a_deviation() -> None:
    first, second = judged(0.75, 0.78).cells
    assert (first.is_unexplained, second.is_unexplained) == (False, True)
    entry = {"method": "PFLR*", "epsilon": 10, **OPEN}
    found = judged(0.75, 0.78, deviations=(entry,))
    assert [cell.full_verdict for cell in found.cells] == [EQUAL, f"{OTHER} (open)"]
    assert not found.failures
    # an entry that covers equal digits alone is not needed
    stale = judged(0.75, 0.79, deviations=(entry,)).stale_deviations
    assert [one.endswith("matches no cell that differs") for one in stale] == [True]


def test_recomputed_numbers_are_counted_apart() -> None:
    both = [judged(0.75, 0.78), verdicts(published("PFLR*", 1, 0.75))]
    found = score(both)
    counts = score_tables.cell_counts(found)
    assert counts["in all"].tolist() == [1]
    assert score_tables.recomputed(found) == {EQUAL: 1, OTHER: 1}
    assert json_writer.scores(both)["recomputed numbers"] == {EQUAL: 1, OTHER: 1}
    assert "2 more are recomputed from files of their authors, 1 with equal digits." in (
        score_tables.markdown(found)
    )
    assert not both[0].orders
    assert not both[0].columns
