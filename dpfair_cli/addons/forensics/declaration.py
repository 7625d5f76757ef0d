"""Reads forensics.yaml of experiments/<paper>: facts that published.csv does not have.

    runs: [{value: 10, artefact: table1, place: Section 4},
           {value: 1, method: A, place: errors are multiples of 1/n, deduced_from: error}]
    test_records: [{value: 16281, dataset: adult, place: README}]
    proportions: [{metric: accuracy, place: Section 4}]
    noise: [{method: PFLR, epsilon: 10, sigma: 0.48, sampling_rate: 0.0005, steps: 195400,
             delta: 1.0e-5, place: script}]

Every entry has a place in the paper or its code. An entry is about the cells that have all its
values; a list stands for any of its values. If two entries of a key are about a cell, the later one
applies. `docs/forensics.md` lists the keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from dpfair_cli.contracts.conversion import ONE_OR_MORE, from_mapping
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.contracts.parameters import (
    Delta,
    NotNegativeFinite,
    PositiveFinite,
    Share,
    check_fields,
)
from dpfair_cli.verdicts.cells.published import PublishedCell

FILE = "forensics.yaml"
DEDUCTION = re.compile(r"multiples? of 1/")  # in the place of a number
Names = Annotated[tuple[str, ...], ONE_OR_MORE]
Numbers = Annotated[tuple[float, ...], ONE_OR_MORE]
E_ = TypeVar("E_", bound="DeclaredEntry")


@dataclass(frozen=True, kw_only=True)
class DeclaredEntry:
    """The cells that a fact is about, and where the fact stands."""

    place: str  # the place in the paper or its code
    artefact: Names = ()  # the artefacts of the cells; empty for all
    dataset: Names = ()  # the data sets of the cells; empty for all
    method: Names = ()  # the methods of the cells; empty for all
    metric: Names = ()  # the scores of the cells; empty for all
    epsilon: Numbers = ()  # the values of epsilon of the cells; empty for all

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.place:
            raise ValueError("the key `place` must not be empty")

    def fits(self, cell: PublishedCell) -> bool:
        """Whether the fact is about a cell."""
        for name in NAMES:
            wanted = getattr(self, name)
            if wanted and getattr(cell, name) not in wanted:
                return False
        return not self.epsilon or cell.parameters.get("epsilon") in self.epsilon


NAMES = ("artefact", "dataset", "method", "metric")


@dataclass(frozen=True, kw_only=True)
class Count(DeclaredEntry):
    """A number of runs or of test records."""

    value: int  # the number
    # the scores from whose digits it was deduced: it feeds no proof, and no test of these
    deduced_from: Names = ()

    def __post_init__(self) -> None:
        """Raises an error for a number below 1, or a deduction that does not name its scores."""
        super().__post_init__()
        if self.value < 1:
            raise ValueError(f"value must be at least 1, got {self.value}")
        if DEDUCTION.search(self.place) and not self.deduced_from:
            raise ValueError(
                "the place is a deduction from printed digits: name the scores in `deduced_from`, "
                "so that no check of these scores rests on their own digits"
            )

    def value_for(self, score: str) -> int:
        """The number for checks of a score; 0, unknown, if it was deduced from this score."""
        return 0 if score in self.deduced_from else self.value


@dataclass(frozen=True, kw_only=True)
class Majority(DeclaredEntry):
    """The share of the majority class among the test records."""

    value: Share  # the share


@dataclass(frozen=True, kw_only=True)
class Spread(DeclaredEntry):
    """Limits of the standard deviation over runs, for cells that print none."""

    least: NotNegativeFinite  # the smallest deviation that is plausible
    most: PositiveFinite  # the largest deviation that is plausible


@dataclass(frozen=True, kw_only=True)
class Limits(DeclaredEntry):
    """The range of a score, if its name does not say it."""

    low: float  # the lowest possible value
    high: float  # the highest possible value


@dataclass(frozen=True, kw_only=True)
class Baseline(DeclaredEntry):
    """A method that the methods of the entry change: without an intervention."""

    of: str  # the name of the method without the intervention


@dataclass(frozen=True, kw_only=True)
class Bands(DeclaredEntry):
    """The scores whose cells are the ends of the bands that are printed around a score."""

    lower: str  # the score with the lower ends
    upper: str  # the score with the upper ends


@dataclass(frozen=True, kw_only=True)
class DeclaredNoise(DeclaredEntry):
    """The noise of training with DP-SGD, as stated."""

    sigma: PositiveFinite  # the noise multiplier
    sampling_rate: Share  # the probability with which a record enters a batch
    steps: int  # the number of steps
    delta: Delta  # the failure probability


@dataclass(frozen=True)
class DeclaredFacts:
    """The facts in a file forensics.yaml."""

    runs: Sequence[Count] = ()  # the numbers of runs of the printed means
    test_records: Sequence[Count] = ()  # the numbers of test records
    majority: Sequence[Majority] = ()  # the shares of the majority class
    spread: Sequence[Spread] = ()  # limits of the deviations over runs
    range: Sequence[Limits] = ()  # the ranges of scores
    # scores that are the share of test records with a property, such as accuracy
    proportions: Sequence[DeclaredEntry] = ()
    continuous: Sequence[DeclaredEntry] = ()  # scores that are no ratios of counts
    without_epsilon: Sequence[DeclaredEntry] = ()  # cells of methods that do not use epsilon
    baseline: Sequence[Baseline] = ()  # the interventions and the methods that they change
    bands: Sequence[Bands] = ()  # the printed bands
    noise: Sequence[DeclaredNoise] = ()  # the noise of private training
    # the keys that the file has
    declares: frozenset[str] = field(default_factory=frozenset, kw_only=True)


KEYS = tuple(one.name for one in fields(DeclaredFacts) if one.name != "declares")


def found(entries: Sequence[E_], cell: PublishedCell) -> E_ | None:
    """The last of some entries that is about a cell; None without one."""
    return next((one for one in reversed(entries) if one.fits(cell)), None)


def read_declaration(file: Path, cells: Sequence[PublishedCell]) -> DeclaredFacts:
    """The facts in a file forensics.yaml; no facts if there is no file.

    Raises:
        DpfairError: the file has a mistake, or an entry is about none of the cells of the paper.
    """
    content = read_yaml(file) if file.exists() else {}
    if not isinstance(content or {}, Mapping):
        raise DpfairError(f"{FILE} must be a mapping with the keys {', '.join(KEYS)}")
    return parse_declaration(content or {}, cells)


def parse_declaration(
    content: Mapping[str, Any], cells: Sequence[PublishedCell] | None = None
) -> DeclaredFacts:
    """The facts in a mapping; `cells` are those of the paper, None if entries may be about none.

    Raises:
        DpfairError: as `read_declaration`.
    """
    unknown = next((str(key) for key in content if key not in KEYS), "")
    if unknown:
        raise DpfairError(f"{FILE}: unknown key {unknown!r}: {nearest(unknown, KEYS)}")
    forms = get_type_hints(DeclaredFacts)
    lists = {
        key: tuple(_entries(key, get_args(forms[key])[0], given, cells))
        for key, given in content.items()
    }
    return DeclaredFacts(**lists, declares=frozenset(content))


def _entries(
    key: str, form: type[E_], given: Any, cells: Sequence[PublishedCell] | None
) -> Iterable[E_]:
    """Yields the entries of a key."""
    if not isinstance(given, list):
        raise DpfairError(f"{FILE}, {key}: must be a list of entries, got {given!r}")
    for number, one in enumerate(given, 1):
        try:
            entry = from_mapping(form, one)
        except ValueError as mistake:
            raise DpfairError(f"{FILE}, {key}, entry {number}: {mistake}") from mistake
        misfit = _misfit(entry, cells) if cells is not None else ""
        if misfit:
            raise DpfairError(f"{FILE}, {key}, entry {number}: {misfit}")
        yield entry


def _misfit(entry: DeclaredEntry, cells: Sequence[PublishedCell]) -> str:
    """The name of an entry that no cell has, or the reason why it is about no cell; or empty."""
    for name in NAMES:
        known = {getattr(cell, name) for cell in cells}
        for word in getattr(entry, name):
            if word not in known:
                return f"no cell has the {name} {word!r}: {nearest(word, known)}"
    if any(map(entry.fits, cells)):
        return ""
    return "no cell of published.csv has all its values: correct one of them"
