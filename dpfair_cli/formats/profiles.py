"""The profile of a user's data, shown before anything runs: the interpretation, and questions.

A profile is for the user's eyes: its counts are exact and not private. Profiles of other data than
tables of records are made by their data sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.schemas import Categorical, Numeric
from dpfair_cli.formats.domain_draft import MOST_GROUPS, MOST_LEVELS, SOME_LEVELS
from dpfair_cli.formats.persons import NOBODY, person_of, rows_of_persons
from dpfair_cli.formats.questions import (
    in_short,
    last_digits,
    question_of_code,
    question_of_label,
    question_of_range,
    question_of_rare_label,
    questions_of_columns,
    questions_of_domain_fit,
    questions_of_identifiers,
    questions_of_persons,
    questions_of_rows,
    questions_of_texts,
)
from dpfair_cli.formats.user_records import RecordsSchema, read_user_records
from dpfair_cli.formats.user_table import (
    TableForm,
    describe_form,
    nameless,
    read_columns,
    read_heading,
)
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.tabular.encoding import Encoding
from dpfair_cli.models.tabular.outside_values import (
    DistinctTexts,
    as_number,
    count_outside,
    distinct_texts,
    texts_of_columns,
)

BOUNDS = {"public": "public, as you declare", "data": "read from the data: nothing is private"}
FEW_ROWS = 15  # of fewer rows, less than three are tested
NORMAL_QUANTILE = 1.645  # half of a 90 % interval, in standard errors
TEST_PART = 0.2  # the share of the records that `train` and `sweep` test by default
MOST_RECORDS = 1000  # records of the made-up data: enough for every method, and fast


@dataclass(frozen=True)
class TableProfile:
    """The description of the columns of a user's data."""

    facts: Mapping[str, str]  # the facts about the data as they were read, by name
    questions: tuple[str, ...]  # the questions that the user should answer
    stand_in: Callable[[np.random.Generator], Any]
    """A function that draws made-up data in the same domain, on which methods are tried."""
    short: Mapping[str, Any] = field(default_factory=dict)
    """Parameter values with which a fit on the made-up data is fast."""
    records: int = 0  # the number of records; 0 for data that are not a table of records


def records_profile(
    *, file: str, label: str, protected: str, positive: str, domain: str, encoding: Encoding
) -> TableProfile:
    """The profile of a user's table of records; the counts in the profile are exact.

    Raises:
        DpfairError: the table cannot be read.
    """
    table = read_user_records(file, label, protected, positive, domain)
    known, cells, records = table.known, table.cells, table.encoded(encoding)
    heading, texts = read_heading(file, known.form), texts_of_columns(cells)
    counts = counts_of_groups(records)
    features = {name: texts[name] for name in known.column_types}
    questions = [
        *_questions_of_schema(known, records, counts, positive),
        *_questions_of_cells(known, cells, heading),
        *questions_of_columns(features, separator=known.form.separator),
        *questions_of_texts(label, list(texts[label].counts())),
        *questions_of_rows(features, records.y, protected),
        *questions_about_persons(
            texts, file, known.form, person=known.person, protected=protected, label=label
        ),
    ]
    facts = facts_of_records(known, records.domain, counts)
    facts["features"] += not_used(heading, [*features, label, known.person])
    # the bounds come last, and so does what depends on them
    facts |= {"gaps": _precision(counts.sum(axis=1).tolist(), known.schema.groups)}
    facts |= {"bounds": BOUNDS[known.schema.bounds]}
    if domain:
        # without a domain file the schema is that of the cells, and no cell is outside
        outside = count_outside(texts, known.compared_types)
        facts["outside"] = describe_outside(outside, len(records) * len(known.compared_types))
        questions = [*questions_of_domain_fit(texts, known), *questions]
    return profile_of_records(facts, questions, records.domain, len(records))


def profile_of_records(
    facts: Mapping[str, str], questions: Sequence[str], domain: Domain, n: int
) -> TableProfile:
    """The profile of n records, whose stand-in are made-up records of their public domain."""
    draw = partial(_made_up_records, domain, min(n, MOST_RECORDS))
    return TableProfile(facts, tuple(questions), lambda rng: draw(rng=rng), records=n)


def _made_up_records(domain: Domain, n: int, *, rng: np.random.Generator) -> Records:
    """A number n of random records of a public domain, with all groups and both labels.

    They show without data whether a method accepts such a domain. Each attribute has a random
    level; a numeric feature is one of 0, 1/4, 1/2, 3/4 and 1.
    """
    X = np.zeros((n, len(domain.columns)))
    for places in domain.attributes.values():
        if len(places) == 1 and not domain.values:
            X[:, places[0]] = rng.integers(5, size=n) / 4
        elif places:
            chosen = rng.integers(len(places), size=n)
            X[np.arange(n), np.array(places)[chosen]] = 1.0
    group, label = np.arange(n) % len(domain.groups), np.arange(n) // len(domain.groups) % 2
    return Records(X, label, group, domain)


def counts_of_groups(records: Records) -> Ints:
    """The number of records with each group and label, (groups, 2)."""
    cells = 2 * records.protected + records.y
    return np.bincount(cells, minlength=2 * len(records.domain.groups)).reshape(-1, 2)


