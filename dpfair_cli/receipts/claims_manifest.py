"""The claims of a receipt as a manifest repro.yaml of the tools of reproducible-science.

The format is `repro/1`, which the program `claims` of the package claims-cli reads: files with
their SHA-256, and claims with the places of the numbers that they state. Each published number is
a claim with two numbers, the published one and ours. Each checkable sentence of a paper is a claim
without a number: its verdict comes from tests on the runs, which the format cannot express.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from dpfair_cli.receipts.content import CheckedArtefact, CheckedWork, CommittedFile, Receipt
from dpfair_cli.receipts.our_numbers import Numbers, address, read_numbers
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.published import VALUES

FILE = "repro.yaml"
SCHEMA = "repro/1"
MEDIA_TYPE = "text/csv"
WIDTH = 100
FASTEST: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def text(receipt: Receipt) -> str:
    """The manifest, with the CSV files of all artefacts and a claim for each published number."""
    artifacts = {file.path: _artifact(file) for file in _pinned(receipt)}
    document = {
        "schema_version": SCHEMA,
        "project": receipt.citation.title or "dpfair",
        "artifacts": [artifacts[path] for path in sorted(artifacts)],
        "claims": [claim for work in receipt.works for claim in _claims(work)],
    }
    return str(
        yaml.dump(document, Dumper=FASTEST, sort_keys=False, allow_unicode=True, width=WIDTH)
    )


def _pinned(receipt: Receipt) -> Iterator[CommittedFile]:
    """Yields the files in which the stated numbers are."""
    for work in receipt.works:
        yield from filter(None, (work.file("published.csv"),))
        yield from filter(None, (artefact.numbers for artefact in work.artefacts))


def _artifact(file: CommittedFile) -> dict[str, Any]:
    digest = {"algorithm": "sha256", "value": file.sha256}
    return {"id": file.path, "path": file.path, "digest": digest, "media_type": MEDIA_TYPE}


def _claims(work: CheckedWork) -> Iterator[dict[str, Any]]:
    """Yields the claims about published numbers, then the sentences of a paper."""
    for artefact in work.artefacts:
        numbers = read_numbers(artefact.numbers) if artefact.numbers else None
        for cell in artefact.reported.verdicts.cells:
            yield _number(cell, work, artefact, numbers)
    for artefact in work.artefacts:
        for claim in artefact.reported.verdicts.claims:
            yield {
                "id": f"{artefact.name}: {claim.part.id}",
                "text": f"{claim.part.claim.claim}: {claim.full_verdict}",
                "where": claim.part.claim.place,
            }


def _number(
    cell: JudgedCell, work: CheckedWork, artefact: CheckedArtefact, numbers: Numbers | None
) -> dict[str, Any]:
    """The claim that a published number and our mean have their values and a verdict."""
    evidence = [_published(cell, work)]
    place = address(cell, numbers) if numbers else None
    if place and numbers:
        where = dict(place.where)
        evidence.append(_cell("ours", numbers.file, place.column, where, place.text))
    return {
        "id": f"{artefact.name}: {cell.description}",
        "text": f"published {_stated(cell)}: {cell.full_verdict}",
        "where": cell.published.place or artefact.reported.spec.source,
        "evidence": evidence,
    }


def _stated(cell: JudgedCell) -> str:
    """The published number and our mean in words."""
    if cell.default is None:
        return f"{cell.published.mean:g}, no run of ours"
    return f"{cell.published.mean:g}, ours {cell.default.ours.mean:.4g}"


def _published(cell: JudgedCell, work: CheckedWork) -> dict[str, Any]:
    row = work.row_of(cell.published)
    file = work.file("published.csv")
    assert file is not None  # the cell was read from it
    where = {column: value for column, value in row.items() if column not in VALUES}
    return _cell("published", file, "mean", where, row["mean"])


def _cell(
    name: str, file: CommittedFile, column: str, where: Mapping[str, str], number: str
) -> dict[str, Any]:
    """The evidence that a CSV file has a number in a cell."""
    return {
        "kind": "table",
        "artifact": file.path,
        "name": name,
        "reported": number,
        "column": column,
        "where": dict(where),
    }
