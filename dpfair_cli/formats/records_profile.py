"""What a user should see of their own table of records before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from dpfair_cli.contracts.schemas import Categorical, Numeric
from dpfair_cli.formats.domain_draft import (
    MOST_GROUPS,
    MOST_LEVELS,
    SOME_LEVELS,
    question_of_label,
    question_of_range,
    questions_of_texts,
)
from dpfair_cli.formats.own_records import RecordsSchema, encoded, read_schema
from dpfair_cli.formats.own_table import describe_form, nameless, read_columns, read_heading
from dpfair_cli.formats.table_profile import (
    BOUNDS,
    TableProfile,
    describe_outside,
    in_short,
    not_used,
    questions_of_identifiers,
)
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding
from dpfair_cli.models.tabular.made_up_records import made_up_records
from dpfair_cli.models.tabular.outside_values import as_number, count_outside

MOST_PEOPLE = 1000  # made up


def records_profile(
    *, file: str, label: str, protected: str, positive: str, domain: str, encoding: Encoding
) -> TableProfile:
    """The profile of a user's own table of records; its counts are exact.

    Raises:
        DpfairError: the table cannot be read.
    """
    known = read_schema(file, label, protected, positive, domain)
    heading = read_heading(file, known.form)
    frame = read_columns(file, (*known.kinds, known.schema.label), known.form)
    records = encoded(frame, known, encoding=encoding)
    questions = (
        *_questions(known, records, said=bool(positive)),
        *_odd_columns(known, frame, heading),
    )
    stand_in = partial(made_up_records, records.domain, min(len(records), MOST_PEOPLE))
    facts = _facts(heading, known, records) | (
        {"outside": _outside(frame, known)} if domain else {}
    )
    return TableProfile(facts, questions, lambda rng: stand_in(rng=rng))


def _facts(heading: list[str], known: RecordsSchema, records: Records) -> dict[str, str]:
    schema = known.schema
    yes, n = int(records.y.sum()), len(records)
    groups = np.bincount(records.protected, minlength=len(schema.groups))
    counts = [f"{name} {count:,}" for name, count in zip(schema.groups, groups, strict=True)]
    unused = [name for name in heading if name not in {*known.kinds, schema.label}]
    columns = f"{len(schema.attributes)} columns{not_used(unused)}"
    return {
        "file": f"{n:,} rows, none left out; {describe_form(known.form)}",
        "label": f"{schema.label}: {schema.positive!r} is favourable, {yes:,} rows; all else is not, {n - yes:,} rows",
        "groups": f"{schema.protected}: {in_short(counts)}",
        "features": f"{len(records.columns)} after encoding, of {columns}",
        "bounds": BOUNDS[schema.bounds],
    }


def _outside(frame: pd.DataFrame, known: RecordsSchema) -> str:
    """How much of the table its domain file does not know: said of every table, so that its lines
    say nothing else.
    """
    schema = known.schema
    named = schema.labels[0] != f"not {schema.positive}"  # else any other label is as good
    kinds = known.kinds | ({schema.label: Categorical(schema.labels)} if named else {})
    return describe_outside(count_outside(frame, kinds), len(frame) * len(kinds))


def _questions(known: RecordsSchema, records: Records, *, said: bool) -> Iterator[str]:
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
            if (
                len(kind.levels) > max(SOME_LEVELS, min(MOST_LEVELS, len(records) / 2))
                and name != schema.protected
            ):
                rest = "a name, a date or an identifier? a domain file leaves it out"
                yield f"{name} makes {len(kind.levels)} of {len(records.columns)} features: {rest}"


def _odd_columns(known: RecordsSchema, frame: pd.DataFrame, heading: list[str]) -> Iterator[str]:
    """What looks odd about the cells of a table whose columns nobody has chosen."""
    if known.schema.bounds == "data":
        columns = {name: frame[name].tolist() for name in known.schema.attributes}
        yield from questions_of_identifiers(columns, nameless(heading, known.form))
        numbers = {
            name: columns[name]
            for name, kind in known.schema.attributes.items()
            if isinstance(kind, Numeric)
        }
        for name, cells in numbers.items():
            yield from question_of_range(
                name, [number for number in map(as_number, cells) if math.isfinite(number)]
            )
