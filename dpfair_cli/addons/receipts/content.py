"""What every format of a receipt shows: works, artefacts with verdicts, files, data, software."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from dpfair_cli.addons.receipts.citation import Citation, CitedWork
from dpfair_cli.reporting.score_tables import scoreboard
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.scoreboard import CELL_ORDER, CLAIM_ORDER, Scoreboard, Tally
from dpfair_cli.verdicts.verdicts import Verdicts


@dataclass(frozen=True)
class CommittedFile:
    """A file that a receipt names and that a complete receipt contains."""

    path: str  # in the project, with "/" between folders, such as "results/xu2021/rule.json"
    source: Path  # from which the file is read
    sha256: str  # in hexadecimal digits
    size: int  # in bytes

    @property
    def name(self) -> str:
        """The name of the file without its folder."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class DataFile:
    """A file of a data set from which runs were made; a receipt never contains the file."""

    path: str  # below a data folder
    sha256: str  # in hexadecimal digits
    size: int  # in bytes
    urls: tuple[str, ...]  # public addresses of the file
    licence: str  # in words; empty if the data set does not say
    note: str  # the description of the first data set that reads the file


@dataclass(frozen=True, eq=False)
class CheckedArtefact:
    """A table or figure with its verdicts and its files."""

    reported: Verdicts  # the spec and the verdicts
    spec_file: CommittedFile
    results: tuple[CommittedFile, ...]  # the journal, tables and pictures
    data: tuple[DataFile, ...]  # from which its runs were made

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

    key: str  # such as xu2021
    citation: str  # the paper in words, such as "Xu 2021: Achieving Differential Privacy ..."
    reference: CitedWork | None  # the paper in CITATION.cff; None if it is not there
    artefacts: tuple[CheckedArtefact, ...]
    files: tuple[CommittedFile, ...]  # in the folders of the paper, of no single artefact
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
    """What was checked, with which files and which software.

    The counts of published cells are over distinct cells: one that two tables print counts once.

    Attributes:
        version: The version of dpfair that decided the verdicts.
        works: The papers.
        citation: What CITATION.cff says of the project that holds the results.
        libraries: The libraries with which the committed runs were made, with their versions.
        files: The files of the results that belong to no single paper.
        date: The date of the results, such as 2026-11-27; empty if it is not known.
    """

    version: str
    works: tuple[CheckedWork, ...]
    citation: Citation
    libraries: Mapping[str, str] = field(default_factory=dict)
    files: tuple[CommittedFile, ...] = ()
    date: str = ""

    @cached_property
    def artefacts(self) -> tuple[CheckedArtefact, ...]:
        """The artefacts of all papers."""
        return tuple(chain.from_iterable(work.artefacts for work in self.works))

    @cached_property
    def data(self) -> tuple[DataFile, ...]:
        """The data files of all artefacts, each once."""
        files = chain.from_iterable(artefact.data for artefact in self.artefacts)
        found = {file.path: file for file in files}
        return tuple(found[path] for path in sorted(found))

    def every_file(self) -> Iterator[CommittedFile]:
        """All files that the receipt names, except data files."""
        yield from self.files
        for work in self.works:
            yield from work.files
            for artefact in work.artefacts:
                yield artefact.spec_file
                yield from artefact.results

    @cached_property
    def cells(self) -> dict[str, int]:
        """The number of distinct published cells with each verdict that occurs, best first."""
        return _in_order(self._scoreboard.cells, CELL_ORDER)

    @cached_property
    def claims(self) -> dict[str, int]:
        """The number of claims with each verdict that occurs."""
        return _in_order(self._scoreboard.claims, CLAIM_ORDER)

    @cached_property
    def _scoreboard(self) -> Scoreboard:
        """The counts by verdict, made once: a receipt shows them in several places."""
        return scoreboard([artefact.reported for artefact in self.artefacts])

    @property
    def agreeing(self) -> int:
        """The number of distinct published cells that agree with our means."""
        return sum(_with(self.cells, verdict) for verdict in CellVerdict if verdict.agrees)

    @property
    def differing(self) -> int:
        """The number of distinct published cells that differ from our means."""
        return _with(self.cells, CellVerdict.DIFFERS)

    @property
    def undecided(self) -> int:
        """The number of distinct published cells that are undecided."""
        return _with(self.cells, CellVerdict.UNDECIDED)

    @property
    def in_words(self) -> str:
        """The counts in two sentences."""
        holds = _with(self.claims, ClaimVerdict.HOLDS)
        fails = _with(self.claims, ClaimVerdict.FAILS)
        return (
            f"Of {sum(self.cells.values())} published numbers, {self.agreeing} agree with our "
            f"runs, {self.differing} differ and {self.undecided} are undecided. "
            f"Of {sum(self.claims.values())} claims, {holds} hold and {fails} fail."
        )

    @property
    def failures(self) -> int:
        """The number of reasons for which `dpfair check` fails."""
        count = sum(len(work.broken) for work in self.works)
        for artefact in self.artefacts:
            found = artefact.reported
            count += len(found.failures) + len(found.unsupported_deviations)
            count += len(found.impossible_scores)
        return count


def _in_order(tallies: Iterable[Tally], order: Iterable[str]) -> dict[str, int]:
    """The number of each verdict over all tallies, without those that do not occur."""
    total: Counter[str] = Counter()
    for tally in tallies:
        total.update(tally.verdicts)
    return {verdict: total[verdict] for verdict in order if total[verdict]}


def _with(counts: Mapping[str, int], verdict: str) -> int:
    """The number with a verdict, such as "differs", whatever the kind of the deviation."""
    # "differs (open)" is the verdict "differs" with a deviation
    return sum(count for name, count in counts.items() if name.partition(" (")[0] == verdict)
