"""Drafts a domain file from a table: a proposed use of each column, and questions to the user.

Everything in a draft was read from the private data. The user replaces the drafted values with
facts that are public without the table, and confirms the result.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from dpfair_cli.contracts.arrays import LARGEST, Floats, Ints
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric
from dpfair_cli.formats.file_content import read_bytes
from dpfair_cli.formats.identifiers import describe_identifier
from dpfair_cli.formats.table_profile import in_short
from dpfair_cli.formats.user_table import (
    COMMA_NUMBER,
    TableForm,
    is_plain,
    nameless,
    plain_text,
    read_cells,
    read_heading,
    split_rows,
)
from dpfair_cli.models.tabular.distinct_texts import DistinctTexts, distinct_texts
from dpfair_cli.models.tabular.outside_values import MISSING_LEVEL, as_number

# our rules of thumb, tried on the tables of tests/made_files.py
MOST_LEVELS = 100  # of a used column; lists of countries or occupations have up to 50
SOME_LEVELS = 20  # up to this number, different texts are levels, even with few rows
FEW_ROWS = 10  # of a group; with fewer rows its rates say little
MOST_LABELS = 10  # different values of a label; more are a sign of another column
MOST_GROUPS = 10  # largest number of groups; a number with more values is divided into even bins
MOST_SHARE = 0.05  # share of values at each end of a column that are outside its usual range
FAR = 100  # a range is odd if it is this many times the usual range
CONSTANT = "left out: the same value in every row"
NO_CELL = "left out: empty in every row"
AMOUNT = re.compile(  # a number with a sign of money, percent or thousands
    r"[+-]?\s*([$€£¥]\s*\d[\d.,' ]*|\d[\d.,' ]*\s*[$€£¥%]|\d{1,3}([,' ]\d{3})+(\.\d+)?)"
)
PLAIN = "write plain numbers, such as 25000 and 0.25"
FEW_WORDS = 0.05  # largest share of cells without a number in a column of numbers
PLAIN_PAIRS = ({"0", "1"}, {"-1", "1"}, {"no", "yes"}, {"n", "y"}, {"false", "true"}, {"f", "t"})


@dataclass(frozen=True)
class ColumnDraft:
    """The proposed use of a column."""

    name: str
    """The name of the column in the heading of the file."""
    type: ColumnType | None
    """The range or levels; None if the column is left out."""
    use: str
    """The use in words."""
    questions: tuple[str, ...] = ()
    """The questions that the user should answer."""


@dataclass(frozen=True)
class TableDraft:
    """The proposed interpretation of a user's file."""

    form: TableForm
    """The CSV dialect of the file."""
    rows: int
    """The number of rows below the heading."""
    columns: tuple[ColumnDraft, ...]
    """All columns in the order of the heading."""
    oddities: tuple[str, ...]
    """The questions about the file itself."""

    @property
    def questions(self) -> list[str]:
        """All questions that the user should answer, those about the file first."""
        found = list(self.oddities)
        for column in self.columns:
            found += column.questions
        return found


@dataclass(frozen=True)
class Roles:
    """The columns of a table with a role, and the texts that stand for no value."""

    missing: Collection[str]
    """The texts that mark an empty cell."""
    label: str = ""
    """The column to be predicted, or empty."""
    protected: str = ""
    """The column that defines the groups, or empty."""
    positive: str = ""
    """The favourable label, or empty."""


@dataclass(frozen=True, eq=False)
class ColumnTexts:
    """What a draft needs to know of a column."""

    counts: Counter[str]
    """How often each text occurs in the column, in order of first appearance."""
    digest: bytes
    """A digest of all cells in their order."""

    def __len__(self) -> int:
        return self.counts.total()


def draft_table(file: str, form: TableForm, roles: Roles) -> TableDraft:
    """The proposed interpretation of the table in a user's file.

    Raises:
        DpfairError: the file is not a table, has no row, or lacks a column.
    """
    heading = read_heading(file, form)
    check_roles(heading, roles)
    table = read_cells(file, heading, form)
    if table.empty:
        raise DpfairError(f"{file} has a heading only: add rows below the heading")
    widths = row_widths(read_bytes(file), form, len(heading))
    columns = (texts_of(distinct_texts(table[name])) for name in heading)
    return drafted(form, heading, columns, widths, roles)


