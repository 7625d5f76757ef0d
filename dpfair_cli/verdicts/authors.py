"""The values of the program that the authors of a paper published, run once by us, and verdicts.

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

A value is judged by the rule for published cells, twice: our mean with the value, and the value
with the number that the paper prints in the same place. In the first comparison, the values that
the program gives for other methods are the rival values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import Comparison, Decision, Levels
from dpfair_cli.verdicts.cells.judging import JudgedCell, at_levels, judge_cells, names_in
from dpfair_cli.verdicts.cells.published import PublishedCell, is_number, read_records
from dpfair_cli.verdicts.means import fits, is_equal
from dpfair_cli.verdicts.wording import format_number

VALUES_FILE, PROGRAM_FILE = FILES = ("authors.csv", "authors.yaml")
COMMIT = re.compile(r"[0-9a-f]{40}")
SHORT = 7  # digits of a commit in a text
NUMBERS = ("value", "deviation", "runs")  # columns that are no parameters


@dataclass(frozen=True)
class NotRun:
    """A part of the authors' program that we did not run.

    Attributes:
        what: The part.
        reason: Why we did not run it.
    """

    what: str
    reason: str


@dataclass(frozen=True)
class AuthorsProgram:
    """The program that the authors of a paper published, and how we ran it.

    Attributes:
        repository: The address of the repository.
        commit: The commit that we ran, 40 hexadecimal digits.
        licence: The licence of the program, or the words "not stated".
        command: What we ran, in the words of the repository.
        versions: The version of Python and of each library, by name.
        data: The data that the program read, and where they come from.
        changes: What we changed to make the program run, in words.
        not_run: The parts of the program that we did not run.
    """

    repository: str
    commit: str
    licence: str
    command: str
    versions: Mapping[str, str]
    data: tuple[str, ...]
    changes: tuple[str, ...] = ()
    not_run: tuple[NotRun, ...] = ()

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


@dataclass(frozen=True, eq=False)
class AuthorsValue:
    """A value of the authors' program."""

    program: AuthorsProgram
    cell: PublishedCell  # the value in this form, which the rule for published cells judges


@dataclass(frozen=True, eq=False)
class JudgedAuthorsValue:
    """A value of the authors' program, compared with ours and with the published value."""

    program: AuthorsProgram
    judged: JudgedCell  # in the form of a published cell, compared with our runs
    printed: PublishedCell | None = None  # in the same place; None if the paper prints none
    on_print: Decision | None = None  # of the program's value and the published value

    @property
    def cell(self) -> PublishedCell:
        """The value in the form of a published cell."""
        return self.judged.published

    def at_levels(self, levels: Levels) -> JudgedAuthorsValue:
        """The value with both verdicts at other significance levels."""
        on_print = replace(self.on_print, levels=levels) if self.on_print else None
        return replace(self, judged=at_levels(self.judged, levels), on_print=on_print)

    @property
    def verdict_on_print(self) -> str:
        """The verdict on the program's value and the published value; empty without the latter."""
        return str(self.on_print.verdict) if self.on_print else ""


def read_authors_values(folder: Path) -> tuple[AuthorsValue, ...]:
    """The values in authors.csv of a folder experiments/<paper>; empty without the file.

    Raises:
        DpfairError: one of authors.csv and authors.yaml is missing, authors.yaml does not describe
            a program, or a line is not a value; the message names the file and the line.
    """
    file, described = folder / VALUES_FILE, folder / PROGRAM_FILE
    if not (file.exists() or described.exists()):
        return ()
    for one, other in ((file, described), (described, file)):
        if not one.exists():
            raise DpfairError(f"{other.name} needs the file {one.name} next to it")
    try:
        program = from_mapping(AuthorsProgram, read_yaml(described))
    except ValueError as mistake:
        raise DpfairError(f"{described.name}: {mistake}") from mistake
    found = []
    for record in read_records(file, NUMBERS, NUMBERS, _mistake):
        cell = PublishedCell(
            **record.names,
            mean=float(record.texts["value"]),
            std=float(record.texts["deviation"] or "nan"),
            parameters=record.parameters,
            line=record.line,
            runs=int(record.texts["runs"]),
        )
        found.append(AuthorsValue(program, cell))
    return tuple(found)


def _mistake(texts: Mapping[str, str]) -> str:
    """The reason why a line of authors.csv is not a value of a program; empty if it is one."""
    value, deviation, runs = (texts[name] for name in NUMBERS)
    if not is_number(value):
        return f"the value must be a finite number, got {value!r}"
    if deviation and not (is_number(deviation) and float(deviation) >= 0):
        return f"the deviation must be a finite number of at least 0, got {deviation!r}"
    if not (runs.isdecimal() and int(runs) > 0):
        return f"runs must be a positive integer, got {runs!r}"
    return ""


def unknown_name(cell: PublishedCell, spec: Spec) -> str:
    """The first name or parameter of a value that no run of its artefact has, with a hint.

    Empty if a run has them all.
    """
    scores = {*spec.task.study.scores, *spec.layout.scores}
    for noun, (word, known) in names_in(cell, spec, scores).items():
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


def judge_authors_values(
    values: Sequence[AuthorsValue],
    rows: pd.DataFrame,
    spec: Spec,
    cells: Sequence[JudgedCell],
    *,
    standins: Mapping[str, str],
) -> tuple[JudgedAuthorsValue, ...]:
    """The verdict on each value of an artefact by the rows of our runs, as by a single test.

    `cells` are the published cells of the artefact with their verdicts.

    Raises:
        DpfairError: a value fits several settings of a method.
    """
    own = [one for one in values if one.cell.artefact == spec.name]
    # cells are hashed by identity, so that equal cells keep their own programs
    programs = {one.cell: one.program for one in own}
    found = []
    for one in judge_cells(rows, spec, [*programs], standins=standins):
        cell = one.published
        in_place = (other for other in cells if _is_one_place(cell, other.published))
        printed = next(in_place, None)
        if printed:
            relative = cell.metric in spec.task.study.unbounded
            compared = Comparison(one.sample, printed.sample, relative=relative)
            on_print = Decision(compared, tuple(printed.rivals))
            judged = JudgedAuthorsValue(programs[cell], one, printed.published, on_print)
        else:
            judged = JudgedAuthorsValue(programs[cell], one)
        found.append(judged)
    return tuple(found)


def values_in_place(
    values: Sequence[JudgedAuthorsValue], cell: PublishedCell
) -> tuple[JudgedAuthorsValue, ...]:
    """The value of the authors' program in the place of a published cell; empty without one."""
    return tuple(one for one in values if _is_one_place(one.cell, cell))


def _is_one_place(one: PublishedCell, other: PublishedCell) -> bool:
    """Whether two cells have the same artefact, data set, method, score and parameters."""
    alike = one.artefact == other.artefact and one.named.keys() == other.named.keys()
    return alike and fits(one.named, other.named)
