"""The scoreboard: distinct cells and claims by verdict, and tests of the rule of the verdicts.

It is printed in the terminal, and written as Markdown for the README. Its tables, and those that
say how far the verdicts on one artefact can be trusted, also stand in the report and in check.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from dpfair_cli.contracts.files import write_text
from dpfair_cli.reporting import check_page, markup, shown, text_writer
from dpfair_cli.verdicts.cells.comparison import COMPARED, CellVerdict
from dpfair_cli.verdicts.deviations.deviation import DeviationKind
from dpfair_cli.verdicts.scoreboard import CELL_ORDER, CLAIM_ORDER, Scoreboard, Tally
from dpfair_cli.verdicts.scoreboard import score as count_verdicts
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.whole_tables import ColumnVerdict, OrderVerdict

CHOSEN = (
    "those by which the default variant of their method was chosen: their agreement says nothing "
    "about the method"
)
OUTCOMES = ("holds", "refuted", "not run")  # words that begin the verdict of an audit


def scoreboard(artefacts: Sequence[Verdicts]) -> Scoreboard:
    """The scoreboard of all artefacts."""
    return _scoreboard(tuple(artefacts))


_scoreboard = lru_cache(maxsize=1)(count_verdicts)  # several files and the terminal show one


def text(score: Scoreboard, width: int = 0) -> str:
    """The scoreboard as text: counts of cells and claims, and tests of the rule of the verdicts.

    In a terminal of `width` characters, columns of counts that do not fit stand below the others,
    and the tests, whose first column is long, are left to scoreboard.md.
    """
    tests = rule_tests(score)
    tables = {
        "order of methods": _with_sums(order_counts(score)),
        "columns": _with_sums(column_counts(score)),
        "published cells": _with_sums(cell_counts(score)),
        "claims": _with_sums(claim_counts(score)),
        check_page.TRUST: _lines(tests) if len(tests) else [],
    }
    lines: list[str] = []
    for title, table in tables.items():
        if table and (not width or title != check_page.TRUST):
            lines += ["", title, *text_writer.blocks(table, 1, width)[1:]]
    rest = [] if width else ["", *text_writer.aligned(_lines(left_out(score)))]
    return "\n".join([*lines, *rest, ""])


def write(score: Scoreboard, folder: Path) -> None:
    """Writes scoreboard.md and variants.md to the folder."""
    for name, content in (("scoreboard", markdown(score)), ("variants", variants(score))):
        write_text(folder / f"{name}.md", content)


def cell_counts(score: Scoreboard) -> pd.DataFrame:
    """The number of cells with each verdict, one line per part of a paper and kind of data.

    The column "published numbers" says where the numbers of the part stand.
    """
    compared = [found for one in score.cells if (found := _compared(one)).verdicts]
    table = _table_of(compared, CELL_ORDER)
    if any(one.published for one in compared):
        # only where papers say so: scoreboards of one's own papers have no such column
        table.insert(2, "published numbers", [one.published for one in compared])
    return table


def _compared(tally: Tally) -> Tally:
    """A tally without the cells that have no runs."""
    last = CellVerdict.OTHER_PROTOCOL.rank
    own = {text: n for text, n in tally.verdicts.items() if verdict_in(text).rank <= last}
    return replace(tally, verdicts=Counter(own))


def verdict_in(text: str) -> CellVerdict:
    """The verdict that begins a text such as "differs (open)"."""
    return CellVerdict(text.partition(" (")[0])


def on_file(score: Scoreboard) -> pd.DataFrame:
    """The published numbers that were not compared, one line per part of a paper and reason."""
    lines = [
        {"part": one.part, "numbers": one.numbers, "state": one.state, "reason": one.reason}
        for one in score.on_file
    ]
    return pd.DataFrame(lines)


def claim_counts(score: Scoreboard) -> pd.DataFrame:
    """The number of claims with each verdict, one line per part of a paper and kind of data."""
    return _table_of(score.claims, CLAIM_ORDER)


def order_counts(score: Scoreboard) -> pd.DataFrame:
    """The number of orders of methods with each verdict, as `claim_counts`."""
    return _table_of(score.orders, [*map(str, OrderVerdict)])


def column_counts(score: Scoreboard) -> pd.DataFrame:
    """The number of columns with each verdict, as `claim_counts`."""
    return _table_of(score.columns, [*map(str, ColumnVerdict)])


def _table_of(tallies: Sequence[Tally], order: Sequence[str]) -> pd.DataFrame:
    """A table of counts: a line per tally, a column per verdict that occurs, and the sum."""
    # a column for a verdict that nowhere occurs would be a column of zeros
    occurring = sum((one.verdicts for one in tallies), Counter[str]())
    shown = [name for name in order if name in occurring]
    lines = []
    for one in tallies:
        counts = {name: one.verdicts[name] for name in shown}
        lines.append({"part": one.part, "data": one.data, **counts, "in all": one.verdicts.total()})
    return pd.DataFrame(lines)


def variants(score: Scoreboard) -> str:
    """The counts of cells under each variant, in Markdown, with the reason for each default."""
    return markup.render("variants.md.j2", parts=score.variants, compared=COMPARED)


def markdown(score: Scoreboard) -> str:
    """The scoreboard in Markdown: counts, tests of the rule, and cells that are not counted."""
    return _markdown(score, trust(score))


def counts_in_markdown(score: Scoreboard) -> str:
    """The counts of the scoreboard in Markdown, which are enough for a table of two rows."""
    return _markdown(score, [])


def _markdown(score: Scoreboard, tests: Sequence[tuple[str, pd.DataFrame]]) -> str:
    """The counts of a scoreboard in Markdown, and tables of tests, each with its reading."""
    tables = [make(score) for make in (order_counts, column_counts, cell_counts, claim_counts)]
    orders, columns, cells = map(_sums, tables[:3])
    return markup.render(
        "scoreboard.md.j2",
        orders=orders,
        columns=columns,
        cells=cells,
        compared=_in_all(score.cells),
        causes=describe_causes(score.cells),
        fragile=score.fragile,
        on_file=sum(one.numbers for one in score.on_file),
        claims=shown.count_claims(score.statements),
        # orders and columns are said above, which is enough for a summary
        counts=[_with_sums(table) for table in (tables if tests else tables[2:]) if len(table)],
        trust=[(name, _lines(table)) for name, table in tests if len(table)],
        # names of methods stand here as they are
        rows=markup.of_cells,
    )


def _in_all(cells: Iterable[Tally]) -> Counter[CellVerdict]:
    """The number of cells with each verdict, whatever stands in brackets behind it."""
    found: Counter[CellVerdict] = Counter()
    for tally in cells:
        for text, count in tally.verdicts.items():
            found[verdict_in(text)] += count
    return found


def describe_causes(cells: Iterable[Tally]) -> str:
    """How many of the cells that differ have a known cause, in words; empty if no cell differs."""
    kinds: Counter[str] = Counter()
    for text, count in sum((one.verdicts for one in cells), Counter[str]()).items():
        verdict, _, kind = text.removesuffix(")").partition(" (")  # such as "differs (open)"
        if verdict == CellVerdict.DIFFERS:
            kinds[kind] += count
    if not kinds:
        return ""
    known = sum(kinds[kind] for kind in DeviationKind if kind.explains)
    told = f"{known} of {kinds.total()} differences have a known cause"
    others = [
        f"{kinds[kind]} {kind}" for kind in DeviationKind if kinds[kind] and not kind.explains
    ]
    return f"{told}; the others: {', '.join(others)}" if others else told


def trust(score: Scoreboard) -> list[tuple[str, pd.DataFrame]]:
    """The tables that say how far the verdicts can be trusted, each with the name of its reading.

    The last one, which needs none, says which cells are not counted.
    """
    return [
        ("trust", rule_tests(score)),
        ("margins", margin_table(score)),
        ("on_file", on_file(score)),
        ("", left_out(score)),
    ]


def _sums(table: pd.DataFrame) -> Counter[str]:
    """The sum of each column of counts."""
    numbers = table.select_dtypes("number")
    return Counter({str(name): int(numbers[name].sum()) for name in numbers})


def rule_tests(score: Scoreboard) -> pd.DataFrame:
    """The tests of the rule of the verdicts over all artefacts, one line per test."""
    shares = (score.wrong, score.wrong_far, score.variants_own, score.variants_wrong)
    return check_page.rule_tests_of(*shares)


def margin_table(score: Scoreboard) -> pd.DataFrame:
    """The number of compared cells with each verdict at several margins, one line per margin."""
    lines = []
    for margin, counts in score.margins.items():
        verdicts = {str(verdict): counts[verdict] for verdict in COMPARED}
        lines.append({"margin": f"{margin:g}", **verdicts})
    return pd.DataFrame(lines)


def left_out(score: Scoreboard) -> pd.DataFrame:
    """The number of published cells that the scoreboard does not count, or that say little."""
    counts = {
        "counted, and agree": score.agreeing,
        f"of these, {CHOSEN}": score.chosen_agreeing,
        "not counted: print a number that another table prints too": score.repeats,
        "not counted: numbers of records, true by construction": score.record_counts,
        **{f"not counted: {verdict}": count for verdict, count in recomputed(score).items()},
    }
    return pd.DataFrame(list(counts.items()), columns=["published cells", "cells"])


def recomputed(score: Scoreboard) -> dict[str, int]:
    """The number of cells that were recomputed from the authors' files, by verdict."""
    counts = _in_all(score.cells)
    return {str(one): counts[one] for one in CellVerdict if one.is_recomputed and counts[one]}


def count_outcomes(verdicts: Iterable[str]) -> dict[str, int]:
    """The number of privacy audits with each outcome that occurs, by outcome.

    A verdict is "holds", or begins with another outcome and a colon, such as "refuted: ...".
    """
    found = Counter(verdict.split(":")[0] for verdict in verdicts)
    return {outcome: found[outcome] for outcome in OUTCOMES if found[outcome]}


def describe_outcomes(verdicts: Iterable[str]) -> str:
    """The number of audits and its split by outcome, such as "3 audits: 2 holds, 1 refuted"."""
    counts = count_outcomes(verdicts)
    split = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    total = sum(counts.values())
    return f"{total} audit{'s' * (total != 1)}: {split or 'none'}"


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
    """The headings of a table, its lines and the sums of its columns; empty without lines."""
    return [*_lines(table), sums(table)] if len(table) else []
