"""What the referee reads of a work: published cells, runs, claims, guarantees and audits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from dpfair_cli.addons.referee.entry import Account, Address
from dpfair_cli.verdicts.authors import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.comparison import Sample
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim


@dataclass(frozen=True)
class OurMethod:
    """The method of our runs: whom it protects, and what the audit says."""

    algorithm: str  # the name of the algorithm
    neighbours: str  # the neighbouring data of the guarantee; empty for a method without privacy
    status: str  # the status of the guarantee for the parameters of the runs
    audits: tuple[str, ...] = ()  # the different results of the stored audits of the algorithm


class Evidence(Protocol):
    """Access to the files of the works."""

    @property
    def works(self) -> Sequence[str]:
        """The names of all works."""

    def published(self, work: str) -> Sequence[PublishedCell]:
        """The published cells of a work."""

    def judged(self, work: str, cell: PublishedCell) -> JudgedCell:
        """A published cell with its verdict."""

    def authors(self, work: str, cell: PublishedCell) -> Sequence[JudgedAuthorsValue]:
        """The value of the authors' program in the place of a published cell, if there is one."""

    def sample(self, address: Address) -> Sample:
        """The mean of our runs at an address."""

    def method(self, address: Address) -> OurMethod:
        """The method of our runs at an address."""

    def claims(self, work: str) -> Sequence[JudgedClaim]:
        """The parts of the claims of a work with their verdicts."""

    def epsilon(self, account: Account) -> float:
        """The privacy loss of noisy training, by our accountant."""


def listed(values: Iterable[object]) -> str:
    """Different values as a list in words."""
    return ", ".join(dict.fromkeys(map(str, values)))
