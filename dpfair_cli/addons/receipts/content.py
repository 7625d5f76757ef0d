"""What every format of a receipt shows: works, artefacts with verdicts, files, data, software."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from dpfair_cli.addons.receipts.citation import Citation, CitedWork
from dpfair_cli.reporting.score_tables import scoreboard
from dpfair_cli.reporting.shown import JudgedArtefact
from dpfair_cli.verdicts.score.scoreboard import Scoreboard


@dataclass(frozen=True)
class CommittedFile:
    """A file that a receipt names and that a complete receipt contains."""

    path: str  # path in the project, with "/" between folders, such as "results/xu2021/rule.json"
    source: Path  # the path from which the file is read
    sha256: str  # the SHA-256 of the file, in hexadecimal digits
    size: int  # the size of the file in bytes

    @property
    def name(self) -> str:
        """The name of the file without its folder."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class DataFile:
    """A file of a data set from which runs were made; a receipt never contains the file."""

    path: str  # the path below a data folder
    sha256: str  # the SHA-256 of the file, in hexadecimal digits
    size: int  # the size of the file in bytes
    urls: tuple[str, ...]  # public addresses of the file
    licence: str  # the licence of the file in words; empty if the data set does not say
    note: str  # the description of the first data set that reads the file


@dataclass(frozen=True)
class Library:
    """A program or library with which the committed runs were made."""

    name: str
    version: str


@dataclass(frozen=True, eq=False)
class CheckedArtefact:
    """A table or figure with its verdicts and its files."""

    reported: JudgedArtefact  # the spec, the table and the verdicts
    spec_file: CommittedFile
    results: tuple[CommittedFile, ...]  # the journal, tables and pictures
    data: tuple[DataFile, ...]  # the data files from which its runs were made

    @property
    def name(self) -> str:
        """The name with the paper, such as xu2021/table8.1."""
        return self.reported.spec.artefact

    @property
    def folder(self) -> str:
        """The folder of the results in the project."""
        return f"results/{self.name}"

    def result(self, name: str) -> CommittedFile | None:
        """The file of the results with a name; None if there is no such file."""
        return next((file for file in self.results if file.name == name), None)


@dataclass(frozen=True, eq=False)
class CheckedWork:
    """A paper with its artefacts and the files that say what it prints and claims."""

    key: str  # the key of the paper, such as xu2021
    citation: str  # the paper in words, such as "Xu 2021: Achieving Differential Privacy ..."
    reference: CitedWork | None  # the paper in CITATION.cff; None if it is not there
    artefacts: tuple[CheckedArtefact, ...]  # the checked artefacts
    # the files in the folders of the paper that belong to no single artefact
    files: tuple[CommittedFile, ...]
    broken: tuple[str, ...] = ()  # the files that differ from the checksum manifest, in words
    # the id of a part of a claim -> its line in claims.yaml
    claim_lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """The folder of the specs in the project."""
        return f"experiments/{self.key}"

    def file(self, name: str) -> CommittedFile | None:
        """The file in the folder of the specs with a name; None if there is no such file."""
        path = f"{self.folder}/{name}"
        return next((file for file in self.files if file.path == path), None)


@dataclass(frozen=True, eq=False)
class Receipt:
    """What was checked, with which files and which software."""

    version: str  # the version of dpfair that decided the verdicts
    works: tuple[CheckedWork, ...]  # the papers
    citation: Citation  # what CITATION.cff says of the project that holds the results
    libraries: tuple[Library, ...] = ()  # the libraries with which the committed runs were made
    files: tuple[CommittedFile, ...] = ()  # the files of the results that belong to no single paper
    date: str = ""  # the date of the results, such as 2026-11-27; empty if it is not known

    @cached_property
    def artefacts(self) -> tuple[CheckedArtefact, ...]:
        """The artefacts of all papers."""
        return tuple(artefact for work in self.works for artefact in work.artefacts)

    @cached_property
    def scoreboard(self) -> Scoreboard:
        """The counts of distinct published cells and claims by verdict."""
        return scoreboard([artefact.reported for artefact in self.artefacts])

    @cached_property
    def data(self) -> tuple[DataFile, ...]:
        """The data files of all artefacts, each once."""
        found = {file.path: file for artefact in self.artefacts for file in artefact.data}
        return tuple(found[path] for path in sorted(found))

    def every_file(self) -> Iterator[CommittedFile]:
        """All files that the receipt names, except data files."""
        yield from self.files
        for work in self.works:
            yield from work.files
            for artefact in work.artefacts:
                yield artefact.spec_file
                yield from artefact.results
