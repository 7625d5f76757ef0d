"""Questions about a user's table that the user should answer before anything is published.

A question names what looks wrong and says what to do. Nothing is decided by a question: the
records, and what a method does with them, are the same with every answer that is not given.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import LARGEST, Floats, Ints
from dpfair_cli.contracts.missing_numbers import NumberOrMissing
from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric
from dpfair_cli.formats.domain_file import yaml_line
from dpfair_cli.formats.user_records import RecordsSchema
from dpfair_cli.formats.user_table import COMMA_NUMBER
from dpfair_cli.models.tabular.decoding import is_whole
from dpfair_cli.models.tabular.outside_values import (
    MISSING_SIGNS,
    DistinctTexts,
    NumberTexts,
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
MANY_NUMBERS = 20  # a column with fewer different numbers is often a scale, all of which occurs
RARE = 0.05  # largest share of favourable labels that are asked about
FEW_CODES = 0.001  # share of cells up to which a number is no code for a missing value
MOST_CODES = 3  # largest number of codes for a missing value, such as 97, 98 and 99
OTHER_NUMBERS = 5  # fewest other numbers from which a far number is a code
LONG_TAIL, BEYOND_TAIL = 4, 10  # a range of more than 4 usual ranges; how far a code is from it
EXACT_DIGITS = 15  # of a whole number that a float holds exactly
CHANCE = 7  # number of further copies of rows that chance explains
MANY_PERSONS, MOST_ROWS = 40, 200  # fewest values of a column of persons; most rows for each
REGULAR = 3  # how much more regular than chance the rows of persons are
FEW_CHANGES = 0.05  # most changes of group between rows of a person, relative to those by chance
ENOUGH_CHANGES = 20  # fewest changes by chance from which their absence tells something

COUNTS = "the number of the row, an index"
NAMES = "a different whole number in each row, an identifier"
NUMBER_FATE, WORD_FATE = "the nearest end of the range", "the middle of the range"
MISSING_FATE = "the level missing"
LEAVE_OUT = "leave the column out, in the file or with a domain file"
CORRECT = "correct the domain file or the table"
AMOUNT = re.compile(  # a number with a sign of money, percent or thousands
    r"[+-]?\s*([$€£¥]\s*\d[\d.,' ]*|\d[\d.,' ]*\s*[$€£¥%]|\d{1,3}([,' ]\d{3})+(\.\d+)?)"
)
UNIT = re.compile(r"[+-]?\d+(?:[.,]\d+)*\s*([^\W\d_][^\s\d]*)")  # a number with a unit: 163 cm
ORDINALS = ("st", "nd", "rd", "th")  # 9th is a level
POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+|[+-]?\d{1,3}")  # thousands with points
PLAIN = "write plain numbers, such as 25000 and 0.25"
# letters of other alphabets that look like Latin ones, before and after casefolding
TWINS = str.maketrans(
    "АВЕКМНОРСТУХІЈЅаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧορνι", "ABEKMHOPCTYXIJSaeopcyxijsABEZHIKMNOPTYXopvi"
)
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


def question_of_rare_label(name: str, levels: Sequence[str], yes: int, no: int) -> list[str]:
    """A question about a favourable label that few rows have, such as 1 for a rare event.

    The last of the levels is favourable; `yes` rows have it, and `no` rows do not.
    """
    if len(levels) > MOST_LABELS or not 0 < yes <= RARE * (yes + no):
        return []
    others = ", ".join(map(repr, levels[:-1]))
    return [
        f"{name}: only {yes:,} of {yes + no:,} rows have {levels[-1]!r}, which is taken as "
        f"favourable against {others}; if this is wrong, give --positive"
    ]


def questions_of_columns(
    columns: Mapping[str, DistinctTexts], *, separator: str = ","
) -> Iterator[str]:
    """Yields a question for each thing that looks wrong in the cells of a column."""
    for name, cells in columns.items():
        yield from questions_of_cells(name, cells.texts, cells.occurrences(), separator=separator)


def questions_of_cells(
    name: str, texts: Sequence[str], rows: Ints, *, separator: str = ","
) -> Iterator[str]:
    """Yields questions about codes, units, thousands and levels that look alike in one column.

    Args:
        name: the name of the column.
        texts: the different cells.
        rows: the number of rows with each text, (texts,).
        separator: the separator of the table; a semicolon is usual where points are thousands.
    """
    numbers = as_numbers(texts)
    usable = (np.abs(numbers) <= LARGEST) & (rows > 0)  # False for NaN
    yield from question_of_code(name, numbers[usable], rows[usable])
    if isinstance(texts, NumberTexts):
        return
    found = [text for text, count in zip(texts, rows, strict=True) if count]
    yield from question_of_points(name, found, separator)
    yield from questions_of_texts(name, [text for text in found if math.isnan(as_number(text))])


def question_of_code(name: str, numbers: Floats, rows: Ints | None = None) -> list[str]:
    """A question about a number that seems to stand for a missing value, such as -999 or 9999.

    It occurs in several rows, alone at an end and far from the others. `rows` is the number of
    rows with each of the `numbers`, which may be repeated; by default one.
    """
    values, places = np.unique(numbers, return_inverse=True)
    counts = np.bincount(places, weights=rows, minlength=len(values))  # (values,)
    for sign in (1, -1):
        ends, times = (sign * values)[::sign], counts[::sign]  # codes are the last ones
        for few in range(1, min(MOST_CODES, len(values) - 2) + 1):
            codes, others = ends[-few:], ends[:-few]
            often = times[-few:].min() > max(1, FEW_CODES * times.sum())
            if often and _are_codes(sign * codes, others * sign, times[:-few]):
                texts = " or ".join(f"{code:.12g}" for code in np.sort(sign * codes))
                low, high = sorted((sign * others[0], sign * others[-1]))
                return [
                    f"{times[-few:].sum():,.0f} cells of {name} are {texts}, and the others are "
                    f"{low:.6g} to {high:.6g}: if this stands for a missing value, empty the cells"
                ]
    return []


def _are_codes(codes: Floats, others: Floats, rows: Ints) -> bool:
    """Whether `codes`, which are at one end of a column, are far from the other numbers.

    `others` begins with the number at the other end, and `rows` counts the rows with each of them.
    """
    nines = {*f"{abs(codes[0]):.12g}"} <= {"9", "."}
    if not nines and any(code % 1 for code in codes):
        return False  # codes are whole numbers or all nines
    gap, span = abs(codes[0] - others[-1]), np.ptp(others)
    # the usual range of the others
    share = np.cumsum(rows) / rows.sum()
    low, high = others[np.searchsorted(share, [MOST_SHARE, 1 - MOST_SHARE])]
    has_tail = span > LONG_TAIL * abs(high - low)
    if np.ptp(codes) >= gap:
        return False
    if gap > (BEYOND_TAIL if has_tail else 1) * span and len(others) >= OTHER_NUMBERS:
        return True
    if len(codes) > 1:
        return False
    if codes[0] < 0 <= others.min():
        return nines or (codes[0] == -1 and others.max() != 1)  # -1, 0 and 1 are a scale
    steps = np.abs(np.diff(others))
    return nines and not has_tail and bool(gap > 2 * steps.max())


def question_of_points(name: str, texts: Sequence[str], separator: str) -> list[str]:
    """A question about numbers whose points seem to separate thousands, such as 12.345."""
    points = [text for text in texts if "." in text]
    # decimals of a fixed length have a point in each cell
    mixed = len(points) < len(texts) or any(text.count(".") > 1 for text in points)
    enough = len(points) >= FEWEST_COUNTED and 2 * len(points) > len(texts)
    if not enough or not (mixed or separator == ";") or not all(map(POINTS.fullmatch, texts)):
        return []
    return [f"{name} has numbers such as {points[0]!r}: if points separate thousands, {PLAIN}"]


def questions_of_texts(name: str, texts: Collection[str]) -> Iterator[str]:
    """Yields questions about levels of the column `name` that may have been misread.

    These are levels that look alike, numbers with decimal commas, and amounts with a unit.
    """
    alike: dict[str, list[str]] = {}
    for text in sorted({*texts}.difference(MISSING_SIGNS)):
        alike.setdefault(_look(text), []).append(text)
    for same in alike.values():
        if len(same) > 1:
            # texts that look the same differ in their codes
            show = repr if len({text.casefold() for text in same}) == 1 else ascii
            pair = " and ".join(map(show, same))
            yield f"{name} has the levels {pair}: if these are one level, correct the file"
    commas = [text for text in texts if COMMA_NUMBER.fullmatch(text)]
    amounts = amounts_among(texts)
    if amounts:
        yield f"{name} holds amounts such as {amounts[0]!r}: to use them, {PLAIN}"
    elif 2 * len(commas) > len(texts):
        levels = f"{len(texts)} levels such as {commas[0]!r}"
        yield f"{name} has {levels}: are these numbers with a decimal comma?"


def _look(text: str) -> str:
    """A text in the form in which texts that look alike are equal."""
    if not text.isascii():
        shown = unicodedata.normalize("NFKC", text).translate(TWINS)
        text = "".join(sign for sign in shown if unicodedata.category(sign) != "Cf")  # no width
    return " ".join(text.casefold().split())  # more than lower case: ß is ss


def amounts_among(texts: Collection[str]) -> list[str]:
    """The texts that are amounts, if most are: of money, of thousands, or with one unit."""
    amounts = [text for text in texts if AMOUNT.fullmatch(text)]
    if 2 * len(amounts) > len(texts):
        return amounts
    matches = zip(texts, map(UNIT.fullmatch, texts), strict=True)
    units = {text: unit[1] for text, unit in matches if unit}
    for most, count in Counter(units.values()).most_common(1):
        if 2 * count > len(texts) >= FEWEST_COUNTED and most.casefold() not in ORDINALS:
            return [text for text, unit in units.items() if unit == most]
    return []


def last_digits(cells: Sequence[str]) -> list[str]:
    """The cells, with the last EXACT_DIGITS of whole numbers, which tell long identifiers apart."""
    return [
        cell[-EXACT_DIGITS:] if isinstance(cell, str) and cell.isdigit() else cell for cell in cells
    ]


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


def questions_of_rows(
    columns: Mapping[str, DistinctTexts], labels: Ints, protected: str
) -> Iterator[str]:
    """Yields questions about columns and rows that repeat what others say.

    Args:
        columns: the cells of each column that is used, with the protected one.
        labels: the labels of the rows, 0 or 1, (n,).
        protected: the name of the protected column, or empty.
    """
    yield from questions_of_telling_columns(columns, labels)
    for name, cells in columns.items():
        if protected in columns and name != protected and _are_equal(cells, columns[protected]):
            yield f"{name} is equal to the protected column {protected}: {LEAVE_OUT}"
    rows = labels.astype(np.uint64) + _numbers_of_rows(columns.values())
    found = np.unique(rows, return_counts=True)[1]  # (different rows,)
    if _are_copied(np.bincount(found)):
        copies = found[found > 1].sum()
        yield (
            f"{copies:,} of {len(rows):,} rows occur more than once, more often than by chance: "
            "copies on both sides of a split make the scores too good, so delete them"
        )


def questions_of_persons(
    columns: Mapping[str, DistinctTexts], *, protected: str, label: str = ""
) -> Iterator[str]:
    """Yields a question for each column that seems to name persons with several rows.

    Such a column has many different values, each in few rows. In addition, the numbers of rows are
    more regular than chance, such as five for each value, or rows with the same value are of one
    protected group. Rows that are copies of others count once.

    Args:
        columns: the cells of all columns.
        protected: the name of the protected column, or empty.
        label: the name of the label, or empty.
    """
    named = {name: cells for name, cells in columns.items() if _can_be_persons(cells)}
    for role in (protected, label):
        named.pop(role, None)
    if not named:
        return
    rows = np.unique(_numbers_of_rows(columns.values()), return_index=True)[1]  # (different rows,)
    groups = columns[protected].places[rows] if protected in columns else None
    for name, cells in named.items():
        persons = cells.places[rows]
        is_regular = _is_regular(cells.places) and _is_regular(persons)
        if is_regular or (groups is not None and _keep_groups(persons, groups)):
            key = yaml_line(("person", name))
            yield (
                f"{name} has {np.count_nonzero(cells.occurrences()):,} different values in "
                f"{len(cells):,} rows: if each is a person with several rows, write `{key}` above "
                "the line `---` of the domain file, so that one row of each person is used; "
                "otherwise the guarantee is of a row, not of a person"
            )


def _can_be_persons(cells: DistinctTexts) -> bool:
    """Whether a column has many different texts or whole numbers, each in few rows."""
    occurs = cells.occurrences() > 0
    values = np.count_nonzero(occurs)
    if not MANY_PERSONS <= values < len(cells) <= MOST_ROWS * values:
        return False
    numbers = as_numbers(cells.texts)[occurs]
    numbers = numbers[np.isfinite(numbers)]
    is_whole = bool(np.all((numbers >= 0) & (numbers % 1 == 0)))
    return is_whole and not (len(numbers) < values and amounts_among(cells.texts))


def _is_regular(persons: Ints) -> bool:
    """Whether the values, (n,), occur more regularly than in rows that are drawn independently."""
    counts = np.bincount(persons)
    return _are_copied(np.bincount(counts[counts > 0]), factor=REGULAR)


def _keep_groups(persons: Ints, groups: Ints) -> bool:
    """Whether rows of the same person have the same group, more often than by chance."""
    order = np.argsort(persons, kind="stable")
    follows = np.diff(persons[order]) == 0  # the next row is of the same person
    changes = np.count_nonzero(np.diff(groups[order])[follows])
    shares = np.bincount(groups) / len(groups)
    expected = np.count_nonzero(follows) * (1 - shares @ shares)
    return bool(expected >= ENOUGH_CHANGES and changes <= FEW_CHANGES * expected)


def _numbers_of_rows(columns: Iterable[DistinctTexts]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A number for each row, (n,), which is the same for rows with the same cells."""
    rng = np.random.default_rng(0)
    rows: Any = np.uint64(0)
    for cells in columns:
        numbers = rng.integers(2**64, size=len(cells.texts), dtype=np.uint64)
        rows = rows + numbers[cells.places]  # modulo 2^64
    return np.asarray(rows, dtype=np.uint64)


