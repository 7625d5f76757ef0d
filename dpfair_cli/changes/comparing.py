"""Two sides -> what changed between them, artefact by artefact, and why.

Both sides are decided by the rule of the code that compares them, so that a changed verdict is a changed result. An
artefact of which no input changed is not looked into: neither its journal, nor its spec, cells, claims or deviations.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.changes.causes import causes, library_changes
from dpfair_cli.changes.plain_rows import results_of_rows
from dpfair_cli.changes.results import (
    CELLS,
    CLAIMS,
    NUMBERS,
    Claimed,
    Results,
    State,
    read_rows,
    results_of_spec,
)
from dpfair_cli.changes.sides import Side
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.running.journal import Row
from dpfair_cli.running.spec import read as read_spec
from dpfair_cli.verdicts.deviations import entries_of_artefact
from dpfair_cli.verdicts.published import Paper, read_entries, read_paper, read_published_cells

PICTURES = ("figure.png", "difference.png")
SAME = 1e-12  # relative difference of equal means: the order of a sum


class Changed(NamedTuple):
    """A number, a published cell or a claim that changed: its name, both states (None: not there), and why."""

    name: str
    before: State | Claimed | None
    after: State | Claimed | None
    causes: tuple[str, ...]

    @property
    def verdict_changed(self) -> bool:
        """Whether its verdict is another one."""
        verdicts = [side.verdict if side else "" for side in (self.before, self.after)]
        return verdicts[0] != verdicts[1]


@dataclass(frozen=True)
class ArtefactChange:
    """What changed of one artefact.

    `state` is "changed", "new" or "gone"; `cells` are published ones, `numbers` all others that it shows; `pictures`
    are file names of `before` and `after`, its folders on the two sides; `remarks` say what could not be compared.
    """

    artefact: str
    state: str
    cells: tuple[Changed, ...]
    numbers: tuple[Changed, ...]
    claims: tuple[Changed, ...]
    pictures: tuple[str, ...]
    remarks: tuple[str, ...]
    before: Path | None
    after: Path | None

    @property
    def causes(self) -> dict[str, int]:
        """Each cause with the number of cells, numbers and claims that it stands at, the most frequent first."""
        found = [cause for change in (*self.cells, *self.numbers, *self.claims) for cause in change.causes]
        return dict(sorted(((cause, found.count(cause)) for cause in dict.fromkeys(found)), key=lambda pair: -pair[1]))

    @property
    def verdicts(self) -> tuple[Changed, ...]:
        """The published cells and claims whose verdict changed."""
        return tuple(change for change in (*self.cells, *self.claims) if change.verdict_changed)


@dataclass(frozen=True)
class Difference:
    """What changed between two sides: their names, libraries in words, artefacts, and how many of all are the same."""

    before: str
    after: str
    libraries: tuple[str, ...]
    artefacts: tuple[ArtefactChange, ...]
    same: int


def compare(before: Side, after: Side, wanted: Callable[[str], bool] = lambda artefact: True) -> Difference:
    """What changed between two sides, in the artefacts that are `wanted`.

    Where one side is a single journal, the other's journal of that artefact is compared with it, or its only one.
    """
    before, after = _paired(before, after)
    libraries = library_changes(before.results, after.results)
    names = [name for name in dict.fromkeys([*after.journals, *before.journals]) if wanted(name)]
    found = [_Comparison(name, before, after, libraries) for name in sorted(names)]
    changed = [one.change() for one in found if one.affected or one.pictures]
    shown = tuple(change for change in changed if _tells_something(change))
    return Difference(before.name, after.name, libraries, shown, len(names) - len(shown))


def _tells_something(change: ArtefactChange) -> bool:
    parts = (change.cells, change.numbers, change.claims, change.pictures, change.remarks)
    return change.state != "changed" or any(parts)


def _paired(before: Side, after: Side) -> tuple[Side, Side]:
    """The sides with the same artefacts where one is a journal; two journals are one artefact whatever it is called.

    Raises:
        DpfairError: the other side has no journal of that artefact.
    """
    single = [side for side in (before, after) if not side.results]
    if not single:
        return before, after
    (name,) = single[-1].journals
    return _with_journal_of(name, before), _with_journal_of(name, after)


def _with_journal_of(artefact: str, side: Side) -> Side:
    """A side with the journal of an artefact alone, or with its only one under that name."""
    if side.results and artefact not in side.journals:
        raise DpfairError(f"{side.name} has no journal of {artefact}, which the other one is by its folders")
    file = side.journals[artefact] if side.results else next(iter(side.journals.values()))
    return replace(side, journals={artefact: file})


class _Comparison:
    """One artefact on two sides."""

    def __init__(self, artefact: str, before: Side, after: Side, libraries: Sequence[str]) -> None:
        self.artefact, self.sides, self.libraries = artefact, (before, after), libraries
        self.paper, self.name = artefact.split("/")
        self.folders = [side.journals[artefact].parent if artefact in side.journals else None for side in self.sides]

    @cached_property
    def affected(self) -> frozenset[str]:
        """What can have changed (NUMBERS, CELLS, CLAIMS), by the inputs that differ."""
        pairs = zip(*(self._inputs(side) for side in self.sides), strict=True)
        moved = [
            kinds
            for (one, read, kinds), (other, _, _) in pairs
            if _bytes(one) != _bytes(other) and read(one) != read(other)
        ]
        return frozenset(kind for kinds in moved for kind in kinds)

    def _inputs(self, side: Side) -> list[tuple[Path | None, Callable[[Path | None], object], Sequence[str]]]:
        """The files that the artefact is made of on a side, what of each is about it, and what it affects."""
        folder = side.experiments / self.paper
        return [
            (side.journals.get(self.artefact), _bytes, (NUMBERS, CELLS, CLAIMS)),
            (folder / f"{self.name}.yaml", _bytes, (NUMBERS, CELLS, CLAIMS)),
            (folder / "published.csv", self._published, (CELLS,)),
            (folder / "claims.yaml", self._claims, (CLAIMS,)),
            (folder / "deviations.yaml", self._deviations, (CELLS, CLAIMS)),
        ]

    def _published(self, file: Path | None) -> list[dict[str, str]]:
        """The lines of published.csv that are about the artefact."""
        text = (_bytes(file) or b"").decode("utf-8-sig")
        return [line for line in csv.DictReader(io.StringIO(text)) if line.get("artefact") == self.name]

    def _claims(self, file: Path | None) -> list[object]:
        """The claims with a part about the artefact, as they are written."""
        return [claim for claim in _entries(file) if self.name in str(claim)]

    def _deviations(self, file: Path | None) -> list[object]:
        """The deviations of the artefact, as they are written."""
        return list(entries_of_artefact(self.name, _entries(file)))

    @property
    def pictures(self) -> tuple[str, ...]:
        """The pictures of which the two sides have other bytes."""
        if None in self.folders or self.folders[0] == self.folders[1]:
            return ()
        found = {name: {_bytes(folder / name) for folder in self.folders if folder} for name in PICTURES}
        return tuple(name for name, contents in found.items() if len(contents) > 1 and None not in contents)

    def change(self) -> ArtefactChange:
        """What changed."""
        state = "new" if self.folders[0] is None else "gone" if self.folders[1] is None else "changed"
        if state == "changed" and self.affected:
            rows = [read_rows(side, self.artefact) for side in self.sides]
            before, after = self._results(*rows)
        else:
            before = after = Results()
        cells = tuple(self._changed_states(before.cells, after.cells, before, after))
        shown = {change.name for change in cells} | before.cells.keys() | after.cells.keys()
        numbers = self._changed_states(before.numbers, after.numbers, before, after)
        return ArtefactChange(
            artefact=self.artefact,
            state=state,
            cells=cells,
            numbers=tuple(change for change in numbers if change.name not in shown),
            claims=tuple(self._changed_claims(before, after)),
            pictures=self.pictures,
            remarks=tuple(self._remarks(before, after)),
            before=self.folders[0],
            after=self.folders[1],
        )

    def _results(self, before: Sequence[Row], after: Sequence[Row]) -> tuple[Results, Results]:
        """What the rows say by the spec of each side, or by themselves where a side has none that can be read.

        Claims and deviations that this code cannot read, such as those of an older grammar, are left out on both sides.
        """
        files = [side.experiments / f"{self.artefact}.yaml" for side in self.sides]
        if not all(file.is_file() for file in files):
            return results_of_rows(before, after)
        try:
            specs = [read_spec(files[0], self.artefact)]
            specs += specs if _bytes(files[0]) == _bytes(files[1]) else [read_spec(files[1], self.artefact)]
        except DpfairError as error:
            return self._told(results_of_rows(before, after), f"compared without its spec: {error}")
        folders = [side.experiments / self.paper for side in self.sides]
        rows = (before, after)
        try:
            return self._decided(rows, specs, [read_paper(folder) for folder in folders])
        except DpfairError as error:
            papers = [Paper(read_published_cells(folder / "published.csv"), [], []) for folder in folders]
            return self._told(self._decided(rows, specs, papers), f"without claims and deviations: {error}")

    def _decided(
        self, rows: Sequence[Sequence[Row]], specs: Sequence[Spec], papers: Sequence[Paper]
    ) -> tuple[Results, Results]:
        """What the rows of two sides say, each by its spec and its paper."""
        given = zip(rows, specs, papers, strict=True)
        one, other = (results_of_spec(*each, self.affected) for each in given)
        return one, other

    @staticmethod
    def _told(found: tuple[Results, Results], remark: str) -> tuple[Results, Results]:
        """The results with one more remark."""
        one, other = found
        return one, replace(other, remarks=(*other.remarks, remark))

    def _changed_states(
        self, before: Mapping[str, State], after: Mapping[str, State], one: Results, other: Results
    ) -> Iterator[Changed]:
        for name in dict.fromkeys([*after, *before]):
            old, new = before.get(name), after.get(name)
            if old is None or new is None or not _equal(old, new):
                yield Changed(name, old, new, self._causes(old, new))

    def _causes(self, old: State | None, new: State | None) -> tuple[str, ...]:
        """Why a number or its verdict changed; what is not of the runs is of the files beside the spec."""
        if old is None or new is None:
            there = old or new
            if there and math.isnan(there.published):
                return (f"no runs of it {'before' if old is None else 'after'}",)
            return ("new in published.csv",) if old is None else ("gone from published.csv",)
        found = causes(old.rows, new.rows, self.libraries)
        if not _same_number(old.published, new.published):
            found += (f"published.csv: {old.published:g} -> {new.published:g}",)
        if not found and old.verdict != new.verdict:
            found += ("deviations.yaml or spec",)
        return found

    def _changed_claims(self, before: Results, after: Results) -> Iterator[Changed]:
        names = dict.fromkeys([*after.claims, *before.claims])
        pairs = [(name, before.claims.get(name), after.claims.get(name)) for name in names]
        moved = any(old and new and old.reason != new.reason for _, old, new in pairs)
        why = causes(before.rows, after.rows, self.libraries) if moved else ()
        for name, old, new in pairs:
            if old is None or new is None:
                yield Changed(name, old, new, ("new in claims.yaml" if old is None else "gone from claims.yaml",))
            elif (old.verdict, old.reason) != (new.verdict, new.reason):
                written = ("claims.yaml",) if old.text != new.text else ()
                yield Changed(name, old, new, (*written, *why) or ("deviations.yaml or spec",))

    def _remarks(self, before: Results, after: Results) -> Iterator[str]:
        for side, results in zip(self.sides, (before, after), strict=True):
            yield from (f"{side.name}: {remark}" for remark in results.remarks)


def _equal(old: State, new: State) -> bool:
    """Whether two states are the same number with the same verdict."""
    pairs = ((old.mean, new.mean), (old.std, new.std), (old.published, new.published))
    return (old.runs, old.verdict) == (new.runs, new.verdict) and all(_same_number(*pair) for pair in pairs)


def _same_number(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)


def _bytes(file: Path | None) -> bytes | None:
    return file.read_bytes() if file and file.is_file() else None


def _entries(file: Path | None) -> list[dict[str, object]]:
    return read_entries(file) if file else []