def drafted(
    form: TableForm,
    heading: Sequence[str],
    columns: Iterable[ColumnTexts],
    widths: Counter[int],
    roles: Roles,
) -> TableDraft:
    """The proposed interpretation of a table with these columns, each of which is used once.

    `widths` has how many rows of the file have each number of cells.

    Raises:
        DpfairError: the label or the protected column has only one value.
    """
    drafts: list[ColumnDraft] = []
    firsts: dict[bytes, str] = {}
    unnamed, rows = nameless(heading, form), 0
    for name, cells in zip(heading, columns, strict=True):
        rows, twin = len(cells), firsts.setdefault(cells.digest, name)
        if twin != name:
            drafts.append(ColumnDraft(name, None, f"left out: equal to the column {twin}"))
        elif name == roles.label:
            drafts.append(_draft_label(name, cells, roles.missing, roles.positive))
        elif name == roles.protected:
            drafts.append(_draft_protected(name, cells, roles.missing))
        else:
            drafts.append(_draft_feature(name, cells, roles.missing, unnamed=name in unnamed))
    return TableDraft(form, rows, tuple(drafts), tuple(_oddities(widths, form, heading)))


def texts_of(cells: DistinctTexts) -> ColumnTexts:
    """The texts of a column, which are in order of appearance."""
    places = np.asarray(cells.places, dtype=np.int64)
    digest = sha256(repr(list(cells.texts)).encode() + places.tobytes()).digest()
    return ColumnTexts(cells.counts(), digest)


def check_roles(heading: Sequence[str], roles: Roles) -> None:
    """Refuses a label or protected column that is not in the heading, or one column for both.

    Raises:
        DpfairError: a column is unknown, or the two are the same.
    """
    label, protected = roles.label, roles.protected
    for name in filter(None, (label, protected)):
        if name not in heading:
            raise DpfairError(f"unknown column {name!r} in the table: {nearest(name, heading)}")
    if label and label == protected:
        raise DpfairError(f"label and protected column must be two columns, got {label!r} for both")


def _draft_feature(
    name: str, cells: ColumnTexts, missing: Collection[str], *, unnamed: bool
) -> ColumnDraft:
    """The proposed use of a column that is neither label nor protected.

    `unnamed` says that the column has no name in the heading.
    """
    counts = _counts(cells, missing)
    absent = len(cells) - counts.total()
    if _constant(counts, absent):
        return ColumnDraft(name, None, CONSTANT if counts else NO_CELL)
    if _are_amounts(counts):
        text = next(filter(AMOUNT.fullmatch, counts))
        question = f"{name} holds amounts such as {text!r}: to use them, {PLAIN}"
        return ColumnDraft(name, None, "left out: amounts that are not plain numbers", (question,))
    distinct = len(counts) == counts.total()
    values = [as_number(text) for text in counts] if distinct else []
    identifier = describe_identifier(values, unnamed=unnamed) if distinct else ""
    if identifier:
        return ColumnDraft(name, None, f"left out: {identifier}?")
    numbers = _numbers(counts)
    words = [text for text in counts if text not in numbers]
    few_words = sum(counts[text] for text in words) <= FEW_WORDS * len(cells)
    kinds = len(set(numbers.values()))
    if kinds > SOME_LEVELS or (kinds > 2 and few_words):
        return _draft_number(name, counts, numbers, words, absent)
    return _draft_levels(name, counts, absent)


def _counts(cells: ColumnTexts, missing: Collection[str]) -> Counter[str]:
    """How often each text occurs in a column, without the signs of an empty cell."""
    counts = cells.counts.items()
    return Counter({text: count for text, count in counts if text not in missing})


def _constant(counts: Mapping[str, int], absent: int) -> bool:
    """Whether a column has one value; an empty cell counts as a value.

    `counts` is how often each text occurs in the column, and `absent` is the number of empty cells.
    """
    return len(counts) + bool(absent) < 2


def _are_amounts(counts: Mapping[str, int]) -> bool:
    """Whether most texts of a column are numbers with signs or separators, such as $25,000."""
    return 2 * sum(bool(AMOUNT.fullmatch(text)) for text in counts) > len(counts)


def _numbers(counts: Mapping[str, int]) -> dict[str, float]:
    """The number that each text stands for, for the texts that are numbers of size up to LARGEST.

    The keys of `counts` are the texts of a column.
    """
    numbers = {text: as_number(text) for text in counts}
    return {text: number for text, number in numbers.items() if abs(number) <= LARGEST}


