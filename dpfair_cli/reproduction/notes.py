"""What readers must know about an artefact: other data, privacy, and evidence for theorems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from dpfair_cli import catalog
from dpfair_cli.auditing import survey_rows
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.contracts.declarations import DataSet, StandIn
from dpfair_cli.contracts.guarantees import (
    BOUNDS_FROM_DATA,
    COMPUTED,
    UNPAID_SCORES,
    Status,
    TheoremEvidence,
    price,
)
from dpfair_cli.contracts.schemas import OUTSIDE_RULE
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.contracts.training_context import Device
from dpfair_cli.paths import results_file, shipped
from dpfair_cli.reporting.tables import RunStatus
from dpfair_cli.verdicts.claims.claim import ClaimPart

LEAK = (
    "BOUNDS FROM THE DATA: ranges and levels were read from the private data; no guarantee covers "
    "this"
)
AS_IT_IS = (
    "These results are not private: exact scores, known seeds, and the same unit noise at all "
    "epsilons of a seed"
)
BY_VERDICT = "compare the verdicts with those of other devices, and not the digits"


def data_notes(spec: Spec, standins: Mapping[str, StandIn], device: Device) -> tuple[str, ...]:
    """The notes on the data of an artefact below its table or figure, such as "REPLICA: ..."."""
    names = {dataset.name: dataset for dataset in spec.datasets}
    notes = [_describe_standin(names[name], word) for name, word in standins.items()]
    if _reads_bounds(spec):
        notes.append(LEAK)
    if _has_private_data(spec):
        notes.append(AS_IT_IS)
    if not device.is_processor:  # its digits differ from those of a processor
        notes.append(f"Networks were trained on the device {device.name}: {BY_VERDICT}")
    return tuple(notes)


def privacy_remarks(spec: Spec) -> tuple[str, ...]:
    """The remarks below a table of private data: the domain file, the total privacy loss."""
    remarks = []
    if any(dataset.options.get("domain") for dataset in spec.datasets):
        remarks.append(f"{OUTSIDE_RULE[0].upper()}{OUTSIDE_RULE[1:]}.")
    if _has_private_data(spec):
        # not of the distinct methods: each seed is a release
        fits = [(run.method.algorithm.guarantee, run.method.params) for run in spec.runs()]
        cost = price(fits * spec.task.fits_per_run)
        loss = "Total privacy loss if all fits were published, each with secret noise"
        remarks.append(f"{loss}: {cost}")
    return tuple(remarks)


def statuses(spec: Spec) -> list[RunStatus]:
    """The privacy status of every setting of every method of an artefact.

    The status is void if bounds are read from the data, or if scores of private data are published
    without noise.
    """
    broken = [BOUNDS_FROM_DATA] if _reads_bounds(spec) else []
    broken += [UNPAID_SCORES] if _has_private_data(spec) else []
    return [_status_of(run, spec, broken) for run in spec.first_runs()]


def _reads_bounds(spec: Spec) -> bool:
    """Whether the ranges or levels of a data set are read from the data."""
    return any(dataset.reads_bounds for dataset in spec.datasets)


def _has_private_data(spec: Spec) -> bool:
    """Whether a data set is a user's own file, which may be private."""
    return any(dataset.source.public_files for dataset in spec.datasets)


def _describe_standin(dataset: DataSet, word: StandIn) -> str:
    """A note that describes the replacement of a paper's data set; begins with `word`."""
    source = dataset.source
    if word is StandIn.REPLICA and source.replica:
        return f"{word}: {source.name} is {source.replica.note}; compare it with nothing"
    return f"{word}: {source.name} stands {source.note.removeprefix(word).strip()}"


def unpublished_settings(spec: Spec) -> dict[str, str]:
    """The data sets whose construction the paper does not fully describe, with the missing part."""
    notes = {dataset.name: dataset.source.unpublished for dataset in spec.datasets}
    return {name: note for name, note in notes.items() if note}


def _status_of(run: Run, spec: Spec, broken: Sequence[str]) -> RunStatus:
    """The privacy status of a run whose guarantee has the `broken` conditions."""
    params = run.method.params
    given = {**run.dataset.options, **params}
    # the axis of a curve is no parameter of the method
    axes = [axis for axis in spec.layout.axes if axis != spec.curve]
    values = {axis: given[axis] for axis in axes if given.get(axis) is not None}
    status = run.method.algorithm.guarantee.label(params, broken)
    return RunStatus(status, run.label, run.dataset.name, values)


def theorem_evidence(results: Path, parts: Iterable[ClaimPart]) -> dict[str, TheoremEvidence]:
    """The evidence that parts of claims name, as far as there is any, by name.

    A method without a variant stands under its name, such as "pflr", and a variant as in "dpm:
    sensitivity published". The first data set of an audited method counts.
    """
    names = set(chain.from_iterable(part.theorem for part in parts))
    found = {}
    for name in names.intersection(COMPUTED):
        from dpfair_cli.auditing import theorems  # imports SciPy, which is slow

        found[name] = theorems.computed(name)
    if names - found.keys():  # the file of the audits is large
        file = results_file(results, "audit.csv")
        if not file.exists():  # in a project, which may use the methods of dpfair alone
            file = shipped("results") / "audit.csv"
        # so that the first row of a method stays
        for row in reversed(survey_rows.read(file.parent)):
            name = f"{row.method}: {row.variant}" if row.variant else row.method
            if name in names and not row.verdict.startswith("not run"):
                found[name] = _evidence_of(row)
    return found


def _evidence_of(row: Audited) -> TheoremEvidence:
    """The evidence of one audit for the privacy of a method."""
    tried = f"the audit on {row.data} ({row.neighbours}) finds epsilon {row.found} of {row.claimed}"
    if row.verdict.startswith("refuted: "):
        why = row.verdict.removeprefix("refuted: ")
        return TheoremEvidence(tried, counterexample=f"{why} ({row.neighbours}, {row.claimed})")
    is_proved = row.label == Status.PROVED
    proof = catalog.algorithm(row.method).guarantee.proof if is_proved else ""
    return TheoremEvidence(tried, proof=proof)
