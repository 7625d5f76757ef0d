"""How often the checks raise a false alarm, and how often they find a forgery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dpfair_cli.addons.forensics.examining import examine
from dpfair_cli.addons.forensics.finding import Grade, Kind
from dpfair_cli.addons.forensics.simulation import (
    DIGITS,
    Forgery,
    MadeUpSetting,
    Mistake,
    settings,
    simulate_paper,
)

SOUND_SEEDS = 24  # sound papers of each setting
FORGED_SEEDS = 4  # papers of each setting and forgery, or wrong declaration
MEANT = {
    Forgery.RANGE: (Kind.RANGE,),
    Forgery.DEVIATION: (Kind.DEVIATION,),
    Forgery.COUNTS: (Kind.COUNTS, Kind.SQUARES),
    Forgery.BUDGET: (Kind.BUDGET,),
    Forgery.REPEATED: (Kind.REPEATED_EPSILON,),
    Forgery.REPEATED_LIST: (Kind.REPEATED_EPSILON,),
    Forgery.UNCHANGED: (Kind.UNCHANGED, Kind.REPEATED_METHODS),
    Forgery.FUNCTION: (Kind.FUNCTION, Kind.SQUARES),
    Forgery.MAJORITY: (Kind.MAJORITY, Kind.SQUARES, Kind.COUNTS),
}


@dataclass(frozen=True)
class Examined:
    """What the checks found in one made-up paper."""

    setting: MadeUpSetting  # what the tables of the paper have in common
    forgery: Forgery  # what was planted
    found: frozenset[tuple[Grade, Kind]]  # the grades and kinds of the findings
    mistake: Mistake = Mistake.NONE  # what is wrong with the declared facts

    def has(self, grade: Grade) -> bool:
        """Whether there is a finding of a grade."""
        return any(one is grade for one, _ in self.found)

    @property
    def is_detected(self) -> bool:
        """Whether a finding of a kind that the forgery explains was made."""
        return any(kind in MEANT[self.forgery] for _, kind in self.found)


def examine_made_up() -> list[Examined]:
    """The findings in all made-up papers."""
    forged = [
        _examined(setting, forgery, seed)
        for forgery in Forgery
        for setting in settings()
        for seed in range(FORGED_SEEDS if forgery in MEANT else SOUND_SEEDS)
    ]
    wrongly_declared = [
        _examined(setting, Forgery.NONE, seed, mistake)
        for mistake in Mistake
        if mistake is not Mistake.NONE
        for setting in settings()
        for seed in range(FORGED_SEEDS)
    ]
    return forged + wrongly_declared


def _examined(
    setting: MadeUpSetting, forgery: Forgery, seed: int, mistake: Mistake = Mistake.NONE
) -> Examined:
    findings = examine(simulate_paper(setting, forgery, seed, mistake)).findings
    found = frozenset((one.grade, one.kind) for one in findings)
    return Examined(setting, forgery, found, mistake)


def false_alarms(papers: Sequence[Examined]) -> pd.DataFrame:
    """The sound papers with right declarations that have a finding, by printed digits."""
    sound = [one for one in papers if one.forgery is Forgery.NONE and one.mistake is Mistake.NONE]
    lines = []
    for digits in (*DIGITS, None):
        own = [one for one in sound if digits in (one.setting.digits, None)]
        counts = {f"with a {grade}": sum(one.has(grade) for one in own) for grade in Grade}
        lines.append({"printed decimals": digits or "all", "sound papers": len(own), **counts})
    return pd.DataFrame(lines)


def alarms_of_mistakes(papers: Sequence[Examined]) -> pd.DataFrame:
    """The share of sound papers with a finding, by what is wrong with the declared facts."""
    lines = []
    for mistake in Mistake:
        own = [one for one in papers if one.forgery is Forgery.NONE and one.mistake is mistake]
        shares = {
            f"with a {grade}": sum(one.has(grade) for one in own) / len(own) for grade in Grade
        }
        lines.append(
            {"wrong with the declaration": str(mistake), "sound papers": len(own), **shares}
        )
    return pd.DataFrame(lines)


def detections(papers: Sequence[Examined]) -> pd.DataFrame:
    """The share of forged papers whose forgery was found, by forgery and printed digits."""
    lines = []
    for forgery in MEANT:
        forged = [one for one in papers if one.forgery is forgery]
        line: dict[str, object] = {"planted": str(forgery), "papers": len(forged)}
        for digits in DIGITS:
            own = [one.is_detected for one in forged if one.setting.digits == digits]
            line[f"{digits} decimals"] = sum(own) / len(own)
        lines.append(line)
    return pd.DataFrame(lines)
