"""The evidence of the referee, from the works' files, journals, verdicts and audits."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dpfair_cli.addons.referee import page
from dpfair_cli.addons.referee.entry import FILE, Account, Address, Entry, read_entries
from dpfair_cli.addons.referee.evidence import OurMethod
from dpfair_cli.addons.referee.judging import JudgedEntry, judge
from dpfair_cli.addons.referee.section import section
from dpfair_cli.auditing import survey_rows
from dpfair_cli.contracts.declarations import Method
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, spent_epsilon
from dpfair_cli.paths import folder, results_file
from dpfair_cli.reporting.report import AddedSection
from dpfair_cli.reproduction.whole_paper import PaperNumbers
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.verdicts.authors import JudgedAuthorsValue, values_in_place
from dpfair_cli.verdicts.cells.comparison import Sample
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.means import is_equal
from dpfair_cli.verdicts.references import Numbers, Reference, Statistic

if TYPE_CHECKING:
    from dpfair_cli.reporting.shown import JudgedArtefact
    from dpfair_cli.reproduction.runs import RunOptions

NO_RUNS = "no finished runs"


class CommittedEvidence:
    """The files, journals and verdicts of all works in `experiments` and `results`.

    Each artefact is read when first needed. `decided` has verdicts that are known already, by the
    name of the artefact such as xu2021/table8.1.
    """

    def __init__(self, options: RunOptions, decided: Mapping[str, Verdicts] | None = None) -> None:
        self._options = options
        self._decided = dict(decided or {})
        self._artefacts = cache(artefacts)
        self._of_work = cache(self._read_work)
        self._judged = cache(self._judge_artefact)

    @cached_property
    def works(self) -> Sequence[str]:
        """The names of all works that have artefacts."""
        return list(dict.fromkeys(name.split("/")[0] for name in artefacts()))

    def published(self, work: str) -> Sequence[PublishedCell]:
        """The published cells of a work."""
        return self._of_work(work).content.published

    def judged(self, work: str, cell: PublishedCell) -> JudgedCell:
        """A published cell with its verdict."""
        for one in self._judged(work, cell.artefact):
            if one.published.line == cell.line:
                return one
        raise DpfairError(f"{work}/{cell.artefact} has no verdict on line {cell.line}")

    def authors(self, work: str, cell: PublishedCell) -> Sequence[JudgedAuthorsValue]:
        """The value of the authors' program in the place of a published cell, if there is one.

        Without runs of ours it is not shown.
        """
        if not self._has_runs(work, cell.artefact):
            return ()
        return values_in_place(self._verdicts(work, cell.artefact).authors, cell)

    def sample(self, address: Address) -> Sample:
        """The mean of our runs at an address.

        Raises:
            DpfairError: the work has no such artefact, or no runs of it have the values.
        """
        numbers = self._numbers(address)
        if not len(numbers.rows):
            raise DpfairError(f"{address.work}/{address.artefact} has {NO_RUNS}")
        found = {
            statistic: numbers.value(_reference(address, statistic))
            for statistic in (Statistic.MEAN, Statistic.DEVIATION, Statistic.RUNS)
        }
        return Sample(found[Statistic.MEAN], found[Statistic.DEVIATION], int(found[Statistic.RUNS]))

    def method(self, address: Address) -> OurMethod:
        """The method of our runs at an address, with the stored audits of its algorithm."""
        method = _method_of(self._numbers(address).spec, address)
        guarantee = method.algorithm.guarantee
        neighbours = guarantee.relation if guarantee.is_private else ""
        status = str(guarantee.status_with(method.params))
        audits = [
            _in_words(row)
            for row in self._audited
            if row.method == method.name and _is_of(row.variant, method)
        ]
        return OurMethod(method.name, neighbours, status, tuple(dict.fromkeys(audits)))

    def claims(self, work: str) -> Sequence[JudgedClaim]:
        """The parts of the claims of a work with their verdicts."""
        parts = self._of_work(work).content.claims
        found: list[JudgedClaim] = []
        for name in dict.fromkeys(part.artefact for part in parts):
            if self._has_runs(work, name):
                found += self._verdicts(work, name).claims
            else:
                own = [part for part in parts if part.artefact == name]
                found += [JudgedClaim(part, untested=NO_RUNS) for part in own]
        return found

    def epsilon(self, account: Account) -> float:
        """The privacy loss of noisy training with Poisson batches, by privacy loss distributions.

        Neighbours: add-or-remove-one.
        """
        part = NoisySteps(account.noise_multiplier, account.sampling_rate, account.steps)
        return spent_epsilon([part], account.delta)

    @cached_property
    def _audited(self) -> list[survey_rows.Audited]:
        return survey_rows.read(results_file(self._options.out, "audit.csv").parent)

    def _read_work(self, work: str) -> PaperNumbers:
        prefix = f"{work}/"
        own = {
            name.removeprefix(prefix): verdicts
            for name, verdicts in self._decided.items()
            if name.startswith(prefix)
        }
        return PaperNumbers(work, self._options, own)

    def _numbers(self, address: Address) -> Numbers:
        self._require_artefact(address.work, address.artefact)
        return self._of_work(address.work).numbers(address.artefact)

    def _verdicts(self, work: str, artefact: str) -> Verdicts:
        self._require_artefact(work, artefact)
        return self._of_work(work).verdicts(artefact)

    def _require_artefact(self, work: str, artefact: str) -> None:
        known = [name.split("/")[1] for name in self._artefacts(work)]
        if artefact not in known:
            raise DpfairError(f"{work} has no artefact {artefact!r}: {nearest(artefact, known)}")

    def _judge_artefact(self, work: str, artefact: str) -> Sequence[JudgedCell]:
        """The published cells of an artefact with verdicts; without runs, all are missing."""
        if self._has_runs(work, artefact):
            return self._verdicts(work, artefact).cells
        numbers = self._of_work(work).numbers(artefact)
        return [_not_run(cell, numbers.spec) for cell in numbers.published]

    def _has_runs(self, work: str, artefact: str) -> bool:
        self._require_artefact(work, artefact)
        return bool(len(self._of_work(work).numbers(artefact).rows))


def referee(
    options: RunOptions,
    decided: Mapping[str, Verdicts] | None = None,
    *,
    names: Collection[str] = (),
) -> list[JudgedEntry]:
    """The entries of experiments/contradictions.yaml with their states; empty without the file.

    `decided` has verdicts that are known already, by artefact. `names` are the ids of the wanted
    entries; all without names.

    Raises:
        DpfairError: an entry is invalid, or names a cell, a claim or runs that do not exist, or a
            name is unknown.
    """
    evidence = CommittedEvidence(options, decided)
    entries = {one.id: one for one in committed_entries()}
    for name in names:
        if name not in entries:
            raise DpfairError(f"unknown entry {name!r}: {nearest(name, entries)}")
    return [judge(one, evidence) for one in entries.values() if not names or one.id in names]


def write(reported: Sequence[JudgedArtefact], options: RunOptions) -> AddedSection | None:
    """The section of the report; also judges all entries and writes the page of the referee.

    Without entries no file is written, and there is no section.
    """
    entries = referee(options, {one.spec.artefact: one.verdicts for one in reported})
    if not entries:
        return None
    page.write(entries, options.out)
    return section(entries)


def committed_entries() -> list[Entry]:
    """The entries of experiments/contradictions.yaml."""
    return read_entries(entries_file())


def entries_file() -> Path:
    """The path of contradictions.yaml."""
    return folder("experiments") / FILE


def _reference(address: Address, statistic: Statistic) -> Reference:
    return Reference(
        address.artefact,
        address.dataset,
        address.method,
        address.metric,
        tuple(address.parameters.items()),
        statistic,
    )


def _method_of(spec: Spec, address: Address) -> Method:
    """The method of a spec at an address, with the parameters that the address names."""
    default = spec.methods_by_label[address.method]
    named = [one for one in spec.methods if one.label == default.label]
    return next((one for one in named if _has_parameters(one, address)), default)


def _has_parameters(method: Method, address: Address) -> bool:
    """Whether a method has the parameters of an address; one that it lacks fits any value."""
    return all(
        is_equal(method.params[name], value)
        for name, value in address.parameters.items()
        if name in method.params
    )


def _not_run(cell: PublishedCell, spec: Spec) -> JudgedCell:
    sample = Sample(cell.mean, cell.std, spec.runs_of_published(cell.dataset))
    return JudgedCell(cell, cell.method, sample, CellVerdict.NOT_RUN)


def _is_of(variant: str, method: Method) -> bool:
    """Whether an audit is of the default parameters, or of a parameter value of the method."""
    name, _, value = variant.partition(" ")
    return not variant or str(method.params.get(name, math.nan)) == value


def _in_words(row: survey_rows.Audited) -> str:
    """The result of an audit in words."""
    said = row.variant and f" with {row.variant}"
    if not row.claimed:
        return f"{row.verdict}{said}"
    return f"{row.verdict}{said} (claimed {row.claimed}; accounted epsilon {row.accounted})"
