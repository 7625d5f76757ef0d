"""The entries of experiments/contradictions.yaml, judged by the works of the project."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpfair_cli.addons.referee import page
from dpfair_cli.addons.referee.entry import FILE, Entry, read_entries
from dpfair_cli.addons.referee.evidence import Evidence
from dpfair_cli.addons.referee.judging import JudgedEntry, judge
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.paths import folder
from dpfair_cli.reporting.report import AddedSection
from dpfair_cli.verdicts.verdicts import Verdicts

if TYPE_CHECKING:
    from dpfair_cli.reproduction.runs import RunOptions


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
    evidence = Evidence(options, decided)
    entries = {one.id: one for one in committed_entries()}
    for name in names:
        if name not in entries:
            raise DpfairError(f"unknown entry {name!r}: {nearest(name, entries)}")
    return [judge(one, evidence) for one in entries.values() if not names or one.id in names]


def write(reported: Sequence[Verdicts], options: RunOptions) -> AddedSection | None:
    """The section of the report; also judges all entries and writes the page of the referee.

    Without entries no file is written, and there is no section.
    """
    entries = referee(options, {one.spec.artefact: one for one in reported})
    if not entries:
        return None
    page.write(entries, options.out)
    return page.section(entries)


def committed_entries() -> list[Entry]:
    """The entries of experiments/contradictions.yaml."""
    return read_entries(entries_file())


def entries_file() -> Path:
    """The path of contradictions.yaml."""
    return folder("experiments") / FILE
