"""Reads a user's table of records: the schema of the columns, and the cells as Records.

Ranges and levels come from a domain file or, without one, from the private data.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import LARGEST
from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning, listed, nearest
from dpfair_cli.contracts.missing_numbers import NumberOrMissing, as_attributes, as_columns
from dpfair_cli.contracts.schemas import EVEN_BINS, Categorical, ColumnType, Numeric, Schema
from dpfair_cli.formats.comparisons import (
    LabelComparison,
    as_labels,
    hint_of_comparison,
    named_labels,
    require_both,
    require_numbers,
)
from dpfair_cli.formats.domain_file import DRAFTED, range_of, read_domain
from dpfair_cli.formats.file_content import digest
from dpfair_cli.formats.persons import read_one_row_each
from dpfair_cli.formats.user_table import TableForm, find_form, read_table
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import (
    Encoding,
    check_column,
    encode_unchecked,
    require_two_columns,
)
from dpfair_cli.models.tabular.outside_values import (
    MISSING_LEVEL,
    DistinctTexts,
    as_levels,
    as_number,
    distinct_texts,
    is_missing,
    moved_inside,
    with_missing,
)


@dataclass(frozen=True)
class RecordsSchema:
    """The schema and the CSV dialect that are needed to turn a file into Records."""

    schema: Schema  # attributes, label and protected column
    protected_type: ColumnType  # the type of the protected column: levels, or a number with bins
    form: TableForm  # the CSV dialect of the file
    person: str = ""  # the column of the persons, of each of whom one row is used; often empty

    @property
    def features(self) -> dict[str, ColumnType]:
        """The type of each column of the table that is neither label nor protected."""
        return as_columns(self.schema.attributes)

    @property
    def column_types(self) -> dict[str, ColumnType]:
        """The type of each column of the table except the label."""
        return {**self.features, self.schema.protected: self.protected_type}

    @property
    def compared_types(self) -> dict[str, ColumnType]:
        """The type of each column whose cells can lie outside the schema.

        The label is one of these columns unless every text is allowed that is not the favourable
        label.
        """
        schema = self.schema
        if schema.labels[0] == f"not {schema.positive}":  # no text is outside then
            return self.column_types
        return {**self.column_types, schema.label: Categorical(schema.labels)}


@dataclass(frozen=True)
class UserRecords:
    """A user's table together with the schema of its columns."""

    known: RecordsSchema  # the schema, from the domain file or, without one, from the cells
    file: str  # the path of the table
    read: Callable[[], pd.DataFrame]
    """Reads the cells of the columns in `known` and of the label, (n, columns)."""

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The cells of the columns in `known` and of the label, (n, columns).

        Raises:
            DpfairError: as `read_columns`.
        """
        return self.read()

    def encoded(self, encoding: Encoding) -> Records:
        """The Records of the user's table; each row is encoded independently of the others.

        The Records are kept until they are asked for again, since commands show a table and then
        fit to it.

        Raises:
            DpfairError: as `read_columns`.
        """
        # the content is part of the key: a file that changed is encoded again
        key = (digest(self.file), self.known, encoding)
        kept = _encoded_last.pop(key, None)
        if kept is not None:
            return kept
        # at most one table is kept, because a second one may not fit into memory
        _encoded_last.clear()
        found = encode_cells(self.cells, self.known, encoding=encoding)
        return _encoded_last.setdefault(key, found)


_encoded_last: dict[Hashable, Records] = {}  # at most one


def read_user_records(
    file: str, label: str, protected: str, positive: str, domain: str
) -> UserRecords:
    """A user's table with the schema of its columns.

    The schema comes from the domain file alone or, without a domain file, from the data. With a
    domain file, the table is read when its cells are first needed.

    Raises:
        DpfairError: a file is missing or malformed, or a name is wrong; without a domain file, also
            the list of all problems of the table.
    """
    require_two_columns(label, protected)  # before any file is read
    if not domain:
        return _observed(file, label, protected, positive)
    known = _public(domain, label, protected, positive)
    return UserRecords(known, file, partial(read_with_label, file, known, known.form))


def read_with_label(file: str, known: RecordsSchema, form: TableForm) -> pd.DataFrame:
    """The cells of the columns in `known` and of the label, (n, columns), one row of each person.

    Raises:
        DpfairError: as `read_columns`.
    """
    schema = known.schema
    types = {**known.column_types, schema.label: Categorical(schema.labels)}
    cells = read_one_row_each(file, types, form, known.person)
    return with_named_labels(cells, schema)


def with_named_labels(cells: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """The cells of a table, with the names of labels in place of numbers that satisfy them."""
    return cells.assign(**{schema.label: named_labels(cells[schema.label], schema.labels)})


def encode_cells(cells: pd.DataFrame, known: RecordsSchema, *, encoding: Encoding) -> Records:
    """The Records of a table, of which each row is encoded independently of the others.

    `known` is the schema of the table. The table may lack the label and the protected column, which
    are empty then.
    """
    schema = known.schema
    roles = (schema.label, schema.protected)
    cells = cells.assign(**{name: [""] * len(cells) for name in roles if name not in cells})
    # never refuses a cell, so that no row can cause an error
    types = {**schema.attributes, **known.column_types}
    inside = moved_inside(with_missing(cells, schema.attributes), types)
    columns: dict[str, Any] = {schema.label: _labels_of(cells[schema.label], schema)}
    if isinstance(known.protected_type, Numeric):
        # in rising order, as `read_domain` requires
        firsts = [first for first, _ in known.protected_type.bins]
        numbers = inside[schema.protected].to_numpy(dtype=float)
        # a number below the first bin belongs to the first bin
        places = np.searchsorted(firsts, numbers, side="right").clip(1) - 1
        if isinstance(known.protected_type, NumberOrMissing):
            places[is_missing(cells[schema.protected])] = len(firsts)  # the last group
        columns[schema.protected] = DistinctTexts(schema.groups, places).replaced(schema.groups)
    return encode_unchecked(inside.assign(**columns), schema, encoding=encoding)


def _labels_of(column: pd.Series, schema: Schema) -> pd.Categorical:
    """The label of each row: the favourable one, or the cell as it is."""
    cells = distinct_texts(column)
    # once for each different text, not for each row
    favourable = as_labels(cells.texts, [schema.positive])
    return cells.replaced(
        [level or text for level, text in zip(favourable, cells.texts, strict=True)]
    )


def _public(domain: str, label: str, protected: str, positive: str) -> RecordsSchema:
    """The schema in the domain file `domain`, complete before any record is read."""
    found = read_domain(domain)
    roles = (label, protected)
    if found.person in roles:
        raise DpfairError(
            f"{domain}: `person` cannot be the label or the protected column, got {found.person!r}"
        )
    # a column of the table that the domain file does not name is never read
    columns = {name: column for name, column in found.columns.items() if name not in roles}
    attributes = as_attributes(columns)
    labels = _labels(found.columns.get(label), label, positive)
    protected_type, groups = _groups(found.columns.get(protected), protected)
    if not attributes:
        raise DpfairError(
            f"{domain} must name at least one column besides the label and the protected column"
        )
    for name in attributes.keys() & roles:
        raise DpfairError(
            f"{domain}: `missing: yes` makes {name!r}, which is the label or the protected column: "
            "rename this column, or leave out the key"
        )
    if not found.confirmed:
        warnings.warn(f"{domain} {DRAFTED}", PrivacyLeakWarning, 2)
    schema = Schema(attributes, label, labels[-1], protected, groups, found.bounds, labels)
    return RecordsSchema(schema, protected_type, found.form, found.person)


def _labels(column: ColumnType | None, label: str, positive: str) -> tuple[str, str]:
    """The names of label 0 and of the favourable label, in this order, from a domain file.

    `column` is the type of the column `label` in the domain file.
    """
    levels = column.levels if isinstance(column, Categorical) else ()
    if not levels and not positive:
        form = f"`{label}: {{levels: [no, yes]}}`"
        raise DpfairError(
            f"the domain file must name the values of the label: add {form}, or give positive=VALUE"
        )
    favourable = positive or levels[-1]  # the last level, unless an option names another
    comparison = LabelComparison.of(favourable)
    spelt, plain = as_levels([favourable, str(comparison or favourable)], levels)
    found = spelt or plain
    if comparison and found is None:
        numbers = _public_numbers(column)
        if numbers:
            require_both(comparison, label, numbers)
        if numbers or not levels:
            return comparison.labels
    if levels:
        if found is None:
            raise DpfairError(
                f"the label {label!r} has no value {positive!r}: {nearest(positive, levels)}"
            )
        favourable = found
    # with more than two levels, all other labels count as one
    others = [level for level in levels if level != favourable]
    return others[0] if len(others) == 1 else f"not {favourable}", favourable


def _public_numbers(column: ColumnType | None) -> list[float]:
    """The ends of the range of a column, or its levels; empty if a level is not a number."""
    if isinstance(column, Numeric):
        return [column.low, column.high]
    levels = column.levels if column else ()
    numbers = [as_number(level) for level in levels if level != MISSING_LEVEL]
    return [] if any(map(math.isnan, numbers)) else numbers


def _groups(column: ColumnType | None, protected: str) -> tuple[ColumnType, tuple[str, ...]]:
    """The type of the protected column in a domain file, and the names of the groups.

    The groups are the levels of the column or its bins.
    """
    if isinstance(column, Categorical):
        return column, column.levels
    if column is not None and column.bins:
        names = tuple(f"{first:g}..{last:g}" for first, last in column.bins)
        is_level = isinstance(column, NumberOrMissing)
        return column, (*names, MISSING_LEVEL) if is_level else names
    form = f"`{protected}: {{levels: [...]}}`"
    raise DpfairError(
        f"the domain file must define the groups: add {form}, or bins: [0, 10, 20] "
        "for a numerical column"
    )


def _observed(file: str, label: str, protected: str, positive: str) -> UserRecords:
    """A user's table, with ranges and levels that are read from its private cells."""
    form = find_form(file)
    cells = read_table(file, form)
    for name, role in ((label, "label"), (protected, "protected column")):
        if name not in cells:
            raise DpfairError(
                f"unknown {role} {name!r} in the table: {nearest(name, cells.columns)}"
            )
    cells, positive = _compared(cells, label, positive)
    found = list(problems(cells, label, protected, positive))
    if found:
        draft = (
            f"draft a domain file, which defines how such cells are encoded: dpfair domain {file}"
        )
        raise DpfairError(listed(found, f"correct the table, or {draft}"))
    message = f"{file}: ranges and levels are read from the data: give domain=FILE"
    warnings.warn(message, PrivacyLeakWarning, 2)
    labels = ordered(cells[label])  # private values, as the warning above says
    favourable = positive or labels[-1]
    attributes = [name for name in cells if name not in (label, protected)]
    schema = Schema(
        attributes={str(name): _range_or_levels(cells[name]) for name in attributes},
        label=label,
        positive=favourable,
        protected=protected,
        groups=ordered(cells[protected]),
        bounds="data",
        labels=tuple(sorted(labels, key=lambda value: value == favourable)),
    )
    known = RecordsSchema(schema, Categorical(schema.groups), form)
    return UserRecords(known, file, lambda: cells[[*known.column_types, label]])


