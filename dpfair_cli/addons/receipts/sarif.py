"""The findings of `dpfair check` in SARIF 2.1.0, which code hosts and editors show at lines.

Every cell that differs, every claim that fails and every other failure of the check is one result.
The level of a result is "error" if `dpfair check` fails because of it, "warning" if its deviation
says that the cause is not known, and "note" if the deviation explains it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dpfair_cli.addons.receipts.content import CheckedArtefact, CheckedWork, CommittedFile, Receipt
from dpfair_cli.contracts.files import as_text
from dpfair_cli.reporting.shown import in_message
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.deviations.deviation import Deviation

FILE = "check.sarif"
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "%SRCROOT%"
FINGERPRINT = "dpfair/v1"
DIGITS = 32  # of the fingerprint of a result


class Level(StrEnum):
    """How severe a result is."""

    ERROR = "error"  # `dpfair check` fails because of it
    WARNING = "warning"  # a deviation says that the cause is not known
    NOTE = "note"  # a deviation explains it, or nothing depends on it


@dataclass(frozen=True)
class Rule:
    """A kind of finding."""

    id: str  # the name in SARIF
    title: str  # what the finding says, in one sentence
    help: str  # what to do


CELL_DIFFERS = Rule(
    "cell-differs",
    "Our mean of a published number differs from it by more than the margin.",
    "`dpfair explain` shows the runs, the variants and the cause. A difference without an entry in "
    "deviations.yaml fails the check.",
)
CELL_MISSING = Rule(
    "cell-missing",
    "No run of ours has a published number, and no deviation says why.",
    "Make the runs, or add a deviation with the key `not_run`.",
)
CLAIM_FAILS = Rule(
    "claim-fails",
    "A checkable sentence of a paper does not hold in our runs.",
    "check.md of the artefact shows the weakest point. A failure without an entry in "
    "deviations.yaml fails the check.",
)
DEVIATION_UNSUPPORTED = Rule(
    "deviation-unsupported",
    "A deviation lacks the evidence that its kind requires.",
    "docs/checking.md lists the evidence of each kind.",
)
DEVIATION_STALE = Rule(
    "deviation-stale",
    "No cell and no claim needs a deviation.",
    "Delete the entry, or correct its names.",
)
SCORE_IMPOSSIBLE = Rule(
    "score-impossible",
    "A run has a score outside the range of the score.",
    "Restore the journal, or delete the line of the run and make the run again.",
)
CHECKSUM_DIFFERS = Rule(
    "checksum-differs",
    "published.csv or a journal differs from the checksum manifest.",
    "Restore the file; after an intended change, `dpfair check --all --update-checksums`.",
)
RULES = (
    CELL_DIFFERS,
    CELL_MISSING,
    CLAIM_FAILS,
    DEVIATION_UNSUPPORTED,
    DEVIATION_STALE,
    SCORE_IMPOSSIBLE,
    CHECKSUM_DIFFERS,
)


@dataclass(frozen=True)
class SarifResult:
    """One finding."""

    rule: Rule  # its kind
    level: Level  # how severe it is
    message: str  # the finding in words
    file: CommittedFile | None  # the file at which it is shown; None if the file does not exist
    line: int = 0  # the line in the file; 0 for the whole file
    identity: str = ""  # what stays the same if lines move, such as the artefact and the cell


def text(receipt: Receipt) -> str:
    """All findings as a log with one run of dpfair."""
    run = {
        "tool": {
            "driver": {
                "name": "dpfair",
                "semanticVersion": receipt.version,
                "rules": [
                    {
                        "id": rule.id,
                        "shortDescription": {"text": rule.title},
                        "help": {"text": rule.help},
                    }
                    for rule in RULES
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "the folder of the project"}}},
        "results": [_result(one) for one in results(receipt)],
    }
    return as_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def results(receipt: Receipt) -> Iterator[SarifResult]:
    """Yields the findings of each paper and of its artefacts, in their order."""
    for work in receipt.works:
        for message in work.broken:
            manifest = work.file("checksums.json")
            yield SarifResult(CHECKSUM_DIFFERS, Level.ERROR, message, manifest, 0, message)
        for artefact in work.artefacts:
            yield from _of_cells(work, artefact)
            yield from _of_claims(work, artefact)
            yield from _of_files(work, artefact)


def _of_cells(work: CheckedWork, artefact: CheckedArtefact) -> Iterator[SarifResult]:
    """Yields the published cells that differ, and those that nothing of ours is compared with."""
    for cell in artefact.reported.cells:
        differs = cell.verdict.disagrees
        if differs or cell.is_unexplained:
            yield SarifResult(
                CELL_DIFFERS if differs else CELL_MISSING,
                _level(cell.deviation),
                f"{artefact.name}: {in_message(cell)}{_because(cell.cause)}",
                work.file("published.csv"),
                cell.published.line,
                f"{artefact.name}: {cell.description}",
            )


def _of_claims(work: CheckedWork, artefact: CheckedArtefact) -> Iterator[SarifResult]:
    """Yields the claims that fail. One that no deviation has to explain is a note."""
    for claim in artefact.reported.claims:
        if claim.verdict is ClaimVerdict.FAILS:
            is_note = claim.deviation is None and not claim.is_unexplained
            yield SarifResult(
                CLAIM_FAILS,
                Level.NOTE if is_note else _level(claim.deviation),
                _claim_in_words(claim),
                work.file("claims.yaml"),
                work.claim_lines.get(claim.part.id, 0),
                claim.part.id,
            )


def _of_files(work: CheckedWork, artefact: CheckedArtefact) -> Iterator[SarifResult]:
    """Yields the findings about deviations and about scores of runs."""
    verdicts, deviations = artefact.reported, work.file("deviations.yaml")
    journal = artefact.result("runs.jsonl")
    found = (
        (DEVIATION_UNSUPPORTED, Level.ERROR, verdicts.unsupported_deviations, deviations),
        (DEVIATION_STALE, Level.NOTE, verdicts.stale_deviations, deviations),
        (SCORE_IMPOSSIBLE, Level.ERROR, verdicts.impossible_scores, journal),
    )
    for rule, level, messages, file in found:
        for message in messages:
            yield SarifResult(rule, level, f"{artefact.name}: {message}", file, 0, message)


def _level(deviation: Deviation | None) -> Level:
    """The level of a difference with this deviation."""
    if deviation is None:
        return Level.ERROR
    return Level.NOTE if deviation.kind.explains else Level.WARNING


def _claim_in_words(claim: JudgedClaim) -> str:
    """A claim with its verdict, its sentence and the reason."""
    whole = claim.part.claim
    said = f"{whole.claim} ({whole.place})"
    return f"{claim.part.id}: {claim.full_verdict}: {said}: {claim.reason}{_because(claim.cause)}"


def _because(cause: str) -> str:
    """The cause of a deviation as the last sentence of a message; empty without a cause."""
    return f". {cause}" if cause else ""


def _result(result: SarifResult) -> dict[str, Any]:
    """A result as SARIF has it; its fingerprint tells whether it was shown before."""
    # not of the line, which moves when another entry is added
    digest = hashlib.sha256(f"{result.rule.id}: {result.identity}".encode()).hexdigest()
    return {
        "ruleId": result.rule.id,
        "ruleIndex": RULES.index(result.rule),
        "level": str(result.level),
        "message": {"text": result.message},
        "locations": [_location(result.file, result.line)] if result.file else [],
        "partialFingerprints": {FINGERPRINT: digest[:DIGITS]},
    }


def _location(file: CommittedFile, line: int) -> dict[str, Any]:
    """The place of a result; without a line, the whole file."""
    place: dict[str, Any] = {"artifactLocation": {"uri": file.path, "uriBaseId": ROOT}}
    if line:
        place["region"] = {"startLine": line}
    return {"physicalLocation": place}
