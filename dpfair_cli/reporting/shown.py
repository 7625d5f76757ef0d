"""What is said of a judged cell, claim or artefact, how it looks, and the columns of tables.

A terminal, check.md, the report, JSON, messages of code hosts and explanations have the same texts:
they differ only in their columns and in how a writer arranges them. A column is a heading and what
stands below it for one judged record, which is never copied into another one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter, methodcaller
from typing import Any, NamedTuple

import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.figures.style import COLOURS
from dpfair_cli.verdicts.authors import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.comparison import CellVerdict, Outlook
from dpfair_cli.verdicts.cells.judging import JudgedCell, JudgedVariant
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.deviations.deviation import DeviationKind
from dpfair_cli.verdicts.paper_rule import distinct_columns, distinct_orders
from dpfair_cli.verdicts.scoreboard import JudgedStatement, StatementKind
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.whole_tables import ColumnVerdict, JudgedColumn, JudgedOrder, OrderVerdict
from dpfair_cli.verdicts.wording import format_mean, label

DIGITS = 4  # decimals of a difference
SMALLEST_P = 0.001  # that is printed
MOST_NAMED = 2  # columns with one verdict that a sentence names
SEVERAL = {  # what several columns do
    ColumnVerdict.AGREES: "agree",
    ColumnVerdict.DIFFERS: "differ",
    ColumnVerdict.UNDECIDED: "undecided",
}
FRAGILE = "fragile"
PROGRAM = "authors' program"
GOOD, MIDDLE, BAD, PLAIN = "good", "middle", "bad", ""  # tones: classes of report.css
BY_OURS, BY_PRINT = "ours and the program", "the program and print"


@dataclass(frozen=True)
class Look:
    """The appearance of a verdict.

    Attributes:
        name: its name in a legend.
        tone: its class on a page.
        symbol: its sign in text; empty for what is no verdict on a cell.
        colour: the colour of its mark; empty for a verdict that no picture shows.
        marker: the shape of its mark.
        filled: whether its mark is filled.
    """

    name: str
    tone: str = PLAIN
    symbol: str = ""
    colour: str = ""
    marker: str = ""
    filled: bool = True

    @property
    def mark(self) -> dict[str, Any]:
        """The marker of a verdict as keyword arguments of matplotlib."""
        face = {"markerfacecolor": self.colour if self.filled else "white"}
        return {"fmt": self.marker, "color": self.colour, "markeredgecolor": self.colour, **face}


EXPLAINED = Look("differs, explained", MIDDLE, "≠", COLOURS[3], "s", filled=False)
CELL_LOOKS = {
    CellVerdict.REPRODUCED: Look("reproduced", GOOD, "✓", COLOURS[2], "o"),
    CellVerdict.CONSISTENT: Look("consistent", GOOD, "≈", COLOURS[0], "^"),
    CellVerdict.UNDECIDED: Look("undecided", MIDDLE, "?", COLOURS[4], "D", filled=False),
    CellVerdict.DIFFERS: Look("differs, not explained", BAD, "✗", COLOURS[1], "X"),
    CellVerdict.OTHER_PROTOCOL: Look("not the paper's protocol", symbol="~"),
    CellVerdict.EQUAL_DIGITS: Look("recomputed: equal digits", GOOD, "="),
    CellVerdict.OTHER_DIGITS: Look("recomputed: other digits", MIDDLE, "±"),
    CellVerdict.MISSING: Look("missing", BAD, "!"),
    CellVerdict.NOT_RUN: Look("not run", symbol="–"),
    CellVerdict.NOT_COMPARED: Look("not compared", symbol="·"),
    CellVerdict.RECORD_COUNT: Look("record count", symbol="#"),
}
CLAIM_TONES = {
    ClaimVerdict.HOLDS: GOOD,
    ClaimVerdict.FAILS: BAD,
    ClaimVerdict.UNDECIDED: MIDDLE,
}
LOOKS = list(CELL_LOOKS.values())
LOOKS.insert(CellVerdict.DIFFERS.rank, EXPLAINED)  # before a difference that is not explained
LEGEND = tuple(look for look in LOOKS if look.marker)


def look_of(verdict: CellVerdict, kind: str) -> Look:
    """The look of a verdict on a cell whose deviation is of a kind; `kind` is empty without one.

    A difference whose explanation is only a hypothesis, or open, looks unexplained.
    """
    if verdict is CellVerdict.DIFFERS and kind and DeviationKind(kind).explains:
        return EXPLAINED
    return CELL_LOOKS[verdict]


def look_of_cell(cell: JudgedCell) -> Look:
    """The colour, marker and name for the verdict on a published cell."""
    return look_of(cell.verdict, cell.kind)


def legend_of(symbols: Iterable[str]) -> str:
    """The symbols with their verdicts, from best to worst, as text; each symbol stands once."""
    used = set(symbols)
    return "; ".join(f"{look.symbol} {look.name}" for look in LOOKS if look.symbol in used)


def count_claims(statements: Iterable[JudgedStatement]) -> str:
    """The number of claims of each kind with each verdict, in words; empty without claims."""
    found = Counter((one.kind, one.verdict) for one in statements)
    told = []
    for kind in StatementKind:
        counts = [f"{found[kind, one]} {one}" for one in ClaimVerdict if found[kind, one]]
        told += [f"{kind}: {', '.join(counts)}"] if counts else []
    return "; ".join(told)


def tone_of_claim(claim: JudgedClaim) -> str:
    """The CSS class of the verdict on a claim."""
    return CLAIM_TONES.get(claim.verdict, PLAIN)


def looks_by_text() -> dict[str, Look]:
    """The look of each verdict on a cell, by its text in tables, such as "differs (data)"."""
    found = {str(verdict): look for verdict, look in CELL_LOOKS.items()}
    differs = CellVerdict.DIFFERS  # the only verdict whose look depends on its deviation
    undecided = CellVerdict.UNDECIDED
    found |= {f"{undecided} ({outlook})": CELL_LOOKS[undecided] for outlook in Outlook}
    return found | {f"{differs} ({kind})": look_of(differs, kind) for kind in DeviationKind}


def tones_by_text() -> dict[str, str]:
    """The class on a page of each verdict on a cell, by its text in tables."""
    return {word: look.tone for word, look in looks_by_text().items()}


class ShownColumn(NamedTuple):
    """A column of a table of judged records.

    Attributes:
        heading: the heading, which in JSON is the key.
        of: the value below it, of one record.
        css_class: the class of the cells of the column in the report.
        kind: what the cells are there: "link" to a deviation, "strip", or text if empty. A text
            without a class has the class of its tone if it is a verdict.
    """

    heading: str
    of: Callable[[Any], Any]
    css_class: str = ""
    kind: str = ""


@dataclass(frozen=True, eq=False)
class ReportedArtefact:
    """The verdicts on an artefact, and its table, which for a figure is folded below it."""

    verdicts: Verdicts
    table: Table

    @property
    def spec(self) -> Spec:
        """The spec of the artefact."""
        return self.verdicts.spec

    @property
    def picture(self) -> str:
        """The path of the artefact's figure relative to the report; empty for a table."""
        name = self.spec.layout.picture
        return f"{self.spec.artefact}/{name}" if name else ""