def facts_of_records(
    known: RecordsSchema, domain: Domain, counts: Ints, *, parts: str = ""
) -> dict[str, str]:
    """The interpretation of a user's file, label, groups and features, as texts by name.

    `known` is the schema of the columns that are used, `domain` that of the encoded records, and
    `counts` is the number of records with each group and label, (groups, 2). `parts` says in how
    many parts the rows are read.
    """
    schema = known.schema
    no, yes = counts.sum(axis=0).tolist()  # over the groups
    sizes = zip(schema.groups, counts.sum(axis=1).tolist(), strict=True)
    favourable = f"{schema.positive!r} is favourable, {yes:,} rows"
    groups = in_short([f"{name} {size:,}" for name, size in sizes])
    return {
        "file": f"{describe_rows(no + yes, known.person)}{parts}; {describe_form(known.form)}",
        "label": f"{schema.label}: {favourable}; all other labels are not, {no:,} rows",
        "groups": f"{schema.protected}: {groups}",
        "features": f"{len(domain.columns)} after encoding, of {len(known.features)} columns",
    }


def questions_about_persons(
    texts: Mapping[str, DistinctTexts],
    file: str,
    form: TableForm,
    *,
    person: str,
    protected: str,
    label: str,
) -> Iterator[str]:
    """Yields questions about persons with several rows, also in columns that are not used.

    `texts` are the cells of the columns that are used, in the rows that are used. `person` is the
    column of the persons, if the domain file names one.
    """
    others = [name for name in read_heading(file, form) if name not in texts]
    if others:
        cells = read_columns(file, dict.fromkeys(others), form)
        if person:
            persons = distinct_texts(cells[person])
            nobody = [text for text in persons.texts if person_of(text) == NOBODY]
            count = int(persons.where(nobody).sum())
            if count > 1:
                yield (
                    f"{count:,} rows have no {person} and count as rows of one person, so one of "
                    f"them is used: fill {person} or delete the rows"
                )
            cells = cells.drop(columns=person).iloc[rows_of_persons(persons)]
        texts = {**texts, **texts_of_columns(cells)}
    yield from questions_of_persons(texts, protected=protected, label=label)


def describe_rows(used: int, person: str) -> str:
    """How many rows are used, as text; `person` is the column of the persons, if there is one."""
    return f"{used:,} rows, {f'one of each {person}' if person else 'none left out'}"


def not_used(heading: Iterable[str], used: Collection[str]) -> str:
    """The end of a line of a profile that lists unused columns; empty if all columns are used."""
    names = [name for name in heading if name not in used]
    return f"; not used: {', '.join(names)}" if names else ""


def describe_outside(count: int, cells: int) -> str:
    """The number of cells that the domain file does not allow, as text.

    Many such cells are a sign of misspelt levels or a wrong encoding. `count` of the `cells` cells
    are not allowed. The line is part of every profile with a domain file, so that its presence
    reveals nothing about the data.
    """
    rule = "they are replaced by its rule (dpfair info csv)"
    return f"{count:,} of {cells:,} cells are not as the domain file says: {rule}"


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


def _questions_of_schema(
    known: RecordsSchema, records: Records, counts: Ints, positive: str
) -> Iterator[str]:
    """Yields questions about label, groups and levels that may have been misread.

    There is no question about the favourable label if the domain file is confirmed or `positive` is
    given. `counts` is the number of records with each group and label, (groups, 2).
    """
    schema = known.schema
    if not positive and schema.bounds == "data":
        yield from question_of_label(schema.label, schema.labels)
        no, yes = counts.sum(axis=0).tolist()
        yield from question_of_rare_label(schema.label, schema.labels, yes, no)
    if len(schema.groups) > MOST_GROUPS:
        way_out = "choose a protected column with few values, or define bins in a domain file"
        yield f"the protected column {schema.protected} has {len(schema.groups)} groups: {way_out}"
    for group, (no, yes) in zip(schema.groups, counts.tolist(), strict=True):
        yield from _questions_of_group(f"the group {schema.protected} = {group}", no, yes)
    many = max(SOME_LEVELS, min(MOST_LEVELS, len(records) / 2))  # as in a draft
    for name, column in known.column_types.items():
        count = len(column.levels) if isinstance(column, Categorical) else 0
        if count > many and name != schema.protected:
            made = f"{count} of {len(records.columns)} features"
            rest = "if it is a name, a date or an identifier, leave it out with a domain file"
            yield f"{name} becomes {made}: {rest}"


def _questions_of_group(name: str, no: int, yes: int) -> Iterator[str]:
    """Yields questions about a group that is too small for scores of fairness to be measured.

    The group has `no` unfavourable and `yes` favourable labels.
    """
    for count, label in ((yes, "favourable"), (no, "unfavourable")):
        if no + yes and not count:
            yield f"{name} has no {label} label: its rates given this label cannot be measured"
    if 0 < no + yes < FEW_ROWS:
        yield (
            f"{name} has {no + yes} rows, of which a fifth is tested: too few people to "
            "tell how fair a method is to them"
        )


def _questions_of_cells(
    known: RecordsSchema, cells: pd.DataFrame, heading: Sequence[str]
) -> Iterator[str]:
    """Yields questions about the columns of a table without a confirmed domain file."""
    if known.schema.bounds != "data":
        return
    # with public bounds these questions would depend on private cells
    columns = {name: cells[name].tolist() for name in known.features}
    ends = {name: last_digits(column) for name, column in columns.items()}
    yield from questions_of_identifiers(ends, nameless(heading, known.form))
    for name, column in known.features.items():
        if isinstance(column, Numeric):
            cells_of_column = np.array([as_number(cell) for cell in columns[name]])
            numbers = cells_of_column[np.isfinite(cells_of_column)]
            if not question_of_code(name, numbers):
                yield from question_of_range(name, numbers)
