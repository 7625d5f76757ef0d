"""The printed numbers of a paper with all that is known about them."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from dpfair_cli.addons.forensics.declaration import (
    FILE,
    DeclaredEntry,
    DeclaredFacts,
    Spread,
    found,
    read_declaration,
)
from dpfair_cli.contracts.results import Range, range_of
from dpfair_cli.verdicts.cells.published import (
    PRINTED,
    PublishedCell,
    numbered_records,
    read_published_cells,
)

NUMBER = re.compile(r"[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?")
FLOAT_ERROR = 1e-7  # of a mean near 1 that a program computed in single precision
FILES = ("published.csv", "examined.csv")  # the second has cells that no spec is about
PROPORTIONS = ("accuracy", "error", "error_rate", "misclassification")
C = TypeVar("C")
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Rounded:
    """A number that was rounded to its last printed digit.

    >>> rounded("0.048").half
    0.0005
    """

    value: float  # the printed number
    half: float  # half a unit of the last printed digit

    @property
    def low(self) -> float:
        """The smallest number that is printed like this."""
        return self.value - self.half - FLOAT_ERROR

    @property
    def high(self) -> float:
        """The largest number that is printed like this."""
        return self.value + self.half + FLOAT_ERROR

    @property
    def width(self) -> float:
        """The width of the interval of numbers that are printed like this."""
        return self.high - self.low


def rounded(text: str, least_half: float = 0.0) -> Rounded:
    """The number in a text such as "0.048", with half a unit of its last digit.

    `least_half` is used in place of half a unit that is smaller.
    """
    return Rounded(float(text), max(half_unit(text), least_half))


def half_unit(text: str) -> float:
    """Half a unit of the last digit of a number in a text.

    >>> half_unit("1e-5"), half_unit("12")
    (5e-06, 0.5)
    """
    found = NUMBER.fullmatch(text.strip())
    if not found:
        return 0.0
    return 0.5 * 10.0 ** (int(found[2] or 0) - len(found[1]))


@dataclass(frozen=True)
class SpecFacts:
    """What the spec of an artefact says about a cell."""

    runs: int = 0  # the stated number of runs of the printed mean; 0 if unknown or assumed
    # the lowest and the highest possible value of the score; None if unknown
    range: Range | None = None


NO_SPEC = SpecFacts()
FactsOf = Callable[[PublishedCell], SpecFacts]


@dataclass(frozen=True, eq=False)
class PrintedCell:
    """A published cell with the rounding of its numbers, and the facts about it."""

    published: PublishedCell  # the cell
    mean: Rounded
    std: Rounded | None  # the standard deviation; None if the paper does not print one
    runs: int  # the number of runs; 0 if unknown
    records: int  # the number of test records; 0 if unknown
    # whether one of both numbers was deduced from printed digits, so that it proves nothing
    is_deduced: bool
    range: Range  # the lowest and the highest possible value of the score
    is_proportion: bool  # whether the score is the share of test records with a property
    is_continuous: bool  # whether the score is no ratio of counts
    uses_epsilon: bool  # whether the method uses epsilon; False if the cell has no finite epsilon
    majority: float  # the share of the majority class; NaN if unknown
    spread: Spread | None  # limits of the deviation over runs, if they are declared

    @property
    def epsilon(self) -> float:
        """The privacy loss that the cell names; NaN without one."""
        value = self.published.parameters.get("epsilon", math.nan)
        return value if isinstance(value, float) else math.nan

    @property
    def place(self) -> tuple[object, ...]:
        """What the cells of all methods in one place of a table have in common."""
        one = self.published
        return one.artefact, one.dataset, one.metric, self.epsilon, self.setting

    @property
    def setting(self) -> tuple[tuple[str, object], ...]:
        """The parameters that the cell names, without epsilon."""
        parameters = self.published.parameters.items()
        return tuple((name, value) for name, value in parameters if name != "epsilon")

    def __str__(self) -> str:
        """The names of the cell, such as "table1, adult, PFLR*, epsilon 0.1, accuracy"."""
        cell = self.published
        words = [cell.artefact, cell.dataset, cell.method]
        words += [
            f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in cell.parameters.items()
        ]
        return ", ".join([*words, cell.metric])

    @property
    def as_printed(self) -> str:
        """The numbers of the cell, such as "0.048 ± 0.108"."""
        mean = _text(self.mean)
        return f"{mean} ± {_text(self.std)}" if self.std else mean


@dataclass(frozen=True, eq=False)
class PrintedPaper:
    """The printed numbers of a paper, and the facts that its forensics.yaml declares."""

    name: str  # the key of the paper
    cells: Sequence[PrintedCell]  # the cells, in the order of published.csv and examined.csv
    declaration: DeclaredFacts = field(default_factory=DeclaredFacts)  # the declared facts

    def runs_behind(self, cell: PrintedCell) -> set[int]:
        """The numbers of runs for a proof about a printed number; 0 among them for an unknown one.

        A number of runs that was deduced counts as unknown: no proof rests on a deduction. A number
        that another method prints too, to all digits, may be a point of that method, such as its
        value without a penalty. Then the runs may be those of either method.
        """
        same = self._same_values.get((*cell.place, cell.mean.value), [cell])
        return {0 if one.is_deduced else one.runs for one in same}

    @cached_property
    def _same_values(self) -> Mapping[tuple[object, ...], list[PrintedCell]]:
        """The cells by their place and mean."""
        return groups(self.cells, lambda one: (*one.place, one.mean.value))


def read_printed(folder: Path, facts_of: FactsOf) -> PrintedPaper:
    """The printed numbers of the paper in a folder experiments/<paper>.

    `facts_of` gives what the spec of a cell says; facts of forensics.yaml apply in their place.

    Raises:
        DpfairError: a file has a mistake.
    """
    numbers: dict[PublishedCell, tuple[Rounded, Rounded | None]] = {}
    for file in FILES:
        numbers |= _cells_with_numbers(folder / file)
    # the entries of forensics.yaml must be about cells of either file
    declaration = read_declaration(folder / FILE, [*numbers])
    cells = [describe(cell, own, declaration, facts_of(cell)) for cell, own in numbers.items()]
    return PrintedPaper(folder.name, cells, declaration)


def _cells_with_numbers(file: Path) -> dict[PublishedCell, tuple[Rounded, Rounded | None]]:
    """Each published cell of a file with its rounded mean and deviation.

    The file is read twice, because a `PublishedCell` has numbers, of which nobody can tell how many
    digits were printed.
    """
    cells = read_published_cells(file)
    if not cells:
        return {}
    with file.open(encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text)
        header = next(reader)
        records = dict(numbered_records(reader))
    texts = {line: dict(zip(header, one, strict=True)) for line, one in records.items()}
    return {cell: rounded_numbers(cell, texts[cell.line]) for cell in cells}


def describe(
    cell: PublishedCell,
    numbers: tuple[Rounded, Rounded | None],
    declaration: DeclaredFacts,
    spec: SpecFacts = NO_SPEC,
) -> PrintedCell:
    """A published cell with its rounded numbers and the facts about it.

    Args:
        cell: The cell.
        numbers: Its mean and its deviation, the latter None without a printed one.
        declaration: The facts of forensics.yaml, which count before all others.
        spec: What the spec of the artefact says, for what is not declared.
    """
    count, records = found(declaration.runs, cell), found(declaration.test_records, cell)
    limits, majority = found(declaration.range, cell), found(declaration.majority, cell)
    named = cell.metric in PROPORTIONS and "proportions" not in declaration.declares
    return PrintedCell(
        cell,
        *numbers,
        runs=count.value_for(cell.metric) if count else spec.runs,
        records=records.value_for(cell.metric) if records else 0,
        is_deduced=any(one and one.deduced_from for one in (count, records)),
        range=(limits.low, limits.high) if limits else spec.range or range_of(cell.metric),
        is_proportion=named or _is_about(declaration.proportions, cell),
        is_continuous=_is_about(declaration.continuous, cell),
        uses_epsilon=_has_epsilon(cell) and not _is_about(declaration.without_epsilon, cell),
        majority=majority.value if majority else math.nan,
        spread=found(declaration.spread, cell),
    )


def groups(cells: Iterable[C], key: Callable[[C], K]) -> Mapping[K, list[C]]:
    """The cells by a key, in order of occurrence (itertools.groupby needs them sorted)."""
    found_groups: dict[K, list[C]] = {}
    for cell in cells:
        found_groups.setdefault(key(cell), []).append(cell)
    return found_groups


def rounded_numbers(
    cell: PublishedCell, texts: Mapping[str, str]
) -> tuple[Rounded, Rounded | None]:
    """The mean and the standard deviation of a cell, given its line of published.csv.

    If the paper prints fewer digits than the line, then the printed digits count.
    """
    printed = PRINTED.fullmatch(cell.printed.strip())
    is_percent = "%" in cell.printed
    # a number of the file may have been computed from the printed one
    least = half_unit(printed[1]) * (0.01 if is_percent else 1.0) if printed else 0.0
    mean = rounded(texts["mean"], least)
    return mean, rounded(texts["std"]) if texts["std"] else None


def _is_about(entries: Sequence[DeclaredEntry], cell: PublishedCell) -> bool:
    """Whether one of some declared entries is about a cell."""
    return found(entries, cell) is not None


def _has_epsilon(cell: PublishedCell) -> bool:
    """Whether a cell names a finite epsilon; infinity stands for no privacy."""
    epsilon = cell.parameters.get("epsilon")
    return isinstance(epsilon, float) and math.isfinite(epsilon)


def _text(number: Rounded) -> str:
    """The number with as many decimals as were printed, at most six."""
    decimals = min(max(round(-math.log10(2 * number.half)), 0), 6) if number.half else 6
    return f"{number.value:.{decimals}f}"
