"""A check as text: a summary of a few lines for any number of artefacts, and cells as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dpfair_cli.reporting import check_text
from dpfair_cli.reporting.text_writer import TextForm
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from tests.reporting import compared_paper
from tests.reporting.compared_paper import ALL, DIFFERS, UNDECIDED
from tests.verdicts import toy_paper
from tests.verdicts.toy_paper import OPEN, claim, published

NARROW, WIDE = 80, 200
LOW = {"compare": ["PFLR", "<", "LR"], "metric": "accuracy"}
HIGH = {"compare": ["PFLR", ">", "LR"], "metric": "accuracy"}


def paint_nothing(text: str, _tone: str) -> str:
    return text


def cell_lines(*cells: dict[str, Any], width: int = 0) -> list[str]:
    found = compared_paper.verdicts(*cells).cells
    return check_text.cell_lines(found, TextForm(width, paint_nothing))


def ends(lines: Sequence[str], words: Sequence[str]) -> set[int]:
    """Where each word ends in its line."""
    return {line.index(word) + len(word) for line, word in zip(lines, words, strict=True)}


def test_the_summary_counts_cells_by_verdict_and_kind_and_claims() -> None:
    lines = check_text.summary([(compared_paper.verdicts(*ALL))], paint_nothing)
    assert lines == [
        "xu2021/table8.2: 5 numbers compared",
        "Order of methods: 3 confirmed.",
        "  reproduced         1   20 %",
        "  consistent         1   20 %",
        "  undecided          1   20 %   not decidable 1",
        "  differs            2   40 %   data 1, hypothesis 1",
        "claims and their parts: none",
    ]


def test_the_summary_counts_claims_with_the_kind_of_their_deviation() -> None:
    claims = (claim(LOW), claim(HIGH, id="d"), claim(HIGH, id="e"), claim(HIGH, id="f", ours="x"))
    found = toy_paper.verdicts(claims=claims, deviations=({"claim": "d", **OPEN},))
    *_, last = check_text.summary([(found)], paint_nothing)
    assert last == (
        "claims and their parts: 1 holds, 1 fails, 1 fails (open) (and 1 that we added)"
    )


def test_the_summary_is_as_short_for_many_artefacts() -> None:
    many = [(compared_paper.verdicts(*ALL)) for _ in range(76)]
    lines = check_text.summary(many, paint_nothing)
    assert len(lines) == 7
    assert lines[0] == (
        "76 artefacts of 1 paper: 5 numbers compared (and 375 that print a number again)"
    )
    assert len(CellVerdict) + 9 <= 20  # with a line of each verdict and all those of the command


def test_a_verdict_without_deviation_is_said_in_the_summary() -> None:
    found = toy_paper.verdicts(published("PFLR*", 1, 0.9))
    lines = check_text.summary([(found)], paint_nothing)
    assert "  differs            1  100 %   no deviation 1" in lines


def test_numbers_are_aligned_on_the_right_and_signed() -> None:
    heading, *lines = cell_lines(DIFFERS, UNDECIDED)
    assert heading.split() == [*(one.heading for one in check_text.COLUMNS), "cause"]
    assert lines[0].split("  ")[0] == "adult, FM, epsilon 0.1, accuracy"
    assert ends([heading, *lines], ["ours", "0.7000", "0.7000"]) == {heading.index("ours") + 4}
    assert len(ends([heading, *lines], ["published", "0.5000", "0.6600"])) == 1
    assert len(ends([heading, *lines], ["difference", "+0.2000", "+0.0400"])) == 1


def test_the_cause_of_an_undecided_cell_is_what_would_decide_it() -> None:
    # 0.06 / sqrt(4) = 0.03 of the published mean alone is more than the 0.02 to the margin
    (line,) = cell_lines(UNDECIDED)[1:]
    assert line.endswith("undecided (not decidable)  no number of seeds up to 2,000 would decide")


def test_a_cause_is_cut_to_the_terminal_or_shown_in_full() -> None:
    deviation = {"method": "PFLR*", **OPEN, "cause": "word " * 60}
    found = toy_paper.verdicts(published("PFLR*", 1, 0.9), deviations=(deviation,)).cells
    _, cut = check_text.cell_lines(found, TextForm(WIDE, paint_nothing))
    assert cut.endswith("word …")
    assert len(cut) <= WIDE
    _, *full = check_text.cell_lines(found, TextForm(WIDE, paint_nothing, is_full=True))
    assert len(full) > 1
    assert " ".join(full).count("word") == 60
    assert max(map(len, full)) <= WIDE
    assert full[1].index("word") == full[0].index("word")


def test_a_cause_stands_below_its_cell_in_a_narrow_terminal() -> None:
    _, line, cause = cell_lines(DIFFERS, width=NARROW)
    assert line.endswith("differs (hypothesis)")
    assert cause == "    a guess"


def test_a_line_that_goes_to_a_file_has_its_whole_cause() -> None:
    deviation = {"method": "PFLR*", **OPEN, "cause": "word " * 60}
    found = toy_paper.verdicts(published("PFLR*", 1, 0.9), deviations=(deviation,)).cells
    _, line = check_text.cell_lines(found, TextForm(0, paint_nothing))
    assert line.count("word") == 60


def test_a_cell_without_deviation_or_runs_says_so() -> None:
    found = toy_paper.verdicts(published("PFLR*", 1, 0.9), published("PFLR", 3, 0.9)).cells
    differs, missing = check_text.cell_lines(found, TextForm(0, paint_nothing))[1:]
    assert differs.endswith("differs  not in deviations.yaml")
    assert missing.split()[-5:] == ["0.9000", "missing", "not", "in", "deviations.yaml"]


@pytest.mark.parametrize(
    ("cell", "tone"),
    [(ALL[2], "good"), (UNDECIDED, "middle"), (ALL[0], "middle"), (DIFFERS, "bad")],
)
def test_the_tone_of_a_verdict_is_that_of_its_look(cell: dict[str, Any], tone: str) -> None:
    found = compared_paper.verdicts(cell).cells
    (_, line) = check_text.cell_lines(found, TextForm(0, lambda text, tone: f"<{tone}>{text}"))
    assert f"  <{tone}>{found[0].full_verdict}" in line


def test_only_what_does_not_agree_is_listed_unless_all_is_asked_for() -> None:
    one = compared_paper.verdicts(*ALL)
    some, every = (
        check_text.artefact_lines(one, TextForm(0, paint_nothing, is_full))
        for is_full in (False, True)
    )
    assert len(some) == 1 + 3
    assert len(every) == 1 + 5
    assert not [line for line in some if "reproduced" in line or "consistent" in line]


def test_claims_that_hold_are_listed_only_if_all_is_asked_for() -> None:
    found = toy_paper.verdicts(claims=(claim(LOW), claim(HIGH, id="d")))
    some, every = (
        check_text.artefact_lines((found), TextForm(0, paint_nothing, is_full))
        for is_full in (False, True)
    )
    assert [line for line in some if line[0] != " "] == ["claims", "d: fails"]
    assert [line for line in every if line[0] != " "] == ["claims", "c: holds", "d: fails"]


def test_no_line_of_a_cell_is_wider_than_the_terminal() -> None:
    found = compared_paper.verdicts(*ALL).cells
    for width in (40, 60, 80):
        lines = check_text.cell_lines(found, TextForm(width, paint_nothing))
        assert max(len(line) for text in lines for line in text.splitlines()) <= max(width, 73)
    narrow = check_text.cell_lines(found, TextForm(60, paint_nothing))
    assert narrow[0].startswith("cell\n    ")
    assert narrow[1].splitlines()[0] == found[0].description
