"""The scoreboard as text and as Markdown: the same counts, with sums, and what the rule is worth."""

from __future__ import annotations

import pandas as pd

from dpfair_cli.reporting import scoreboard
from dpfair_cli.verdicts.discrimination import Share
from dpfair_cli.verdicts.scoreboard import Scoreboard

CELLS = pd.DataFrame(
    [("ding2020", "a substitute", 3, 10, 13), ("xu2021, chapter 8", "the paper's data", 20, 4, 24)],
    columns=["part", "data", "reproduced", "differs (open)", "in all"],
)
CLAIMS = pd.DataFrame(
    [("xu2021", "the paper's data", 5, 5)], columns=["part", "data", "holds", "in all"]
)
VARIANTS = pd.DataFrame(
    [("ding2020", "PFLR*", "", "text", 3, 4), ("ding2020", "PFLR*", "|x| ≤ 1", "", 1, 4)],
    columns=["part", "method", "variant", "chosen_by", "reproduced", "cells"],
)
SCORE = Scoreboard(
    CELLS,
    CLAIMS,
    pd.DataFrame(),
    VARIANTS,
    wrong=Share(3, 60),
    wrong_far=Share(1, 50),
    read_own=Share(2, 8),
    read_wrong=Share(1, 10),
    repeats=7,
    record_counts=9,
)


def columns(line: str) -> list[str]:
    return [part.strip() for part in line.split("  ") if part.strip()]


def test_the_text_has_a_line_for_each_part_and_their_sums() -> None:
    text = scoreboard.text(SCORE)
    cells, claims, worth = text.strip("\n").split("\n\n")
    title, heading, *lines = cells.splitlines()
    assert title == "published cells"
    assert columns(heading) == ["part", "data", "reproduced", "differs (open)", "in all"]
    assert [columns(line) for line in lines] == [
        ["ding2020", "a substitute", "3", "10", "13"],
        ["xu2021, chapter 8", "the paper's data", "20", "4", "24"],
        ["in all", "23", "14", "37"],
    ]
    assert claims.splitlines()[0] == "claims"
    assert columns(claims.splitlines()[-1]) == ["in all", "5", "5"]
    assert worth == scoreboard.worth(SCORE)
    starts = {line.index(number) for line, number in zip(lines, ("13", "24", "37"), strict=True)}
    assert len(starts) == 1, "columns are aligned"
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_the_markdown_has_the_same_lines() -> None:
    text = scoreboard.markdown(SCORE)
    assert text.splitlines()[:5] == [
        "| part | data | reproduced | differs (open) | in all |",
        "| --- | --- | --- | --- | --- |",
        "| ding2020 | a substitute | 3 | 10 | 13 |",
        "| xu2021, chapter 8 | the paper's data | 20 | 4 | 24 |",
        "| in all |  | 23 | 14 | 37 |",
    ]
    assert "| in all |  | 5 | 5 |" in text
    assert text.endswith(f"{scoreboard.worth(SCORE)}\n")


def test_what_was_counted_and_what_the_rule_passes_wrongly_are_said() -> None:
    words = scoreboard.worth(SCORE)
    for part in ("7 cells repeat", "9 are numbers of records", "passes 3 of 60 (5 %)", "1 of 50 (2 %) where the two",
                 "table, explains 2 of 8 (25 %)", "method 1 of 10 (10 %)."):  # fmt: skip
        assert part in words


def test_variants_have_a_line_each_and_no_sums() -> None:
    assert scoreboard.variants(SCORE).splitlines()[-4:] == [
        "| part | method | variant | chosen by | reproduced | cells |",
        "| --- | --- | --- | --- | --- | --- |",
        "| ding2020 | PFLR\\* |  | text | 3 | 4 |",
        "| ding2020 | PFLR\\* | \\|x\\| ≤ 1 |  | 1 | 4 |",
    ]


def test_a_scoreboard_without_cells_or_claims_says_what_it_is_worth() -> None:
    empty = SCORE._replace(cells=CELLS[:0], claims=CLAIMS[:0])
    assert "published cells" not in scoreboard.text(empty)
    assert "|" not in scoreboard.markdown(empty)
    assert scoreboard.worth(empty) in scoreboard.text(empty)