def _are_equal(cells: DistinctTexts, others: DistinctTexts) -> bool:
    """Whether two columns have the same cells."""
    one, other = cells.occurrences(), others.occurrences()
    if sorted(one[one > 0]) != sorted(other[other > 0]):
        return False
    places = {text: place for place, text in enumerate(others.texts)}
    moved = np.array([places.get(text, -1) for text in cells.texts])
    return bool(np.array_equal(moved[cells.places], others.places))


def _are_copied(times: Ints, *, factor: float = 1) -> bool:
    """Whether rows are copies, given how many different rows occur 0, 1, 2, ... times.

    A larger `factor` asks for more evidence.

    If rows are drawn independently, the numbers k! f_k are log-convex in k, where f_k different
    rows occur k times (f_k is a mixture of Poisson laws): many pairs imply some triples.
    """
    before, now, after = times[1:-1], times[2:], np.append(times[3:], 0)
    k = np.arange(2, len(times))
    most = factor * (k + 1) * (before + CHANCE) * (2 * after + CHANCE)
    return bool(np.any(k * now**2 > most))


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
    for name, column in known.features.items():
        yield from _questions_of_feature(name, column, columns[name])
        yield from questions_of_missing(name, column, columns[name])
    if schema.bounds == "public":
        attained = [name for name, kind in known.features.items() if _attains(columns[name], kind)]
        if attained:
            yield (
                f"the range of {in_short(attained)} is from the least to the largest number of the "
                "table: if it was read from there, give what is known without the table"
            )


