"""A draft as the text of a domain file, with what a person should look at as comments."""

from __future__ import annotations

import math

import yaml

from dpfair_cli.contracts.schemas import Categorical, Kind
from dpfair_cli.formats.domain_draft import TableDraft
from dpfair_cli.formats.own_table import TableForm, describe_form


def as_yaml(file: str, draft: TableDraft) -> str:
    """The draft as the text of a domain file."""
    usual, form = TableForm(), draft.form
    said = {name: value for name, value in vars(form).items() if value != getattr(usual, name)}
    said |= {"header": list(form.header)} if form.header else {}
    lines = [
        f"# Drafted from {file} by `dpfair domain`: {describe_form(form)}.",
        "# Ranges, levels and groups below were read from the data: with them, nothing that is learned is private.",
        "# Put what is known without the table in their place (the range that the questionnaire allows, all levels",
        "# that there are), and then say `confirmed: yes`. What is not listed becomes the last level listed, a number",
        "# is clipped to its range. A column that is not named is not used.",
        "confirmed: no",
        *(_entry(name, value) for name, value in said.items()),
        "---",
    ]
    for column in draft.columns:
        lines += [f"# {question}" for question in column.questions if column.kind]
        lines += [
            f"# {column.name}: {column.use}"
            if column.kind is None
            else _entry(column.name, _form(column.kind))
        ]
    return "\n".join(" ".join(line.splitlines()) for line in lines) + "\n"


def _form(kind: Kind) -> dict[str, object]:
    """A column's entry in a domain file."""
    if isinstance(kind, Categorical):
        return {"levels": list(kind.levels)}
    bins = {"bins": [_plain(first) for first, _ in kind.bins]} if kind.bins else {}
    return {"low": _plain(kind.low), "high": _plain(kind.high), **bins}


def _plain(number: float) -> float | int:
    return int(number) if float(number).is_integer() and abs(number) < 2**53 else number


def _entry(name: str, value: object) -> str:
    """One line of YAML."""
    return f"{_flow(name)}: {_flow(value)}"


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, width=math.inf, sort_keys=False
    )
    return text.removesuffix("\n").removesuffix("\n...")
