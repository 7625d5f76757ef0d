"""Examines a paper: applies all checks and corrects the chances for their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from dpfair_cli.addons.forensics.finding import CheckedNumbers, Grade, Kind
from dpfair_cli.addons.forensics.impossible import (
    check_budgets,
    check_counts,
    check_deviations,
    check_ranges,
    check_squares,
)
from dpfair_cli.addons.forensics.printed import PrintedPaper
from dpfair_cli.addons.forensics.spread_functions import check_spreads
from dpfair_cli.addons.forensics.unlikely import (
    check_epsilons,
    check_majority,
    check_methods,
    check_unchanged,
)

LEVEL = 0.01  # of the tests of one paper together; fixed before a paper was examined
CHECKS: Sequence[Callable[[PrintedPaper], Iterator[CheckedNumbers]]] = (
    check_ranges,
    check_deviations,
    check_counts,
    check_squares,
    check_budgets,
    check_epsilons,
    check_methods,
    check_unchanged,
    check_spreads,
    check_majority,
)


@dataclass(frozen=True)
class Examination:
    """What the checks found in the printed numbers of a paper.

    Attributes:
        paper: The paper.
        findings: The facts, then the hints in order of their chance.
        applied: The number of proofs or tests of each kind; 0 if the paper lacks what the kind
            needs.
        withdrawn: The hints about numbers that our own runs give, too.
    """

    paper: PrintedPaper
    findings: Sequence[CheckedNumbers]
    applied: Mapping[Kind, int]
    withdrawn: Sequence[CheckedNumbers] = ()

    def of(self, grade: Grade) -> list[CheckedNumbers]:
        """The findings of a grade."""
        return [one for one in self.findings if one.grade is grade]


def examine(paper: PrintedPaper) -> Examination:
    """The findings of all checks in the printed numbers of a paper."""
    checked = list(chain.from_iterable(check(paper) for check in CHECKS))
    counts = Counter(one.kind for one in checked)
    facts = [one for one in checked if one.grade is Grade.FACT and one.chance == 0]
    hints = _hints([one for one in checked if one.grade is Grade.HINT])
    # kinds in their printed order, also those that no cell allowed
    return Examination(paper, [*facts, *hints], {kind: counts[kind] for kind in Kind})


def _hints(tests: Sequence[CheckedNumbers]) -> Iterator[CheckedNumbers]:
    """Yields the tests whose chance is at most LEVEL after Holm's correction (1979).

    The i-th smallest of m chances is multiplied by m - i + 1. No corrected chance is smaller than
    the one before it.
    """
    ordered = sorted(tests, key=lambda one: one.chance)
    corrected = 0.0
    for rank, one in enumerate(ordered):
        corrected = max(corrected, min(1.0, one.chance * (len(ordered) - rank)))
        if corrected > LEVEL:
            return  # as all later ones are
        yield replace(one, corrected=corrected)