def _compared(cells: pd.DataFrame, label: str, positive: str) -> tuple[pd.DataFrame, str]:
    """The cells of a table with two labels if `positive` is a comparison, and the favourable label.

    Raises:
        DpfairError: a label is no number, or the comparison does not divide the numbers.
    """
    comparison, texts = LabelComparison.of(positive), list(cells[label].dropna().unique())
    if not comparison or positive in texts:  # a text that occurs is the label itself
        return cells, positive
    require_numbers(comparison, label, texts)
    names = dict(zip(texts, as_labels(texts, comparison.labels), strict=True))
    return cells.assign(**{label: cells[label].astype(object).map(names)}), str(comparison)


def problems(cells: pd.DataFrame, label: str, protected: str, positive: str) -> Iterator[str]:
    """The reasons for which a table without a domain file is refused."""
    roles = {str(name): "column" for name in cells}
    roles |= {label: "label", protected: "protected column"}  # their words in messages
    # all problems are collected, so that the user corrects the table once
    for name, role in roles.items():
        try:
            check_column(cells, name, role)
            _check_numbers(cells[name])
        except DpfairError as error:
            yield str(error)
    labels = sorted(cells[label].dropna().unique())
    if len(labels) > 2:
        yield (
            f"the label {label!r} must have two values, "
            f"got {len(labels)}: {', '.join(labels[:5])} ...{hint_of_comparison(labels)}"
        )
    if positive and positive not in labels:
        yield f"no cell of the label {label!r} is {positive!r}: {nearest(positive, labels)}"
    if len(roles) < 3:
        yield "the table must have a column besides the label and the protected column"


