"""Questions about a user's table that the user should answer before anything is published.

A question names what looks wrong and says what to do. Nothing is decided by a question: the
records, and what a method does with them, are the same with every answer that is not given.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric
from dpfair_cli.formats.user_records import RecordsSchema
from dpfair_cli.formats.user_table import COMMA_NUMBER
from dpfair_cli.models.tabular.outside_values import (
    MISSING_SIGNS,
    DistinctTexts,
    as_levels,
    as_number,
    as_numbers,
    texts_outside,
)

# our rules of thumb, tried on the tables of tests/made_files.py
MOST_SHOWN = 10  # largest number of names in a line
FEWEST_COUNTED = 5  # number of rows from which 0, 1, 2, ... is an index
IDENTIFIER_ROWS = 50  # likewise for different whole numbers as identifiers
MOST_LABELS = 10  # different values of a label; more are a sign of another column
MOST_SHARE = 0.05  # share of values at each end of a column that are outside its usual range
FAR = 100  # a range is odd if it is this many times the usual range
FEW_ERRORS = 0.1  # largest errors of a telling column, relative to those of the frequent label
ROWS_PER_VALUE = 5  # fewer rows for each value would tell the label by chance
SOME_OUTSIDE = 0.1  # share of cells outside a range or the levels from which the user is asked
SMALL_PART = 0.02  # largest part of a range that holds all numbers and makes the range a question

COUNTS = "the number of the row, an index"
NAMES = "a different whole number in each row, an identifier"
LEAVE_OUT = "leave the column out, in the file or with a domain file"
CORRECT = "correct the domain file or the table"
PLAIN_PAIRS = ({"0", "1"}, {"-1", "1"}, {"no", "yes"}, {"n", "y"}, {"false", "true"}, {"f", "t"})


def in_short(texts: Sequence[str]) -> str:
    """One text with the first MOST_SHOWN of the texts, followed by the number of the others."""
    shown = list(texts[:MOST_SHOWN])
    if len(texts) > MOST_SHOWN:
        shown.append(f"and {len(texts) - MOST_SHOWN} more")
    return ", ".join(shown)


def question_of_label(name: str, levels: Sequence[str]) -> list[str]:
    """A question about which level of the label `name` is favourable.

    The list is empty if the answer is evident, as for no and yes. In the data set German credit,
    with the labels 1 and 2, label 2 means bad credit, so the order of the labels does not give the
    answer.
    """
    if {level.lower() for level in levels} in PLAIN_PAIRS:
        return []
    if len(levels) > MOST_LABELS:
        return [f"{name} has {len(levels)} values, such as {levels[0]!r}: is it the label?"]
    last = f"{levels[-1]!r}, the last of {', '.join(levels)}, is taken as favourable"
    return [f"{name}: {last}; if this is wrong, give --positive"]


def question_of_range(name: str, numbers: Floats | Sequence[float]) -> list[str]:
    """A question about outliers in the column `name`; empty if there are none.

    With an outlier, all other numbers would be nearly equal after scaling.
    """
    low, high = np.quantile(numbers, [MOST_SHARE, 1 - MOST_SHARE])  # the usual range
    first, last = np.min(numbers), np.max(numbers)
    if not 0 < FAR * (high - low) < last - first:
        return []
    most = f"{1 - 2 * MOST_SHARE:.0%} of the values are within {low:.6g} to {high:.6g}"
    return [
        f"{name} goes from {first:.6g} to {last:.6g}, but {most}: is an extreme value a mistake?"
    ]


def questions_of_texts(name: str, texts: Collection[str]) -> Iterator[str]:
    """Yields questions about levels of the column `name` that may have been misread.

    These are levels that differ in capitals, or that are numbers with decimal commas.
    """
    alike = Counter(text.casefold() for text in texts)  # more than lower case: ß is ss
    for text in sorted(text for text, count in alike.items() if count > 1):
        same = sorted(other for other in texts if other.casefold() == text)
        pair = " and ".join(map(repr, same))
        yield f"{name} has the levels {pair}: if these are one level, correct the file"
    commas = [text for text in texts if COMMA_NUMBER.fullmatch(text)]
    if 2 * len(commas) > len(texts):
        levels = f"{len(texts)} levels such as {commas[0]!r}"
        yield f"{name} has {levels}: are these numbers with a decimal comma?"


def describe_identifier(numbers: Sequence[float], *, unnamed: bool) -> str:
    """The reason why a column seems to identify the rows; an empty text for other columns.

    `unnamed` says that the column has no name in the heading, as a row index in a csv file.
    """
    if len(set(numbers)) < len(numbers) or not all(number.is_integer() for number in numbers):
        return ""
    offsets = {number - k for k, number in enumerate(numbers)}  # one value if they count up
    if len(numbers) >= FEWEST_COUNTED and offsets in ({0}, {1}):
        return COUNTS
    return NAMES if unnamed or len(numbers) >= IDENTIFIER_ROWS else ""


def questions_of_identifiers(
    columns: Mapping[str, Sequence[str]], unnamed: Collection[str]
) -> Iterator[str]:
    """A question for each column whose cells identify the rows.

    `unnamed` are the columns without a name in the heading.
    """
    for name, cells in columns.items():
        words = describe_identifier([as_number(cell) for cell in cells], unnamed=name in unnamed)
        if words:
            yield f"{name} seems to be {words}, which says nothing about a record: {LEAVE_OUT}"


def questions_of_telling_columns(
    columns: Mapping[str, DistinctTexts], labels: Ints
) -> Iterator[str]:
    """Yields a question for each column that tells the label nearly alone.

    Such a column is often the label in another spelling, or something that was only known after
    the label. A model that uses the column is right about nearly every record, and says nothing.

    Args:
        columns: the cells of each column.
        labels: the labels of the rows, 0 or 1, (n,).
    """
    favourable = np.flatnonzero(labels)  # (rows with label 1,)
    # errors of a constant
    n, constant = len(labels), min(len(favourable), len(labels) - len(favourable))
    for name, cells in columns.items():
        rows = cells.occurrences()  # of each text, (texts,)
        ones = np.bincount(cells.places.take(favourable), minlength=len(rows))
        errors = min(
            _errors_of_levels(rows, ones), _errors_of_limit(as_numbers(cells.texts), rows, ones)
        )
        if constant and errors <= FEW_ERRORS * constant:
            share = "every row" if not errors else f"{1 - errors / n:.2%} of the rows"
            yield (
                f"{name} alone tells the label of {share}: if it is the label in another form, or "
                f"not known before the decision, {LEAVE_OUT}"
            )


def _errors_of_levels(rows: Ints, ones: Ints) -> float:
    """The number of wrong labels if each value of a column stands for its more frequent label.

    `rows` counts the rows with each value, and `ones` those of them with label 1, (values,). The
    result is infinite if there are too many values to tell the label otherwise than by chance.
    """
    if ROWS_PER_VALUE * np.count_nonzero(rows) > rows.sum():
        return math.inf
    return int(np.minimum(ones, rows - ones).sum())


def _errors_of_limit(numbers: Floats, rows: Ints, ones: Ints) -> float:
    """The number of wrong labels if the numbers above the best limit stand for one label.

    `rows` counts the rows with each number, and `ones` those of them with label 1, (numbers,). The
    result is infinite if a cell is not a number.
    """
    n, favourable, occurs = rows.sum(), ones.sum(), rows > 0
    if np.isnan(numbers[occurs]).any():
        return math.inf
    # different texts can be the same number, so that only the last of equal numbers is a limit
    order = np.argsort(numbers[occurs], kind="stable")
    numbers = numbers[occurs][order]
    last = np.append(numbers[1:] > numbers[:-1], True)
    up_to, below = (np.cumsum(counts[occurs][order])[last] for counts in (rows, ones))
    wrong = below + (n - up_to) - (favourable - below)  # (limits,)
    return int(min(wrong.min(), (n - wrong).min()))


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
    if schema.label in known.compared_types:
        labels, role = Categorical(schema.labels), f"the label {schema.label}"
        yield from _questions_of_role(role, labels, columns[schema.label], "count as unfavourable")
    kind, fate = known.protected_type, "become the nearest group, or the middle one"
    if isinstance(kind, Categorical):
        fate = f"become the group {kind.levels[-1]!r}"
    role = f"the protected column {schema.protected}"
    yield from _questions_of_role(role, kind, columns[schema.protected], fate)
    for name, column in schema.attributes.items():
        yield from _questions_of_feature(name, column, columns[name])


def _empty_rows(columns: Iterable[DistinctTexts]) -> int:
    """The number of rows whose cells are all empty."""
    # the column with the fewest texts is the fastest to find without an empty cell
    first, *others = sorted(columns, key=lambda column: len(column.texts))
    empty = first.where([""])
    for column in others:
        if not empty.any():
            return 0
        empty &= column.where([""])
    return int(empty.sum())


def _questions_of_role(
    role: str, kind: ColumnType, cells: DistinctTexts, fate: str
) -> Iterator[str]:
    """Yields questions about a label or protected column that is not as `kind` says.

    They are about levels that no row has, and about other cells; `fate` says what these become.
    """
    if isinstance(kind, Categorical):
        found = {*as_levels(list(cells.counts()), kind.levels)}
        absent = [repr(level) for level in kind.levels if level not in found]
        if absent:
            yield f"no row of {role} is {in_short(absent)}: {CORRECT}"
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


def _count(others: Counter[str]) -> str:
    """The number of cells with one of these texts, and the most frequent text."""
    (text, _), *_ = others.most_common(1)
    return f"{others.total():,} cells, such as {text!r},"
