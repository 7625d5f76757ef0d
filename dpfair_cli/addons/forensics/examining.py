"""Examines a paper: applies all checks and corrects the chances for their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dpfair_cli.addons.forensics.checks.budgets import check_budgets
from dpfair_cli.addons.forensics.checks.counts import check_counts, check_squares
from dpfair_cli.addons.forensics.checks.deviations import check_deviations
from dpfair_cli.addons.forensics.checks.majority import check_majority
from dpfair_cli.addons.forensics.checks.repeated import check_epsilons, check_methods
from dpfair_cli.addons.forensics.checks.score_range import check_ranges
from dpfair_cli.addons.forensics.checks.spread_functions import check_spreads
from dpfair_cli.addons.forensics.checks.unchanged import check_unchanged
from dpfair_cli.addons.forensics.finding import Grade, Kind, NumberFinding, NumberTest, Proof
from dpfair_cli.addons.forensics.printed import PrintedPaper

LEVEL = 0.01  # of the tests of one paper together; fixed before a paper was examined
PROOFS: Sequence[Callable[[PrintedPaper], Iterator[Proof]]] = (
    check_ranges,
    check_deviations,
    check_counts,
    check_squares,
    check_budgets,
)
TESTS: Sequence[Callable[[PrintedPaper], Iterator[NumberTest]]] = (
    check_epsilons,
    check_methods,
    check_unchanged,
    check_spreads,
    check_majority,
)


@dataclass(frozen=True)
class Examination:
    """What the checks found in the printed numbers of a paper."""

    paper: PrintedPaper
    findings: Sequence[NumberFinding]  # the facts, then the hints in order of their chance
    # the number of proofs or tests of each kind; 0 if the paper lacks what the kind needs
    applied: Mapping[Kind, int]
    withdrawn: Sequence[NumberFinding] = ()  # the hints about numbers that our own runs give, too

    def of(self, grade: Grade) -> list[NumberFinding]:
        """The findings of a grade."""
        return [one for one in self.findings if one.grade is grade]


def examine(paper: PrintedPaper) -> Examination:
    """The findings of all checks in the printed numbers of a paper."""
    proofs = [one for check in PROOFS for one in check(paper)]
    tests = [one for check in TESTS for one in check(paper)]
    counts = Counter([one.kind for one in proofs] + [one.kind for one in tests])
    applied = {kind: counts[kind] for kind in Kind}
    return Examination(paper, [*_facts(proofs), *_hints(tests)], applied)


def _facts(proofs: Sequence[Proof]) -> list[NumberFinding]:
    return [
        NumberFinding(Grade.FACT, one.kind, one.cells, one.what)
        for one in proofs
        if not one.is_possible
    ]


def _hints(tests: Sequence[NumberTest]) -> list[NumberFinding]:
    """The tests whose chance is at most LEVEL after Holm's correction (1979), as findings.

    The i-th smallest of m chances is multiplied by m - i + 1. No corrected chance is smaller than
    the one before it.
    """
    ordered = sorted(tests, key=lambda one: one.chance)
    found, corrected = [], 0.0
    for rank, one in enumerate(ordered):
        corrected = max(corrected, min(1.0, one.chance * (len(ordered) - rank)))
        if corrected > LEVEL:
            break
        found.append(
            NumberFinding(Grade.HINT, one.kind, one.cells, one.what, one.chance, corrected)
        )
    return found
