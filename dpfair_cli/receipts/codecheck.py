"""The part of a CODECHECK configuration file that is known before a codechecker has checked.

The format is version 1.0 of https://codecheck.org.uk/spec/config/1.0/. The fields `codechecker`,
`report` and `certificate` are those of the person who checks, and are not written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from dpfair_cli.receipts import counts
from dpfair_cli.receipts.content import CheckedArtefact, CheckedWork, CommittedFile, Receipt

FILE = "codecheck.yml"
SPECIFICATION = "https://codecheck.org.uk/spec/config/1.0/"
WIDTH = 100


def text(receipt: Receipt) -> str:
    """The configuration file, with the output files of all artefacts as the manifest.

    A receipt of several papers names them under `dpfair_papers`, because the format has one paper.
    """
    document: dict[str, Any] = {"version": SPECIFICATION, "manifest": _manifest(receipt)}
    papers = [_paper(work) for work in receipt.works]
    if len(papers) == 1:
        document["paper"] = papers[0]
    else:
        document["dpfair_papers"] = papers
    document["summary"] = counts.in_words(receipt)
    body = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=WIDTH)
    return f"---\n{body}"


def _manifest(receipt: Receipt) -> list[dict[str, str]]:
    """The output files, each with the title of its artefact and the place in the paper."""
    return [
        {"file": file.path, "comment": f"{artefact.reported.spec.source}: {_title(artefact)}"}
        for artefact in receipt.artefacts
        for file in _outputs(artefact)
    ]


def _title(artefact: CheckedArtefact) -> str:
    return artefact.reported.spec.title


def _outputs(artefact: CheckedArtefact) -> Iterator[CommittedFile]:
    """Yields the numbers of an artefact, and its picture if it is a figure."""
    picture = artefact.result(artefact.reported.spec.layout.picture)
    yield from filter(None, (artefact.numbers, picture))


def _paper(work: CheckedWork) -> dict[str, Any]:
    """The paper with its authors and its address, as far as they are known."""
    if work.reference is None:
        return {"title": work.citation}
    found: dict[str, Any] = {"title": work.reference.title}
    if work.reference.authors:
        found["authors"] = [{"name": author.name} for author in work.reference.authors]
    if work.reference.address:
        found["reference"] = work.reference.address
    return found
