"""The scoreboard as text and as Markdown: the same counts, with sums and false matches."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dpfair_cli.reporting import check_page, score_tables
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.score.scoreboard import Scoreboard, Tally, VariantCount
from dpfair_cli.verdicts.score.trust import JointTest, PairingShare, Skill
from tests.verdicts import toy_paper

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
    skills={
        "ding2020/table1": Skill(0.876, 0.0001, cells=12, near=9, near_without_runs=4),
        "xu2021/table8.2": Skill(0.1, 0.25, 8, near=7, near_without_runs=8, exchange="FM and LR"),
    },
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
    cells, claims, tests, left_out = text.strip("\n").split("\n\n")
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
    assert text.splitlines()[:2] == [
        "Of 37 published numbers, 23 agree (23 reproduced, 0 consistent), 14 differ and 0 are "
        "undecided. 0 of 14 differences have a known cause; the others: 14 open. "
        "Of 5 claims, 5 hold and 0 fail.",
        "",
    ]
    assert text.splitlines()[2:7] == [
        "| part | data | reproduced | differs (open) | in all |",
        "| --- | --- | --- | --- | --- |",
        "| ding2020 | a substitute | 3 | 10 | 13 |",
        "| xu2021, chapter 8 | the paper's data | 20 | 4 | 24 |",
        "| in all |  | 23 | 14 | 37 |",
    ]
    assert "| in all |  | 5 | 5 |" in text
    *_, tests, _, _, _, margins, left_out = text.split("\n\n")
    assert "How far a verdict can be trusted. Rows 1 and 2:" in text
    assert f"| {FALSE} | 60 | reproduced | 3 | 5 % | 0.75 |" in tests
    assert margins.splitlines()[2:] == ["| 0.01 | 2 | 0 | 0 | 1 |", "| 0.02 | 3 | 0 | 0 | 0 |"]
    assert left_out.endswith("| not counted: numbers of records, true by construction | 9 |\n")


def test_the_markdown_has_the_skill_of_each_table() -> None:
    *_, reading, skills, _, _, _ = score_tables.markdown(SCORE).split("\n\n")
    assert reading.startswith("How much nearer our means are to the published values")
    assert skills.splitlines()[2:] == [
        "| ding2020/table1 | 12 | 0.88 | < 0.001 | yes | 9 | 4 |  |",
        "| xu2021/table8.2 | 8 | 0.10 | 0.250 | no | 7 | 8 | FM and LR |",
    ]


def test_joint_tests_have_a_line_each_with_the_label_of_the_score() -> None:
    spec = replace(toy_paper.SPEC, labels={"accuracy": "share right"})
    table = check_page.joint_table([JointTest("FM", "accuracy", 9, 7, 0.0316)], spec)
    assert table.to_dict("records") == [
        {"method": "FM", "score": "share right", "cells": 9, "undecided": 7, "p": "0.032"}
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
        skills={},
        margins={},
    )
    assert score_tables.text(empty).startswith("\npublished cells ")
    assert score_tables.markdown(empty).startswith("| published cells | cells |\n")
