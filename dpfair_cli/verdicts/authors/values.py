"""Reads authors.yaml and authors.csv of experiments/<paper>: the authors' program and its values.

authors.yaml says how we ran the program:

    repository: https://github.com/one/fair-scores
    commit: 0123456789abcdef0123456789abcdef01234567
    licence: MIT
    command: python table1.py adult
    versions: {python: 3.11.7, numpy: 1.26.4}
    data: [the files of our data set adult]
    changes: [the solver CBC in place of Gurobi, which needs a licence]
    not_run: [{what: table 2, reason: the data are not public}]

authors.csv has the values of the program, one per line. Neither file has a line of the program.
The columns artefact, dataset, method and metric and the parameters are those of published.csv. The
other columns are value (the mean that the program gives), deviation (its standard deviation over
runs; empty if the program gives none) and runs.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.published import (
    PublishedCell,
    column_values,
    is_number,
    numbered_records,
)
from dpfair_cli.verdicts.means import is_equal
from dpfair_cli.verdicts.wording import format_number

PROGRAM_FILE = "authors.yaml"
COMMIT = re.compile(r"[0-9a-f]{40}")
SHORT = 7  # digits of a commit in a text


@dataclass(frozen=True)
class NotRun:
    """A part of the authors' program that we did not run."""

    what: str
    """The part."""

    reason: str
    """Why we did not run it."""


@dataclass(frozen=True)
class AuthorsProgram:
    """The program that the authors of a paper published, and how we ran it."""

    repository: str
    """The address of the repository."""

    commit: str
    """The commit that we ran, 40 hexadecimal digits."""

    licence: str
    """The licence of the program, or the words "not stated"."""

    command: str
    """What we ran, in the words of the repository."""

    versions: Mapping[str, str]
    """The version of Python and of each library, by name."""

    data: tuple[str, ...]
    """The data that the program read, and where they come from."""

    changes: tuple[str, ...] = ()
    """What we changed to make the program run, in words."""

    not_run: tuple[NotRun, ...] = ()
    """The parts of the program that we did not run."""

    def __post_init__(self) -> None:
        """Raises an error for a commit that is not a whole hash, or an empty text."""
        if not COMMIT.fullmatch(self.commit):
            raise ValueError(f"commit must have 40 hexadecimal digits, got {self.commit!r}")
        for name in ("repository", "licence", "command", "versions", "data"):
            if not getattr(self, name):
                raise ValueError(f"{name} must not be empty")

    @property
    def short_commit(self) -> str:
        """The first digits of the commit."""
        return self.commit[:SHORT]


def read_program(file: Path) -> AuthorsProgram:
    """The authors' program in a file authors.yaml.

    Raises:
        DpfairError: the file cannot be read, or is not such a description.
    """
    try:
        return from_mapping(AuthorsProgram, read_yaml(file))
    except ValueError as mistake:
        raise DpfairError(f"{file.name}: {mistake}") from mistake


FILE = "authors.csv"
FILES = (FILE, PROGRAM_FILE)
NAMES = ("artefact", "dataset", "method", "metric")
NUMBERS = ("value", "deviation", "runs")


@dataclass(frozen=True, eq=False)
class AuthorsValue:
    """A value of the authors' program."""

    program: AuthorsProgram
    cell: PublishedCell  # in this form the rule for published cells judges it


def read_authors_values(folder: Path) -> tuple[AuthorsValue, ...]:
    """The values in authors.csv of a folder experiments/<paper>; empty without the file.

    Raises:
        DpfairError: one of authors.csv and authors.yaml is missing, or a line is not a value; the
            message names the file and the line.
    """
    file, described = folder / FILE, folder / PROGRAM_FILE
    if not (file.exists() or described.exists()):
        return ()
    for one, other in ((file, described), (described, file)):
        if not one.exists():
            raise DpfairError(f"{other.name} needs the file {one.name} next to it")
    found = read_program(described)
    return tuple(AuthorsValue(found, cell) for cell in _read_cells(file))


