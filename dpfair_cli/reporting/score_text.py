"""The scoreboard as text: distinct published cells and claims by verdict.

It is printed in the terminal and written as Markdown for the README.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.means import to_records
from dpfair_cli.verdicts.score.scoreboard import CELL_ORDER, CLAIM_ORDER, Scoreboard, Tally

COMPARED = [verdict for verdict in CellVerdict if verdict.is_compared]


def text(score: Scoreboard) -> str:
    """The counts of cells and claims as aligned columns, and how often a wrong value passes."""
    tables = {"published cells": cell_counts(score), "claims": claim_counts(score)}
    parts = [f"\n{title}\n{_aligned(table)}\n" for title, table in tables.items() if len(table)]
    return "".join([*parts, f"\n{worth(score)}\n"])


def write(score: Scoreboard, folder: Path) -> None:
    """Write scoreboard.md and variants.md in the folder."""
    for name, content in (("scoreboard", markdown(score)), ("variants", variants(score))):
        (folder / f"{name}.md").write_text(content, encoding="utf-8", newline="\n")


def cell_counts(score: Scoreboard) -> pd.DataFrame:
    """A line for each part and kind of data with the number of cells with each verdict."""
    return _table_of(score.cells, CELL_ORDER)


def claim_counts(score: Scoreboard) -> pd.DataFrame:
    """A line for each part and kind of data with the number of claims with each verdict."""
    return _table_of(score.claims, CLAIM_ORDER)


def _table_of(tallies: Sequence[Tally], order: Sequence[str]) -> pd.DataFrame:
    """A line for each tally; a column for each verdict that occurs, and their sum last."""
    shown = [name for name in order if any(one.verdicts[name] for one in tallies)]
    lines = [
        {"part": one.part, "data": one.data}
        | {name: one.verdicts[name] for name in shown}
        | {"in all": one.verdicts.total()}
        for one in tallies
    ]
    return pd.DataFrame(lines)


def variant_counts(score: Scoreboard) -> pd.DataFrame:
    """A line for each variant of each method with several."""
    lines = [
        {"part": part, "method": one.method, "variant": one.variant, "chosen by": one.chosen_by}
        | {str(verdict): one.verdicts[verdict] for verdict in COMPARED}
        | {"nearest": one.nearest, "cells": one.cells}
        for part, counts in score.variants.items()
        for one in counts
    ]
    return pd.DataFrame(lines)


def variants(score: Scoreboard) -> str:
    """The cells under each variant as a Markdown table; a default one says why it was chosen."""
    table = variant_counts(score)
    return render("variants.md.j2", columns=list(table.columns), lines=to_records(table))


def markdown(score: Scoreboard) -> str:
    """The counts as two Markdown tables."""
    parts = [_markdown(table) for table in (cell_counts(score), claim_counts(score)) if len(table)]
    return "\n".join([*parts, f"{worth(score)}\n"])


def worth(score: Scoreboard) -> str:
    """What was counted, and how often the rule passes a wrong value, as sentences."""
    return (
        f"Each number counts once: {score.repeats} cells repeat another table's, "
        f"{score.record_counts} are numbers of records. Next to the published value of another "
        f"method in the same place, the same rule passes {score.wrong}, "
        f"and {score.wrong_far} where the two published values are too far apart for both to pass. "
        f"Of the cells that differ, stand next to another method and have other variants, the best "
        f"of these, one for a method and table, explains {score.explained_own}; "
        f"next to the published values of another method {score.explained_wrong}."
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
