"""Finds the specs and journals of a side of a comparison: a commit, a folder or a journal.

A commit is extracted with `git archive` into a temporary folder, and the working tree is not
changed. A folder is either a project with a folder results/, or a folder of results; in the second
case the specs of the working folder are used.
"""

from __future__ import annotations

import csv
import io
import subprocess
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dpfair_cli import paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import read_yaml

JOURNAL = "runs.jsonl"
TREES = ("experiments", "results")  # folders of a commit that are extracted
UNREAD = (":(exclude)*.pdf", ":(exclude)*.tex", ":(exclude)*.html")  # derived files

# a file, and what it says about an artefact, given the artefact's name within its paper
Input = tuple[Path | None, Callable[[Path | None, str], object]]


@dataclass(frozen=True)
class ComparedState:
    """One of two compared states of the results: a commit, a folder or a journal.

    Attributes:
        name: the name that the user gave.
        experiments: the folder with the specs.
        results: the folder with the results; None for a single journal.
        journals: the journal of each artefact, by its name, such as xu2021/table8.1.
    """

    name: str
    experiments: Path
    results: Path | None
    journals: Mapping[str, Path]

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
    experiments = paths.folder("experiments")
    journal = path if path.is_file() else path / JOURNAL
    if journal.is_file():
        return ComparedState(name, experiments, None, {_artefact_of(journal.resolve()): journal})
    if not path.is_dir():
        _extract(name, scratch)
        return _state(name, scratch / "experiments", scratch / "results")
    is_project, own = (path / "results").is_dir(), path / "experiments"
    if is_project and own.is_dir():
        experiments = own
    found = _state(name, experiments, path / "results" if is_project else path)
    if not found.journals:
        raise DpfairError(
            f"{name} contains no journal: a file runs.jsonl must be in the folder or in "
            "a subfolder PAPER/ARTEFACT"
        )
    return found


def working_side(results: Path | None = None) -> ComparedState:
    """The present state: specs of the working folder, and results in the folder `results`."""
    experiments = paths.folder("experiments")
    return _state("working folder", experiments, results or paths.folder("results"))


def _state(name: str, experiments: Path, results: Path) -> ComparedState:
    """The state with all journals in a folder of results."""
    journals = {_artefact_of(file): file for file in sorted(results.glob(f"*/*/{JOURNAL}"))}
    return ComparedState(name, experiments, results, journals)


def _artefact_of(journal: Path) -> str:
    """The name of the artefact of a journal PAPER/ARTEFACT/runs.jsonl, such as xu2021/table8.1."""
    return "/".join(journal.parts[-3:-1])


def _extract(commit: str, folder: Path) -> None:
    """Writes the specs and the results of a commit into a folder.

    Raises:
        DpfairError: there is no such commit, or the commit has neither specs nor results.
    """
    # ^{commit} refuses a tree, and --end-of-options a name that git would take for an option
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    digest = git(*asked).decode().strip()
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
    command = ["git", "-C", str(paths.folder("experiments").parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False).stdout
    except OSError:
        return b""


def is_affected(artefact: str, before: ComparedState, after: ComparedState) -> bool:
    """Whether an input file of an artefact says something else about it before and after."""
    name = artefact.split("/")[1]
    pairs = zip(_inputs(artefact, before), _inputs(artefact, after), strict=True)
    return any(
        # most files have equal bytes, and need not be read as YAML or CSV
        read_bytes(one) != read_bytes(other) and read(one, name) != read(other, name)
        for (one, read), (other, _) in pairs
    )


def read_bytes(file: Path | None) -> bytes | None:
    """The content of a file; None if the file does not exist."""
    return file.read_bytes() if file and file.is_file() else None


def _inputs(artefact: str, side: ComparedState) -> list[Input]:
    """The input files of an artefact, with the function that reads what concerns the artefact."""
    folder = side.experiments / artefact.split("/")[0]
    return [
        (side.journals.get(artefact), lambda file, _: read_bytes(file)),
        (side.experiments / f"{artefact}.yaml", lambda file, _: read_bytes(file)),
        (folder / "published.csv", _published),
        (folder / "claims.yaml", _entries),
        (folder / "deviations.yaml", _entries),
    ]


def _published(file: Path | None, name: str) -> list[dict[str, str]]:
    """The lines of a file published.csv that belong to the artefact `name`."""
    return _lines_by_artefact(read_bytes(file) or b"").get(name, [])


@lru_cache(maxsize=16)  # all artefacts of a paper ask for lines of the same two files
def _lines_by_artefact(content: bytes) -> dict[str, list[dict[str, str]]]:
    """The lines of a published.csv, grouped by artefact."""
    found: dict[str, list[dict[str, str]]] = {}
    for line in csv.DictReader(io.StringIO(content.decode("utf-8-sig"))):
        found.setdefault(line.get("artefact", ""), []).append(line)
    return found


def _entries(file: Path | None, name: str) -> list[object]:
    """The entries of a YAML file of claims or deviations that may belong to the artefact `name`.

    A deviation of a claim may omit the artefact.
    """
    entries = (read_yaml(file) or []) if file and file.is_file() else []
    return [one for one in entries if name in str(one) or "artefact" not in str(one)]
