"""Finds the specs and journals of a side of a comparison: a commit, a folder or a journal.

A commit is extracted with `git archive` into a temporary folder, and the working tree is not
changed. A folder is either a project with a folder results/, or a folder of results; in the second
case the specs of the working folder are used.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dpfair_cli import paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import read_yaml

JOURNAL = "runs.jsonl"
TREES = ("experiments", "results")  # folders of a commit that are extracted
UNREAD = (
    ":(exclude)*.pdf",
    ":(exclude)*.tex",
    ":(exclude)*.html",
)  # derived files, which are not needed


@dataclass(frozen=True)
class ComparedState:
    """One of two compared states of the results: a commit, a folder or a journal."""

    name: str
    """The name that the user gave."""

    experiments: Path
    """The folder with the specs."""

    results: Path | None
    """The folder with the results; None for a single journal."""

    journals: Mapping[str, Path]
    """The journal of each artefact, by name of the artefact, such as xu2021/table8.1."""

    def is_reanalysis(self, artefact: str) -> bool:
        """Whether the spec of an artefact compares printed values, so that it has no journal."""
        file = self.experiments / f"{artefact}.yaml"
        return file.is_file() and "reanalysis" in (read_yaml(file) or {})


def read_side(name: str, scratch: Path) -> ComparedState:
    """The state of the results in a folder, journal or commit; paths take precedence.

    `scratch` is an empty folder to which a commit is extracted.

    Raises:
        DpfairError: there is no such commit, folder or journal.
    """
    path = Path(name)
    if path.is_file():
        return ComparedState(
            name, paths.folder("experiments"), None, {_artefact_of(path.resolve()): path}
        )
    if path.is_dir():
        found = _folder(name, path)
        if not found.journals:
            raise DpfairError(
                f"{name} contains no journal: a file runs.jsonl must be in the folder or in "
                "a subfolder PAPER/ARTEFACT"
            )
        return found
    _extract(name, scratch)
    return ComparedState(
        name, scratch / "experiments", scratch / "results", _journals(scratch / "results")
    )


def working_side(results: Path | None = None) -> ComparedState:
    """The present state: specs of the working folder, and results in the folder `results`."""
    results = results or paths.folder("results")
    return ComparedState("working folder", paths.folder("experiments"), results, _journals(results))


def _folder(name: str, path: Path) -> ComparedState:
    if (path / JOURNAL).is_file():
        return ComparedState(
            name,
            paths.folder("experiments"),
            None,
            {_artefact_of((path / JOURNAL).resolve()): path / JOURNAL},
        )
    is_project = (path / "results").is_dir()
    results, own = path / "results" if is_project else path, path / "experiments"
    experiments = own if is_project and own.is_dir() else paths.folder("experiments")
    return ComparedState(name, experiments, results, _journals(results))


def _journals(results: Path) -> dict[str, Path]:
    return {_artefact_of(file): file for file in sorted(results.glob(f"*/*/{JOURNAL}"))}


def _artefact_of(journal: Path) -> str:
    """The name of the artefact of a journal PAPER/ARTEFACT/runs.jsonl, such as xu2021/table8.1."""
    return "/".join(journal.parts[-3:-1])


def _extract(commit: str, folder: Path) -> None:
    """Writes the specs and the results of a commit into a folder.

    Raises:
        DpfairError: there is no such commit, or the commit has neither specs nor results.
    """
    digest = (
        git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
        .decode()
        .strip()
    )
    if not digest:
        raise DpfairError(
            f"{commit!r} is neither an existing folder or file nor a commit of this repository"
        )
    listed = git("ls-tree", "--name-only", digest).decode().split("\n")
    trees = [name for name in TREES if name in listed]
    if not trees:
        raise DpfairError(
            f"the commit {commit} has no folder experiments and no folder results: name "
            "another commit"
        )
    content = git("archive", "--format=tar", digest, "--", *trees, *UNREAD)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")


def git(*arguments: str) -> bytes:
    """The output of a git command in the project folder; empty if the command fails."""
    project = paths.folder("experiments").parent
    try:
        return subprocess.run(
            ["git", "-C", str(project), *arguments], capture_output=True, check=False
        ).stdout
    except OSError:
        return b""
