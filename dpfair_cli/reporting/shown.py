"""What is shown of a judged cell and of a judged claim, and the columns that tables choose of it.

Each record is made once of a judged cell or claim. A terminal, check.md, the report, JSON, messages
of code hosts and explanations show the same fields: they differ only in the columns they choose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

from dpfair_cli.reporting.looks import SYMBOLS, look_of, tone_of_claim
from dpfair_cli.verdicts.authors import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.judged import JudgedCell, JudgedVariant
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.wording import format_mean

DIGITS = 4  # decimals of a difference


class ShownColumn(NamedTuple):
    """A column of a table of shown records: its heading and a field of the records."""

    heading: str
    """The heading, which in JSON is the key."""

    field: str
    """The field, such as "verdict"; "default.ours" is a field of a field."""

    css_class: str = ""
    """The class of the cells of the column in the report."""

    def of(self, shown: Any) -> Any:
        """The value of the column for one record."""
        return attrgetter(self.field)(shown)


@dataclass(frozen=True)
class ShownVariant:
    """Our runs of a cell under one variant of its method; texts are empty without runs."""

    name: str = ""
    """The name of the variant, or "default"."""

    ours: str = ""
    """Our mean with its standard deviation."""

    short: str = ""
    """Our mean alone, with four decimals."""

    difference: str = ""
    """Our mean minus the published mean, with its sign."""

    interval: str = ""
    """Half the width of the 90 % interval of the difference; empty if it is unknown."""

    rival: str = ""
    """The value of another method or a constant that is nearest to the published value."""

    half_gap: str = ""
    """Half the distance from the published value to the nearest rival."""

    verdict: str = ""
    """The verdict on the cell under the variant."""

    tone: str = ""
    """The CSS class of this verdict."""

    mean: float = math.nan
    """Our mean."""

    std: float = math.nan
    """The standard deviation of our runs."""

    runs: float = math.nan
    """The number of our runs; NaN, as in JSON, without runs."""


@dataclass(frozen=True)
class ShownCell:
    """A published cell with our value and its verdict."""

    judged: JudgedCell
    """The cell itself, for what is decided by it and not shown."""

    name: str
    """The name of the cell, such as "adult, PFLR, epsilon 0.1, accuracy"."""

    published: str
    """The published mean with its standard deviation."""

    short: str
    """The published mean alone, with four decimals."""

    default: ShownVariant
    """Our runs under the default variant, with empty texts if nothing was compared."""

    verdict: str
    """The verdict with the kind of the deviation, such as "differs (variant)"."""

    remedy: str
    """What would decide an undecided cell."""

    nearest: str
    """The variant whose mean is nearest to the published value; empty without two variants."""

    cause: str
    """The cause from the deviation, or the hint for a cell without runs."""

    tone: str
    """The CSS class of the verdict."""

    symbol: str
    """The symbol of the verdict in texts without colours."""

    @property
    def reason(self) -> str:
        """The cause, what would decide the cell, or that a deviation is lacking."""
        missing = "not in deviations.yaml" if self.judged.is_unexplained else ""
        return self.cause or self.remedy or missing

    @property
    def numbers(self) -> str:
        """Our value and the published value in a message."""
        return f"ours {self.default.ours or 'no run'}, published {self.judged.published.mean:g}"


@dataclass(frozen=True)
class ShownClaim:
    """A part of a claim with its verdict."""

    judged: JudgedClaim
    """The claim itself, for what is decided by it and not shown."""

    name: str
    """The id of the part."""

    sentence: str
    """The sentence of the paper, in short."""

    quote: str
    """The quotation."""

    place: str
    """The place of the quotation in the paper."""

    ours: str
    """Our addition to the claim, and the reason; empty for the paper's own claim."""

    verdict: str
    """The verdict with the kind of the deviation, such as "fails (open)"."""

    reason: str
    """The numbers that decide the verdict, or why the part was not tested."""

    reads: str
    """The number that stands for a vague word of the paper."""

    since: str
    """The change of the part after its runs existed, and the reason."""

    cause: str
    """The cause from the deviation; empty without one."""

    tone: str
    """The CSS class of the verdict."""

    @property
    def titled(self) -> str:
        """The id of the part, and our addition."""
        return f"{self.name} (ours: {self.ours})" if self.ours else self.name


