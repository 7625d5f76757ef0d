"""Entries of experiments/contradictions.yaml: two published numbers, and what differs.

    - id: fermi-adult-accuracy
      family: C4
      quantity: {data: Adult, method: "DP-FERMI, lambda 1", score: accuracy, epsilon: 3}
      a:
        cell: {work: lowy2023, artefact: figure-adult, dataset: adult, method: DP-FERMI, ...}
        runs: {artefact: table-protocols, method: published protocol}
      b:
        cell: {work: ghoukasian2024, artefact: table1, ...}
      differences:
        - {aspect: training, a: 200 epochs, b: 50 epochs, runs: {method: 50 epochs}}
        - {aspect: delta, a: 1/n^2, b: 1e-5, not_run: the noise is given, not the delta}

docs/referee.md describes the grammar.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.conversion import from_mapping
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import read_yaml

FILE = "contradictions.yaml"
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")  # also the name of the picture


class Aspect(StrEnum):
    """What two protocols differ in."""

    DATA = "data"
    GROUPS = "groups"
    MODEL = "model"
    SCORE = "score"
    SPLIT = "split"
    TRAINING = "training"
    SETTINGS = "settings"
    NOISE = "noise"
    NEIGHBOURS = "neighbours"
    DELTA = "delta"
    ACCOUNTING = "accounting"
    PRINTING = "printing"

    @property
    def changes_quantity(self) -> bool:
        """Whether numbers that differ in this aspect are not about the same thing."""
        return self in (Aspect.GROUPS, Aspect.MODEL, Aspect.SCORE)


class MayBeAbsent:
    """A record that an entry may leave out; without any value, it is false."""

    def __bool__(self) -> bool:
        return any(vars(self).values())


@dataclass(frozen=True)
class Address(MayBeAbsent):
    """The address of a published cell, or of runs of ours, in the files of a work."""

    work: str = ""  # the work, such as lowy2023
    artefact: str = ""  # the artefact within the work
    dataset: str = ""  # the data set
    # the published name of the method; for runs, the method or its variant in the spec
    method: str = ""
    metric: str = ""  # the score
    # the other values that identify the number, such as epsilon
    parameters: Mapping[str, Any] = field(default_factory=dict)


ERROR, ACCURACY = "error", "accuracy"  # an error is one minus an accuracy
OWN_KEYS = tuple(one.name for one in fields(Address) if one.name != "parameters")
NO_ADDRESS = Address()


@dataclass(frozen=True)
class ClaimAddress(MayBeAbsent):
    """The address of a claim of a work."""

    work: str = ""
    id: str = ""  # the id of the claim in claims.yaml of the work
    part: str = ""  # the part of the claim that counts; empty for all parts


@dataclass(frozen=True)
class Stated(MayBeAbsent):
    """A number of a work that has no folder in experiments, without its noise."""

    work: str  # the work, such as pannekoek2021
    value: float  # the number
    place: str  # the place of the number
    name: str = ""  # who gives the number, in words, if it is not the work itself


NOT_STATED = Stated("", 0.0, "")


@dataclass(frozen=True)
class Account(MayBeAbsent):
    """The noise of a training with DP-SGD, from which an accountant computes epsilon."""

    noise_multiplier: float  # the deviation of the noise divided by the clipping bound
    sampling_rate: float  # the expected batch divided by the number of records
    steps: int  # the number of noisy steps
    delta: float  # the failure probability


NO_ACCOUNT = Account(0.0, 0.0, 0, 0.0)


@dataclass(frozen=True)
class Quantity:
    """What both numbers are about."""

    data: str  # the data set in words
    method: str  # the method in words
    score: str  # the score in words
    epsilon: str | float = ""  # the privacy loss; empty if the numbers have none

    def __str__(self) -> str:
        """The quantity in words, such as "accuracy of PFLR on Adult, epsilon 1"."""
        at = f", epsilon {self.epsilon:g}" if isinstance(self.epsilon, float) else ""
        at = f", epsilon {self.epsilon}" if self.epsilon and not at else at
        return f"{self.score} of {self.method} on {self.data}{at}"


@dataclass(frozen=True)
class Side:
    """One of the two numbers or sentences of an entry."""

    cell: Address = NO_ADDRESS  # the published cell
    # the parameter of the cell that is compared in place of its score, such as epsilon
    parameter: str = ""
    stated: Stated = NOT_STATED  # a number of a work without a folder, in place of a cell
    claim: ClaimAddress = field(default_factory=ClaimAddress)  # the claim, in place of a cell
    # our runs under the protocol of the work; without a cell, the number itself
    runs: Address = NO_ADDRESS
    account: Account = NO_ACCOUNT  # the noise of the work's training, to be accounted for
    protocol: str = ""  # the protocol in words

    def __post_init__(self) -> None:
        """Raises an error without a number and a claim, or with both."""
        if bool(self.claim) == bool(self.cell or self.runs or self.stated):
            raise ValueError("give a `cell`, `stated` or `runs`, or else a `claim`")
        if self.cell and self.stated:
            raise ValueError("give a `cell` or `stated`, not both")
        if self.parameter and self.parameter not in self.cell.parameters:
            raise ValueError(f"the cell has no value of the parameter {self.parameter!r}")

    @property
    def is_ours(self) -> bool:
        """Whether the number is of our runs and of no work."""
        return not (self.cell or self.stated or self.claim)

    @property
    def work(self) -> str:
        """The work whose number or claim it is; for a number of ours, the work of the runs."""
        return (self.cell or self.stated or self.claim or self.runs).work


@dataclass(frozen=True, eq=False)
class ReportedDifference:
    """One named difference between the protocols of both works."""

    aspect: Aspect  # what differs
    a: str  # the protocol of the first work, in words
    b: str  # the protocol of the second work, in words
    # our runs after this change; they differ in nothing else from those before
    runs: Address = NO_ADDRESS
    cell: Address = NO_ADDRESS  # a published cell in place of runs, for numbers without chance
    # why the setting is not known from the work; the step then explains nothing
    unpublished: str = ""
    not_run: str = ""  # why no runs show the effect of this difference

    def __post_init__(self) -> None:
        """Raises an error if it is not clear whether runs show the effect of the difference."""
        if sum(map(bool, (self.runs, self.cell, self.not_run))) != 1:
            raise ValueError(
                "a difference must have exactly one of `runs`, `cell` and `not_run` (the reason)"
            )

    @property
    def is_step(self) -> bool:
        """Whether runs or a cell show the effect of the difference."""
        return not self.not_run


NO_SIDE = Side(claim=ClaimAddress("none", "none"))


@dataclass(frozen=True, eq=False)
class Entry:
    """Two published numbers or sentences about the same quantity."""

    id: str  # the name of the entry
    family: str  # the contradiction that the entry belongs to, such as C4
    quantity: Quantity  # what both are about
    a: Side  # the first number or claim
    # the second number or claim; left out for a claim against the numbers of the same work
    b: Side = NO_SIDE
    # the differences of protocol; those with runs are the steps from the first to the second
    differences: tuple[ReportedDifference, ...] = ()
    exact: str = ""  # why the numbers contain no chance; empty if they do
    remark: str = ""  # what else a reader should know, such as what was not checked

    def __post_init__(self) -> None:
        """Raises an error if a claim is compared with a number, or a path has no beginning."""
        if not ID.fullmatch(self.id):
            raise ValueError(f"id must be of small letters, digits and hyphens, got {self.id!r}")
        if bool(self.a.claim) != bool(self.b.claim):
            raise ValueError("give two numbers, two claims, or one claim as `a`")
        if any(one.runs for one in self.steps) and not self.a.runs:
            raise ValueError("a difference has `runs`: give the runs of `a`, where the path begins")
        if any(one.cell for one in self.steps) and not self.exact:
            raise ValueError("a difference has a `cell`, which needs the key `exact` of the entry")

    @property
    def is_about_claims(self) -> bool:
        """Whether the entry compares sentences."""
        return bool(self.a.claim)

    def turns(self, address: Address) -> bool:
        """Whether a number at an address is an error that must be turned into an accuracy.

        It must if another number of the entry is an accuracy.
        """
        addresses = [*self.of_sides]
        for step in self.steps:
            addresses += [step.runs, step.cell]
        scores = {one.metric for one in addresses if one}
        return address.metric == ERROR and ACCURACY in scores

    @property
    def of_sides(self) -> tuple[Address, ...]:
        """The addresses of the cell and the runs of both sides; some may not be given."""
        return (self.a.cell, self.a.runs, self.b.cell, self.b.runs)

    @property
    def has_two_sides(self) -> bool:
        """Whether there is a second number or claim."""
        return self.b != NO_SIDE

    @property
    def steps(self) -> tuple[ReportedDifference, ...]:
        """The differences that runs show, from the first work to the second."""
        return tuple(one for one in self.differences if one.is_step)

    @property
    def works(self) -> tuple[str, ...]:
        """The works whose numbers or sentences are compared."""
        sides = [self.a, self.b] if self.has_two_sides else [self.a]
        return tuple(dict.fromkeys(one.work for one in sides))


def read_entries(file: Path) -> list[Entry]:
    """The entries in a file contradictions.yaml; an empty list if there is no file.

    Raises:
        DpfairError: an entry is invalid; the message names the entry and the mistake.
    """
    if not file.exists():
        return []
    given = read_yaml(file) or []
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise DpfairError(f"{FILE} must be a list of entries, each with the key `id`")
    entries = list(parse_entries(given))
    for name, count in Counter(one.id for one in entries).items():
        if count > 1:
            raise DpfairError(f"{FILE}: two entries have the id {name!r}: rename one")
    return entries


def parse_entries(given: list[Mapping[str, Any]]) -> Iterator[Entry]:
    """Yields the entries of contradictions.yaml.

    Raises:
        DpfairError: as `read_entries`.
    """
    for number, entry in enumerate(given, start=1):
        try:
            yield _entry(entry)
        except ValueError as mistake:
            name = entry.get("id") or f"entry {number}"
            raise DpfairError(f"{FILE}, {name}: {mistake}") from mistake


def _entry(given: Mapping[str, Any]) -> Entry:
    """An entry with its addresses; what an address of runs lacks is taken from the one before."""
    a = _side(given.get("a", {}), "a", NO_ADDRESS)
    found = {**given, "a": a, "differences": _differences(given.get("differences") or [], a)}
    if "b" in given:
        last = ([a.runs] + [one.runs for one in found["differences"] if one.runs])[-1]
        found["b"] = _side(given["b"], "b", last)
    return from_mapping(Entry, found)


def _side(given: Any, key: str, before: Address) -> Side:
    """One side; its runs have the values of its cell, or else of the address `before`."""
    found = _mapping(given, key)
    with _named(key):
        if "cell" in found:
            found["cell"] = _address(found["cell"], "cell", NO_ADDRESS)
        if "runs" in found:
            found["runs"] = _address(found["runs"], "runs", found.get("cell") or before)
        return from_mapping(Side, found)


def _differences(given: Any, a: Side) -> tuple[ReportedDifference, ...]:
    """The differences of an entry; each address inherits from the one before."""
    if not isinstance(given, list):
        raise ValueError(f"differences must be a list, got {given!r}")
    before, found = a.runs or a.cell, []
    for number, one in enumerate(given, start=1):
        own = _mapping(one, f"difference {number}")
        with _named(f"difference {number}"):
            for name in own.keys() & {"runs", "cell"}:  # a difference has one of them
                own[name] = before = _address(own[name], name, before)
            found.append(from_mapping(ReportedDifference, own))
    return tuple(found)


def _mapping(given: Any, key: str) -> dict[str, Any]:
    """A copy of a mapping, of which values can be replaced.

    Raises:
        ValueError: the value is no mapping.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"{key} must be a mapping, got {given!r}")
    return dict(given)


@contextmanager
def _named(key: str) -> Iterator[None]:
    """A context whose mistakes are those of the value under a key."""
    try:
        yield
    except ValueError as mistake:
        raise ValueError(f"{key}: {mistake}") from mistake


def _address(given: Any, key: str, before: Address) -> Address:
    """An address; keys that it lacks are those of the address `before`, and null removes a key.

    Raises:
        ValueError: the value is no mapping, or a key has no value even so; the message begins with
            `key`.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"{key} must be a mapping such as {{work: xu2021, ...}}, got {given!r}")
    own = {name: str(value) for name, value in given.items() if name in OWN_KEYS}
    parameters = {**before.parameters, **{k: v for k, v in given.items() if k not in OWN_KEYS}}
    kept = {name: value for name, value in parameters.items() if value is not None}
    address = replace(before, **own, parameters=kept)
    for name in OWN_KEYS:
        if not getattr(address, name):
            raise ValueError(f"{key}: give a value for {name}")
    return address
