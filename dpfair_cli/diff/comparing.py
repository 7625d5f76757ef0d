"""Compares two sides: the differences of each artefact, with causes.

The present code decides the verdicts of both sides, so that a verdict changes only if a result or
an input file changes. Artefacts with equal journals, specs, published cells, claims, deviations and
pictures on both sides are skipped. A re-analysis of printed values has no runs, and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.diff.causes import Causes, library_changes
from dpfair_cli.diff.difference import ArtefactChange, Difference
from dpfair_cli.diff.finding import changed_claims, changed_numbers
from dpfair_cli.diff.inputs import affected, read_bytes
from dpfair_cli.diff.plain_rows import results_of_rows
from dpfair_cli.diff.results import NO_CLAIMS, Results, results_of_spec
from dpfair_cli.diff.runs import FinishedRun, JournalReader
from dpfair_cli.diff.sides import ComparedState
from dpfair_cli.running.spec import read as read_spec
from dpfair_cli.verdicts.cells.published import read_published_cells
from dpfair_cli.verdicts.paper import Paper, read_paper
from dpfair_cli.verdicts.paper_rule import FILE, PaperRule, read_rule

PICTURES = ("figure.png", "difference.png")
NO_RULES: Mapping[str, PaperRule] = MappingProxyType({})


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
    before, after = _paired(before, after)
    libraries = library_changes(before.results, after.results)
    lone = {*after.journals} ^ {*before.journals}
    made = {*after.journals, *before.journals} - {*filter(after.is_reanalysis, lone)}
    names = sorted(filter(wanted, made))
    both = _TwoSides(before, after, Causes(libraries), rules)
    moved = [name for name in names if both.can_have_changed(name)]
    with pd.option_context("mode.string_storage", "python"):  # a fifth faster than pyarrow
        changes = [both.change(name) for name in moved]
    shown = tuple(change for change in changes if change.tells_something)
    return Difference(before.name, after.name, libraries, shown, len(names) - len(shown))


def _paired(before: ComparedState, after: ComparedState) -> tuple[ComparedState, ComparedState]:
    """The two sides of a comparison; if one is a single journal, the other is reduced to one too.

    Raises:
        DpfairError: the other side has no journal of that artefact.
    """
    single = [side for side in (before, after) if not side.results]
    if not single:
        return before, after
    (name,) = single[-1].journals
    return _with_journal_of(name, before), _with_journal_of(name, after)


def _with_journal_of(artefact: str, side: ComparedState) -> ComparedState:
    """The side reduced to the journal of `artefact`; a single journal is used under this name."""
    if side.results and artefact not in side.journals:
        raise DpfairError(
            f"{side.name} has no journal of the artefact {artefact}, but the other side has "
            "one: compare folders with the same artefacts"
        )
    file = side.journals[artefact] if side.results else next(iter(side.journals.values()))
    return replace(side, journals={artefact: file})


class _TwoSides:
    """The two states of the results that are compared; every paper is read only once."""

    def __init__(
        self,
        before: ComparedState,
        after: ComparedState,
        causes: Causes,
        rules: Mapping[str, PaperRule],
    ) -> None:
        self.sides, self.causes, self.rules = (before, after), causes, rules
        self.read_paper = cache(read_paper)
        self.results = after.results or before.results

    def _rule(self, paper: str) -> PaperRule:
        """The rule by which both sides of a paper are decided; else that of single tests."""
        if paper in self.rules or not self.results:
            return self.rules.get(paper, PaperRule())
        return read_rule(self.results / paper / FILE)

    def can_have_changed(self, artefact: str) -> bool:
        """Whether an input file or a picture of an artefact differs between before and after."""
        return bool(affected(artefact, *self.sides) or self._pictures(artefact))

    def change(self, artefact: str) -> ArtefactChange:
        """The differences of an artefact between before and after."""
        moved = affected(artefact, *self.sides)
        folders = self._folders(artefact)
        state = "changed"
        if None in folders:
            state = "new" if folders[0] is None else "gone"
        compared = state == "changed" and moved
        before, after = self._results(artefact, moved) if compared else (Results(), Results())
        cells = tuple(changed_numbers(before.cells, after.cells, self.causes))
        shown = before.cells.keys() | after.cells.keys()
        numbers = changed_numbers(before.numbers, after.numbers, self.causes)
        return ArtefactChange(
            artefact=artefact,
            state=state,
            cells=cells,
            numbers=tuple(change for change in numbers if change.name not in shown),
            claims=tuple(changed_claims(before, after, self.causes)),
            pictures=self._pictures(artefact),
            remarks=tuple(self._remarks(before, after)),
            before=folders[0],
            after=folders[1],
        )

    def _folders(self, artefact: str) -> list[Path | None]:
        """The folders of an artefact's results before and after; None if there is no folder."""
        return [
            side.journals[artefact].parent if artefact in side.journals else None
            for side in self.sides
        ]

    def _pictures(self, artefact: str) -> tuple[str, ...]:
        """The names of the pictures of an artefact whose bytes differ between before and after."""
        folders = self._folders(artefact)
        if None in folders or folders[0] == folders[1]:
            return ()
        differing = []
        for name in PICTURES:
            contents = {read_bytes(folder / name) for folder in folders if folder}
            if len(contents) > 1 and None not in contents:
                differing.append(name)
        return tuple(differing)

    def _results(self, artefact: str, wanted: frozenset[str]) -> tuple[Results, Results]:
        """The numbers and verdicts of an artefact before and after, each by its own spec.

        Without a readable spec, the rows of the journals are compared directly. If a side has
        claims or deviations that cannot be read, such as claims in the syntax of an older version,
        this side is compared without claims, and both sides without deviations.
        """
        reader = JournalReader()
        before, after = runs = [reader.read(side.journals.get(artefact)) for side in self.sides]
        files = [side.experiments / f"{artefact}.yaml" for side in self.sides]
        if not all(file.is_file() for file in files):
            return results_of_rows(before, after)
        specs, remarks = self._specs(files, artefact)
        if any(remarks):
            return _told(results_of_rows(before, after), remarks)
        papers, remarks = self._papers([file.parent for file in files])
        rule = self._rule(artefact.split("/")[0])
        return _told(_decided(runs, specs, papers, wanted, rule, self.results), remarks)

    def _specs(self, files: Sequence[Path], artefact: str) -> tuple[list[Spec], list[str]]:
        """The specs that can be read, and for each side why its spec cannot be read."""
        specs: list[Spec] = []
        remarks: list[str] = []
        for file in files:
            remarks.append("")
            try:
                equal = specs and read_bytes(file) == read_bytes(files[0])
                specs.append(specs[0] if equal else read_spec(file, artefact))
            except DpfairError as error:
                remarks[-1] = f"compared without its spec: {error}"
        return specs, remarks

    def _papers(self, folders: Sequence[Path]) -> tuple[list[Paper], list[str]]:
        """The paper of each side, and for each side why its claims or deviations are left out."""
        papers, remarks = [], []
        for folder in folders:
            remarks.append("")
            try:
                papers.append(self.read_paper(folder))
            except DpfairError as error:
                papers.append(Paper(read_published_cells(folder / "published.csv")))
                remarks[-1] = f"{NO_CLAIMS}: {error}"
        if any(remarks):  # deviations of one side only would look like changed verdicts
            papers = [Paper(paper.published, paper.claims) for paper in papers]
        return papers, remarks

    def _remarks(self, before: Results, after: Results) -> Iterator[str]:
        for side, results in zip(self.sides, (before, after), strict=True):
            yield from (f"{side.name}: {remark}" for remark in results.remarks)


def _decided(
    runs: Sequence[Sequence[FinishedRun]],
    specs: Sequence[Spec],
    papers: Sequence[Paper],
    wanted: frozenset[str],
    rule: PaperRule,
    results: Path | None,
) -> tuple[Results, Results]:
    """The numbers and verdicts of an artefact before and after, each by its own spec and paper.

    Both are decided by the same rule, and with the evidence in the same folder of results.
    """
    given = zip(runs, specs, papers, strict=True)
    one, other = (results_of_spec(*each, wanted, rule, results) for each in given)
    return one, other


def _told(found: tuple[Results, Results], remarks: Sequence[str]) -> tuple[Results, Results]:
    """The results before and after, each with the remark on its side, if there is one."""
    one, other = (
        replace(results, remarks=(*results.remarks, remark)) if remark else results
        for results, remark in zip(found, remarks, strict=True)
    )
    return one, other
