"""Tables that say how far verdicts can be trusted: false matches, skill, and joint tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.score.pairings import PairingShare
from dpfair_cli.verdicts.score.skill import JointTest, Skill
from dpfair_cli.verdicts.wording import label

TRUST = "false matches of the rule, and cells that agree under a variant"
TRUST_READING = (
    "How far a verdict can be trusted. Rows 1 and 2: how often our mean counts as *reproduced* "
    "next to a published value of another method; the rarer, the better the rule tells methods "
    "apart. *per cell that agrees* is the number of false matches divided by the number of the "
    "compared cells that agree with their own values: an undecided cell seldom gives a false "
    "match. Rows 3 and 4: how many cells that differ agree under the best variant of their method, "
    "and how many would agree by chance. Row 4 pairs our mean with the value of each other method "
    "from which it differs, so that it has more pairs than row 3 has cells."
)
SKILL_READING = (
    "How much nearer our means are to the published values than if the names of the methods had "
    "been mixed up: 1 if all are equal, 0 if they are as near as by chance. *p* is the share of "
    "shuffles that are at least as near; above 0.05, the methods of the table are not told apart. "
    "*near* counts our means within the margin of their published values, and *near without runs* "
    "those of the mean of the other methods' published values, which needs no run."
)
JOINT_READING = (
    "All cells of a method and a score together, which can show a difference that no single cell "
    "shows; the test changes no verdict. *p* is the share of means of as few runs as in the paper, "
    "drawn from our runs, that are at least as far from our means as the published ones. A small "
    "*p* says that the published means are not means of runs like ours."
)
TESTS = {
    "false matches: our mean next to the published value of another method": "reproduced",
    "false matches where the two published values are more than 0.05 apart": "reproduced",
    "variants: cells that differ, under the best other variant of the method": "agrees",
    "variants by chance: the same, next to the published value of another method": "agrees",
}  # what is compared -> the verdict that is counted
SMALLEST_P = 0.001  # that is printed


def rule_tests_of(
    wrong: PairingShare,
    wrong_far: PairingShare,
    variants_own: PairingShare,
    variants_wrong: PairingShare,
) -> pd.DataFrame:
    """The tests of the rule of the verdicts that have pairs, with the number of counted verdicts.

    The shares are those of `Scoreboard`.
    """
    shares = (wrong, wrong_far, variants_own, variants_wrong)
    lines = [
        {
            "what is compared": name,
            "pairs": share.pairings,
            "counted verdict": verdict,
            "count": share.matched,
            "share": f"{share.percent} %",
            "per cell that agrees": share.per_agreeing_cell,
        }
        for (name, verdict), share in zip(TESTS.items(), shares, strict=True)
        if share.pairings
    ]
    return pd.DataFrame(lines)


def skill_table(skills: Mapping[str, Skill]) -> pd.DataFrame:
    """The skill of each artefact, one line per artefact."""
    lines = [
        {
            "table": name,
            "cells": one.cells,
            "skill": f"{one.value:.2f}",
            "p": _p(one.p_value),
            "told apart": "yes" if one.is_told_apart else "no",
            "near": one.near,
            "near without runs": one.near_without_runs,
            "nearer if exchanged": one.exchange,
        }
        for name, one in skills.items()
    ]
    return pd.DataFrame(lines)


def joint_table(tests: Sequence[JointTest], spec: Spec) -> pd.DataFrame:
    """The joint tests of an artefact, one line per method and score."""
    lines = [
        {
            "method": one.method,
            "score": label(one.metric, spec),
            "cells": one.cells,
            "undecided": one.undecided,
            "p": _p(one.p_value),
        }
        for one in tests
    ]
    return pd.DataFrame(lines)


def _p(value: float) -> str:
    """A p-value as text; values below 0.001 are not told apart."""
    return "< 0.001" if value < SMALLEST_P else f"{value:.3f}"
