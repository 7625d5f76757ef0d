"""The results of checks: proofs, which need no probability, and tests, which have one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dpfair_cli.addons.forensics.printed import PrintedCell


class Grade(StrEnum):
    """How certain a finding is."""

    FACT = "fact"  # the numbers cannot be what they are said to be
    HINT = "hint"  # the numbers are possible and would be unlikely by chance


class Kind(StrEnum):
    """The kind of a check, as it is printed."""

    RANGE = "score outside its range"
    DEVIATION = "deviation too large for its mean"
    COUNTS = "no multiple of 1/n"
    SQUARES = "no counts with this mean and deviation"
    BUDGET = "budget that the stated noise does not give"
    REPEATED_EPSILON = "identical digits over epsilons"
    REPEATED_METHODS = "identical digits over methods"
    UNCHANGED = "intervention that changes nothing"
    FUNCTION = "spread is a function of epsilon"
    MAJORITY = "accuracy below the majority class"


CAUSES = {
    Kind.RANGE: "another definition of the score under the same name, or a sign or unit",
    Kind.DEVIATION: (
        "the values that were averaged have signs, the number of runs is another one, or the number"
        " after ± is no standard deviation over runs"
    ),
    Kind.COUNTS: "another number of test records or runs, weights, or a randomised decision",
    Kind.SQUARES: (
        "another number of test records or runs, or the number after ± is no deviation over runs"
    ),
    Kind.BUDGET: "another accountant, such as an approximation by the central limit theorem",
    Kind.REPEATED_EPSILON: (
        "the noise no longer changes a decision, the method does not use epsilon, or a program "
        "prints the list of another epsilon"
    ),
    Kind.REPEATED_METHODS: (
        "the methods coincide here, for example because both answer the same for all records, or "
        "a value was copied"
    ),
    Kind.UNCHANGED: "the intervention found nothing to change, or its output was not used",
    Kind.FUNCTION: (
        "the band shows a formula on purpose, such as one for the noise, or a formula took the "
        "place of a spread over runs; the probability is that of spreads over runs"
    ),
    Kind.MAJORITY: (
        "the noise is strong, the training is short, the model was chosen by another score, or "
        "fairness was bought with accuracy"
    ),
}


@dataclass(frozen=True, eq=False)
class Proof:
    """The result of a check that decides whether numbers are possible."""

    kind: Kind  # the kind of the check
    cells: Sequence[PrintedCell]  # the examined cells
    is_possible: bool  # whether the numbers can be what they are said to be
    what: str  # what the check found, in words


@dataclass(frozen=True, eq=False)
class NumberTest:
    """The result of a check that has a probability."""

    kind: Kind  # the kind of the check
    cells: Sequence[PrintedCell]  # the examined cells
    chance: float  # an upper bound of the probability of such numbers in a sound table
    what: str = ""  # what the check found, in words; empty if it found nothing
    __test__ = False  # not a test of pytest


@dataclass(frozen=True, eq=False)
class NumberFinding:
    """Numbers that cannot be, or that would be unlikely by chance."""

    grade: Grade  # how certain the finding is
    kind: Kind  # the kind of the check that found the numbers
    cells: Sequence[PrintedCell]  # the cells with these numbers
    what: str  # what was found, in words
    chance: float = 0.0  # the probability of such numbers in a sound table; 0 for a fact
    # the probability after Holm's correction over all tests of the paper; 0 for a fact
    corrected: float = 0.0
    remark: str = ""  # what our own runs of the cells say of a hint; empty without such runs

    @property
    def causes(self) -> str:
        """Possible causes without a mistake in the work, and with one."""
        return CAUSES[self.kind]
