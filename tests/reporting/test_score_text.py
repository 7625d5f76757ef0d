"""The scoreboard as text and as Markdown: the same counts, with sums and false passes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dpfair_cli.reporting import score_text
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.score.pairings import Share
from dpfair_cli.verdicts.score.scoreboard import Scoreboard, Tally
from dpfair_cli.verdicts.score.variant_counts import VariantCount

CELLS = [
    Tally("ding2020", "a substitute", Counter({"reproduced": 3, "differs (open)": 10})),
    Tally(
        "xu2021, chapter 8", "the paper's data", Counter({"differs (open)": 4, "reproduced": 20})
    ),
]
CLAIMS = [Tally("xu2021", "the paper's data", Counter({"holds": 5}))]
REPRODUCED, DIFFERS = CellVerdict.REPRODUCED, CellVerdict.DIFFERS
VARIANTS = [
    VariantCount("PFLR*", "", "text", Counter({REPRODUCED: 3, DIFFERS: 1}), nearest=2),
    VariantCount("PFLR*", "|x| ≤ 1", "", Counter({REPRODUCED: 1, DIFFERS: 3}), nearest=2),
]
SCORE = Scoreboard(
    CELLS,
    CLAIMS,
    [],
    {"ding2020": VARIANTS},
    wrong=Share(3, 60),
    wrong_far=Share(1, 50),
    explained_own=Share(2, 8),
    explained_wrong=Share(1, 10),
    repeats=7,
    record_counts=9,
)


def columns(line: str) -> list[str]:
    return [part.strip() for part in line.split("  ") if part.strip()]


def test_the_text_has_a_line_for_each_part_and_their_sums() -> None:
    text = score_text.text(SCORE)
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
    assert worth == score_text.worth(SCORE)
    starts = {line.index(number) for line, number in zip(lines, ("13", "24", "37"), strict=True)}
    assert len(starts) == 1, "columns are aligned"
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_the_markdown_has_the_same_lines() -> None:
    text = score_text.markdown(SCORE)
    assert text.splitlines()[:5] == [
        "| part | data | reproduced | differs (open) | in all |",
        "| --- | --- | --- | --- | --- |",
        "| ding2020 | a substitute | 3 | 10 | 13 |",
        "| xu2021, chapter 8 | the paper's data | 20 | 4 | 24 |",
        "| in all |  | 23 | 14 | 37 |",
    ]
    assert "| in all |  | 5 | 5 |" in text
    assert text.endswith(f"{score_text.worth(SCORE)}\n")


def test_what_was_counted_and_what_the_rule_passes_wrongly_are_said() -> None:
    words = score_text.worth(SCORE)
    for part in (
        "7 cells repeat",
        "9 are numbers of records",
        "passes 3 of 60 (5 %)",
        "1 of 50 (2 %) where the two",
        "table, explains 2 of 8 (25 %)",
        "method 1 of 10 (10 %).",
    ):
        assert part in words


def test_variants_have_a_line_each_and_no_sums() -> None:
    assert score_text.variants(SCORE).splitlines()[-4:] == [
        "| part | method | variant | chosen by | reproduced | within noise | undecided | differs "
        "| nearest | cells |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "| ding2020 | PFLR\\* |  | text | 3 | 0 | 0 | 1 | 2 | 4 |",
        "| ding2020 | PFLR\\* | \\|x\\| ≤ 1 |  | 1 | 0 | 0 | 3 | 2 | 4 |",
    ]


def test_a_scoreboard_without_cells_or_claims_says_what_it_is_worth() -> None:
    empty = replace(SCORE, cells=[], claims=[])
    assert "published cells" not in score_text.text(empty)
    assert "|" not in score_text.markdown(empty)
    assert score_text.worth(empty) in score_text.text(empty)
