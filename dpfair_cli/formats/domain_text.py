"""Writes domain files: a draft, the file in which the user confirms a draft, and the ledger mark.

A draft holds nothing of the data but the ranges and levels that it proposes. What the user should
know about the data is printed and stands in no file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.schemas import Categorical, ColumnType
from dpfair_cli.formats.domain_draft import TableDraft
from dpfair_cli.formats.domain_file import DRAFT_MARK, LEDGER_MARK, DomainFile
from dpfair_cli.formats.user_table import TableForm, describe_form

INTRODUCTION = """\
# Ranges, levels and groups below were read from the private data, and no fit with them is private.
# Replace them with facts that are public without the table (the range that the questionnaire
# allows, all levels that exist), and then run `dpfair domain --confirm FILE`. A value that is not
# listed becomes the last listed level, and a number is clipped to its range. A column without an
# entry is not used."""
EXACT_INTEGERS = 2**53  # every whole number up to this one is a float


def draft_text(draft: TableDraft) -> str:
    """The text of a domain file for a draft; `read_domain` reads the text."""
    types = {column.name: column.type for column in draft.columns if column.type is not None}
    lines = [f"{DRAFT_MARK}: {describe_form(draft.form)}.", *INTRODUCTION.splitlines()]
    return _text([*lines, "confirmed: no"], types, draft.form)


def confirmed_text(domain: DomainFile) -> str:
    """The text of a confirmed domain file without remarks."""
    return text_about_data(replace(domain, confirmed=True))


def text_about_data(domain: DomainFile) -> str:
    """What a domain file says about the data, without remarks and without the ledger mark."""
    confirmed = "yes" if domain.confirmed else "no"
    return _text([f"confirmed: {confirmed}"], domain.columns, domain.form)


def marked_text(text: str) -> str:
    """The text of a domain file with the mark of a privacy ledger in its first part.

    Everything else stays as it is, with comments and layout.

    Raises:
        DpfairError: the layout of the first part is unusual.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    order = text[: text.startswith("\ufeff")]  # a byte order mark stays the first sign
    body, mark = text.removeprefix(order), f"{LEDGER_MARK}{end}"
    parts = _parts(body)
    first = parts[0] if len(parts) == 2 else {}
    wanted = [_parts(mark)[0] | first, *parts[-1:]]
    for candidate in (
        f"{mark}{body}",
        f"{mark}---{end}{body}",
        re.sub(r"(?m)^(---.*\n)", rf"\1{mark}", body, count=1),
    ):
        if _parts(candidate) == wanted:
            return f"{order}{candidate}"
    raise DpfairError(
        f"cannot be marked by a line `{LEDGER_MARK}`: write above the line `---` one key a line, "
        "such as `confirmed: yes`, from the first column on"
    )


def _parts(text: str) -> list[Any]:
    """The parts of the text of a domain file; empty for a text that is not YAML."""
    try:
        return list(yaml.load_all(text, Loader=yaml.BaseLoader))
    except yaml.YAMLError:
        return []


def _text(head: list[str], types: Mapping[str, ColumnType], form: TableForm) -> str:
    """The text of a domain file that begins with the lines `head`."""
    usual = TableForm()
    said = {name: value for name, value in vars(form).items() if value != getattr(usual, name)}
    if form.header:
        said["header"] = list(form.header)
    lines = [*head, *(_entry(name, value) for name, value in said.items()), "---"]
    lines += [_entry(name, _content(column_type)) for name, column_type in types.items()]
    return "\n".join(" ".join(line.splitlines()) for line in lines) + "\n"


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
