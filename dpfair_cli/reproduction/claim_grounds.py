"""The grounds of verdicts on claims: the levels of a paper, and the evidence for theorems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from dpfair_cli import catalog
from dpfair_cli.auditing import survey_rows, theorems
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.contracts.guarantees import Status
from dpfair_cli.contracts.theorem_evidence import TheoremEvidence
from dpfair_cli.paths import results_file
from dpfair_cli.verdicts.claims.judging import Grounds
from dpfair_cli.verdicts.claims.levels import Levels

LEVELS_FILE = "claim_levels.json"


def grounds_of(results: Path, paper: str) -> Grounds:
    """The grounds of verdicts on the claims of a paper, given the folder of results."""
    return Grounds(read_levels(results, paper), theorem_evidence(results))


def read_levels(results: Path, paper: str) -> Levels:
    """The levels of a paper; those of a single test if the paper was never checked as a whole."""
    file = results / paper / LEVELS_FILE
    return Levels(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else Levels()


@cache
def theorem_evidence(results: Path) -> Mapping[str, TheoremEvidence]:
    """The evidence for theorems, by the names that claims.yaml uses; empty without audits.

    A method without a variant stands under its name, such as "pflr", and a variant as in "dpm:
    sensitivity published".
    """
    audits = survey_rows.read(results_file(results, "audit.csv").parent)
    found = dict(_audited(audits))
    return found | {name: theorems.computed(name) for name in theorems.COMPUTATIONS if found}


def _audited(audits: Iterable[Audited]) -> Iterator[tuple[str, TheoremEvidence]]:
    """Yields the name and the evidence of each audit; the first data set of a method counts."""
    named: dict[str, Audited] = {}
    for row in audits:
        name = f"{row.method}: {row.variant}" if row.variant else row.method
        named.setdefault(name, row)
    for name, row in named.items():
        tried = f"the audit on {row.data} ({row.neighbours}) finds epsilon {row.found} of "
        tried += row.claimed
        if row.verdict.startswith("refuted: "):
            words = f"{row.verdict.removeprefix('refuted: ')} ({row.neighbours}, {row.claimed})"
            yield name, TheoremEvidence(tried, counterexample=words)
        elif row.verdict == "holds":
            is_proved = row.label == Status.PROVED
            proof = catalog.algorithm(row.method).guarantee.proof if is_proved else ""
            yield name, TheoremEvidence(tried, proof=proof)
