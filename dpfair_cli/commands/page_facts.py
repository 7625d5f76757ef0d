"""Facts that identify what an HTML page shows: version of dpfair, checksum of runs, commit."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from dpfair_cli import paths
from dpfair_cli.diff.sides import git
from dpfair_cli.provenance import checksums
from dpfair_cli.reporting.html_page import Fact

if TYPE_CHECKING:
    from dpfair_cli.reporting.judged_artefact import JudgedArtefact

DIGITS = 16  # of a SHA-256 that a page shows
COMMIT_LINE = "--format=%h of %cs"  # the short hash and the date of a commit


def version_fact() -> Fact:
    """The installed version of dpfair."""
    return Fact("dpfair", f"version {version('dpfair')}")


def runs_fact(entries: Sequence[JudgedArtefact], results: Path) -> list[Fact]:
    """The checksum of the runs and published values that a report shows; empty without journals.

    The checksum is the SHA-256 of the checksum manifests of the papers, one after the other in
    alphabetical order. If the check of the files passes, the command
    `cat experiments/*/checksums.json | sha256sum` prints the same checksum.
    """
    journals: dict[str, dict[str, Path]] = {}
    for entry in entries:
        own = journals.setdefault(entry.paper, {})
        if not entry.spec.is_reanalysis:
            own[entry.spec.name] = results / entry.spec.artefact / "runs.jsonl"
    files = chain.from_iterable(own.values() for own in journals.values())
    if not all(file.is_file() for file in files):
        return []
    digest = hashlib.sha256()
    for paper in sorted(journals):
        folder = paths.paper_folder(paper)
        manifest = checksums.compute(folder, journals[paper])
        digest.update(checksums.as_text(manifest).encode())
    return [Fact("checksum of the runs", digest.hexdigest()[:DIGITS])]


def commit_fact() -> list[Fact]:
    """The present commit with its date; empty if the project is not in a repository."""
    line = _describe_commit("HEAD")
    return [Fact("commit", line + _uncommitted())] if line else []


def sides_facts(before: str, after: str | None) -> list[Fact]:
    """The commits that `dpfair diff` compares; a folder or a journal has no fact."""
    found = []
    for title, name in (("before", before), ("after", after)):
        line = "" if name and Path(name).exists() else _describe_commit(name or "HEAD")
        if line and name:
            found.append(Fact(title, f"commit {line}"))
        elif line:
            found.append(Fact(title, f"working folder at commit {line}{_uncommitted()}"))
    return found


def _describe_commit(name: str) -> str:
    asked = ["log", "-1", COMMIT_LINE, "--end-of-options", f"{name}^{{commit}}"]
    return git(*asked).decode().strip()


def _uncommitted() -> str:
    """Words that say whether tracked files differ from the present commit."""
    changed = git("status", "--porcelain", "--untracked-files=no")
    return ", with changes that are not committed" if changed else ""
