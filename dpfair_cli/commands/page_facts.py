"""Facts that identify what an HTML page shows: version of dpfair, checksum of runs, commit."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from dpfair_cli import paths
from dpfair_cli.diff import sides
from dpfair_cli.provenance import checksums
from dpfair_cli.reporting import html_page, shown

DIGITS = 16  # of a SHA-256 that a page shows
COMMIT_LINE = "--format=%h of %cs"  # the short hash and the date of a commit


def version_fact() -> html_page.Fact:
    """The installed version of dpfair."""
    return html_page.Fact("dpfair", f"version {version('dpfair')}")


def runs_fact(entries: Sequence[shown.JudgedArtefact], results: Path) -> list[html_page.Fact]:
    """The checksum of the runs and published values that a report shows; empty without journals.

    The checksum is the SHA-256 of the checksum manifests of the papers, one after the other in
    alphabetical order. If the check of the files passes, the command
    `cat experiments/*/checksums.json | sha256sum` prints the same checksum.
    """
    journals: dict[str, dict[str, Path]] = {}
    for entry in entries:
        own = journals.setdefault(entry.paper, {})
        if entry.spec.is_reanalysis:  # of printed numbers, which needs no journal
            continue
        own[entry.spec.name] = results / entry.spec.artefact / "runs.jsonl"
        if not own[entry.spec.name].is_file():
            return []
    digest = hashlib.sha256()  # over the manifests, so that `cat` and sha256sum can repeat it
    for paper in sorted(journals):
        manifest = checksums.compute(paths.paper_folder(paper), journals[paper])
        digest.update(checksums.as_text(manifest).encode())
    return [html_page.Fact("checksum of the runs", digest.hexdigest()[:DIGITS])]


def commit_fact() -> list[html_page.Fact]:
    """The present commit with its date; empty if the project is not in a repository."""
    line = _describe_commit("HEAD")
    return [html_page.Fact("commit", line + _uncommitted())] if line else []


def sides_facts(before: str, after: str | None) -> list[html_page.Fact]:
    """The commits that `dpfair diff` compares; a folder or a journal has no fact."""
    found = []
    for title, name in (("before", before), ("after", after)):
        line = "" if name and Path(name).exists() else _describe_commit(name or "HEAD")
        words = f"commit {line}" if name else f"working folder at commit {line}{_uncommitted()}"
        found += [html_page.Fact(title, words)] if line else []
    return found


def _describe_commit(name: str) -> str:
    """The short hash and the date of a commit; empty for a name that is no commit."""
    asked = ["log", "-1", COMMIT_LINE, "--end-of-options", f"{name}^{{commit}}"]
    return sides.git(*asked).decode().strip()


def _uncommitted() -> str:
    """Words that say whether tracked files differ from the present commit."""
    changed = sides.git("status", "--porcelain", "--untracked-files=no")
    return ", with changes that are not committed" if changed else ""
