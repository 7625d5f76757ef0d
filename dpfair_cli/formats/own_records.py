"""A user's own table of records: what is known of its columns, from a domain file or from the data,
and its cells.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import LARGEST
from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning, listed, nearest
from dpfair_cli.contracts.schemas import EVEN_BINS, Categorical, Kind, Numeric, Schema
from dpfair_cli.formats.domain_file import DRAFTED, read_domain
from dpfair_cli.formats.own_table import TableForm, find_form, read_columns, read_table
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import (
    Encoding,
    check_column,
    encode_unchecked,
    require_two_columns,
)
from dpfair_cli.models.tabular.outside_values import as_number, moved_inside


@dataclass(frozen=True)
class RecordsSchema:
    """Everything that turns a file into Records: the schema, the protected column's kind, how the
    file is written.
    """

    schema: Schema
    protected_kind: Kind
    form: TableForm

    @property
    def kinds(self) -> dict[str, Kind]:
        """What is known of each column but the label."""
        return {**self.schema.attributes, self.schema.protected: self.protected_kind}


def read_schema(file: str, label: str, protected: str, positive: str, domain: str) -> RecordsSchema:
    """What is known of the table: from the domain file alone or, without one, from the data.

    Raises:
        DpfairError: a file is not there or not of its form, a name is wrong, or, without a domain,
            the table has problems, all of which are listed.
    """
    require_two_columns(label, protected)
    return (
        _public(domain, label, protected, positive)
        if domain
        else _observed(file, label, protected, positive)
    )


def read_records(file: str, known: RecordsSchema, *, encoding: Encoding) -> Records:
    """The Records of a file; each row by itself, whatever it says.

    Raises:
        DpfairError: the file is not there, is no table, or lacks a column.
    """
    label = known.schema.label
    frame = read_columns(file, (*known.kinds, label), known.form)
    return encoded(frame, known, encoding=encoding)


def encoded(frame: pd.DataFrame, known: RecordsSchema, *, encoding: Encoding) -> Records:
    """The Records of a table of text, label included."""
    inside = moved_inside(frame, known.kinds)
    columns: dict[str, Any] = {known.schema.label: frame[known.schema.label]}
    if isinstance(known.protected_kind, Numeric):
        columns[known.schema.protected] = _in_bins(inside[known.schema.protected], known)
    return encode_unchecked(inside.assign(**columns), known.schema, encoding=encoding)


def _in_bins(numbers: pd.Series, known: RecordsSchema) -> list[str]:
    """The group of each number: the last bin that begins at it or below."""
    firsts = [first for first, _ in known.protected_kind.bins]  # type: ignore[union-attr]
    places = np.searchsorted(firsts, numbers.to_numpy(dtype=float), side="right").clip(1) - 1
    return [known.schema.groups[place] for place in places]


def _public(domain: str, label: str, protected: str, positive: str) -> RecordsSchema:
    """What the domain file says; complete before a record is read."""
    found = read_domain(domain)
    attributes = {
        name: kind for name, kind in found.columns.items() if name not in (label, protected)
    }
    labels = _labels(found.columns.get(label), label, positive)
    kind, groups = _groups(found.columns.get(protected), protected)
    if not attributes:
        raise DpfairError(f"{domain} names no column but label and protected column")
    if not found.confirmed:
        warnings.warn(f"{domain} {DRAFTED}", PrivacyLeakWarning, 2)
    schema = Schema(attributes, label, labels[-1], protected, groups, found.bounds, labels)
    return RecordsSchema(schema, kind, found.form)


def _labels(kind: Kind | None, label: str, positive: str) -> tuple[str, str]:
    """The public names of label 0 and of the favourable label."""
    levels = kind.levels if isinstance(kind, Categorical) else ()
    if not levels and not positive:
        form = f"`{label}: {{levels: [no, yes]}}`"
        raise DpfairError(
            f"the domain file needs the values of the label, {form}, or give positive=VALUE"
        )
    if levels and positive and positive not in levels:
        raise DpfairError(f"label {label!r} is never {positive!r}: {nearest(positive, levels)}")
    favourable = positive or levels[-1]
    others = [level for level in levels if level != favourable]
    return others[0] if len(others) == 1 else f"not {favourable}", favourable


def _groups(kind: Kind | None, protected: str) -> tuple[Kind, tuple[str, ...]]:
    """The kind of the protected column, and the names of its groups: its levels, or its bins."""
    if isinstance(kind, Categorical):
        return kind, kind.levels
    if kind is not None and kind.bins:
        return kind, tuple(f"{first:g}..{last:g}" for first, last in kind.bins)
    form = f"`{protected}: {{levels: [...]}}`"
    raise DpfairError(
        f"the domain file needs the groups: {form}, or bins: [first, first, ...] of a number"
    )


def _observed(file: str, label: str, protected: str, positive: str) -> RecordsSchema:
    """What the private values themselves say."""
    frame = read_table(file)
    for name, role in ((label, "label"), (protected, "protected column")):
        if name not in frame:
            raise DpfairError(f"no {role} {name!r} in the table: {nearest(name, frame.columns)}")
    found = list(problems(frame, label, protected, positive))
    if found:
        way_out = f"mend it, or draft a domain file, which says what becomes of such cells: dpfair domain {file}"
        raise DpfairError(listed(found, way_out))
    warnings.warn(
        f"{file}: ranges and levels are read from the data: give domain=FILE", PrivacyLeakWarning, 2
    )
    labels = ordered(frame[label])
    favourable = positive or labels[-1]
    schema = Schema(
        attributes={
            str(name): _range_or_levels(frame[name])
            for name in frame
            if name not in (label, protected)
        },
        label=label,
        positive=favourable,
        protected=protected,
        groups=ordered(frame[protected]),
        bounds="data",
        labels=tuple(sorted(labels, key=lambda value: value == favourable)),
    )
    return RecordsSchema(schema, Categorical(schema.groups), find_form(file))


def problems(frame: pd.DataFrame, label: str, protected: str, positive: str) -> Iterator[str]:
    """Everything for which a table without a domain file is refused."""
    roles = {str(name): "column" for name in frame} | {
        label: "label",
        protected: "protected column",
    }
    for name, role in roles.items():
        try:
            check_column(frame, name, role)
            _check_numbers(frame[name])
        except DpfairError as error:
            yield str(error)
    labels = sorted(frame[label].dropna().unique())
    if len(labels) > 2:
        yield f"label {label!r} has {len(labels)} values, not two: {', '.join(labels[:5])} ..."
    if positive and positive not in labels:
        yield f"label {label!r} is never {positive!r}: {nearest(positive, labels)}"
    if len(roles) < 3:
        yield "there is no column but label and protected column"


def _check_numbers(column: pd.Series) -> None:
    """Refuse a number that is not finite, and different texts for one number."""
    numbers = {as_number(text): text for text in column}
    large = [text for number, text in numbers.items() if abs(number) > LARGEST]
    if large:
        raise DpfairError(
            f"column {column.name!r} holds {large[0]!r}: no finite number, or one beyond {LARGEST:g}"
        )
    if len(numbers) < 2 and math.nan not in numbers:
        raise DpfairError(
            f"column {column.name!r} is the same number in all {len(column)} rows: drop the column"
        )


def _range_or_levels(column: pd.Series) -> Kind:
    """Range or levels read from the private values themselves."""
    found = sorted(set(map(as_number, column)))
    if any(map(math.isnan, found)):
        return Categorical(ordered(column))
    few = len(found) < EVEN_BINS and all(number.is_integer() for number in found)
    return Numeric(found[0], found[-1], bins=tuple((number, number) for number in found if few))


def ordered(values: pd.Series) -> tuple[str, ...]:
    """The different values from small to large: as numbers if all are, else by the alphabet."""
    found = values.dropna().unique()
    numbers = all(math.isfinite(as_number(value)) for value in found)
    return tuple(sorted(found, key=as_number if numbers else str))