def _attains(cells: DistinctTexts, kind: ColumnType) -> bool:
    """Whether the numbers of a column begin and end exactly where its range does."""
    if not isinstance(kind, Numeric):
        return False
    numbers = np.unique(as_numbers(cells.texts)[cells.occurrences() > 0])
    numbers = numbers[np.isfinite(numbers)]
    ends = (kind.low, kind.high)
    return len(numbers) > MANY_NUMBERS and (numbers[0], numbers[-1]) == ends


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
    others, word_fate = _others(cells, kind), WORD_FATE
    if isinstance(kind, NumberOrMissing):
        word_fate = MISSING_FATE
    if others.total() >= max(1, SOME_OUTSIDE * len(cells)):
        words = sum(count for text, count in others.items() if math.isnan(as_number(text)))
        fate = {0: NUMBER_FATE, others.total(): word_fate}.get(
            words, f"{NUMBER_FATE} or {word_fate}"
        )
        if isinstance(kind, Categorical):
            fate = f"the level {kind.levels[-1]!r}"
        yield f"{_count(others)} of {name} become {fate}: {CORRECT}"
    elif isinstance(kind, Numeric):
        numbers = as_numbers(cells.texts)[cells.occurrences() > 0]
        inside = numbers[np.isfinite(numbers)] + 0.0  # 0 in place of -0
        yield from _questions_of_whole(name, kind, inside)
        if len(inside) and np.ptp(inside) <= SMALL_PART * (kind.high - kind.low):
            yield (
                f"{name} goes from {inside.min():.6g} to {inside.max():.6g}, a small part of the "
                f"range from {kind.low:.6g} to {kind.high:.6g}: {CORRECT}"
            )


def _questions_of_whole(name: str, kind: Numeric, numbers: Floats) -> Iterator[str]:
    """Yields a question if numbers are not whole although the ends of their range are ints."""
    fractions = numbers[numbers % 1 != 0]
    if len(fractions) and is_whole(kind):
        yield (
            f"{name} has fractions, such as {fractions[0]:.6g}, but its range is of whole numbers: "
            f"for made records with fractions, write low: {kind.low}.0"
        )


def questions_of_missing(name: str, kind: ColumnType, cells: DistinctTexts) -> Iterator[str]:
    """Yields a question if many cells of a column of numbers are missing and are no level."""
    if not isinstance(kind, Numeric) or isinstance(kind, NumberOrMissing):
        return
    if isinstance(cells.texts, NumberTexts):  # all are numbers
        return
    missing = int(cells.where(MISSING_SIGNS).sum())
    if missing >= max(1, SOME_OUTSIDE * len(cells)):
        yield (
            f"{missing:,} missing cells of {name} become {(kind.low + kind.high) / 2:.6g}, the "
            "middle of its range: to keep them apart, write `missing: yes` beside the range"
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
