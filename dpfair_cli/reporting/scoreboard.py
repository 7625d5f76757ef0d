"""The scoreboard as text: distinct published cells and statements by verdict, for the terminal and
the README.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.means import to_records
from dpfair_cli.verdicts.scoreboard import Scoreboard


def text(score: Scoreboard) -> str:
    """The counts of cells and claims as aligned columns, and what the rule is worth."""
    tables = {"published cells": score.cells, "claims": score.claims}
    parts = [f"\n{title}\n{_aligned(table)}\n" for title, table in tables.items() if len(table)]
    return "".join([*parts, f"\n{worth(score)}\n"])


def write(score: Scoreboard, folder: Path) -> None:
    """Write scoreboard.md and variants.md in the folder."""
    for name, content in (("scoreboard", markdown(score)), ("variants", variants(score))):
        (folder / f"{name}.md").write_text(content, encoding="utf-8", newline="\n")


def variants(score: Scoreboard) -> str:
    """What comes out under each variant, as a Markdown table; a default one says what it was chosen
    by.
    """
    columns = [name.replace("_", " ") for name in score.variants.columns]
    return render("variants.md.j2", columns=columns, lines=to_records(score.variants))


def markdown(score: Scoreboard) -> str:
    """The same as two Markdown tables."""
    parts = [_markdown(table) for table in (score.cells, score.claims) if len(table)]
    return "\n".join([*parts, f"{worth(score)}\n"])


def worth(score: Scoreboard) -> str:
    """What was counted, and how often the rule passes a wrong pairing, as sentences."""
    return (
        f"Each number counts once: {score.repeats} cells repeat another table's, {score.record_counts} are numbers of "
        f"records. Beside the published value of another method in the same place, the same rule passes {score.wrong}, "
        f"and {score.wrong_far} where the two published values are too far apart for both to pass. Of the cells that "
        f"differ, stand beside another method and have other variants, the best of these, one for a method and table, "
        f"explains {score.read_own}; beside the published values of another method {score.read_wrong}."
    )


def sums(table: pd.DataFrame) -> list[str]:
    """The last line of a table of counts: "in all", and the sum of each column that has one."""
    counts = [
        str(table[name].sum()) if is_numeric_dtype(table[name]) else "" for name in table.columns
    ]
    return ["in all", *counts[1:]]


def _lines(table: pd.DataFrame) -> list[list[str]]:
    """Heading, lines and sums as text."""
    return [
        list(table.columns),
        *(list(map(str, line)) for line in table.itertuples(index=False)),
        sums(table),
    ]


def _aligned(table: pd.DataFrame) -> str:
    lines = _lines(table)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _markdown(table: pd.DataFrame) -> str:
    heading, *rest = _lines(table)
    rule = ["---"] * len(heading)
    return "".join(f"| {' | '.join(line)} |\n" for line in (heading, rule, *rest))
