"""Reads published.csv of experiments/<paper>: the published values, one cell per line.

A published cell is also a point of a picture: of its own artefact, and of another figure if the run
of the cell has the same algorithm, data set and parameters as a run of the figure. The parameters
in `published_apart` of the figure's spec may differ.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import PublishedPoint, Run, Spec
from dpfair_cli.verdicts.means import fits, is_equal

NAMES = ("artefact", "dataset", "method", "metric")
VALUES = ("mean", "std", "printed", "place")  # every other column is a parameter
PRINTED = re.compile(
    r"([-+]?\d+(?:\.(\d*))?)\s*%?(?:\s*(?:±|\+-|\+/-|\().*)?"
)  # a standard deviation may follow
ROUNDING = 1e-6  # tolerance, as a share of half a digit: floating-point numbers are not exact


@dataclass(frozen=True, eq=False)
class PublishedCell:
    """A value that a paper prints, or that the repository of its authors has."""

    artefact: str  # within its paper, such as "table8.2"
    dataset: str
    method: str
    metric: str
    mean: float
    std: float = math.nan  # NaN if the paper does not print one
    parameters: Mapping[str, Any] = field(default_factory=dict)
    printed: str = ""  # the text as printed
    place: str = ""
    line: int = 0
    runs: int = 0  # that the mean is over; 0 for the number that the spec gives

    @property
    def named(self) -> dict[str, Any]:
        """What tells the cells of an artefact apart: data set, method, score and parameters."""
        own = {"dataset": self.dataset, "method": self.method, "metric": self.metric}
        return {**own, **self.parameters}


class CellRecord(NamedTuple):
    """A line of a CSV file of cells: published.csv, or authors.csv."""

    line: int  # of the file
    texts: Mapping[str, str]  # by column
    parameters: Mapping[str, Any]  # all columns that have no fixed meaning

    @property
    def names(self) -> dict[str, Any]:
        """The names that each cell has, by column."""
        return {name: self.texts[name] for name in NAMES}


def read_published_cells(file: Path) -> list[PublishedCell]:
    """The published cells in a file published.csv; an empty list if there is no file.

    Raises:
        DpfairError: a line is not a cell, or two lines are the same cell; the message names the
            file and the line.
    """
    if not file.exists():
        return []
    return [
        PublishedCell(
            **record.names,
            mean=float(record.texts["mean"]),
            std=float(record.texts["std"] or "nan"),
            parameters=record.parameters,
            printed=record.texts.get("printed", ""),
            place=record.texts.get("place", ""),
            line=record.line,
        )
        for record in read_records(file, ("mean", "std"), VALUES, _mistake)
    ]


def read_records(
    file: Path,
    needed: Sequence[str],
    values: Sequence[str],
    mistake: Callable[[Mapping[str, str]], str],
) -> list[CellRecord]:
    """The lines of a CSV file whose lines are cells.

    Args:
        file: The file.
        needed: The columns that it must have beside those of the names of a cell.
        values: The columns that neither name the cell nor are parameters.
        mistake: Returns why the texts of a line, by column, are no cell; empty if they are one.

    Raises:
        DpfairError: a line is not a cell, or two lines are the same cell.
    """
    # spreadsheets begin a file with a byte order mark
    reader = csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig")))
    header = next(reader, [])
    lacking = [column for column in (*NAMES, *needed) if column not in header]
    if lacking:
        raise DpfairError(f"{file.name} must have a column {lacking[0]!r}")
    records = dict(numbered_records(reader))
    seen: dict[tuple[str, ...], int] = {}
    for line, record in records.items():
        why = _why_malformed(header, record) or mistake(dict(zip(header, record, strict=True)))
        own = tuple(record[k] for k, name in enumerate(header[: len(record)]) if name not in values)
        first = seen.setdefault(own, line)  # a cell twice would count twice
        if first != line:
            why = why or f"the same cell as in line {first}: delete one"
        if why:
            raise DpfairError(f"{file.name}, line {line}: {why}")
    columns = dict(zip(header, zip(*records.values(), strict=True), strict=True)) if records else {}
    # a column is numbers only if all its entries are, so that columns are converted as wholes
    converted = {
        name: column_values(columns[name]) for name in columns if name not in (*NAMES, *values)
    }
    found = []
    for k, (line, record) in enumerate(records.items()):
        texts = dict(zip(header, record, strict=True))
        parameters = {name: column[k] for name, column in converted.items() if texts[name]}
        found.append(CellRecord(line, texts, parameters))
    return found


def _why_malformed(header: Sequence[str], record: Sequence[str]) -> str:
    """Why a record has not one field for each column, with all names; empty if it has."""
    if len(record) != len(header):
        return f"the line has {len(record)} fields, but the header has {len(header)}"
    empty = [name for name in NAMES if not record[header.index(name)].strip()]
    return f"the column {empty[0]} must not be empty" if empty else ""


def parameter_names(cells: Iterable[PublishedCell]) -> list[str]:
    """The names of the parameters that at least one published cell has, in order of occurrence."""
    return list(dict.fromkeys(chain.from_iterable(cell.parameters for cell in cells)))


def numbered_records(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yields each record of a CSV file that is not empty, with the number of its first line."""
    # a quoted field may have line breaks, so that records are not lines
    line = reader.line_num + 1
    for record in reader:
        if record:
            yield line, record
        line = reader.line_num + 1


