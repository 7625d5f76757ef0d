"""What a user should see of their own table before anything runs: what was understood, and what looks odd."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.schemas import Categorical
from dpfair_cli.formats.domain_draft import (
    MOST_GROUPS,
    MOST_LEVELS,
    SOME_LEVELS,
    question_of_label,
    questions_of_texts,
)
from dpfair_cli.formats.own_people import PeopleSchema, read_people, read_schema
from dpfair_cli.formats.own_table import describe_form, read_heading
from dpfair_cli.kinds.people import Records
from dpfair_cli.models.tabular.encoding import Encoding

BOUNDS = {"public": "public, by your word", "data": "read from the data: nothing is private"}


@dataclass(frozen=True)
class Sheet:
    """Facts by name, questions, and the table as the methods get it."""

    facts: dict[str, str]
    questions: tuple[str, ...]
    records: Records


def people_sheet(*, file: str, label: str, protected: str, positive: str, domain: str, encoding: Encoding) -> Sheet:
    """The sheet of a user's own table of people; its counts are exact.

    Raises:
        DpfairError: the table cannot be read.
    """
    known = read_schema(file, label, protected, positive, domain)
    records = read_people(file, known, encoding=encoding)
    return Sheet(_facts(file, known, records), tuple(_questions(known, records, said=bool(positive))), records)


def _facts(file: str, known: PeopleSchema, records: Records) -> dict[str, str]:
    schema = known.schema
    yes, n = int(records.y.sum()), len(records)
    groups = np.bincount(records.protected, minlength=len(schema.groups))
    counts = [f"{name} {count:,}" for name, count in zip(schema.groups, groups, strict=True)]
    shown = counts if len(counts) <= MOST_GROUPS else [*counts[:MOST_GROUPS], f"and {len(counts) - MOST_GROUPS} more"]
    unused = [name for name in read_heading(file, known.form) if name not in {*known.kinds, schema.label}]
    columns = f"{len(schema.attributes)} columns" + (f"; not used: {', '.join(unused)}" if unused else "")
    return {
        "file": f"{n:,} rows, none left out; {describe_form(known.form)}",
        "label": f"{schema.label}: {schema.positive!r} is favourable, {yes:,} rows; all else is not, {n - yes:,} rows",
        "groups": f"{schema.protected}: {', '.join(shown)}",
        "features": f"{len(records.columns)} after encoding, of {columns}",
        "bounds": BOUNDS[schema.bounds],
    }


def _questions(known: PeopleSchema, records: Records, *, said: bool) -> Iterator[str]:
    """What looks odd; with a confirmed domain file a person has said which label is favourable."""
    schema = known.schema
    if not said and schema.bounds == "data":
        yield from question_of_label(schema.label, schema.labels)
    if len(schema.groups) > MOST_GROUPS:
        way_out = "name a column with few, or give it bins in a domain file"
        yield f"{schema.protected} makes {len(schema.groups)} groups: {way_out}"
    for name, kind in known.kinds.items():
        if isinstance(kind, Categorical):
            yield from questions_of_texts(name, kind.levels)
            if len(kind.levels) > max(SOME_LEVELS, min(MOST_LEVELS, len(records) / 2)) and name != schema.protected:
                rest = "a name, a date or an identifier? a domain file leaves it out"
                yield f"{name} makes {len(kind.levels)} of {len(records.columns)} features: {rest}"
