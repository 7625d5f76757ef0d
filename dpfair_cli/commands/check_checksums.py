"""Compares the files of papers with their checksum manifests, and writes the manifests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from dpfair_cli.reproduction.artefact import Artefact


def checksum_mismatches(artefacts: Sequence[Artefact]) -> list[str]:
    """One line for each file that differs from the checksum manifest of its paper.

    Journals with networks of an accelerator are left out, and a line says so.
    """
    from dpfair_cli.provenance import checksums

    broken: list[str] = []
    for artefact in artefacts:
        if not artefact.runs.device.is_processor:
            click.echo(_compared_by_verdict(artefact), err=True)
    for folder, own in _journals(artefacts).items():
        broken += checksums.mismatches(
            folder.name,
            checksums.read(folder),
            checksums.compute(folder, own),
            [checksums.PUBLISHED, checksums.AUTHORS, *own],
        )
    return broken


def _compared_by_verdict(artefact: Artefact) -> str:
    """The reason why the journal of an artefact has no checksum."""
    return (
        f"{artefact.spec.artefact}: networks were trained on {artefact.runs.device.name}, so "
        "verdicts are compared, and not the bytes of the journal"
    )


def write_checksums(artefacts: Sequence[Artefact]) -> None:
    """Writes the checksums of the artefacts into the checksum manifests of their papers."""
    from dpfair_cli.provenance import checksums

    for folder, own in _journals(artefacts).items():
        kept = {
            name: entry
            for name, entry in checksums.read(folder).items()
            if name not in (checksums.PUBLISHED, checksums.AUTHORS, *own)
        }
        click.echo(checksums.write(folder, {**kept, **checksums.compute(folder, own)}), err=True)


def _journals(artefacts: Sequence[Artefact]) -> dict[Path, dict[str, Path]]:
    """The folder of each paper -> name of an artefact -> path of the journal of the artefact.

    Artefacts with networks of an accelerator are left out.
    """
    from dpfair_cli import paths

    found: dict[Path, dict[str, Path]] = {}
    for artefact in (one for one in artefacts if one.runs.device.is_processor):
        folder = paths.paper_folder(artefact.spec.paper)
        journals, own = found.setdefault(folder, {}), artefact.runs.journal_file
        file = own if own.exists() else paths.committed_journal(artefact.spec.artefact)
        if not artefact.spec.is_reanalysis:
            journals[artefact.spec.name] = file
    return found