def rows(columns: Sequence[ShownColumn], judged: Iterable[Any]) -> list[list[Any]]:
    """A row for each record, with the value of each column."""
    found = []
    for record in judged:
        value = methodcaller("of", record)
        found.append(list(map(value, columns)))
    return found


def ours(variant: JudgedVariant) -> str:
    """Our mean with its standard deviation."""
    return format_mean(variant.ours.mean, variant.ours.std)


def difference(variant: JudgedVariant) -> str:
    """Our mean minus the published mean, with its sign."""
    # the sign of a difference that rounds to zero is plus: + 0.0 removes the minus of -0.0
    return f"{round(variant.comparison.signed, DIGITS) + 0.0:+.{DIGITS}f}"


def interval(variant: JudgedVariant) -> str:
    """Half the width of the 90 % interval of the difference; empty if it is unknown."""
    width = variant.comparison.half_width
    return "" if math.isnan(width) else f"{width:.{DIGITS}f}"


def rival(variant: JudgedVariant) -> str:
    """The value of another method or a constant that is nearest to the published value."""
    nearest = variant.decision.nearest_rival
    return "" if nearest is None else f"{nearest:.{DIGITS}f}"


def half_gap(variant: JudgedVariant) -> str:
    """Half the distance from the published value to the nearest rival."""
    has_rival = variant.decision.nearest_rival is not None
    return f"{variant.decision.gap / 2:.{DIGITS}f}" if has_rival else ""


