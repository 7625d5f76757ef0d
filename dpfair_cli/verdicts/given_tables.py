"""Reads a published table and a table of ours, and finds the rows that are about the same number.

A table is a CSV file, a frame of pandas or a list of dictionaries. Two rows are about the same
number if all columns that both tables have and that name something are equal: the method, the
score, and columns such as `dataset`.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DpfairError, listed, meaning, nearest
from dpfair_cli.verdicts.cells.published import (
    PublishedCell,
    column_values,
    is_number,
    numbered_records,
)
from dpfair_cli.verdicts.claims.point_results import Scores
from dpfair_cli.verdicts.means import fits
from dpfair_cli.verdicts.wording import describe_parameters

Given = str | Path | pd.DataFrame | Sequence[Mapping[str, Any]]
Names = tuple[str, str, tuple[tuple[str, Any], ...], str]  # data set, method, place, score

NUMBERS = ("mean", "std", "runs", "margin")  # the columns of a published table that name nothing
RUN = ("seed", "value")  # the columns of a table with a row for each run
NAMES = ("dataset", "method", "metric")
TAKEN = ("algorithm", "published_method", *RUN, *NUMBERS)  # no name of a score or of a place
SCORE = "score"  # the name of the score of tables without the column metric
ARTEFACT = "table"


@dataclass(frozen=True, eq=False)
class MatchedTables:
    """A published table and a table of ours, with the rows that are about the same number.

    Attributes:
        theirs: The published table.
        own: The table of ours.
        places: The columns besides NAMES that both tables have.
        ignored: A line for each column that only one table has.
        cells: The published numbers, one for each row.
        samples: Our runs, by their names.
        matches: The names of ours that are about each published number: one or none.
    """

    theirs: GivenTable
    own: GivenTable
    places: Sequence[str]
    ignored: Sequence[str]
    cells: Sequence[PublishedCell]
    samples: Mapping[Names, Scores]
    matches: Mapping[PublishedCell, Sequence[Names]]

    @property
    def compared_samples(self) -> dict[Names, Scores]:
        """Our runs that have a score of the published table."""
        scores = {one.metric for one in self.cells}
        return {named: runs for named, runs in self.samples.items() if named[-1] in scores}

    @property
    def unmatched(self) -> list[str]:
        """A line for each row of one table without a row of the other one about its number."""
        matched = {*chain.from_iterable(self.matches.values())}
        rest = [words_of(named) for named in self.samples if named not in matched]
        alone = [cell for cell in self.cells if not self.matches[cell]]
        lines = []
        for cell in alone:
            words = words_of(names_of(cell))
            hint = meaning(words, rest)
            lines.append(
                f"{self.theirs.name}, line {cell.line}: {words}: not in {self.own.name}"
                + (hint and f": {hint}")
            )
        return [*lines, *(f"{self.own.name}: {words}: not in {self.theirs.name}" for words in rest)]


def matched_tables(published: Given, ours: Given) -> MatchedTables:
    """Both tables, with the rows that are about the same number.

    Raises:
        DpfairError: a table cannot be read, or no row of one is about a number of the other one.
    """
    theirs, own = _read(published, "published"), _read(ours, "ours")
    theirs.require("mean")
    read = _samples_of_runs if _has_runs(own) else _samples_of_means
    places, ignored = _places(theirs, own)
    names, own_names = _converted(theirs, own, places)
    cells, samples = _published_cells(theirs, names), read(own, own_names)
    matches = _matches(theirs, own, cells, samples)
    found = MatchedTables(theirs, own, places, ignored, cells, samples, matches)
    if not any(matches.values()):
        way_out = "no number was compared: give equal names to what is the same in both tables"
        raise DpfairError(listed([*ignored, *found.unmatched], way_out))
    return found


@dataclass(frozen=True)
class GivenTable:
    """A given table: its rows as texts, each with the number of its line."""

    name: str  # the name of the file, or "published" or "ours"
    columns: tuple[str, ...]
    rows: tuple[tuple[int, Mapping[str, str]], ...]

    def texts(self, column: str) -> list[str]:
        """The texts of a column; empty texts if the table lacks it."""
        return [row.get(column, "") for _, row in self.rows]

    def numbers(self, column: str, default: float = math.nan) -> list[float]:
        """The numbers of a column, and `default` for an empty one.

        Raises:
            DpfairError: an entry is no number.
        """
        found = []
        for line, row in self.rows:
            text = row.get(column, "")
            if text and not is_number(text):
                raise self.mistake(line, f"{column} must be a number, got {text!r}")
            found.append(float(text) if text else default)
        return found

    def require(self, column: str) -> None:
        """Refuses a table that lacks a column.

        Raises:
            DpfairError: it lacks the column.
        """
        if column not in self.columns:
            raise DpfairError(
                f"{self.name} must have a column {column!r}: {nearest(column, self.columns)}"
            )

    def mistake(self, line: int, why: str) -> DpfairError:
        """The error that names the table and the line."""
        return DpfairError(f"{self.name}, line {line}: {why}")


def _read(given: Given, name: str) -> GivenTable:
    """A given table as texts.

    Raises:
        DpfairError: it is no table with a header, rows and a column `method`.
    """
    if isinstance(given, (str, Path)):
        path = Path(given)
        name, columns, records = path.name, *_file(path)
    else:
        frame = pd.DataFrame(given)
        columns = [str(column) for column in frame]
        lines = frame.astype(object).where(frame.notna(), "").to_numpy()
        records = [(k, [str(value) for value in line]) for k, line in enumerate(lines, 1)]
    if "method" not in columns:  # before the rows, which another separator makes too long
        known = ", ".join(map(repr, columns)) or "none"
        raise DpfairError(
            f"{name} must have a column 'method', in a header with commas; its columns: {known}"
        )
    rows = []
    for line, record in records:
        if len(record) != len(columns):
            raise DpfairError(
                f"{name}, line {line}: the line has {len(record)} fields, but the header has "
                f"{len(columns)}"
            )
        rows.append((line, {c: text.strip() for c, text in zip(columns, record, strict=True)}))
    found = GivenTable(name, tuple(columns), tuple(rows))
    if not rows:
        raise DpfairError(f"{name} has no row below its header: add one for each number")
    for line, row in rows:
        if not row["method"]:
            raise found.mistake(line, "the column method must not be empty")
    return found


def _file(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header of a CSV file, and its records with their lines."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # a spreadsheet begins with a byte order mark
    except UnicodeDecodeError as error:
        raise DpfairError(f"{path} is not a text in UTF-8: save it as CSV in UTF-8") from error
    reader = csv.reader(io.StringIO(text))
    header = [column.strip() for column in next(reader, [])]
    twice = [column for k, column in enumerate(header) if column in header[:k]]
    if twice:
        raise DpfairError(f"{path.name} has two columns {twice[0]!r}: rename one")
    return header, list(numbered_records(reader))


def _has_runs(table: GivenTable) -> bool:
    """Whether a table of ours has a row for each run, and not means.

    Raises:
        DpfairError: it has neither, or both.
    """
    runs = [column for column in RUN if column in table.columns]
    if "mean" in table.columns:
        if "value" in runs:
            raise DpfairError(f"{table.name} has a column 'value' and a column 'mean': delete one")
        return False
    if len(runs) < len(RUN):
        lacking = next(column for column in RUN if column not in runs)
        raise DpfairError(
            f"{table.name} has no column {lacking!r}: give 'seed' and 'value' (a row for each "
            "run), or 'mean', 'std' and 'runs'"
        )
    return True


def _places(theirs: GivenTable, own: GivenTable) -> tuple[list[str], list[str]]:
    """The columns besides NAMES by which rows are matched, and a remark for each ignored one.

    Raises:
        DpfairError: a column has a name that dpfair uses itself.
    """
    known = {*NAMES, *NUMBERS, *RUN}
    columns = [
        [column for column in table.columns if column not in known] for table in (theirs, own)
    ]
    both = [column for column in columns[0] if column in columns[1]]
    for name in both:
        if name in TAKEN:
            raise DpfairError(f"rename the column {name!r} in both tables: dpfair uses this name")
    ignored = []
    for table, other, found in ((theirs, own, columns[0]), (own, theirs, columns[1])):
        alone = [name for name in found if name not in both]
        alone += [name for name in ("dataset", "metric") if _is_alone(name, table, other)]
        for name in alone:
            hint = meaning(name, set(other.columns) - set(table.columns))
            ignored.append(
                f"the column {name!r} is ignored: {other.name} lacks it" + (hint and f"; {hint}")
            )
    return both, ignored


def _is_alone(name: str, table: GivenTable, other: GivenTable) -> bool:
    return name in table.columns and name not in other.columns


def _converted(
    theirs: GivenTable, own: GivenTable, places: Sequence[str]
) -> tuple[list[Names], list[Names]]:
    """The names of each row of both tables.

    A column of a place is numbers only if all its entries in both tables are.

    Raises:
        DpfairError: a score has the name of a column.
    """
    texts = {name: theirs.texts(name) + own.texts(name) for name in ("method", *places)}
    for name in ("dataset", "metric"):
        is_shared = name in theirs.columns and name in own.columns
        texts[name] = (
            theirs.texts(name) + own.texts(name) if is_shared else [""] * len(texts["method"])
        )
    values = {name: column_values(texts[name]) for name in places}
    found: list[Names] = []
    for k, method in enumerate(texts["method"]):
        place = tuple((name, values[name][k]) for name in places if texts[name][k])
        metric = texts["metric"][k] or SCORE
        if metric in (*TAKEN, *NAMES, *places):
            raise DpfairError(f"rename the score {metric!r} in both tables: it names a column")
        found.append((texts["dataset"][k], method, place, metric))
    return found[: len(theirs.rows)], found[len(theirs.rows) :]


def _published_cells(table: GivenTable, names: Sequence[Names]) -> list[PublishedCell]:
    """The cells of a published table; a row without a mean is none."""
    means, stds, runs = table.numbers("mean"), _deviations(table), _counts(table)
    cells: list[PublishedCell] = []
    seen: dict[Names, int] = {}
    for (line, _), named, mean, std, count in zip(
        table.rows, names, means, stds, runs, strict=True
    ):
        if math.isnan(mean):
            raise table.mistake(line, "the column mean must not be empty")
        _check_new(table, line, named, seen)
        dataset, method, place, metric = named
        cell = PublishedCell(ARTEFACT, dataset, method, metric, mean, std, dict(place))
        cells.append(replace(cell, line=line, runs=count))
    return cells


def _check_new(table: GivenTable, line: int, named: Names, seen: dict[Names, int]) -> None:
    """Refuses a row with the names of an earlier one, and adds its line to `seen`."""
    first = seen.setdefault(named, line)
    if first != line:
        raise table.mistake(
            line, f"the same names as in line {first}: delete one, or add a column that differs"
        )


def _counts(table: GivenTable) -> list[int]:
    """The number of runs of each row; one if it is not stated."""
    found = []
    for (line, _), number in zip(table.rows, table.numbers("runs", 1.0), strict=True):
        if number < 1 or number != round(number):
            raise table.mistake(line, f"runs must be a whole number from 1 on, got {number:g}")
        found.append(int(number))
    return found


def _deviations(table: GivenTable) -> list[float]:
    """The standard deviation of each row; NaN if it is not stated."""
    found = table.numbers("std")
    for (line, _), std in zip(table.rows, found, strict=True):
        if std < 0:
            raise table.mistake(line, f"std must be at least 0, got {std:g}")
    return found


def _samples_of_runs(table: GivenTable, names: Sequence[Names]) -> dict[Names, Scores]:
    """The runs of ours by their names, from a table with a row for each run."""
    values = table.numbers("value")
    numbers: dict[str, int] = {}  # of seeds, which may be words
    found: dict[Names, dict[int, float]] = {}
    for (line, row), named, value in zip(table.rows, names, values, strict=True):
        if math.isnan(value) or not row["seed"]:
            raise table.mistake(line, "the columns seed and value must not be empty")
        seed = numbers.setdefault(row["seed"], len(numbers))
        own = found.setdefault(named, {})
        if seed in own:
            raise table.mistake(
                line,
                f"a second run with seed {row['seed']}: delete one, or add a column that differs",
            )
        own[seed] = value
    return {
        named: Scores(np.array([*own], dtype=np.int64), np.array([*own.values()]))
        for named, own in found.items()
    }


def _samples_of_means(table: GivenTable, names: Sequence[Names]) -> dict[Names, Scores]:
    """Runs with the means and deviations of a table of ours; no two means share a seed.

    A mean without a deviation counts as one run, because it does not say how much runs vary.
    """
    means, stds, counts = table.numbers("mean"), _deviations(table), _counts(table)
    first = 0
    seen: dict[Names, int] = {}
    found = {}
    for (line, _), named, mean, std, runs in zip(
        table.rows, names, means, stds, counts, strict=True
    ):
        if math.isnan(mean):
            raise table.mistake(line, "the column mean must not be empty")
        if runs == 1 and not math.isnan(std):
            raise table.mistake(line, "a std needs 2 runs or more: state them in the column runs")
        _check_new(table, line, named, seen)
        values = np.array([mean]) if math.isnan(std) else _runs_with(mean, std, runs)
        found[named] = Scores(np.arange(first, first + len(values)), values)
        first += len(values)
    return found


def _runs_with(mean: float, std: float, runs: int) -> Floats:
    """Scores of at least two runs with a given mean and standard deviation (ddof 1), (runs,)."""
    pairs = runs // 2
    apart = std * math.sqrt((runs - 1) / (2 * pairs))
    in_turn = np.tile([mean - apart, mean + apart], pairs)
    return np.concatenate([in_turn, np.full(runs % 2, mean)])


def _matches(
    theirs: GivenTable, own: GivenTable, cells: Sequence[PublishedCell], samples: Iterable[Names]
) -> dict[PublishedCell, list[Names]]:
    """The names of ours that each published cell fits.

    Raises:
        DpfairError: a published cell fits several.
    """
    groups: dict[tuple[str, str, str], list[Names]] = {}
    for named in samples:
        dataset, method, _, metric = named
        groups.setdefault((dataset, method, metric), []).append(named)
    found = {}
    for cell in cells:
        others = groups.get((cell.dataset, cell.method, cell.metric), [])
        found[cell] = [named for named in others if fits(cell.parameters, dict(named[2]))]
        if len(found[cell]) > 1:
            one, other = map(words_of, found[cell][:2])
            raise theirs.mistake(
                cell.line, f"fits several rows of {own.name} ({one}; {other}): fill in its names"
            )
    return found


def words_of(named: Names) -> str:
    """The names of a row as verdicts print them."""
    dataset, method, place, metric = named
    parts = (dataset, method, describe_parameters(dict(place)), metric.replace("_", " "))
    return ", ".join(filter(None, parts))


def names_of(cell: PublishedCell) -> Names:
    """The names of a published number."""
    return cell.dataset, cell.method, tuple(cell.parameters.items()), cell.metric
