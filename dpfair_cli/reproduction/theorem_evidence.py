"""The evidence for theorems: the audits of methods, and computations."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from dpfair_cli import catalog
from dpfair_cli.auditing import survey_rows
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.contracts.guarantees import Status
from dpfair_cli.contracts.theorem_evidence import COMPUTED, TheoremEvidence
from dpfair_cli.paths import results_file, shipped
from dpfair_cli.verdicts.claims.claim import ClaimPart


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
    if names - found.keys():
        file = results_file(results, "audit.csv")
        if not file.exists():  # in a project, which may use the methods of dpfair alone
            file = shipped("results") / "audit.csv"
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
