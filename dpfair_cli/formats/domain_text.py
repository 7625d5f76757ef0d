"""Writes a drafted domain file, with questions to the user as comments."""

from __future__ import annotations

import math

import yaml

from dpfair_cli.contracts.schemas import Categorical, ColumnType
from dpfair_cli.formats.domain_draft import ColumnDraft, TableDraft
from dpfair_cli.formats.user_table import TableForm, describe_form

INTRODUCTION = """\
# Ranges, levels and groups below were read from the private data, and no fit with them is private.
# Replace them with facts that are public without the table (the range that the questionnaire
# allows, all levels that exist), and then write `confirmed: yes`. A value that is not listed
# becomes the last listed level, and a number is clipped to its range. A column without an entry is
# not used."""
EXACT_INTEGERS = 2**53  # every whole number up to this one is a float


def as_yaml(file: str, draft: TableDraft) -> str:
    """The text of a domain file for a draft; `read_domain` reads the text."""
    usual, form = TableForm(), draft.form
    said = {name: value for name, value in vars(form).items() if value != getattr(usual, name)}
    if form.header:
        said["header"] = list(form.header)
    lines = [f"# Drafted from {file} by `dpfair domain`: {describe_form(form)}."]
    lines += INTRODUCTION.splitlines()
    lines.append("confirmed: no")
    lines += [_entry(name, value) for name, value in said.items()]
    lines.append("---")
    for column in draft.columns:
        lines += _column(column)
    return "\n".join(" ".join(line.splitlines()) for line in lines) + "\n"


def _column(column: ColumnDraft) -> list[str]:
    """The lines of a domain file about a column: questions as comments, then the entry."""
    if column.type is None:
        return [f"# {column.name}: {column.use}"]
    questions = [f"# {question}" for question in column.questions]
    return [*questions, _entry(column.name, _content(column.type))]


def _content(column_type: ColumnType) -> dict[str, object]:
    """The entry of a column in a domain file."""
    if isinstance(column_type, Categorical):
        return {"levels": list(column_type.levels)}
    bins = [_plain(first) for first, _ in column_type.bins]
    ends = {"low": _plain(column_type.low), "high": _plain(column_type.high)}
    return {**ends, "bins": bins} if bins else {**ends}


def _plain(number: float) -> float | int:
    """The same number, as an int if it is whole."""
    whole = float(number).is_integer() and abs(number) < EXACT_INTEGERS
    return int(number) if whole else number


def _entry(name: str, value: object) -> str:
    """One line of YAML, `name: value`."""
    return f"{_flow(name)}: {_flow(value)}"


def _flow(value: object) -> str:
    """A value as YAML on one line."""
    text: str = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, width=math.inf, sort_keys=False
    )
    return text.removesuffix("\n").removesuffix("\n...")
