"""Writes the scoreboard: distinct cells and claims by verdict, and tests of the rule.

The scoreboard is printed in the terminal, and written as Markdown for the README.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.contracts.writing import write_text
from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.means import to_records
from dpfair_cli.verdicts.score.joint import JointTest
from dpfair_cli.verdicts.score.pairings import Share
from dpfair_cli.verdicts.score.scoreboard import CELL_ORDER, CLAIM_ORDER, Scoreboard, Tally
from dpfair_cli.verdicts.score.skill import Skill
from dpfair_cli.verdicts.wording import label

TRUST = "false matches of the rule, and cells that agree under a variant"
TRUST_READING = (
    "How far a verdict can be trusted. Rows 1 and 2: how often our mean counts as *reproduced* "
    "next to a published value of another method; the rarer, the better the rule tells methods "
    "apart. *per cell that agrees* is the number of false matches divided by the number of the "
    "compared cells that agree with their own values: an undecided cell seldom gives a false "
    "match. Rows 3 and 4: how many cells that differ agree under the best variant of their method, "
    "and how many would agree by chance. Row 4 pairs our mean with the value of each other method "
    "from which it differs, so that it has more pairs than row 3 has cells."
)
SKILL_READING = (
    "How much nearer our means are to the published values than if the names of the methods had "
    "been mixed up: 1 if all are equal, 0 if they are as near as by chance. *p* is the share of "
    "shuffles that are at least as near; above 0.05, the methods of the table are not told apart. "
    "*near* counts our means within the margin of their published values, and *near without runs* "
    "those of the mean of the other methods' published values, which needs no run."
)
JOINT_READING = (
    "All cells of a method and a score together, which can show a difference that no single cell "
    "shows; the test changes no verdict. *p* is the share of means of as few runs as in the paper, "
    "drawn from our runs, that are at least as far from our means as the published ones. A small "
    "*p* says that the published means are not means of runs like ours."
)
TESTS = {
    "false matches: our mean next to the published value of another method": "reproduced",
    "false matches where the two published values are more than 0.05 apart": "reproduced",
    "variants: cells that differ, under the best other variant of the method": "agrees",
    "variants by chance: the same, next to the published value of another method": "agrees",
}  # what is compared -> the verdict that is counted
CHOSEN = (
    "those by which the default variant of their method was chosen: their agreement says nothing "
    "about the method"
)
MARGINS_READING = (
    "How the verdicts depend on the margin: the number of compared cells with each verdict if "
    "the margin of rates is another one, and that of other scores is changed by the same factor."
)
SMALLEST_P = 0.001  # that is printed
COMPARED = [verdict for verdict in CellVerdict if verdict.is_compared]


def text(score: Scoreboard) -> str:
    """The scoreboard as text: counts of cells and claims, and tests of the rule of the verdicts."""
    counts = {"published cells": cell_counts(score), "claims": claim_counts(score)}
    parts = [
        f"{title}\n{_aligned(_with_sums(table))}\n" for title, table in counts.items() if len(table)
    ]
    tests = rule_tests(score)
    parts += [f"{TRUST}\n{_aligned(_lines(tests))}\n"] if len(tests) else []
    parts.append(f"{_aligned(_lines(left_out(score)))}\n")
    return "".join(f"\n{part}" for part in parts)


def write(score: Scoreboard, folder: Path) -> None:
    """Writes scoreboard.md and variants.md to the folder."""
    for name, content in (("scoreboard", markdown(score)), ("variants", variants(score))):
        write_text(folder / f"{name}.md", content)


def cell_counts(score: Scoreboard) -> pd.DataFrame:
    """The number of cells with each verdict, one line per part of a paper and kind of data.

    The column "published numbers" says where the numbers of the part stand.
    """
    table = _table_of(score.cells, CELL_ORDER)
    if any(one.published for one in score.cells):
        table.insert(2, "published numbers", [one.published for one in score.cells])
    return table


def claim_counts(score: Scoreboard) -> pd.DataFrame:
    """The number of claims with each verdict, one line per part of a paper and kind of data."""
    return _table_of(score.claims, CLAIM_ORDER)


def _table_of(tallies: Sequence[Tally], order: Sequence[str]) -> pd.DataFrame:
    """A table of counts: a line per tally, a column per verdict that occurs, and the sum."""
    shown = [name for name in order if any(one.verdicts[name] for one in tallies)]
    lines = [
        {"part": one.part, "data": one.data}
        | {name: one.verdicts[name] for name in shown}
        | {"in all": one.verdicts.total()}
        for one in tallies
    ]
    return pd.DataFrame(lines)


def variant_counts(score: Scoreboard) -> pd.DataFrame:
    """The counts of cells by verdict, one line per variant of each method with several variants."""
    lines = [
        {"part": part, "method": one.method, "variant": one.variant, "chosen by": one.chosen_by}
        | {str(verdict): one.verdicts[verdict] for verdict in COMPARED}
        | {"nearest": one.nearest, "cells": one.cells}
        for part, counts in score.variants.items()
        for one in counts
    ]
    return pd.DataFrame(lines)


def variants(score: Scoreboard) -> str:
    """The counts of cells under each variant, in Markdown, with the reason for each default."""
    table = variant_counts(score)
    return render("variants.md.j2", columns=list(table.columns), lines=to_records(table))


def markdown(score: Scoreboard) -> str:
    """The scoreboard in Markdown: counts, tests of the rule, and cells that are not counted."""
    counts = [table for table in (cell_counts(score), claim_counts(score)) if len(table)]
    parts = [f"{summary(score)}\n"] if counts else []
    parts += [_markdown(_with_sums(table)) for table in counts]
    tests = rule_tests(score)
    parts += [f"{TRUST_READING}\n\n{_markdown(_lines(tests))}"] if len(tests) else []
    skills = skill_table(score.skills)
    parts += [f"{SKILL_READING}\n\n{_markdown(_lines(skills))}"] if len(skills) else []
    margins = margin_table(score)
    parts += [f"{MARGINS_READING}\n\n{_markdown(_lines(margins))}"] if len(margins) else []
    return "\n".join([*parts, _markdown(_lines(left_out(score)))])


def summary(score: Scoreboard) -> str:
    """The sums of the scoreboard as sentences."""
    cells, claims = _sums(cell_counts(score)), _sums(claim_counts(score))
    differ = sum(count for verdict, count in cells.items() if verdict.startswith("differs"))
    agree = cells["reproduced"] + cells["consistent"]
    sentences = [
        f"Of {cells['in all']} published numbers, {agree} agree "
        f"({cells['reproduced']} reproduced, {cells['consistent']} consistent), "
        f"{differ} differ and {cells['undecided']} are undecided."
    ]
    if cells["differs (open)"]:
        sentences.append(f"Of the {differ}, {cells['differs (open)']} have no known cause.")
    if claims["in all"]:
        outcomes = f"{claims['holds']} hold and {claims['fails']} fail"
        sentences.append(f"Of {claims['in all']} claims, {outcomes}.")
    return " ".join(sentences)


def _sums(table: pd.DataFrame) -> Counter[str]:
    """The sum of each column of counts."""
    numbers = table.select_dtypes("number")
    return Counter({str(name): int(numbers[name].sum()) for name in numbers})


def rule_tests(score: Scoreboard) -> pd.DataFrame:
    """The tests of the rule of the verdicts over all artefacts, one line per test."""
    return rule_tests_of(score.wrong, score.wrong_far, score.variants_own, score.variants_wrong)


def rule_tests_of(
    wrong: Share, wrong_far: Share, variants_own: Share, variants_wrong: Share
) -> pd.DataFrame:
    """The tests of the rule of the verdicts that have pairs, with the number of counted verdicts.

    The shares are those of `Scoreboard`.
    """
    shares = (wrong, wrong_far, variants_own, variants_wrong)
    lines = [
        {
            "what is compared": name,
            "pairs": share.pairings,
            "counted verdict": verdict,
            "count": share.matched,
            "share": f"{share.percent} %",
            "per cell that agrees": share.per_agreeing_cell,
        }
        for (name, verdict), share in zip(TESTS.items(), shares, strict=True)
        if share.pairings
    ]
    return pd.DataFrame(lines)


def skill_table(skills: Mapping[str, Skill]) -> pd.DataFrame:
    """The skill of each artefact, one line per artefact."""
    lines = [
        {
            "table": name,
            "cells": one.cells,
            "skill": f"{one.value:.2f}",
            "p": _p(one.p_value),
            "told apart": "yes" if one.is_told_apart else "no",
            "near": one.near,
            "near without runs": one.near_without_runs,
            "nearer if exchanged": one.exchange,
        }
        for name, one in skills.items()
    ]
    return pd.DataFrame(lines)


def joint_table(tests: Sequence[JointTest], spec: Spec) -> pd.DataFrame:
    """The joint tests of an artefact, one line per method and score."""
    lines = [
        {
            "method": one.method,
            "score": label(one.metric, spec),
            "cells": one.cells,
            "undecided": one.undecided,
            "p": _p(one.p_value),
        }
        for one in tests
    ]
    return pd.DataFrame(lines)


def _p(value: float) -> str:
    """A p-value as text; values below 0.001 are not told apart."""
    return "< 0.001" if value < SMALLEST_P else f"{value:.3f}"


def margin_table(score: Scoreboard) -> pd.DataFrame:
    """The number of compared cells with each verdict at several margins, one line per margin."""
    lines = [
        {"margin": f"{margin:g}"} | {str(verdict): counts[verdict] for verdict in COMPARED}
        for margin, counts in score.margins.items()
    ]
    return pd.DataFrame(lines)


def left_out(score: Scoreboard) -> pd.DataFrame:
    """The number of published cells that the scoreboard does not count, or that say little."""
    counts = {
        "counted, and agree": score.agreeing,
        f"of these, {CHOSEN}": score.chosen_agreeing,
        "not counted: print a number that another table prints too": score.repeats,
        "not counted: numbers of records, true by construction": score.record_counts,
    }
    return pd.DataFrame(
        [{"published cells": name, "cells": count} for name, count in counts.items()]
    )


def sums(table: pd.DataFrame) -> list[str]:
    """The last line of a table of counts: "in all", and the sums of columns of numbers."""
    counts = [
        str(table[name].sum()) if is_numeric_dtype(table[name]) else "" for name in table.columns
    ]
    return ["in all", *counts[1:]]


def _lines(table: pd.DataFrame) -> list[list[str]]:
    """The headings of a table, followed by its lines, as texts."""
    lines = [list(map(str, line)) for line in table.itertuples(index=False)]
    return [list(table.columns), *lines]


def _with_sums(table: pd.DataFrame) -> list[list[str]]:
    """The headings of a table, its lines and the sums of its columns, as texts."""
    return [*_lines(table), sums(table)]


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    heading, *rest = lines
    rule = ["---"] * len(heading)
    return "".join(f"| {' | '.join(line)} |\n" for line in (heading, rule, *rest))