def short(variant: JudgedVariant) -> str:
    """Our mean alone, with four decimals."""
    return f"{variant.ours.mean:.4f}"


def by_default(text: Callable[[JudgedVariant], Any], missing: Any = "") -> Callable[..., Any]:
    """What `text` says of the default variant of a cell; `missing` if nothing was compared."""

    def of(cell: JudgedCell) -> Any:
        return text(cell.default) if cell.default else missing

    return of


def published(cell: JudgedCell) -> str:
    """The published mean with its standard deviation."""
    return format_mean(cell.published.mean, cell.published.std)


def short_published(cell: JudgedCell) -> str:
    """The published mean alone, with four decimals."""
    return f"{cell.published.mean:.4f}"


def reason(cell: JudgedCell) -> str:
    """The cause, what would decide the cell, or that a deviation is lacking."""
    return cell.cause or cell.remedy or ("not in deviations.yaml" if cell.is_unexplained else "")


def in_message(cell: JudgedCell) -> str:
    """A cell with its verdict, our value and the published value, for a message."""
    mine = by_default(ours, "no run")(cell)
    numbers = f"ours {mine}, published {cell.published.mean:g}"
    return f"{cell.description}: {cell.full_verdict}: {numbers}"


def _titled(claim: JudgedClaim) -> str:
    """The id of a part of a claim, and our addition."""
    part = claim.part
    return f"{part.id} (ours: {part.ours})" if part.ours else part.id


def _printed(value: JudgedAuthorsValue) -> str:
    """What the paper prints in the place of a value of the authors' program; may be empty."""
    cell = value.printed
    return format_mean(cell.mean, cell.std) if cell else ""


def _of_value(text: Callable[[JudgedCell], Any]) -> Callable[[JudgedAuthorsValue], Any]:
    """What `text` says of a value of the authors' program as if the paper printed it."""
    return lambda value: text(value.judged)


def _would_decide(cell: JudgedCell) -> str:
    """What would decide an undecided cell, or that a difference is fragile."""
    return FRAGILE if cell.is_fragile else cell.remedy


CELL_COLUMNS = (
    ShownColumn("cell", attrgetter("description"), "words"),
    ShownColumn("ours", by_default(ours)),
    ShownColumn("published", published),
    ShownColumn("difference", by_default(difference)),
    ShownColumn("± of the 90 % interval", by_default(interval)),
    ShownColumn("nearest rival", by_default(rival)),
    ShownColumn("half its distance", by_default(half_gap)),
    ShownColumn("verdict", attrgetter("full_verdict")),
    ShownColumn("would decide", _would_decide, "words"),
    ShownColumn("nearest variant", lambda cell: cell.nearest.label if cell.nearest else ""),
)
CLAIM_COLUMNS = (
    ShownColumn("id", _titled),
    ShownColumn("claim", attrgetter("part.claim.claim")),
    ShownColumn("quotation", attrgetter("part.claim.quote")),
    ShownColumn("place", attrgetter("part.claim.place")),
    ShownColumn("verdict", attrgetter("full_verdict")),
    ShownColumn("reason", attrgetter("reason")),
    ShownColumn("read as", attrgetter("part.reads")),
    ShownColumn("since", attrgetter("part.since")),
)
AUTHORS_COLUMNS = (
    ShownColumn("value", attrgetter("judged.description")),
    ShownColumn("ours", _of_value(by_default(ours))),
    ShownColumn("published", _printed),
    ShownColumn(PROGRAM, _of_value(published)),
    ShownColumn("runs of the program", attrgetter("judged.sample.runs")),
    ShownColumn("ours less the program", _of_value(by_default(difference))),
    ShownColumn(BY_OURS, attrgetter("judged.verdict")),
    ShownColumn(BY_PRINT, attrgetter("verdict_on_print")),
)


def authors_table(values: Sequence[JudgedAuthorsValue]) -> tuple[list[str], list[list[str]]]:
    """The headings and the rows of the values; a column without a text is left out."""
    columns = [one for one in AUTHORS_COLUMNS if any(map(one.of, values))]
    return [one.heading for one in columns], rows(columns, values)


def describe_program(values: Sequence[JudgedAuthorsValue]) -> str:
    """The sentences about the program: its commit and what was changed; empty without values."""
    if not values:
        return ""
    program = values[0].program
    changes = "; ".join(program.changes) or "nothing"
    where = f"{program.repository} at commit {program.short_commit}"
    return f"Authors' program: {where}, run once by us. Changed to run it: {changes}."


