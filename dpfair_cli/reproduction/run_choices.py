"""What a command was told about runs: the folders, which runs to make, and on which processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from dpfair_cli.contracts.devices import CPU, Device
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.paths import paper_folder
from dpfair_cli.running.pool import Workers
from dpfair_cli.running.spec import load
from dpfair_cli.verdicts.paper import FILES as PAPER_FILES
from dpfair_cli.verdicts.paper import Paper, read_paper


@dataclass(frozen=True, eq=False)
class Shared:
    """What one command has read of papers, so that it reads each file once."""

    papers: dict[tuple[bytes, ...], Paper] = field(default_factory=dict)
    """Papers by the content of their files."""

    named: dict[str, Paper] = field(default_factory=dict)
    """Papers by key, such as xu2021; only of a command that makes no run."""

    specs: dict[str, Spec] = field(default_factory=dict)
    """Specs by the name of the artefact."""


@dataclass(frozen=True)
class RunChoices:
    """The data folder, the runs to make, the folder for results, and the files of papers."""

    data_dir: Path
    """The folder with the data sets."""

    out: Path
    """The folder for the results."""

    workers: Workers = field(default_factory=Workers)
    """The processes that make the runs."""

    quick: bool = False
    """Whether to make few runs."""

    fresh: bool = False
    """Whether to make every run again."""

    collect: bool = False
    """Whether to make no run and to render the runs in the journal."""

    replicas: bool = False
    """Whether replicas stand in for missing data in full runs; in quick runs they always do."""

    device: Device = CPU
    """The device on which networks are trained."""

    shared: Shared = field(default_factory=Shared, compare=False, repr=False)
    """What the command has read."""

    def paper(self, name: str) -> Paper:
        """The published values, claims and deviations of a paper, such as xu2021.

        Raises:
            DpfairError: an entry of a file of the paper is malformed.
        """
        if self.collect and name in self.shared.named:
            return self.shared.named[name]
        place = paper_folder(name)
        files = [place / file for file in PAPER_FILES]
        content = (bytes(place), *(file.read_bytes() if file.exists() else b"" for file in files))
        if content not in self.shared.papers:
            self.shared.papers[content] = read_paper(place)
        self.shared.named[name] = self.shared.papers[content]
        return self.shared.named[name]

    def spec(self, name: str) -> Spec:
        """The spec of the artefact with this name, such as xu2021/table8.1.

        Raises:
            DpfairError: there is no such artefact, or its spec is malformed.
        """
        if name not in self.shared.specs:
            self.shared.specs[name] = load(name, quick=self.quick)
        return self.shared.specs[name]

    @property
    def replica_ok(self) -> bool:
        """Whether a synthetic replica stands in for a data set that is not in the data folder."""
        return self.quick or self.replicas
