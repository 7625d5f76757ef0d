"""Finds the specs and journals of a side of a comparison: a commit, a folder or a journal.

A commit is extracted with `git archive` into a temporary folder, and the working tree is not
changed. A folder is either a project with a folder results/, or a folder of results; in the second
case the specs of the working folder are used.
"""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dpfair_cli import paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts import paper

JOURNAL, SWEEPS = "runs.jsonl", "sweeps"
TREES = ("experiments", "results")  # folders of a commit that are extracted
UNREAD = (":(exclude)*.pdf", ":(exclude)*.tex", ":(exclude)*.html")  # derived files
REANALYSIS = re.compile(rb"^reanalysis:", re.MULTILINE)  # in a spec that compares printed values


@dataclass(frozen=True)
class ComparedState:
    """One of two compared states of the results: a commit, a folder or a journal.

    Attributes:
        name: the name that the user gave.
        experiments: the folder with the specs.
        results: the folder with the results; None for a single journal.
        journals: the journal of each artefact, by its name, such as xu2021/table8.1; the file does
            not exist for a re-analysis, which compares printed values.
    """

    name: str
    experiments: Path
    results: Path | None
    journals: Mapping[str, Path]

    def inputs(self, artefact: str) -> list[bytes | None]:
        """The contents of the files that decide what an artefact shows; None without a file."""
        folder = self.experiments / artefact.split("/")[0]
        files = [self.journals.get(artefact), self.experiments / f"{artefact}.yaml"]
        # the files of the paper are read as they are: to find the entries of one artefact in
        # them takes more code than to compare all artefacts of a paper of which a file differs
        files += map(folder.joinpath, paper.FILES)
        return list(map(read_bytes, files))

    def only(self, artefact: str) -> ComparedState:
        """The state reduced to the journal of `artefact`; a single journal takes this name.

        Raises:
            DpfairError: the state has no journal of the artefact.
        """
        if self.results and artefact not in self.journals:
            raise DpfairError(
                f"{self.name} has no journal of the artefact {artefact}, but the other side has "
                "one: compare folders with the same artefacts"
            )
        file = self.journals[artefact] if self.results else next(iter(self.journals.values()))
        return replace(self, journals={artefact: file})


def read_side(name: str, scratch: Path) -> ComparedState:
    """The state of the results in a folder, journal or commit; paths take precedence.

    `scratch` is an empty folder to which a commit is extracted.

    Raises:
        DpfairError: there is no such commit, folder or journal.
    """
    path, experiments = Path(name), paths.folder("experiments")
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
    """The state with all journals in a folder of results, and the places of re-analyses."""
    files = sorted(results.glob(f"*/*/{JOURNAL}"))
    # a sweep has no spec, and is of this machine
    journals = {_artefact_of(one): one for one in files if one.parts[-3] != SWEEPS}
    for spec in sorted(experiments.glob("*/*.yaml")):
        place = results / spec.parent.name / spec.stem
        # the text is searched, because to parse every spec would take a second
        if place.is_dir() and REANALYSIS.search(spec.read_bytes()):
            journals.setdefault(_artefact_of(place / JOURNAL), place / JOURNAL)
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
        why = f"{commit!r} is neither an existing folder or file nor a commit of this repository"
        if git("rev-parse", "--is-shallow-repository").strip() == b"true":
            why = f"{why}, a shallow clone that lacks older ones: run `git fetch --unshallow`"
        raise DpfairError(why)
    # `git archive` fails for a folder that the commit does not have
    listed = git("ls-tree", "--name-only", digest).decode().split("\n")
    trees = [name for name in TREES if name in listed]
    if not trees:
        raise DpfairError(
            f"the commit {commit} has no folder experiments and no folder results: name "
            "another commit"
        )
    content = git("archive", "--format=tar", digest, "--", *trees, *UNREAD)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        # Python 3.11.0 to 3.11.3 has no filters; the archive is of the user's own repository
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)


def git(*arguments: str) -> bytes:
    """The output of a git command in the project folder; empty if the command fails."""
    command = ["git", "-C", str(paths.folder("experiments").parent), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False).stdout
    except OSError:  # git is not installed
        return b""


def describe_commit(name: str) -> str:
    """The short hash and the date of a commit; empty for a name that is no commit."""
    asked = ["log", "-1", "--format=%h of %cs", "--end-of-options", f"{name}^{{commit}}"]
    return git(*asked).decode().strip()


def present_commit() -> str:
    """The present commit with its date; empty if the project is not in a repository."""
    changed = git("status", "--porcelain", "--untracked-files=no")
    return describe_commit("HEAD") + (", with changes that are not committed" if changed else "")


def read_bytes(file: Path | None) -> bytes | None:
    """The content of a file; None if the file does not exist."""
    return file.read_bytes() if file and file.is_file() else None