def describe_value(value: JudgedAuthorsValue) -> str:
    """A value of the program with its commit and both verdicts, as text."""
    runs = f"{value.judged.sample.runs} runs at {value.program.short_commit}"
    on_print = f", next to print {value.verdict_on_print}" if value.printed else ""
    return f"{published(value.judged)} ({runs}): next to ours {value.judged.verdict}{on_print}"


def count_values(values: Sequence[JudgedAuthorsValue]) -> str:
    """The number of values with each verdict, in words; empty without values."""
    if not values:
        return ""
    by_ours = _counts(str(one.judged.verdict) for one in values)
    number = f"{len(values)} value{'s' * (len(values) != 1)} of the {PROGRAM}"
    found = f"{number}: next to ours {by_ours}"
    by_print = [one.verdict_on_print for one in values if one.printed]
    return f"{found}; next to print {_counts(by_print)}" if by_print else found


def _counts(verdicts: Iterable[str]) -> str:
    """The number of each verdict, from best to worst, as text."""
    counts = Counter(verdicts)
    return ", ".join(f"{counts[name]} {name}" for name in CellVerdict if name in counts)


def describe_tables(verdicts: Verdicts) -> list[str]:
    """The orders and the columns of an artefact, a sentence each; none without any."""
    named: dict[ColumnVerdict, list[str]] = {}
    for column in verdicts.columns:
        words = f"{column.method} {label(column.metric, verdicts.spec)}"
        named.setdefault(column.verdict, []).append(words)
    told = [f"{SEVERAL[one]} {_listed(named[one])}" for one in ColumnVerdict if one in named]
    columns = f"Columns: {'; '.join(told)}." if told else ""
    return [*filter(None, (_of_orders(verdicts.orders), columns))]


def count_tables(artefacts: Sequence[Verdicts]) -> list[str]:
    """The same of several artefacts, by numbers alone; what two tables print counts once."""
    counts = Counter(column.verdict for _, column in distinct_columns(artefacts))
    told = ", ".join(f"{counts[one]} {SEVERAL[one]}" for one in ColumnVerdict if counts[one])
    columns = f"Columns: {told}." if told else ""
    orders = _of_orders([order for _, order in distinct_orders(artefacts)])
    return [*filter(None, (orders, columns))]


def _of_orders(orders: Sequence[JudgedOrder]) -> str:
    """The number of orders with each verdict, in words."""
    if not orders:
        return ""
    counts = Counter(order.verdict for order in orders)
    told = [f"{counts[verdict]} {verdict}" for verdict in OrderVerdict if counts[verdict]]
    return f"Order of methods: {', '.join(told)}."


def _listed(names: Sequence[str]) -> str:
    """The names, or how many there are if they are many: "3 (LR accuracy, LR RD, FairLR RD)"."""
    rest = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return f"{len(names)} ({shown}{f' and {rest} more' if rest > 0 else ''})"


def orders_table(orders: Iterable[JudgedOrder]) -> pd.DataFrame:
    """The orders that are not confirmed, a line each."""
    lines = [
        {
            "printed higher": order.higher.description,
            "than": order.lower.published.method,
            "printed difference": _signed(order.higher.published.mean - order.lower.published.mean),
            "ours": _signed(order.difference),
            "p": _p(order.p_values),
            "verdict": str(order.verdict),
        }
        for order in orders
        if order.verdict is not OrderVerdict.CONFIRMED
    ]
    return pd.DataFrame(lines)


def columns_table(columns: Iterable[JudgedColumn], spec: Spec) -> pd.DataFrame:
    """The columns of an artefact, a line each."""
    lines = [
        {
            "method": column.method,
            "score": label(column.metric, spec),
            "cells": len(column.cells),
            "distance in margins": f"{column.distance:.2f}",
            "p": _p(column.p_values),
            "verdict": str(column.verdict),
        }
        for column in columns
    ]
    return pd.DataFrame(lines)


def _signed(difference: float) -> str:
    return f"{round(difference, DIGITS) + 0.0:+.{DIGITS}f}"  # + 0.0 removes the minus of a zero


def _p(p_values: Sequence[float]) -> str:
    """The smaller p-value, for or against, as text; values below 0.001 are not told apart."""
    smaller = min(p_values)
    return f"< {SMALLEST_P}" if smaller < SMALLEST_P else f"{smaller:.3f}"