def _check_numbers(column: pd.Series) -> None:
    """Refuses a column of numbers with a number that is not finite or is spelt in two ways.

    Raises:
        DpfairError: a number is invalid; the message names the column and says what to do.
    """
    # texts of one number, such as 1 and 1.0, fall together
    numbers = {as_number(text): text for text in column.unique()}
    large = [text for number, text in numbers.items() if abs(number) > LARGEST]
    if large:
        raise DpfairError(
            f"every number of column {column.name!r} must be finite and at most {LARGEST:g} "
            f"in absolute value, got {large[0]!r}: correct or delete the row"
        )
    if len(numbers) < 2 and math.nan not in numbers:
        raise DpfairError(
            f"column {column.name!r} has the same number in all {len(column)} rows: delete "
            "the column"
        )


def _range_or_levels(column: pd.Series) -> ColumnType:
    """The range of a numerical column or the levels of another, read from its private values."""
    found = sorted(set(map(as_number, column.unique())))
    if any(map(math.isnan, found)):  # one word makes a column of levels
        return Categorical(ordered(column))
    # few whole numbers are categories: each gets its own bin
    few = len(found) < EVEN_BINS and all(number.is_integer() for number in found)
    return range_of(found, bins=tuple((number, number) for number in found if few))


def ordered(values: pd.Series) -> tuple[str, ...]:
    """The distinct values of a column, as texts in ascending order.

    The order is that of numbers if all values are numbers, otherwise alphabetical.
    """
    found = values.dropna().unique()
    numbers = all(math.isfinite(as_number(value)) for value in found)
    return tuple(sorted(found, key=as_number if numbers else str))