@dataclass(frozen=True)
class ShownAuthorsValue:
    """A value of the authors' program, shown as a cell whose published value it is."""

    cell: ShownCell
    """The value next to our runs."""

    published: str
    """The value that the paper prints at the same place; empty if it prints none."""

    on_print: str
    """The verdict on the value of the program next to the published value."""


def shown_cell(cell: JudgedCell) -> ShownCell:
    """What is shown of a published cell."""
    return ShownCell(
        judged=cell,
        name=cell.description,
        published=format_mean(cell.published.mean, cell.published.std),
        short=f"{cell.published.mean:.4f}",
        default=shown_variant(cell.default) if cell.default else ShownVariant(),
        verdict=cell.full_verdict,
        remedy=cell.remedy,
        nearest=cell.nearest.label if cell.nearest else "",
        cause=cell.cause,
        tone=look_of(cell.verdict, cell.kind).tone,
        symbol=SYMBOLS[cell.verdict],
    )


def shown_variant(variant: JudgedVariant) -> ShownVariant:
    """What is shown of our runs of a cell under a variant."""
    ours, comparison, decision = variant.ours, variant.comparison, variant.decision
    width, rival = comparison.half_width, decision.nearest_rival
    return ShownVariant(
        name=variant.name or "default",
        ours=format_mean(ours.mean, ours.std),
        short=f"{ours.mean:.4f}",
        # the sign of a difference that rounds to zero is plus: + 0.0 removes the minus of -0.0
        difference=f"{round(comparison.signed, DIGITS) + 0.0:+.{DIGITS}f}",
        interval="" if math.isnan(width) else f"{width:.4f}",
        rival="" if rival is None else f"{rival:.{DIGITS}f}",
        half_gap="" if rival is None else f"{decision.gap / 2:.{DIGITS}f}",
        verdict=str(variant.verdict),
        tone=look_of(variant.verdict, "").tone,
        mean=ours.mean,
        std=ours.std,
        runs=ours.runs,
    )


def shown_claim(claim: JudgedClaim) -> ShownClaim:
    """What is shown of a part of a claim."""
    part, whole = claim.part, claim.part.claim
    return ShownClaim(
        judged=claim,
        name=part.id,
        sentence=whole.claim,
        quote=whole.quote,
        place=whole.place,
        ours=part.ours,
        verdict=claim.full_verdict,
        reason=claim.reason,
        reads=part.reads,
        since=part.since,
        cause=claim.cause,
        tone=tone_of_claim(claim),
    )


def shown_authors_value(value: JudgedAuthorsValue) -> ShownAuthorsValue:
    """What is shown of a value of the authors' program."""
    printed = value.printed
    return ShownAuthorsValue(
        cell=shown_cell(value.judged),
        published=format_mean(printed.mean, printed.std) if printed else "",
        on_print=value.verdict_on_print,
    )


CELL_COLUMNS = (
    ShownColumn("cell", "name", "words"),
    ShownColumn("ours", "default.ours"),
    ShownColumn("published", "published"),
    ShownColumn("difference", "default.difference"),
    ShownColumn("± of the 90 % interval", "default.interval"),
    ShownColumn("nearest rival", "default.rival"),
    ShownColumn("half its distance", "default.half_gap"),
    ShownColumn("verdict", "verdict"),
    ShownColumn("would decide", "remedy", "words"),
    ShownColumn("nearest variant", "nearest"),
)
CLAIM_COLUMNS = (
    ShownColumn("id", "titled"),
    ShownColumn("claim", "sentence"),
    ShownColumn("quotation", "quote"),
    ShownColumn("place", "place"),
    ShownColumn("verdict", "verdict"),
    ShownColumn("reason", "reason"),
    ShownColumn("read as", "reads"),
    ShownColumn("since", "since"),
)


def rows(columns: Sequence[ShownColumn], shown: Iterable[Any]) -> list[list[Any]]:
    """A row for each record, with the value of each column."""
    getters = [attrgetter(one.field) for one in columns]
    return [[get(record) for get in getters] for record in shown]


def as_records(columns: Sequence[ShownColumn], shown: Iterable[Any]) -> list[dict[str, Any]]:
    """A mapping from headings to values for each record, as JSON has it."""
    headings = [one.heading for one in columns]
    return [dict(zip(headings, row, strict=True)) for row in rows(columns, shown)]
