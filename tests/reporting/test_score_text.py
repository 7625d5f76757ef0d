"""The scoreboard as text and as Markdown: the same counts, with sums and false matches."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dpfair_cli.reporting import score_tables
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.scoreboard import OnFile, Scoreboard, Tally, VariantCount
from dpfair_cli.verdicts.trust import PairingShare

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
    wrong=PairingShare(3, 60, agreeing=4),
    wrong_far=PairingShare(1, 50),
    variants_own=PairingShare(2, 8),
    variants_wrong=PairingShare(1, 10),
    orders=[
        Tally("ding2020", "a substitute", Counter({"confirmed": 5, "undecided": 2})),
        Tally("xu2021, chapter 8", "the paper's data", Counter({"confirmed": 20})),
    ],
    columns=[Tally("xu2021, chapter 8", "the paper's data", Counter({"agrees": 3, "differs": 1}))],
    on_file=[OnFile("ding2020", 4, "to be run", "no time")],
    fragile=3,
    agreeing=5,
    chosen_agreeing=2,
    margins={0.01: Counter({REPRODUCED: 2, DIFFERS: 1}), 0.02: Counter({REPRODUCED: 3})},
    repeats=7,
    record_counts=9,
)

FALSE = "false matches: our mean next to the published value of another method"
FAR = "false matches where the two published values are more than 0.05 apart"


def columns(line: str) -> list[str]:
    return [part.strip() for part in line.split("  ") if part.strip()]


def test_the_text_has_a_line_for_each_part_and_their_sums() -> None:
    text = score_tables.text(SCORE)
    orders, together, cells, claims, tests, left_out = text.strip("\n").split("\n\n")
    assert orders.splitlines()[0] == "order of methods"
    assert together.splitlines()[0] == "columns"
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
    assert [columns(line) for line in tests.splitlines()] == [
        ["false matches of the rule, and cells that agree under a variant"],
        ["what is compared", "pairs", "counted verdict", "count", "share", "per cell that agrees"],
        [FALSE, "60", "reproduced", "3", "5 %", "0.75"],
        [FAR, "50", "reproduced", "1", "2 %"],
        [
            "variants: cells that differ, under the best other variant of the method",
            "8",
            "agrees",
            "2",
            "25 %",
        ],
        [
            "variants by chance: the same, next to the published value of another method",
            "10",
            "agrees",
            "1",
            "10 %",
        ],
    ]
    assert [columns(line) for line in left_out.splitlines()] == [
        ["published cells", "cells"],
        ["counted, and agree", "5"],
        [f"of these, {score_tables.CHOSEN}", "2"],
        ["not counted: print a number that another table prints too", "7"],
        ["not counted: numbers of records, true by construction", "9"],
    ]
    starts = {line.index(number) for line, number in zip(lines, ("13", "24", "37"), strict=True)}
    assert len(starts) == 1, "columns are aligned"
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_the_counts_say_where_published_numbers_stand() -> None:
    known = [replace(one, published="printed in the paper") for one in CELLS]
    table = score_tables.cell_counts(replace(SCORE, cells=known))
    assert list(table.columns)[:4] == ["part", "data", "published numbers", "reproduced"]
    assert {*table["published numbers"]} == {"printed in the paper"}


def test_the_markdown_has_the_same_lines() -> None:
    text = score_tables.markdown(SCORE)
    assert text.splitlines()[:4] == [
        "Order of methods: of 27 pairs that are printed more than a margin apart, 25 are confirmed "
        "and 0 reversed.",
        "Columns (all cells of one method and one score): of 4, 3 agree and 1 differ.",
        "Of 37 numbers compared, 23 agree (23 reproduced, 0 consistent), 14 differ and 0 are "
        "undecided. 0 of 14 differences have a known cause; the others: 14 open. 3 differences are "
        "fragile: undecided if the published runs, whose deviation is not printed, vary three "
        "times as much as ours. 4 more are on file and not compared.",
        "",
    ]
    assert text.split("\n\n")[3].splitlines() == [
        "| part | data | reproduced | differs (open) | in all |",
        "| --- | --- | --- | --- | --- |",
        "| ding2020 | a substitute | 3 | 10 | 13 |",
        "| xu2021, chapter 8 | the paper's data | 20 | 4 | 24 |",
        "| in all |  | 23 | 14 | 37 |",
    ]
    assert "| in all |  | 5 | 5 |" in text
    *_, tests, _, margins, _, on_file, left_out = text.split("\n\n")
    assert "How far a verdict can be trusted. Rows 1 and 2:" in text
    assert f"| {FALSE} | 60 | reproduced | 3 | 5 % | 0.75 |" in tests
    assert margins.splitlines()[2:] == ["| 0.01 | 2 | 0 | 0 | 1 |", "| 0.02 | 3 | 0 | 0 | 0 |"]
    assert on_file.splitlines()[2:] == ["| ding2020 | 4 | to be run | no time |"]
    assert left_out.endswith("| not counted: numbers of records, true by construction | 9 |\n")


def test_the_markdown_has_orders_and_columns_first() -> None:
    orders, columns, *_ = score_tables.markdown(SCORE).split("\n\n")[1:]
    assert orders.splitlines()[2:] == [
        "| ding2020 | a substitute | 5 | 2 | 7 |",
        "| xu2021, chapter 8 | the paper's data | 20 | 0 | 20 |",
        "| in all |  | 25 | 2 | 27 |",
    ]
    assert columns.splitlines()[2:] == [
        "| xu2021, chapter 8 | the paper's data | 3 | 1 | 4 |",
        "| in all |  | 3 | 1 | 4 |",
    ]


def test_a_test_of_the_rule_without_cells_is_left_out() -> None:
    alone = replace(SCORE, wrong_far=PairingShare(0, 0), variants_own=PairingShare(0, 0))
    names = list(score_tables.rule_tests(alone)["what is compared"])
    assert names == [
        FALSE,
        "variants by chance: the same, next to the published value of another method",
    ]


def test_variants_have_a_line_each_and_no_sums() -> None:
    assert score_tables.variants(SCORE).splitlines()[-4:] == [
        "| part | method | variant | chosen by | reproduced | consistent | undecided | differs "
        "| nearest | cells |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "| ding2020 | PFLR\\* |  | text | 3 | 0 | 0 | 1 | 2 | 4 |",
        "| ding2020 | PFLR\\* | \\|x\\| ≤ 1 |  | 1 | 0 | 0 | 3 | 2 | 4 |",
    ]


def test_a_scoreboard_without_cells_or_claims_has_no_counts_of_them() -> None:
    nothing = PairingShare(0, 0)
    empty = replace(
        SCORE,
        cells=[],
        claims=[],
        wrong=nothing,
        wrong_far=nothing,
        variants_own=nothing,
        variants_wrong=nothing,
        orders=[],
        columns=[],
        on_file=[],
        margins={},
    )
    assert score_tables.text(empty).startswith("\npublished cells ")
    assert score_tables.markdown(empty).startswith("| published cells | cells |\n")
