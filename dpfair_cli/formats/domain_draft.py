"""Drafts a domain file from a table: a proposed use of each column, and questions to the user.

Everything in a draft was read from the private data. The user replaces the drafted values with
facts that are public without the table, and confirms the result. The text of a draft holds nothing
of the data but the ranges and levels that it proposes. What the user should know about the data is
printed and stands in no file.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

import numpy as np

from dpfair_cli.contracts.arrays import LARGEST, Ints
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.missing_numbers import NumberOrMissing
from dpfair_cli.contracts.schemas import Categorical, ColumnType
from dpfair_cli.formats.comparisons import (
    LabelComparison,
    as_labels,
    hint_of_comparison,
    require_both,
    require_numbers,
)
from dpfair_cli.formats.domain_file import domain_text, draft_head, range_of
from dpfair_cli.formats.file_content import open_bytes, read_bytes
from dpfair_cli.formats.questions import (
    MISSING_FATE,
    NUMBER_FATE,
    WORD_FATE,
    amounts_among,
    describe_identifier,
    in_short,
    last_digits,
    question_of_label,
    question_of_range,
    question_of_rare_label,
    questions_of_cells,
    questions_of_persons,
    questions_of_rows,
    questions_of_texts,
)
from dpfair_cli.formats.user_table import (
    COMMA_NUMBER,
    TableForm,
    nameless,
    plain_bytes,
    read_cells,
    read_heading,
    split_rows,
)
from dpfair_cli.models.tabular.outside_values import (
    MISSING_LEVEL,
    DistinctTexts,
    as_number,
    distinct_texts,
)

# our rules of thumb, tried on the tables of tests/made_files.py
MOST_LEVELS = 100  # of a used column; lists of countries or occupations have up to 50
SOME_LEVELS = 20  # up to this number, different texts are levels, even with few rows
FEW_ROWS = 10  # of a group; with fewer rows its rates say little
MOST_GROUPS = 10  # largest number of groups; a number with more values is divided into even bins
HEADING_BYTES = 2**20  # beginning of a file with its heading
SOME_MISSING = 0.01  # share of cells without a number from which they are a level
FEW_WORDS = 0.05  # largest share of cells without a number in a column of numbers
CONSTANT = "left out: the same value in every row"
NO_CELL = "left out: empty in every row"
INTRODUCTION = """\
# Ranges, levels and groups below were read from the private data, and no fit with them is private.
# Replace them with facts that are public without the table (the range that the questionnaire
# allows, all levels that exist), and then run `dpfair domain --confirm FILE`. A value that is not
# listed becomes the last listed level, and a number is clipped to its range. With `missing: yes`,
# cells without a number are a level. A column without an entry is not used."""


@dataclass(frozen=True)
class ColumnDraft:
    """The proposed use of a column."""

    name: str  # the name of the column in the heading of the file
    type: ColumnType | None  # the range or levels; None if the column is left out
    use: str  # the use in words
    questions: tuple[str, ...] = ()  # the questions that the user should answer


@dataclass(frozen=True)
class TableDraft:
    """The proposed interpretation of a user's file."""

    form: TableForm  # the CSV dialect of the file
    rows: int  # the number of rows below the heading
    columns: tuple[ColumnDraft, ...]  # all columns in the order of the heading
    oddities: tuple[str, ...]  # the questions about the file itself

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

    missing: Collection[str]  # the texts that mark an empty cell
    label: str = ""  # the column to be predicted, or empty
    protected: str = ""  # the column that defines the groups, or empty
    positive: str = ""  # the favourable label, or empty


@dataclass(frozen=True, eq=False)
class ColumnTexts:
    """What a draft needs to know of a column."""

    counts: Counter[str]  # how often each text occurs in the column, in order of first appearance
    digest: bytes  # a digest of all cells in their order