def unknown_name(cell: PublishedCell, spec: Spec) -> str:
    """The first name or parameter of a value that no run of its artefact has, with a hint.

    Empty if a run has them all.
    """
    named = [
        ("data set", cell.dataset, {*spec.dataset_names}),
        ("method", cell.method, {*spec.published_labels.values()}),
        ("score", cell.metric, {*spec.task.study.scores, *spec.layout.scores}),
    ]
    for noun, word, known in named:
        if word not in known:
            return f"unknown {noun} {word!r}: {nearest(word, known)}"
    axis = spec.task.study.axis  # the points of a curve are known after a run
    found = (_unknown_parameter(cell, name, spec) for name in cell.parameters if name != axis)
    return next(filter(None, found), "")


def _unknown_parameter(cell: PublishedCell, name: str, spec: Spec) -> str:
    """The message about a parameter that no run of the value's method and data set has."""
    settings = [
        {**one.dataset.options, **one.method.params}
        for one in spec.first_runs()
        if (one.dataset.name, spec.published_labels[one.label]) == (cell.dataset, cell.method)
    ]
    values = [one[name] for one in settings if name in one]
    if not values:
        keys = set(chain.from_iterable(settings))
        return f"unknown parameter {name!r}: {nearest(name, keys)}"
    value = cell.parameters[name]
    if any(is_equal(value, one) for one in values):
        return ""
    known = ", ".join(dict.fromkeys(map(format_number, values)))
    return f"no run has {name} {format_number(value)}: there are: {known}"


def _read_cells(file: Path) -> list[PublishedCell]:
    """The lines of a file authors.csv."""
    reader = csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig")))
    header = next(reader, [])
    lacking = [column for column in (*NAMES, *NUMBERS) if column not in header]
    if lacking:
        raise DpfairError(f"{file.name} must have a column {lacking[0]!r}")
    records = dict(numbered_records(reader))
    _check(header, records, file.name)
    columns = dict(zip(header, zip(*records.values(), strict=True), strict=True)) if records else {}
    parameters = [name for name in columns if name not in (*NAMES, *NUMBERS)]
    values = {name: column_values(columns[name]) for name in parameters}
    found = []
    for k, (line, record) in enumerate(records.items()):
        texts = dict(zip(header, record, strict=True))
        own = {name: of_column[k] for name, of_column in values.items() if texts[name]}
        names = {name: texts[name] for name in NAMES}
        std = float(texts["deviation"] or "nan")
        cell = PublishedCell(
            **names,
            mean=float(texts["value"]),
            std=std,
            parameters=own,
            line=line,
            runs=int(texts["runs"]),
        )
        found.append(cell)
    return found


def _check(header: Sequence[str], records: Mapping[int, Sequence[str]], name: str) -> None:
    """Raises an error for a line that is no value or repeats a value."""
    places = [k for k, column in enumerate(header) if column not in NUMBERS]
    seen: dict[tuple[str, ...], int] = {}
    for line, record in records.items():
        mistake = _mistake(header, record)
        if not mistake:
            first = seen.setdefault(tuple(record[k] for k in places), line)
            mistake = f"the same value as in line {first}: delete one" if first != line else ""
        if mistake:
            raise DpfairError(f"{name}, line {line}: {mistake}")


def _mistake(header: Sequence[str], record: Sequence[str]) -> str:
    """The reason why a record is not a value of a program; empty if it is one."""
    if len(record) != len(header):
        return f"the line has {len(record)} fields, but the header has {len(header)}"
    texts = dict(zip(header, record, strict=True))
    empty = [name for name in (*NAMES, "value", "runs") if not texts[name].strip()]
    if empty:
        return f"the column {empty[0]} must not be empty"
    if not is_number(texts["value"]):
        return f"the value must be a finite number, got {texts['value']!r}"
    deviation = texts["deviation"]
    if deviation and not (is_number(deviation) and float(deviation) >= 0):
        return f"the deviation must be a finite number of at least 0, got {deviation!r}"
    if not (texts["runs"].isdecimal() and int(texts["runs"]) > 0):
        return f"runs must be a positive integer, got {texts['runs']!r}"
    return ""