def column_values(texts: Sequence[str]) -> list[Any]:
    """The texts of a column of a table as numbers if all are numbers, otherwise unchanged."""
    if all(is_number(text) or text == "inf" for text in texts if text):
        return [float(text) if text else math.nan for text in texts]
    return list(texts)


def _mistake(texts: Mapping[str, str]) -> str:
    """The reason why a record of published.csv is not a published cell; empty if it is a cell."""
    if not is_number(texts["mean"]):
        return f"the mean must be a number, got {texts['mean']!r}"
    if texts["std"] and not is_number(texts["std"]):
        return f"the std must be a number, got {texts['std']!r}"
    if not _says(texts.get("printed", ""), float(texts["mean"])):
        return f"the mean {texts['mean']} is not as printed, {texts['printed']}"
    return ""


def _says(printed: str, mean: float) -> bool:
    """Whether a printed text such as 15.54 or 84.5% equals a mean, rounded to the printed digits.

    The text may be in percent, and may be one minus the score. A text that does not begin with a
    number, or that continues with words, is accepted.
    """
    number = PRINTED.fullmatch(printed.strip())
    if not number:
        return True
    value, half = float(number[1]), 0.5 * 10.0 ** -len(number[2] or "")
    forms = (
        (value, half),
        (1 - value, half),
        (value / 100, half / 100),
        (1 - value / 100, half / 100),
    )
    return any(abs(form - mean) <= room * (1 + ROUNDING) for form, room in forms)


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def published_points(
    spec: Spec,
    lenders: Sequence[Spec],
    published: Sequence[PublishedCell],
    *,
    standins: Mapping[str, str],
) -> tuple[PublishedPoint, ...]:
    """The published cells that the picture of a spec can show, as points, one for each place.

    `lenders` are the specs of the other artefacts whose cells may be shown. If two cells have one
    place, the first cell is shown. Cells of a replica are left out.
    """
    if not spec.layout.placement.x:
        return ()
    points: dict[tuple[Any, ...], PublishedPoint] = {}
    for source in (spec, *lenders):
        for cell in published:
            if cell.artefact == source.name and standins.get(cell.dataset) != "REPLICA":
                for point in _points(cell, source, spec):
                    points.setdefault(point[:4], point)  # the cells of the figure itself first
    return tuple(points.values())


def _points(cell: PublishedCell, source: Spec, spec: Spec) -> Iterator[PublishedPoint]:
    """Yields the points of one published cell of the artefact `source` in the picture of `spec`."""
    placement, values = spec.layout.placement, cell.parameters
    runs = [run for run in _default_runs(source, cell) if fits(values, _settings(run))]
    if len(runs) != 1:  # the cell fits several runs or none
        return
    x = values.get(placement.x, _settings(runs[0]).get(placement.at))
    apart = {*placement.apart, placement.at} - {placement.x}
    for score, wanted in placement.scores.items():
        axis = source.task.study.axis
        told_apart = axis in ("", placement.x, *wanted) or axis not in values
        is_meant = all(is_equal(cell.named.get(name), value) for name, value in wanted.items())
        if x is None or not told_apart or not is_meant:
            continue
        for ours in _default_runs(spec, cell):
            if _is_same_experiment(ours, runs[0], apart=apart):
                yield PublishedPoint(cell.dataset, ours.label, score, x, cell.mean, cell.std)


def _default_runs(spec: Spec, cell: PublishedCell) -> list[Run]:
    """The runs that a published cell refers to: first seed, default variant of the method."""
    names = spec.published_labels
    runs = [
        run
        for run in spec.first_runs()
        if (run.dataset.name, names[run.label]) == (cell.dataset, cell.method)
    ]
    labels = [run.label for run in runs]
    default = cell.method if cell.method in labels else (labels or [""])[0]
    return [run for run in runs if run.label == default]


def _settings(run: Run) -> dict[str, Any]:
    """The parameters of a run: options of the data set, and parameters of the algorithm."""
    return {**run.dataset.options, **run.method.params}


def _is_same_experiment(ours: Run, theirs: Run, *, apart: Collection[str]) -> bool:
    """Whether two runs have the same algorithm and equal parameters, except those in `apart`."""
    one, other = _settings(ours), _settings(theirs)
    names = {*one, *other} - set(apart)
    return ours.method.name == theirs.method.name and all(
        is_equal(one.get(name), other.get(name)) for name in names
    )
