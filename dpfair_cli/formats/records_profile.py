"""The profile of a user's table of records, shown before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.formats.domain_draft import (
    MOST_GROUPS,
    MOST_LEVELS,
    SOME_LEVELS,
    question_of_label,
    question_of_range,
    questions_of_texts,
)
from dpfair_cli.formats.domain_fit import questions_of_domain_fit
from dpfair_cli.formats.table_profile import (
    BOUNDS,
    TableProfile,
    describe_outside,
    in_short,
    not_used,
    questions_of_identifiers,
)
from dpfair_cli.formats.telling_columns import questions_of_telling_columns
from dpfair_cli.formats.user_records import RecordsSchema, read_user_records
from dpfair_cli.formats.user_table import describe_form, nameless, read_heading
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.distinct_texts import DistinctTexts, texts_of_columns
from dpfair_cli.models.tabular.encoding import Encoding
from dpfair_cli.models.tabular.made_up_records import made_up_records
from dpfair_cli.models.tabular.outside_values import as_number, count_outside

FEW_ROWS = 15  # of fewer rows, less than three are tested
NORMAL_QUANTILE = 1.645  # half of a 90 % interval, in standard errors
TEST_PART = 0.2  # the share of the records that `train` and `sweep` test by default
MOST_RECORDS = 1000  # records of the made-up data: enough for every method, and fast


def records_profile(
    *, file: str, label: str, protected: str, positive: str, domain: str, encoding: Encoding
) -> TableProfile:
    """The profile of a user's table of records; the counts in the profile are exact.

    Raises:
        DpfairError: the table cannot be read.
    """
    table = read_user_records(file, label, protected, positive, domain)
    known, cells = table.known, table.cells
    heading = read_heading(file, known.form)
    records = table.encoded(encoding)
    texts = texts_of_columns(cells)
    features = {name: texts[name] for name in known.column_types}
    questions = (
        *_questions(known, records, positive),
        *_questions_of_cells(known, cells, heading),
        *questions_of_telling_columns(features, records.y),
    )
    facts = _facts(heading, known, records)
    if domain:
        # without a domain file the schema is that of the cells, and no cell is outside
        facts["outside"] = _outside(texts, known)
        questions = (*questions_of_domain_fit(texts, known), *questions)
    stand_in = partial(made_up_records, records.domain, min(len(records), MOST_RECORDS))
    return TableProfile(facts, questions, lambda rng: stand_in(rng=rng), records=len(records))


def _facts(heading: Sequence[str], known: RecordsSchema, records: Records) -> dict[str, str]:
    """The interpretation of a user's file, label, groups and features, as texts by name.

    `heading` are the names of the columns of the file, and `known` is the schema of the columns
    that are used.
    """
    schema = known.schema
    yes, n = int(records.y.sum()), len(records)
    groups = np.bincount(records.protected, minlength=len(schema.groups))
    counts = [f"{name} {count:,}" for name, count in zip(schema.groups, groups, strict=True)]
    unused = [name for name in heading if name not in {*known.column_types, schema.label}]
    columns = f"{len(schema.attributes)} columns{not_used(unused)}"
    favourable = f"{schema.positive!r} is favourable, {yes:,} rows"
    return {
        "file": f"{n:,} rows, none left out; {describe_form(known.form)}",
        "label": f"{schema.label}: {favourable}; all other labels are not, {n - yes:,} rows",
        "groups": f"{schema.protected}: {in_short(counts)}",
        "features": f"{len(records.columns)} after encoding, of {columns}",
        "gaps": _precision(groups.tolist(), schema.groups),
        "bounds": BOUNDS[schema.bounds],
    }


def _precision(counts: Sequence[int], groups: Sequence[str]) -> str:
    """How precisely a difference of rates between groups can be known, as text.

    `counts` are the numbers of rows of the `groups`. The 90 % interval is that of the difference of
    two rates of one half, in a test part of the usual size.
    """
    # the smallest group limits the precision
    ranked = sorted(zip(counts, groups, strict=True))
    (few, one), (many, other) = ranked[0], ranked[-1]
    if not few:
        return f"not measurable: no row has the group {one!r}"
    width = min(1.0, NORMAL_QUANTILE / 2 * math.sqrt((1 / few + 1 / many) / TEST_PART))
    return f"known to ± {width:.2f} (90 % interval of a difference between {one} and {other})"


def _outside(columns: Mapping[str, DistinctTexts], known: RecordsSchema) -> str:
    """The number of cells that the domain file does not allow, as text.

    The line is part of every profile, so that its presence reveals nothing about the data.
    """
    compared = known.compared_types
    cells = len(columns[known.schema.label]) * len(compared)
    return describe_outside(count_outside(columns, compared), cells)


def _questions(known: RecordsSchema, records: Records, positive: str) -> Iterator[str]:
    """Yields questions about label, groups and levels that may have been misread.

    There is no question about the favourable label if the domain file is confirmed or `positive` is
    given.
    """
    schema = known.schema
    if not positive and schema.bounds == "data":
        yield from question_of_label(schema.label, schema.labels)
    if len(schema.groups) > MOST_GROUPS:
        way_out = "choose a protected column with few values, or define bins in a domain file"
        yield f"the protected column {schema.protected} has {len(schema.groups)} groups: {way_out}"
    yield from _questions_of_groups(schema, records)
    many = max(SOME_LEVELS, min(MOST_LEVELS, len(records) / 2))
    for name, column in known.column_types.items():
        if isinstance(column, Categorical):
            yield from questions_of_texts(name, column.levels)
            if len(column.levels) > many and name != schema.protected:
                made = f"{len(column.levels)} of {len(records.columns)} features"
                rest = "if it is a name, a date or an identifier, leave it out with a domain file"
                yield f"{name} becomes {made}: {rest}"


def _questions_of_groups(schema: Schema, records: Records) -> Iterator[str]:
    """Yields questions about groups that are too small for scores of fairness to be measured."""
    for code, group in enumerate(schema.groups):
        labels = records.y[records.protected == code]
        name, ones = f"the group {schema.protected} = {group}", int(labels.sum())
        for count, label in ((ones, "favourable"), (len(labels) - ones, "unfavourable")):
            if len(labels) and not count:
                yield f"{name} has no {label} label: its rates given this label cannot be measured"
        if 0 < len(labels) < FEW_ROWS:
            yield (
                f"{name} has {len(labels)} rows, of which a fifth is tested: too few people to "
                "tell how fair a method is to them"
            )


def _questions_of_cells(
    known: RecordsSchema, cells: pd.DataFrame, heading: Sequence[str]
) -> Iterator[str]:
    """Yields questions about the columns of a table without a confirmed domain file."""
    if known.schema.bounds != "data":
        return
    # with public bounds these questions would depend on private cells
    columns = {name: cells[name].tolist() for name in known.schema.attributes}
    yield from questions_of_identifiers(columns, nameless(heading, known.form))
    for name, column in known.schema.attributes.items():
        if isinstance(column, Numeric):
            numbers = [as_number(cell) for cell in columns[name]]
            yield from question_of_range(name, [x for x in numbers if math.isfinite(x)])
