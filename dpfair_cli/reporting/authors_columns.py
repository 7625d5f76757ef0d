"""The values of the authors' program as text: columns of their list, and the note below a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from dpfair_cli.reporting import cell_columns
from dpfair_cli.verdicts.authors.judging import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.verdict import RANKS
from dpfair_cli.verdicts.wording import format_mean

NAME = "authors' program"
BY_OURS, BY_PRINT = "ours and the program", "the program and print"
READING = (
    "The authors published their program, and we ran it once. The rule for published cells, at the "
    "levels of the paper, compares our mean with the value of the program"
)
ON_PRINT = "It also compares the value of the program with the published value"


class Column(NamedTuple):
    """A column of the list of the program's values: its heading, and the text of a value."""

    heading: str
    text: Callable[[JudgedAuthorsValue], str]


def _published(value: JudgedAuthorsValue) -> str:
    cell = value.printed.cell if value.printed else None
    return format_mean(cell.mean, cell.std) if cell else ""


COLUMNS = (
    Column("value", lambda value: value.judged.description),
    Column("ours", lambda value: cell_columns.ours(value.judged)),
    Column("published", _published),
    Column(NAME, lambda value: cell_columns.published(value.judged)),
    Column("runs of the program", lambda value: str(value.judged.sample.runs)),
    Column("ours less the program", lambda value: cell_columns.difference(value.judged)),
    Column(BY_OURS, lambda value: str(value.judged.verdict)),
    Column(BY_PRINT, lambda value: value.verdict_on_print),
)


def columns_of(values: Sequence[JudgedAuthorsValue]) -> list[Column]:
    """The columns that have a text for at least one value."""
    return [one for one in COLUMNS if any(map(one.text, values))]


def describe_rule(values: Sequence[JudgedAuthorsValue]) -> str:
    """The sentences about the two comparisons of a value."""
    in_print = any(one.printed for one in values)
    return f"{READING} (column *{BY_OURS}*)." + (f" {ON_PRINT} (*{BY_PRINT}*)." * in_print)


def describe_program(values: Sequence[JudgedAuthorsValue]) -> str:
    """The sentences about the program: its commit and what was changed; empty without values."""
    if not values:
        return ""
    program = values[0].program
    changes = "; ".join(program.changes) or "nothing"
    where = f"{program.repository} at commit {program.short_commit}"
    return f"Authors' program: {where}, run once by us. Changed to run it: {changes}."


def describe_run(values: Sequence[JudgedAuthorsValue]) -> str:
    """The sentences about our run of the program: command, data, versions and what was not run."""
    if not values:
        return ""
    program = values[0].program
    versions = ", ".join(f"{name} {version}" for name, version in program.versions.items())
    left = "; ".join(f"{one.what} ({one.reason})" for one in program.not_run) or "nothing"
    return (
        f"We ran {program.command}. Data: {'; '.join(program.data)}. Versions: {versions}. "
        f"Licence: {program.licence}. Not run: {left}."
    )


def describe_value(value: JudgedAuthorsValue) -> str:
    """A value of the program with its commit and both verdicts, as text."""
    runs = value.judged.sample.runs
    said = f"{cell_columns.published(value.judged)} ({runs} runs at {value.program.short_commit})"
    on_print = f", next to print {value.verdict_on_print}" if value.printed else ""
    return f"{said}: next to ours {value.judged.verdict}{on_print}"


def summarise(values: Sequence[JudgedAuthorsValue]) -> str:
    """The number of values with each verdict, in words; empty without values."""
    if not values:
        return ""
    ours = _counts(str(one.judged.verdict) for one in values)
    number = f"{len(values)} value{'s' * (len(values) != 1)} of the authors' program"
    found = f"{number}: next to ours {ours}"
    printed = [one.verdict_on_print for one in values if one.printed]
    return f"{found}; next to print {_counts(printed)}" if printed else found


def _counts(verdicts: Iterable[str]) -> str:
    counts = Counter(verdicts)
    ranks = {str(verdict): rank for verdict, rank in RANKS.items()}
    return ", ".join(f"{counts[name]} {name}" for name in sorted(counts, key=ranks.__getitem__))