@dataclass(frozen=True, eq=False)
class _Column:
    """A column whose use is drafted."""

    name: str  # the name of the column in the heading of the file
    counts: Counter[str]  # how often each text occurs, without those that mark an empty cell
    absent: int  # the number of empty cells
    separator: str  # the separator of the table

    @property
    def rows(self) -> int:
        """The number of cells."""
        return self.counts.total() + self.absent

    @property
    def is_constant(self) -> bool:
        """Whether the column has one value; an empty cell counts as a value."""
        return len(self.counts) + bool(self.absent) < 2

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The number that each text stands for, for the texts that are numbers up to LARGEST."""
        numbers = {text: as_number(text) for text in self.counts}
        return {text: number for text, number in numbers.items() if abs(number) <= LARGEST}

    @property
    def levels(self) -> tuple[str, ...]:
        """The texts in their order, followed by MISSING_LEVEL if there are empty cells."""
        levels = _in_order(self.counts)
        if not self.absent:
            return levels
        return (*(level for level in levels if level != MISSING_LEVEL), MISSING_LEVEL)

    @cached_property
    def questions(self) -> tuple[str, ...]:
        """The questions about the cells, whatever the role of the column is."""
        rows = np.array([*self.counts.values()], dtype=np.int64)
        found = questions_of_cells(self.name, list(self.counts), rows, separator=self.separator)
        return tuple(found)

    def left_out(self, reason: str, *questions: str) -> ColumnDraft:
        """The draft of a column that is not used."""
        return ColumnDraft(self.name, None, reason, questions)


def draft_text(draft: TableDraft) -> str:
    """The text of a domain file for a draft; `read_domain` reads the text."""
    types = {column.name: column.type for column in draft.columns if column.type is not None}
    head = [draft_head(types, draft.form), *INTRODUCTION.splitlines()]
    return domain_text([*head, "confirmed: no"], types, draft.form)


def draft_table(file: str, form: TableForm, roles: Roles) -> TableDraft:
    """The proposed interpretation of the table in a user's file.

    Raises:
        DpfairError: the file is not a table, has no row, or lacks a column.
    """
    heading = read_heading(file, form)
    check_roles(heading, roles)  # before the rows are read
    table = read_cells(file, heading, form)
    widths = row_widths(read_bytes(file), form, len(heading))
    columns = (texts_of(distinct_texts(table[name])) for name in heading)
    found = drafted(form, heading, columns, widths, roles, twice=doubled_names(file, form))
    cells = {name: distinct_texts(table[name]) for name in heading}
    more = [
        *_questions_of_rows(found, cells, roles),
        *questions_of_persons(cells, protected=roles.protected, label=roles.label),
    ]
    return replace(found, oddities=(*found.oddities, *more))


def _questions_of_rows(
    draft: TableDraft, cells: Mapping[str, DistinctTexts], roles: Roles
) -> Iterator[str]:
    """Yields questions about the rows of a table and about the columns that the draft uses."""
    used = {column.name: column.type for column in draft.columns if column.type is not None}
    label = used.pop(roles.label, None)
    if isinstance(label, Categorical):
        texts = cells[roles.label].texts
        pairs = zip(texts, as_labels(texts, label.levels), strict=True)
        favourable = cells[roles.label].where(
            text for text, level in pairs if level == label.levels[-1]
        )
        columns = {name: cells[name] for name in used}
        yield from questions_of_rows(columns, favourable.astype(np.int64), roles.protected)


def doubled_names(file: str, form: TableForm) -> list[str]:
    """The names that occur more than once in the heading of a file."""
    if form.header:
        return []
    with open_bytes(file) as content:
        beginning = plain_bytes(content.read(HEADING_BYTES), form.encoding).decode()
    first = next(split_rows(beginning, form.separator), [])
    return [name for name, count in Counter(filter(None, first)).items() if count > 1]


def drafted(
    form: TableForm,
    heading: Sequence[str],
    columns: Iterable[ColumnTexts],
    widths: Counter[int],
    roles: Roles,
    *,
    twice: Collection[str],
) -> TableDraft:
    """The proposed interpretation of a table with these columns, each of which is used once.

    `widths` has how many rows of the file have each number of cells, and `twice` are the names that
    occur more than once in the heading.

    Raises:
        DpfairError: the label or the protected column has only one value.
    """
    drafts: dict[str, ColumnDraft] = {}
    same: dict[bytes, list[str]] = {}  # the columns with the same cells
    unnamed, rows = nameless(heading, form), 0
    # `columns` can be read from a file one after the other, so that one at a time is in memory
    for name, texts in zip(heading, columns, strict=True):
        rows, twins = texts.counts.total(), same.setdefault(texts.digest, [])
        counts = Counter({t: n for t, n in texts.counts.items() if t not in roles.missing})
        column = _Column(name, counts, rows - counts.total(), form.separator)
        if name == roles.label:
            drafts[name] = _draft_label(column, roles.positive)
        elif name == roles.protected:
            drafts[name] = _draft_protected(column)
        elif not twins:
            drafts[name] = _draft_feature(column, unnamed=name in unnamed)
        twins.append(name)
    for twins in same.values():
        needed = {roles.label, roles.protected}.intersection(twins)
        kept = min(needed or twins, key=twins.index)
        for name in {*twins} - needed - {kept}:
            drafts[name] = ColumnDraft(name, None, f"left out: equal to the column {kept}")
    oddities = tuple(_oddities(widths, form, heading, twice))
    return TableDraft(form, rows, tuple(drafts[name] for name in heading), oddities)


def texts_of(cells: DistinctTexts) -> ColumnTexts:
    """The texts of a column, which are in order of appearance."""
    places = np.asarray(cells.places, dtype=np.int64)  # whatever the size of the codes is
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


def _draft_feature(column: _Column, *, unnamed: bool) -> ColumnDraft:
    """The proposed use of a column that is neither label nor protected.

    `unnamed` says that the column has no name in the heading.
    """
    counts, numbers = column.counts, column.numbers
    if column.is_constant:
        return column.left_out(CONSTANT if counts else NO_CELL)
    if amounts_among(counts):
        reason = "left out: amounts that are not plain numbers"
        return column.left_out(reason, *column.questions)
    if len(counts) == counts.total():  # another text in every row
        numbers_of_rows = [as_number(text) for text in last_digits(list(counts))]
        identifier = describe_identifier(numbers_of_rows, unnamed=unnamed)
        if identifier:
            return column.left_out(f"left out: {identifier}?")
    words = [text for text in counts if text not in numbers]
    few_words = sum(counts[text] for text in words) <= FEW_WORDS * column.rows
    kinds = len(set(numbers.values()))  # 1 and 1.0 are one number
    if kinds > SOME_LEVELS or (kinds > 2 and few_words):
        return _draft_number(column, words)
    return _draft_levels(column)


def _draft_number(column: _Column, words: Sequence[str]) -> ColumnDraft:
    """The proposed range of a numerical column; `words` are its texts that are not numbers."""
    name, counts, numbers = column.name, column.counts, column.numbers
    low, *_, high = sorted(numbers.values())
    large = [word for word in words if not math.isnan(as_number(word))]  # such as inf
    other = [word for word in words if word not in large]
    absent = column.absent + sum(counts[word] for word in other)
    kind, word_fate = range_of(numbers.values()), WORD_FATE
    if absent >= SOME_MISSING * column.rows:
        kind, word_fate = NumberOrMissing(kind.low, kind.high), MISSING_FATE
    use = f"number from {low:.12g} to {high:.12g}"
    questions = []
    for odd, what, fate in (
        (other, "no numbers", word_fate),
        (large, f"above {LARGEST:g} in absolute value", NUMBER_FATE),
    ):
        count = sum(counts[word] for word in odd)
        if odd:
            such = f"{count} cells of {name} are {what}, such as {odd[0]!r}"
            questions.append(f"{such}, and become {fate}: correct them")
        if odd is other and absent:
            use += f"; {absent} cells without a number become {fate}"
        elif odd:
            use += f"; {count} cells {what} become {fate}"
    repeated = np.repeat(list(numbers.values()), [counts[text] for text in numbers])
    questions += column.questions or question_of_range(name, repeated)
    return ColumnDraft(name, kind, use, tuple(questions))


def _draft_levels(column: _Column) -> ColumnDraft:
    """The proposed levels of a column; a column with too many levels is left out."""
    name, counts, levels = column.name, column.counts, column.levels
    rows = counts.total()
    if len(counts) > MOST_LEVELS or len(counts) > max(SOME_LEVELS, rows / 2):
        commas = sum(bool(COMMA_NUMBER.fullmatch(text)) for text in counts)
        what = "numbers with commas?" if 2 * commas > len(counts) else "names, dates or free text?"
        return column.left_out(f"left out: {len(counts)} different texts in {rows} rows, {what}")
    use = f"{len(levels)} levels"
    if column.absent:
        use += f", {MISSING_LEVEL!r} for {column.absent} empty cells"
    return ColumnDraft(name, Categorical(levels), use, column.questions)


def _draft_protected(column: _Column) -> ColumnDraft:
    """The proposed groups of the protected column.

    The groups are the levels of the column, or bins of equal width for a number with many values.

    Raises:
        DpfairError: the column has only one value.
    """
    if column.is_constant:
        raise DpfairError(
            f"the protected column {column.name!r} must have two different values, "
            "got the same value in every row"
        )
    if len(column.numbers) == len(column.counts) > MOST_GROUPS:
        return _draft_bins(column)
    levels = column.levels
    use = f"groups: {', '.join(levels[:MOST_GROUPS])}"
    if len(levels) > 2:
        use += "; some methods, such as pflr, accept only two groups"
    questions = tuple(_questions_of_groups(column, levels))
    return ColumnDraft(column.name, Categorical(levels), use, questions)


def _draft_bins(column: _Column) -> ColumnDraft:
    """The proposed groups of a protected number with many values: bins of equal width."""
    name, numbers = column.name, column.numbers.values()
    bins = range_of(numbers).all_bins
    question = (
        f"{name} would make {len(numbers)} groups: "
        f"the draft has {len(bins)} even bins, replace them with your own"
    )
    if len(numbers) == column.rows:
        question += f"; {name} has another number in every row: is it an identifier?"
    binned = range_of(numbers, bins)
    if column.absent:
        binned = NumberOrMissing(binned.low, binned.high, bins=bins)
    questions = (question, *_questions_of_empty_cells(column), *column.questions)
    return ColumnDraft(name, binned, f"groups: {len(bins)} bins of a number", questions)


def _questions_of_groups(column: _Column, levels: Sequence[str]) -> Iterator[str]:
    """Yields questions about groups that are many, unnamed, small or spelt alike."""
    name = column.name
    if len(levels) > MOST_GROUPS:
        yield f"{name} makes {len(levels)} groups: few methods accept more than two"
    yield from _questions_of_empty_cells(column)
    small = [f"{text} ({count})" for text, count in column.counts.items() if count < FEW_ROWS]
    if small:
        yield (
            f"groups of {name} with fewer than {FEW_ROWS} rows: {in_short(small)}; merge them with "
            "others in the table, if their rates are to be measured"
        )
    yield from column.questions


def _questions_of_empty_cells(column: _Column) -> Iterator[str]:
    """Yields a question about rows without a group."""
    if column.absent:
        group = f"the group {MISSING_LEVEL!r}"
        yield f"{column.name} is empty in {column.absent} rows, which form {group}"


def _draft_label(column: _Column, positive: str) -> ColumnDraft:
    """The proposed levels of the label; the favourable level is the last.

    Raises:
        DpfairError: the label has only one value, or never has the value `positive`.
    """
    name, counts, absent = column.name, column.counts, column.absent
    comparison = None if positive in counts else LabelComparison.of(positive)
    if positive and positive not in counts and not comparison:
        raise DpfairError(
            f"no cell of the label {name!r} is {positive!r}: {nearest(positive, counts)}"
        )
    if column.is_constant or not counts:
        raise DpfairError(
            f"the label {name!r} must have two different values, got the same value in every row"
        )
    if comparison:
        return _draft_compared(column, comparison)
    found = column.levels if len(counts) < 2 else _in_order(counts)
    # sorting is stable: only the favourable level moves, to the end
    favourable = positive or found[len(counts) - 1]  # not the level of empty cells
    levels = tuple(sorted(found, key=lambda level: level == favourable))
    others = ", ".join(levels[:-1][:MOST_GROUPS])
    half_empty = absent and len(counts) < 2
    questions = [] if positive or half_empty else question_of_label(name, levels)
    if len(levels) > 2:
        count = f"{name} has {len(levels)} values: all but {levels[-1]!r} count as 0"
        questions.append(f"{count}{hint_of_comparison(counts)}")
    yes = counts[levels[-1]]
    if not positive:
        questions += question_of_rare_label(name, levels, yes, column.rows - yes)
    questions += questions_of_texts(name, list(counts))
    if half_empty:
        questions.append(
            f"{name} is {levels[-1]!r} or empty: do the empty cells mean the opposite?"
        )
    elif absent:
        questions.append(_question_of_empty_labels(column))
    use = f"label: {levels[-1]} is favourable, {others} not"
    return ColumnDraft(name, Categorical(levels), use, tuple(questions))


def _draft_compared(column: _Column, comparison: LabelComparison) -> ColumnDraft:
    """The two labels that a comparison makes of a column of numbers, the favourable one last.

    Raises:
        DpfairError: many cells are no numbers, or the comparison does not divide the numbers.
    """
    name, counts = column.name, column.counts
    numbers = {text: as_number(text) for text in counts}
    words = [text for text, number in numbers.items() if math.isnan(number)]
    count = sum(counts[text] for text in words)
    if count > FEW_WORDS * column.rows:
        require_numbers(comparison, name, words)
    require_both(comparison, name, [one for one in numbers.values() if not math.isnan(one)])
    questions = []
    if words:
        such = f"{count} cells of {name} are no numbers, such as {words[0]!r}"
        questions.append(f"{such}, and count as 0: correct them")
    if column.absent:
        questions.append(_question_of_empty_labels(column))
    other, favourable = comparison.labels
    use = f"label: {favourable} is favourable, {other} not"
    return ColumnDraft(name, Categorical(comparison.labels), use, tuple(questions))


def _question_of_empty_labels(column: _Column) -> str:
    return f"{column.name} is empty in {column.absent} rows, which count as 0: delete these rows?"


def _in_order(texts: Collection[str]) -> tuple[str, ...]:
    """The texts in ascending order: as numbers if all are numbers, otherwise alphabetically."""
    numbers = all(math.isfinite(as_number(text)) for text in texts)
    return tuple(sorted(texts, key=as_number if numbers else str))


def _oddities(
    widths: Counter[int], form: TableForm, heading: Sequence[str], twice: Collection[str]
) -> Iterator[str]:
    """The questions about the rows, the encoding and the heading of a file."""
    columns = len(heading)  # the number that every row should have
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
    for name in twice:
        second = f"{name}_2"
        yield f"a name occurs twice in the heading: the second column is called {second}"


def row_widths(content: bytes, form: TableForm, columns: int) -> Counter[int]:
    """How many rows of a file have each number of cells, without blank lines.

    A separator at the end of a row of `columns` cells makes no further cell.
    """
    plain = plain_bytes(content, form.encoding)
    if b'"' not in plain and form.separator != " ":
        widths = _separated(plain, form.separator)
        if widths.max(initial=0) <= columns:
            return Counter(dict(enumerate(np.bincount(widths).tolist())))
    rows = split_rows(plain.decode(), form.separator)
    return Counter(len(row) - (row[columns:] == [""]) for row in rows)


def _separated(content: bytes, separator: str) -> Ints:
    """The number of cells of each line of a text without quotes, without blank lines, (lines,)."""
    signs = np.frombuffer(content, dtype=np.uint8)
    ends = np.append(np.flatnonzero(signs == ord("\n")), len(signs))
    starts = np.append(0, ends[:-1] + 1)
    filled = starts[ends > starts]
    separators = np.flatnonzero(signs == ord(separator))
    return np.diff(np.searchsorted(separators, np.append(filled, len(signs)))) + 1
