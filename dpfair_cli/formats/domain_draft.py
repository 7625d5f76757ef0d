"""A domain file drafted from a table: what becomes of each column, and what a person should look at
before it is used.

Everything in a draft was read from the private data. It is a beginning: whoever knows what is
public without the table puts that in the place of what was read, and confirms it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import LARGEST
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.schemas import Categorical, Kind, Numeric
from dpfair_cli.formats.identifiers import describe_identifier
from dpfair_cli.formats.own_table import (
    COMMA_NUMBER,
    TableForm,
    nameless,
    read_bytes,
    read_cells,
    read_heading,
    split_rows,
)
from dpfair_cli.models.tabular.outside_values import as_number

MISSING_LEVEL = "missing"  # the last level where cells are empty: what is not listed counts as the last one listed
MOST_LEVELS = 100  # of a column that is kept: the longest list of usual tables, of countries or occupations, has 50
SOME_LEVELS = 20  # up to which different words are levels, however few rows there are
MOST_GROUPS = 10  # that a person would name; a number with more is cut into even bins
MOST_SHARE, FAR = (
    0.05,
    100,
)  # a range is odd that is so many times that of the numbers without this share at each end
FEW_WORDS = 0.05  # of the rows, in a column of numbers, that are not numbers
PLAIN_PAIRS = ({"0", "1"}, {"-1", "1"}, {"no", "yes"}, {"n", "y"}, {"false", "true"}, {"f", "t"})


@dataclass(frozen=True)
class ColumnDraft:
    """What becomes of a column: its kind (None: it is left out), in words, and questions to a
    person.
    """

    name: str
    kind: Kind | None
    use: str
    questions: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableDraft:
    """What becomes of a file: how it is written, its rows, its columns, and what is odd about the
    file itself.
    """

    form: TableForm
    rows: int
    columns: tuple[ColumnDraft, ...]
    oddities: tuple[str, ...]

    @property
    def questions(self) -> list[str]:
        """Everything that a person should look at, the file first."""
        return [
            *self.oddities,
            *(question for column in self.columns for question in column.questions),
        ]


def draft_table(
    file: str,
    form: TableForm,
    *,
    missing: Collection[str],
    label: str = "",
    protected: str = "",
    positive: str = "",
) -> TableDraft:
    """A draft for the table of a file; `missing` are the signs of an empty cell, the others roles
    of columns or empty.

    Raises:
        DpfairError: the file is no table, or has no row or no such column.
    """
    heading = read_heading(file, form)
    for name in filter(None, (label, protected)):
        if name not in heading:
            raise DpfairError(f"no column {name!r} in the table: {nearest(name, heading)}")
    table = read_cells(file, heading, form)
    if table.empty:
        raise DpfairError(f"{file} has no row below its heading")
    columns: list[ColumnDraft] = []
    firsts: dict[int, str] = {}
    for name in heading:
        cells = table[name].tolist()
        twin = firsts.setdefault(hash(tuple(cells)), name)
        if twin != name and table[twin].tolist() == cells:
            columns.append(ColumnDraft(name, None, f"left out: the same as {twin}"))
        elif name == label:
            columns.append(_draft_label(name, cells, missing, positive))
        else:
            roles = {"is_protected": name == protected, "unnamed": name in nameless(heading, form)}
            columns.append(draft_column(name, cells, missing=missing, **roles))
    return TableDraft(form, len(table), tuple(columns), tuple(_oddities(file, form, heading)))


def draft_column(
    name: str,
    cells: Sequence[str],
    *,
    missing: Collection[str],
    is_protected: bool,
    unnamed: bool = False,
) -> ColumnDraft:
    """What becomes of the cells of a column that is not the label; `unnamed` where its heading is
    empty.
    """
    counts = Counter(cell for cell in cells if cell not in missing)
    numbers = {text: as_number(text) for text in counts if abs(as_number(text)) <= LARGEST}
    words = [text for text in counts if text not in numbers]
    absent = len(cells) - counts.total()
    if len(counts) + bool(absent) < 2:
        return ColumnDraft(name, None, "left out: the same in every row")
    if is_protected:
        return _draft_groups(name, counts, numbers, absent)
    identifier = describe_identifier(
        [as_number(cell) for cell in cells if cell not in missing], unnamed=unnamed
    )
    if identifier:
        return ColumnDraft(name, None, f"left out: {identifier}?")
    if len(set(numbers.values())) > 2 and sum(counts[text] for text in words) <= FEW_WORDS * len(
        cells
    ):
        return _draft_number(name, counts, numbers, words, absent)
    return _draft_levels(name, counts, absent)


def _draft_number(
    name: str,
    counts: Mapping[str, int],
    numbers: Mapping[str, float],
    words: Sequence[str],
    absent: int,
) -> ColumnDraft:
    found = sorted(numbers.values())
    odd = sum(counts[word] for word in words)
    moved = (
        f"; {absent + odd} cells without a number become the middle of it" if absent + odd else ""
    )
    questions = (
        [f"{name} is no number in {odd} rows, such as {words[0]!r}: is it one?"] if odd else []
    )
    questions += question_of_range(
        name, [number for text, number in numbers.items() for _ in range(counts[text])]
    )
    kind = Numeric(found[0], found[-1])
    return ColumnDraft(
        name, kind, f"number from {found[0]:.12g} to {found[-1]:.12g}{moved}", tuple(questions)
    )


def _draft_levels(name: str, counts: Mapping[str, int], absent: int) -> ColumnDraft:
    rows = sum(counts.values())
    if len(counts) > MOST_LEVELS or len(counts) > max(SOME_LEVELS, rows / 2):
        commas = sum(bool(COMMA_NUMBER.fullmatch(text)) for text in counts)
        what = "numbers with commas?" if 2 * commas > len(counts) else "names, dates or free text?"
        return ColumnDraft(
            name, None, f"left out: {len(counts)} different texts in {rows} rows, {what}"
        )
    levels = _with_missing(in_order(counts), absent)
    moved = f", {MISSING_LEVEL!r} for {absent} empty cells" if absent else ""
    kind = Categorical(levels)
    return ColumnDraft(
        name, kind, f"{len(levels)} levels{moved}", tuple(questions_of_texts(name, counts))
    )


def _draft_groups(
    name: str, counts: Mapping[str, int], numbers: Mapping[str, float], absent: int
) -> ColumnDraft:
    """The groups: levels, or even bins of a number with many values."""
    if len(numbers) == len(counts) > MOST_GROUPS:
        kind = Numeric(min(numbers.values()), max(numbers.values()))
        binned = Numeric(kind.low, kind.high, bins=kind.all_bins)
        question = f"{name} would make {len(counts)} groups: the draft has {len(binned.bins)} even bins, name your own"
        return ColumnDraft(
            name, binned, f"groups: {len(binned.bins)} bins of a number", (question,)
        )
    levels = _with_missing(in_order(counts), absent)
    many = (
        [f"{name} makes {len(levels)} groups: few methods take more than two"]
        if len(levels) > MOST_GROUPS
        else []
    )
    lacking = (
        [f"{name} is empty in {absent} rows, which are a group {MISSING_LEVEL!r} of their own"]
        if absent
        else []
    )
    questions = (*many, *lacking, *questions_of_texts(name, counts))
    return ColumnDraft(
        name, Categorical(levels), f"groups: {', '.join(levels[:MOST_GROUPS])}", questions
    )


def _draft_label(
    name: str, cells: Sequence[str], missing: Collection[str], positive: str
) -> ColumnDraft:
    """The label: its levels, the favourable one last."""
    counts = Counter(cell for cell in cells if cell not in missing)
    if positive and positive not in counts:
        raise DpfairError(f"label {name!r} is never {positive!r}: {nearest(positive, counts)}")
    if len(counts) < 2:
        raise DpfairError(
            f"label {name!r} is the same in every row: two different values are needed"
        )
    levels = tuple(sorted(in_order(counts), key=lambda level: level == positive))
    others = ", ".join(levels[:-1][:MOST_GROUPS])
    absent = len(cells) - counts.total()
    questions = question_of_label(name, levels) if not positive else []
    questions += (
        [f"{name} has {len(levels)} values: all but {levels[-1]!r} count as 0"]
        if len(levels) > 2
        else []
    )
    questions += (
        [f"{name} is empty in {absent} rows, which count as 0: drop them?"] if absent else []
    )
    return ColumnDraft(
        name,
        Categorical(levels),
        f"label: {levels[-1]} is favourable, {others} not",
        tuple(questions),
    )


def question_of_label(name: str, levels: Sequence[str]) -> list[str]:
    """A question where it is not plain from two labels which is favourable: 2 of 1 and 2 was bad
    credit once.
    """
    if {level.lower() for level in levels} in PLAIN_PAIRS:
        return []
    return [
        f"{name}: {levels[-1]!r} is taken as favourable, the last of {', '.join(levels)}; is it? --positive says so"
    ]


def question_of_range(name: str, numbers: Sequence[float]) -> list[str]:
    """A question where few numbers are so far from the others that scaling by their range makes all
    others alike.
    """
    low, high = np.quantile(numbers, [MOST_SHARE, 1 - MOST_SHARE])
    first, last = min(numbers), max(numbers)
    if not 0 < FAR * (high - low) < last - first:
        return []
    most = f"{1 - 2 * MOST_SHARE:.0%} of it are within {low:.6g} to {high:.6g}"
    return [
        f"{name} goes from {first:.6g} to {last:.6g}, and {most}: a sign of no value, or a slip?"
    ]


def questions_of_texts(name: str, texts: Collection[str]) -> Iterator[str]:
    """What texts that stand for levels may have been meant as."""
    alike = Counter(text.casefold() for text in texts)
    for text in sorted(text for text, count in alike.items() if count > 1):
        same = sorted(other for other in texts if other.casefold() == text)
        yield f"{name} has {' and '.join(map(repr, same))}: levels of their own; make them alike in the file?"
    commas = [text for text in texts if COMMA_NUMBER.fullmatch(text)]
    if 2 * len(commas) > len(texts):
        yield f"{name} has {len(texts)} levels such as {commas[0]!r}: a number with a decimal comma?"


def in_order(texts: Collection[str]) -> tuple[str, ...]:
    """Texts from small to large: as numbers if all are, else by the alphabet."""
    numbers = all(math.isfinite(as_number(text)) for text in texts)
    return tuple(sorted(texts, key=as_number if numbers else str))


def _with_missing(levels: tuple[str, ...], absent: int) -> tuple[str, ...]:
    """The levels, and MISSING_LEVEL last where cells are empty."""
    return (
        (*(level for level in levels if level != MISSING_LEVEL), MISSING_LEVEL)
        if absent
        else levels
    )


def _oddities(file: str, form: TableForm, heading: Sequence[str]) -> Iterator[str]:
    """What is odd about the rows and the heading of a file."""
    repeated = [
        name
        for name in heading
        if name.rpartition("_")[0] in heading and name.rpartition("_")[2].isdigit()
    ]
    text = read_bytes(file).decode(form.encoding, errors="replace")
    widths = Counter(map(len, split_rows(text, form.separator)))
    short = sum(rows for width, rows in widths.items() if width < len(heading))
    long = sum(rows for width, rows in widths.items() if width > len(heading))
    if widths[len(heading) + 1] >= widths.total() - 1 > 0:
        yield f"every row has one cell more than the heading: is the first a row's name? --header name,{heading[0]},..."
    elif long:
        yield f"{long} rows have more than {len(heading)} cells: those beyond are not read"
    if short:
        yield f"{short} rows have fewer than {len(heading)} cells: those that lack are empty"
    if form.encoding == "latin-1":
        yield "the file is not utf-8: read as latin-1; --encoding says otherwise"
    for name in repeated:
        yield f"a name stands twice in the heading: the second column is {name}"
