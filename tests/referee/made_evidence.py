"""Works that are made by hand: published cells, means of runs and claims, for the referee."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from dpfair_cli.addons.referee.evidence import OurMethod
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.authors import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.comparison import CellVerdict, Sample
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.claims.claim import Claim, ClaimPart
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.point_results import PointResult
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict, PValues

P_VALUES = {
    ClaimVerdict.HOLDS: PValues(0.0, 1.0),
    ClaimVerdict.FAILS: PValues(1.0, 0.0),
    ClaimVerdict.UNDECIDED: PValues(1.0, 1.0),
}
METHOD = OurMethod("method", "replace-one", "proved", ("holds",))


def cell(method, mean, std=math.nan, printed="", *, metric="accuracy", dataset="adult", **values):
    """A published cell of table1."""
    return PublishedCell("table1", dataset, method, metric, mean, std, values, printed, "Table 1")


def claim(name, verdict, ours=""):
    """A claim with its verdict."""
    whole = Claim(name, f"sentence {name}", "words", "p. 1")
    part = ClaimPart(whole, "table1", theorem=("theorem",), ours=ours)
    tests = [[PointResult("", 0.0, P_VALUES[verdict])]] if verdict in P_VALUES else []
    found = JudgedClaim(part, tests=tests)
    assert found.verdict == verdict
    return found


@dataclass
class MadeEvidence:
    """The evidence of works by hand."""

    cells: dict[str, list[PublishedCell]] = field(default_factory=dict)
    means: dict[str, Sample] = field(default_factory=dict)
    verdicts: dict[str, list[JudgedClaim]] = field(default_factory=dict)
    published_runs: int = 10
    of_authors: tuple[JudgedAuthorsValue, ...] = ()

    @property
    def works(self):
        return [*self.cells, *self.verdicts]

    def published(self, work):
        return self.cells[work]

    def judged(self, work, cell):
        sample = Sample(cell.mean, cell.std, self.published_runs)
        return JudgedCell(cell, cell.method, sample, CellVerdict.NOT_RUN)

    def authors(self, work, cell):
        return self.of_authors

    def sample(self, address):
        if address.method not in self.means:
            raise DpfairError(f"no finished run matches {address.method}")
        return self.means[address.method]

    def method(self, address):
        return METHOD

    def claims(self, work):
        return self.verdicts[work]

    def epsilon(self, account):
        return account.steps / 1000


HOLDS, FAILS, UNDECIDED = ClaimVerdict.HOLDS, ClaimVerdict.FAILS, ClaimVerdict.UNDECIDED