def _draft_number(
    name: str,
    counts: Mapping[str, int],
    numbers: Mapping[str, float],
    words: Sequence[str],
    absent: int,
) -> ColumnDraft:
    """The proposed range of the numerical column `name`.

    `counts` is how often each text occurs in the column, `numbers` are the numbers, `words` are the
    texts that are not numbers, and `absent` is the number of empty cells.
    """
    found = sorted(numbers.values())
    use = f"number from {found[0]:.12g} to {found[-1]:.12g}"
    questions = []
    odd = sum(counts[word] for word in words)
    if absent + odd:
        use += f"; {absent + odd} cells without a number become the middle of the range"
    if odd:
        large = not math.isnan(as_number(words[0]))
        what = f"above {LARGEST:g} in absolute value" if large else "no numbers"
        cure = "correct them, or mark them with --missing"
        questions.append(f"{odd} cells of {name} are {what}, such as {words[0]!r}: {cure}")
    repeated = np.repeat(list(numbers.values()), [counts[text] for text in numbers])
    questions += question_of_range(name, repeated)
    return ColumnDraft(name, Numeric(found[0], found[-1]), use, tuple(questions))


def _draft_levels(name: str, counts: Mapping[str, int], absent: int) -> ColumnDraft:
    """The proposed levels of the column `name`; a column with too many levels is left out.

    `counts` is how often each text occurs in the column, and `absent` is the number of empty cells.
    """
    rows = sum(counts.values())
    if len(counts) > MOST_LEVELS or len(counts) > max(SOME_LEVELS, rows / 2):
        commas = sum(bool(COMMA_NUMBER.fullmatch(text)) for text in counts)
        what = "numbers with commas?" if 2 * commas > len(counts) else "names, dates or free text?"
        use = f"left out: {len(counts)} different texts in {rows} rows, {what}"
        return ColumnDraft(name, None, use)
    levels = _with_missing(in_order(counts), absent)
    use = f"{len(levels)} levels"
    if absent:
        use += f", {MISSING_LEVEL!r} for {absent} empty cells"
    return ColumnDraft(name, Categorical(levels), use, tuple(questions_of_texts(name, counts)))


def _draft_protected(name: str, cells: ColumnTexts, missing: Collection[str]) -> ColumnDraft:
    """The proposed groups of the protected column `name`.

    The groups are the levels of the column, or bins of equal width for a number with many values.
    """
    counts = _counts(cells, missing)
    numbers = _numbers(counts)
    absent = len(cells) - counts.total()
    if _constant(counts, absent):
        raise DpfairError(
            f"the protected column {name!r} must have two different values, "
            "got the same value in every row"
        )
    if len(numbers) == len(counts) > MOST_GROUPS:
        whole = Numeric(min(numbers.values()), max(numbers.values()))
        bins = whole.all_bins
        question = (
            f"{name} would make {len(counts)} groups: "
            f"the draft has {len(bins)} even bins, replace them with your own"
        )
        if len(counts) == len(cells):
            question += f"; {name} has another number in every row: is it an identifier?"
        binned = Numeric(whole.low, whole.high, bins=bins)
        return ColumnDraft(name, binned, f"groups: {len(bins)} bins of a number", (question,))
    levels = _with_missing(in_order(counts), absent)
    questions = []
    if len(levels) > MOST_GROUPS:
        questions.append(f"{name} makes {len(levels)} groups: few methods accept more than two")
    if absent:
        group = f"the group {MISSING_LEVEL!r}"
        questions.append(f"{name} is empty in {absent} rows, which form {group}")
    small = [f"{level} ({count})" for level, count in counts.items() if count < FEW_ROWS]
    if small:
        questions.append(
            f"groups of {name} with fewer than {FEW_ROWS} rows: {in_short(small)}; merge them with "
            "others in the table, if their rates are to be measured"
        )
    questions += questions_of_texts(name, counts)
    use = f"groups: {', '.join(levels[:MOST_GROUPS])}"
    if len(levels) > 2:
        use += "; some methods, such as pflr, accept only two groups"
    return ColumnDraft(name, Categorical(levels), use, tuple(questions))


