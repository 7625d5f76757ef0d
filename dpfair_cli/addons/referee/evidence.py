"""What the referee reads of the works: published cells, runs, claims, guarantees and audits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

from dpfair_cli.addons.referee.entry import Account, Address
from dpfair_cli.auditing import survey_rows
from dpfair_cli.contracts.declarations import Method
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, spent_epsilon
from dpfair_cli.paths import results_file
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.reproduction.whole_paper import page_functions
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.verdicts.authors import JudgedAuthorsValue, values_in_place
from dpfair_cli.verdicts.cells.comparison import CellVerdict, Sample
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.means import is_equal
from dpfair_cli.verdicts.references import Reference, Statistic
from dpfair_cli.verdicts.verdicts import Verdicts

NO_RUNS = "no finished runs"


@dataclass(frozen=True)
class OurMethod:
    """The method of our runs: whom it protects, and what the audit says.

    Attributes:
        algorithm: The name of the algorithm.
        neighbours: The neighbouring data of the guarantee; empty for a method without privacy.
        status: The status of the guarantee for the parameters of the runs.
        audits: The different results of the stored audits of the algorithm.
    """

    algorithm: str
    neighbours: str
    status: str
    audits: tuple[str, ...] = ()


class Evidence:
    """The files, journals and verdicts of all works in `experiments` and `results`.

    Each artefact is read when first needed. `decided` has verdicts that are known already, by the
    name of the artefact such as xu2021/table8.1. A name that does not exist is a DpfairError.
    """

    def __init__(self, options: RunOptions, decided: Mapping[str, Verdicts] | None = None) -> None:
        self._options = options
        # of this object alone, unlike a cached method
        self._of_work = cache(partial(page_functions, options=options, decided=decided or {}))

    @cached_property
    def works(self) -> Sequence[str]:
        """The names of all works that have artefacts."""
        return list(dict.fromkeys(name.split("/")[0] for name in artefacts()))

    def published(self, work: str) -> Sequence[PublishedCell]:
        """The published cells of a work."""
        return self._options.paper(work).published

    def judged(self, work: str, cell: PublishedCell) -> JudgedCell:
        """A published cell with its verdict; without runs, the verdict is that there are none."""
        paper = self._of_work(work)
        if not self._has_runs(work, cell.artefact):
            runs = paper.numbers_of(cell.artefact).spec.runs_of_published(cell.dataset)
            sample = Sample(cell.mean, cell.std, runs)
            return JudgedCell(cell, cell.method, sample, CellVerdict.NOT_RUN)
        for one in paper.verdicts_of(cell.artefact).cells:
            if one.published.line == cell.line:
                return one
        raise DpfairError(f"{work}/{cell.artefact} has no verdict on line {cell.line}")

    def authors(self, work: str, cell: PublishedCell) -> Sequence[JudgedAuthorsValue]:
        """The value of the authors' program in the place of a published cell, if there is one.

        Without runs of ours it is not shown.
        """
        if not self._has_runs(work, cell.artefact):
            return ()
        return values_in_place(self._of_work(work).verdicts_of(cell.artefact).authors, cell)

    def sample(self, address: Address) -> Sample:
        """The mean of our runs at an address.

        Raises:
            DpfairError: the work has no such artefact, or no runs of it have the values.
        """
        numbers = self._of_work(address.work).numbers_of(address.artefact)
        if not len(numbers.rows):
            raise DpfairError(f"{address.work}/{address.artefact} has {NO_RUNS}")
        point = (address.artefact, address.dataset, address.method, address.metric)
        parameters = tuple(address.parameters.items())
        mean, std, runs = (
            numbers.value(Reference(*point, parameters, statistic))
            for statistic in (Statistic.MEAN, Statistic.DEVIATION, Statistic.RUNS)
        )
        return Sample(mean, std, int(runs))

    def method(self, address: Address) -> OurMethod:
        """The method of our runs at an address, with the stored audits of its algorithm."""
        spec = self._of_work(address.work).numbers_of(address.artefact).spec
        method = _method_of(spec, address)
        guarantee = method.algorithm.guarantee
        neighbours = guarantee.relation if guarantee.is_private else ""
        status = str(guarantee.status_with(method.params))
        audits = [
            _in_words(row)
            for row in self._audited
            if row.method == method.name and is_of(row.variant, method.params)
        ]
        # several variants of a method have audits in the same words
        return OurMethod(method.name, neighbours, status, tuple(dict.fromkeys(audits)))

    def claims(self, work: str) -> Sequence[JudgedClaim]:
        """The parts of the claims of a work with their verdicts."""
        parts = self._options.paper(work).claims
        found: list[JudgedClaim] = []
        for name in dict.fromkeys(part.artefact for part in parts):
            if self._has_runs(work, name):
                found += self._of_work(work).verdicts_of(name).claims
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
        """The rows of audit.csv of the results, or else of those that dpfair carries."""
        return survey_rows.read(results_file(self._options.out, "audit.csv").parent)

    def _has_runs(self, work: str, artefact: str) -> bool:
        """Whether an artefact of a work has finished runs of ours."""
        return bool(len(self._of_work(work).numbers_of(artefact).rows))


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


def is_of(variant: str, params: Mapping[str, Any]) -> bool:
    """Whether an audit is of the default parameters, or of one of the given values."""
    name, _, value = variant.partition(" ")
    return not variant or str(params.get(name, math.nan)) == value


def _in_words(row: survey_rows.Audited) -> str:
    """The result of an audit in words."""
    said = row.variant and f" with {row.variant}"
    if not row.claimed:
        return f"{row.verdict}{said}"
    return f"{row.verdict}{said} (claimed {row.claimed}; accounted epsilon {row.accounted})"
