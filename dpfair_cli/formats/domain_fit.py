"""Questions about a domain file that does not fit the user's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric
from dpfair_cli.formats.table_profile import in_short
from dpfair_cli.formats.user_records import RecordsSchema
from dpfair_cli.models.tabular.distinct_texts import DistinctTexts
from dpfair_cli.models.tabular.outside_values import (
    MISSING_SIGNS,
    as_levels,
    as_numbers,
    texts_outside,
)

SOME_OUTSIDE = 0.1  # share of cells outside a range or the levels from which the user is asked
SMALL_PART = 0.02  # largest part of a range that holds all numbers and makes the range a question
CORRECT = "correct the domain file or the table"


def questions_of_domain_fit(
    columns: Mapping[str, DistinctTexts], known: RecordsSchema
) -> Iterator[str]:
    """Yields questions about the columns of a table that the domain file does not describe.

    `known` is the schema of the domain file.
    """
    schema = known.schema
    empty = _empty_rows(columns.values())
    if empty:
        yield f"{empty:,} rows are empty, such as blank lines, and count as records: delete them"
    label, protected = columns[schema.label], columns[schema.protected]
    if schema.labels[0] != f"not {schema.positive}":  # otherwise any other label is allowed
        labels, role = Categorical(schema.labels), f"the label {schema.label}"
        yield from _questions_of_absent(role, labels, label)
        yield from _question_of_others(role, labels, label, "count as unfavourable")
    kind, role = known.protected_type, f"the protected column {schema.protected}"
    if isinstance(kind, Categorical):
        yield from _questions_of_absent(role, kind, protected)
        fate = f"become the group {kind.levels[-1]!r}"
    else:
        fate = "become the nearest group, or the middle one"
    yield from _question_of_others(role, kind, protected, fate)
    for name, column in schema.attributes.items():
        yield from _questions_of_feature(name, column, columns[name])


def _empty_rows(columns: Iterable[DistinctTexts]) -> int:
    """The number of rows whose cells are all empty."""
    first, *others = sorted(columns, key=lambda column: len(column.texts))
    empty = first.where([""])
    for column in others:
        if not empty.any():
            return 0
        empty &= column.where([""])
    return int(empty.sum())


def _questions_of_absent(role: str, kind: Categorical, cells: DistinctTexts) -> Iterator[str]:
    """Yields a question about the levels of a label or protected column that no row has."""
    found = {*as_levels(list(cells.counts()), kind.levels)}
    absent = [repr(level) for level in kind.levels if level not in found]
    if absent:
        yield f"no row of {role} is {in_short(absent)}: {CORRECT}"


def _question_of_others(
    role: str, kind: ColumnType, cells: DistinctTexts, fate: str
) -> Iterator[str]:
    """Yields a question about cells that `kind` does not allow; `fate` says what they become."""
    others = _others(cells, kind)
    if others:
        yield f"{_count(others)} of {role} {fate}: {CORRECT}, if this is wrong"


def _questions_of_feature(name: str, kind: ColumnType, cells: DistinctTexts) -> Iterator[str]:
    """Yields questions about a feature whose cells are often outside, or fill a part of a range."""
    others = _others(cells, kind)
    if others.total() >= max(1, SOME_OUTSIDE * len(cells)):
        fate = "the nearest end or the middle of the range"
        if isinstance(kind, Categorical):
            fate = f"the level {kind.levels[-1]!r}"
        yield f"{_count(others)} of {name} become {fate}: {CORRECT}"
    elif isinstance(kind, Numeric):
        numbers = as_numbers(cells.texts)[cells.occurrences() > 0]
        inside = numbers[np.isfinite(numbers)] + 0.0  # 0 in place of -0
        if len(inside) and np.ptp(inside) <= SMALL_PART * (kind.high - kind.low):
            yield (
                f"{name} goes from {inside.min():.6g} to {inside.max():.6g}, a small part of the "
                f"range from {kind.low:.6g} to {kind.high:.6g}: {CORRECT}"
            )


def _others(cells: DistinctTexts, kind: ColumnType) -> Counter[str]:
    """How often each text occurs that is no level, or no number in the range, of a column.

    Signs of a missing number are left out, since they have a place: the middle of the range.
    """
    outside = texts_outside(cells, kind)
    if isinstance(kind, Numeric):
        for sign in MISSING_SIGNS:
            outside.pop(sign, None)
    return outside


def _count(others: Mapping[str, int]) -> str:
    """The number of cells with one of these texts, and the most frequent text."""
    counts = Counter(others)
    (text, _), *_ = counts.most_common(1)
    return f"{counts.total():,} cells, such as {text!r},"