def _draft_label(
    name: str, cells: ColumnTexts, missing: Collection[str], positive: str
) -> ColumnDraft:
    """The proposed levels of the label, the column `name`; the favourable level is the last.

    Raises:
        DpfairError: the label has only one value, or never has the value `positive`.
    """
    counts = _counts(cells, missing)
    if positive and positive not in counts:
        raise DpfairError(
            f"no cell of the label {name!r} is {positive!r}: {nearest(positive, counts)}"
        )
    if len(counts) < 2:
        raise DpfairError(
            f"the label {name!r} must have two different values, got the same value in every row"
        )
    levels = tuple(sorted(in_order(counts), key=lambda level: level == positive))
    others = ", ".join(levels[:-1][:MOST_GROUPS])
    absent = len(cells) - counts.total()
    questions = [] if positive else question_of_label(name, levels)
    if len(levels) > 2:
        questions.append(f"{name} has {len(levels)} values: all but {levels[-1]!r} count as 0")
    if absent:
        questions.append(f"{name} is empty in {absent} rows, which count as 0: delete these rows?")
    use = f"label: {levels[-1]} is favourable, {others} not"
    return ColumnDraft(name, Categorical(levels), use, tuple(questions))


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
    low, high = np.quantile(numbers, [MOST_SHARE, 1 - MOST_SHARE])
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
    alike = Counter(text.casefold() for text in texts)
    for text in sorted(text for text, count in alike.items() if count > 1):
        same = sorted(other for other in texts if other.casefold() == text)
        pair = " and ".join(map(repr, same))
        yield f"{name} has the levels {pair}: if these are one level, correct the file"
    commas = [text for text in texts if COMMA_NUMBER.fullmatch(text)]
    if 2 * len(commas) > len(texts):
        levels = f"{len(texts)} levels such as {commas[0]!r}"
        yield f"{name} has {levels}: are these numbers with a decimal comma?"


def in_order(texts: Collection[str]) -> tuple[str, ...]:
    """The texts in ascending order: as numbers if all are numbers, otherwise alphabetically."""
    numbers = all(math.isfinite(as_number(text)) for text in texts)
    return tuple(sorted(texts, key=as_number if numbers else str))


def _with_missing(levels: tuple[str, ...], absent: int) -> tuple[str, ...]:
    """The levels of a column, followed by MISSING_LEVEL if the column has empty cells.

    `absent` is the number of empty cells.
    """
    if not absent:
        return levels
    return (*(level for level in levels if level != MISSING_LEVEL), MISSING_LEVEL)


def _oddities(widths: Counter[int], form: TableForm, heading: Sequence[str]) -> Iterator[str]:
    """The questions about the rows, the encoding and the heading of a file."""
    columns = len(heading)
    short = sum(count for width, count in widths.items() if width < columns)
    long = sum(count for width, count in widths.items() if width > columns)
    if widths[columns + 1] >= widths.total() - 1 > 0:
        cure = f"if the first cell names the row, give --header name,{heading[0]},..."
        yield f"every row has one cell more than the heading: {cure}"
    elif long:
        yield f"{long} rows have more than {columns} cells: the additional cells are ignored"
    if short:
        yield f"{short} rows have fewer than {columns} cells: the missing cells count as empty"
    if form.encoding == "latin-1":
        yield "the file is not utf-8 and is read as latin-1: if this is wrong, give --encoding"
    for name in heading:
        first, _, number = name.rpartition("_")
        if first in heading and number.isdigit():
            yield f"a name occurs twice in the heading: the second column is called {name}"


def row_widths(content: bytes, form: TableForm, columns: int) -> Counter[int]:
    """How many rows of a file have each number of cells, without blank lines.

    A separator at the end of a row of `columns` cells makes no further cell.
    """
    if is_plain(content, form.encoding) and b'"' not in content and form.separator != " ":
        widths = _separated(content, form.separator)
        if widths.max(initial=0) <= columns:
            return Counter(dict(enumerate(np.bincount(widths).tolist())))
    text = plain_text(content.decode(form.encoding, errors="replace"))
    rows = split_rows(text, form.separator)
    return Counter(len(row) - (row[columns:] == [""]) for row in rows)


def _separated(content: bytes, separator: str) -> Ints:
    """The number of cells of each line of a text without quotes, without blank lines, (lines,)."""
    signs = np.frombuffer(content, dtype=np.uint8)
    ends = np.append(np.flatnonzero(signs == ord("\n")), len(signs))
    starts = np.append(0, ends[:-1] + 1)
    filled = starts[ends > starts]
    separators = np.flatnonzero(signs == ord(separator))
    return np.diff(np.searchsorted(separators, np.append(filled, len(signs)))) + 1
