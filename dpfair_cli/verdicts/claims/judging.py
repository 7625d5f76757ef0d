"""Judges the claims of an artefact: each claim holds, fails, is undecided or is not tested.

The tests of a claim are in `testing.py`. Their p-values become a verdict at significance levels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.contracts.theorem_evidence import TheoremEvidence
from dpfair_cli.verdicts.claims.claim import ClaimPart
from dpfair_cli.verdicts.claims.testing import PartTest, test_parts
from dpfair_cli.verdicts.claims.verdict import ClaimLevels, ClaimVerdict, PValues
from dpfair_cli.verdicts.deviations.deviation import Deviation


@dataclass(frozen=True)
class Grounds:
    """The grounds of verdicts on claims, besides the runs of the artefact."""

    levels: ClaimLevels = field(default_factory=ClaimLevels)
    """The levels at which p-values decide."""

    theorems: Mapping[str, TheoremEvidence] = field(default_factory=dict)
    """The evidence for theorems, by name."""


@dataclass(frozen=True, eq=False)
class JudgedClaim:
    """A part of a claim with its verdict by our rows."""

    part: ClaimPart
    """The part of the claim."""

    verdict: ClaimVerdict
    """The verdict of all predicates together."""

    reason: str
    """The numbers that decide the verdict, or the reason why the part was not tested."""

    datasets: tuple[str, ...]
    """The data sets that the part is about."""

    deviation: Deviation | None = None
    """The deviation that explains the failure, if there is one."""

    p_values: PValues | None = None
    """The p-values of the part and of its opposite; None if the part was not tested."""

    @property
    def kind(self) -> str:
        """The kind of the deviation that explains the claim; empty without a deviation."""
        return self.deviation.kind if self.deviation else ""

    @property
    def cause(self) -> str:
        """The cause from the deviation that explains the claim; empty without a deviation."""
        return self.deviation.cause if self.deviation else ""

    @property
    def full_verdict(self) -> str:
        """The verdict on the claim with the kind of its deviation, such as "fails (open)"."""
        return f"{self.verdict} ({self.kind})" if self.kind else str(self.verdict)

    @property
    def is_unexplained(self) -> bool:
        """Whether `dpfair check` fails because of this part of a claim.

        A part that we added to the claim may fail.
        """
        fails = self.verdict is ClaimVerdict.FAILS and not self.part.ours
        return fails and self.deviation is None


NO_GROUNDS = Grounds()


def judge_claims(
    parts: Sequence[ClaimPart],
    rows: pd.DataFrame,
    spec: Spec,
    standins: Mapping[str, str],
    grounds: Grounds = NO_GROUNDS,
) -> list[JudgedClaim]:
    """The verdict on each part of the claims about an artefact, from `rows`, one per run."""
    tested = test_parts(parts, rows, spec, standins, grounds.theorems)
    return [at_levels(one, grounds.levels) for one in tested]


def at_levels(tested: PartTest, levels: ClaimLevels) -> JudgedClaim:
    """The verdict on a tested part of a claim at significance levels."""
    return JudgedClaim(
        tested.part,
        tested.verdict(levels),
        tested.reason(levels),
        tested.datasets,
        p_values=tested.p_values,
    )


def check_names(parts: Sequence[ClaimPart], spec: Spec) -> None:
    """Raises an error if a claim names a method, data set or score that the spec lacks.

    Raises:
        DpfairError: a name is unknown; the message names the claim and the nearest known name.
    """
    known = {
        "method": set(spec.methods_by_label),
        "data set": {part.name for part in spec.datasets},
        "score": set(spec.task.score_ranges),
    }
    for part in parts:
        for predicate in part.predicates:
            named = {
                "method": predicate.methods,
                "data set": predicate.datasets,
                "score": (predicate.metric,),
            }
            for noun, words in named.items():
                unknown = [word for word in words if word not in known[noun]]
                if unknown:
                    why = f"unknown {noun} {unknown[0]!r} in {spec.name}"
                    hint = nearest(unknown[0], known[noun])
                    raise DpfairError(f"claims.yaml, {part.id}: {why}: {hint}")
