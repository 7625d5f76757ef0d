"""The values of the authors' program as text: columns of their list, and the note below a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dpfair_cli.reporting.shown import ShownColumn, rows, shown_authors_value
from dpfair_cli.verdicts.authors import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.verdict import RANKS

NAME = "authors' program"
BY_OURS, BY_PRINT = "ours and the program", "the program and print"
READING = (
    "The authors published their program, and we ran it once. The rule for published cells, at the "
    "levels of the paper, compares our mean with the value of the program"
)
ON_PRINT = "It also compares the value of the program with the published value"
COLUMNS = (
    ShownColumn("value", "cell.name"),
    ShownColumn("ours", "cell.default.ours"),
    ShownColumn("published", "published"),
    ShownColumn(NAME, "cell.published"),
    ShownColumn("runs of the program", "cell.judged.sample.runs"),
    ShownColumn("ours less the program", "cell.default.difference"),
    ShownColumn(BY_OURS, "cell.judged.verdict"),
    ShownColumn(BY_PRINT, "on_print"),
)


def table(values: Sequence[JudgedAuthorsValue]) -> tuple[list[str], list[list[str]]]:
    """The headings and the rows of the values; a column without a text is left out."""
    shown = list(map(shown_authors_value, values))
    columns = [one for one in COLUMNS if any(map(one.of, shown))]
    return [one.heading for one in columns], rows(columns, shown)


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
    cell, commit = shown_authors_value(value).cell, value.program.short_commit
    said = f"{cell.published} ({cell.judged.sample.runs} runs at {commit})"
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
