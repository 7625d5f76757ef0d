"""Compares two sides: the differences of each artefact, with causes.

The present code decides the verdicts of both sides, so that a verdict changes only if a result or
an input file changes. Artefacts with equal journals, specs, files of the paper and pictures on both
sides are skipped. A re-analysis has no runs: its rules are applied to the printed values of each
side.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.diff.results import ComparedNumber, Results, results_of_spec
from dpfair_cli.diff.runs import Causes, library_changes, read_runs
from dpfair_cli.diff.sides import ComparedState, read_bytes
from dpfair_cli.running.spec import read as read_spec
from dpfair_cli.verdicts.cells.published import read_published_cells
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.paper import Paper, read_paper
from dpfair_cli.verdicts.paper_rule import FILE, PaperRule, read_rule

PICTURES = ("figure.png", "difference.png")
SAME = 1e-12  # largest relative difference of equal means: sums in another order differ by less
NO_CLAIMS = "without claims and deviations"  # begins the remark on a side that is so compared
NO_SPEC = "not compared, because its spec cannot be read"  # begins another remark
NO_RULES: Mapping[str, PaperRule] = MappingProxyType({})
FILES = "deviations.yaml or spec"  # the cause if neither runs nor published values differ
PRINTED = "published.csv, the spec or the rule in dpfair"  # the cause of another re-analysis

Content = TypeVar("Content")
Item = ComparedNumber | JudgedClaim | None  # a number, cell or claim on one side


class Changed(NamedTuple):
    """A number, a published cell or a claim that differs between two states of the results.

    Attributes:
        name: the description of the number or cell, or the id of the claim.
        before: the item before; None if there was none.
        after: the item after; None if there is none.
        causes: the causes of the change.
    """

    name: str
    before: Item
    after: Item
    causes: tuple[str, ...]

    @property
    def verdicts(self) -> tuple[str, str]:
        """The verdicts before and after on a number, cell or claim; empty without a verdict."""
        before, after = (side.full_verdict if side else "" for side in (self.before, self.after))
        return before, after

    @property
    def verdict_changed(self) -> bool:
        """Whether the verdicts on a number, cell or claim before and after differ."""
        return self.verdicts[0] != self.verdicts[1]

    @property
    def importance(self) -> tuple[bool, float]:
        """The sort key of a change: changed verdicts first, then the largest change of a mean.

        A change is infinite for a claim, and for a new or missing number.
        """
        old, new, size = self.before, self.after, math.nan
        if isinstance(old, ComparedNumber) and isinstance(new, ComparedNumber):
            size = abs(new.mean - old.mean)
        return not self.verdict_changed, -math.inf if math.isnan(size) else -size


@dataclass(frozen=True)
class ArtefactChange:
    """The differences of one artefact between two states of the results.

    Attributes:
        artefact: the artefact, such as "xu2021/table8.1".
        before: the folder of its results before; None if it is new.
        after: the folder of its results after; None if it is gone.
        cells: the published cells that differ.
        numbers: the other numbers that differ.
        claims: the claims that differ.
        pictures: the file names of the pictures whose bytes differ.
        remarks: messages about things that could not be compared.
    """

    artefact: str
    before: Path | None
    after: Path | None
    cells: tuple[Changed, ...] = ()
    numbers: tuple[Changed, ...] = ()
    claims: tuple[Changed, ...] = ()
    pictures: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """Whether the artefact is "changed", "new" (only after) or "gone" (only before)."""
        if self.before and self.after:
            return "changed"
        return "gone" if self.before else "new"

    @property
    def by_kind(self) -> dict[str, tuple[Changed, ...]]:
        """The changes by kind, in the order in which they are shown."""
        return {"cells": self.cells, "claims": self.claims, "numbers": self.numbers}

    @property
    def every(self) -> tuple[Changed, ...]:
        """All changes of cells, numbers and claims, in the order in which they are shown."""
        return tuple(chain.from_iterable(self.by_kind.values()))

    @property
    def causes(self) -> dict[str, int]:
        """The causes of changes of an artefact with their counts, the most frequent cause first."""
        causes = chain.from_iterable(one.causes for one in self.every)
        return dict(Counter(causes).most_common())

    @property
    def verdicts(self) -> tuple[Changed, ...]:
        """The published cells and claims of an artefact whose verdict changed."""
        return tuple(change for change in (*self.cells, *self.claims) if change.verdict_changed)


@dataclass(frozen=True)
class Difference:
    """The differences between two states of the results, each a commit, a folder or a journal.

    Attributes:
        before: the name of the first side.
        after: the name of the second side.
        libraries: the libraries that differ, in words.
        artefacts: the artefacts that changed, those with changed verdicts first.
        same: the number of artefacts that did not change.
    """

    before: str
    after: str
    libraries: tuple[str, ...]
    artefacts: tuple[ArtefactChange, ...]
    same: int

    @property
    def changed(self) -> list[ArtefactChange]:
        """The artefacts that are on both sides and changed."""
        return [one for one in self.artefacts if one.state == "changed"]

    @property
    def on_one_side(self) -> dict[str, list[str]]:
        """The names of the artefacts that are on one side only, by state."""
        found: dict[str, list[str]] = {}
        for one in self.artefacts:
            if one.state != "changed":
                found.setdefault(one.state, []).append(one.artefact)
        return found


def compare(
    before: ComparedState,
    after: ComparedState,
    wanted: Callable[[str], bool] = lambda artefact: True,
    *,
    rules: Mapping[str, PaperRule] = NO_RULES,
) -> Difference:
    """The differences between two states of the results, for the artefacts that `wanted` accepts.

    The verdicts on both sides follow the rule of the paper in `rules`, or else the rule that was
    written into the results.

    If one side is a single journal, the journal is compared with the other side's journal of that
    artefact, or with the only journal of the other side.
    """
    single = [side for side in (before, after) if not side.results]
    if single:
        (name,) = single[-1].journals
        before, after = before.only(name), after.only(name)
    libraries = library_changes(before.results, after.results)  # the same for all artefacts
    names = sorted(filter(wanted, {*after.journals, *before.journals}))
    both = _TwoSides((before, after), Causes(libraries), rules)
    with pd.option_context("mode.string_storage", "python"):  # a fifth faster than pyarrow
        changes = [both.change(name) for name in names]
    shown = [
        one for one in changes if one.state != "changed" or one.every or one.pictures or one.remarks
    ]
    shown.sort(key=lambda one: not one.verdicts)  # changed verdicts first
    return Difference(before.name, after.name, libraries, tuple(shown), len(names) - len(shown))


class _TwoSides:
    """The two states of the results that are compared; every paper is read only once."""

    def __init__(
        self,
        sides: tuple[ComparedState, ComparedState],
        causes: Causes,
        rules: Mapping[str, PaperRule],
    ) -> None:
        self.sides, self.causes, self.rules = sides, causes, rules
        self.read_paper = cache(read_paper)  # of which several artefacts change
        self.results = sides[1].results or sides[0].results  # a journal has no rule and no audit

    def change(self, artefact: str) -> ArtefactChange:
        """The differences of an artefact between before and after; empty without any."""
        files = [side.journals.get(artefact) for side in self.sides]
        one, other = (file.parent if file else None for file in files)
        found = ArtefactChange(artefact, one, other, pictures=_other_pictures(one, other))
        contents = [side.inputs(artefact) for side in self.sides]
        if found.state != "changed" or contents[0] == contents[1]:  # almost always, and at once
            return found
        before, after = self._results(artefact)
        shown = before.cells.keys() | after.cells.keys()
        numbers = changed_numbers(before.numbers, after.numbers, self.causes)
        sides = zip(self.sides, (before, after), strict=True)
        return replace(
            found,
            cells=tuple(changed_numbers(before.cells, after.cells, self.causes)),
            # a number that is a published cell is told once
            numbers=tuple(one for one in numbers if one.name not in shown),
            claims=tuple(changed_claims(before, after, self.causes)),
            remarks=tuple(f"{side.name}: {own.remark}" for side, own in sides if own.remark),
        )

    def _results(self, artefact: str) -> tuple[Results, Results]:
        """The numbers and verdicts of an artefact before and after, each by its own spec.

        Without a readable spec of both sides, nothing is compared. If a side has claims or
        deviations that cannot be read, such as claims in the syntax of an older version, this side
        is compared without claims, and both sides without deviations.
        """
        files = [side.experiments / f"{artefact}.yaml" for side in self.sides]
        specs = [_tried(partial(read_spec, file, artefact)) for file in files]
        remarks = [f"{NO_SPEC}: {why}" if why else "" for _, why in specs]
        if any(remarks):  # numbers are named by the spec
            return _remarked((Results(), Results()), remarks)
        # one call for both sides, so that an equal line is the same run
        runs = read_runs(side.journals.get(artefact) for side in self.sides)
        papers, remarks = self._papers([file.parent for file in files])
        rule = self._rule(artefact.split("/")[0])
        one, other = (
            results_of_spec(own, spec, paper, rule, self.results)
            for own, (spec, _), paper in zip(runs, specs, papers, strict=True)
            if spec
        )
        return _remarked((one, other), remarks)

    def _rule(self, paper: str) -> PaperRule:
        """The rule by which both sides of a paper are decided; else that of single tests."""
        if paper in self.rules or not self.results:
            return self.rules.get(paper, PaperRule())
        return read_rule(self.results / paper / FILE)  # one rule, so that only results can differ

    def _papers(self, folders: Sequence[Path]) -> tuple[list[Paper], list[str]]:
        """The paper of each side, and for each side why its claims or deviations are left out."""
        papers, remarks = [], []
        for folder in folders:
            found, why = _tried(partial(self.read_paper, folder))
            published = read_published_cells(folder / "published.csv")  # also without claims
            papers.append(found or Paper(published, folder=folder))
            remarks.append(f"{NO_CLAIMS}: {why}" if why else "")
        if any(remarks):  # deviations of one side only would look like changed verdicts
            papers = [replace(paper, deviations=()) for paper in papers]
        return papers, remarks


def _other_pictures(before: Path | None, after: Path | None) -> tuple[str, ...]:
    """The names of the pictures in both folders of an artefact whose bytes differ."""
    if not before or not after:
        return ()
    pairs = {name: (read_bytes(before / name), read_bytes(after / name)) for name in PICTURES}
    return tuple(name for name, (one, other) in pairs.items() if one and other and one != other)


def _tried(read: Callable[[], Content]) -> tuple[Content | None, str]:
    """What `read` returns, or else the reason why it cannot be read."""
    try:
        return read(), ""
    except FileNotFoundError as error:  # a sweep has no spec
        return None, f"there is no {Path(error.filename).name}"
    except DpfairError as error:
        return None, str(error)


def _remarked(found: tuple[Results, Results], remarks: Sequence[str]) -> tuple[Results, Results]:
    """The results before and after, each with the remark on its side, if there is one."""
    before, after = (
        replace(own, remark=remark or own.remark)
        for own, remark in zip(found, remarks, strict=True)
    )
    return before, after


def changed_numbers(
    before: Mapping[str, ComparedNumber], after: Mapping[str, ComparedNumber], causes: Causes
) -> Iterator[Changed]:
    """Yields each number or published cell that differs between `before` and `after`.

    The order is that of `after`; numbers that exist only in `before` come last.
    """
    for name in dict.fromkeys([*after, *before]):
        old, new = before.get(name), after.get(name)
        if old is None or new is None or not _is_equal(old, new):
            yield Changed(name, old, new, _why(old, new, causes))


def changed_claims(before: Results, after: Results, causes: Causes) -> Iterator[Changed]:
    """Yields each claim whose verdict, or reason of the verdict, differs before and after."""
    names = dict.fromkeys([*after.claims, *before.claims])  # a set would lose their order
    pairs = [(name, before.claims.get(name), after.claims.get(name)) for name in names]
    # a claim that only its deviation moved has no cause in the runs
    moved = any(old and new and old.reason != new.reason for _, old, new in pairs)
    why = causes.of(before.runs, after.runs) if moved else ()
    for name, old, new in pairs:
        if old is None or new is None:
            lacking, when = (before, "new in") if old is None else (after, "gone from")
            unread = lacking.remark.startswith(NO_CLAIMS)
            reason = "claims.yaml cannot be read there" if unread else f"{when} claims.yaml"
            yield Changed(name, old, new, (reason,))
        elif (old.full_verdict, old.reason) != (new.full_verdict, new.reason):
            written = ("claims.yaml",) if old.part != new.part else ()
            yield Changed(name, old, new, (*written, *why) or (FILES,))


def _why(old: ComparedNumber | None, new: ComparedNumber | None, causes: Causes) -> tuple[str, ...]:
    """The causes of a changed number or verdict: differences of the runs or the paper's files."""
    if old is None or new is None:
        there = old or new
        if there and math.isnan(there.published):
            return (f"no runs {'before' if old is None else 'after'}",)
        return ("new in published.csv",) if old is None else ("gone from published.csv",)
    found = causes.of(old.under, new.under)
    if not _is_same(old.published, new.published):
        found += (f"published.csv: {old.published:g} -> {new.published:g}",)
    if not found and new.runs and not new.under:
        return (PRINTED,)  # a re-analysis, which has no runs
    if not found and old.full_verdict != new.full_verdict:
        return (FILES,)  # nothing else is left that decides a verdict
    return found


def _is_equal(old: ComparedNumber, new: ComparedNumber) -> bool:
    """Whether two numbers have equal values and equal verdicts."""
    pairs = ((old.mean, new.mean), (old.std, new.std), (old.published, new.published))
    is_decided_alike = (old.runs, old.full_verdict) == (new.runs, new.full_verdict)
    return is_decided_alike and all(_is_same(*pair) for pair in pairs)


def _is_same(one: float, other: float) -> bool:
    """Whether two values are equal but for the order of a sum, or both are not known."""
    both_missing = math.isnan(one) and math.isnan(other)
    return both_missing or math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)
