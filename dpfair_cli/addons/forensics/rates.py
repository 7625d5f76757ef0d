"""How often the checks raise a false alarm, and how often they find a forgery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

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
# the kinds of checks that are meant for a forgery; a finding of another kind does not count
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
    found: frozenset[Kind]  # the kinds of the findings
    mistake: Mistake = Mistake.NONE  # what is wrong with the declared facts

    def has(self, grade: Grade) -> bool:
        """Whether there is a finding of a grade."""
        return any(kind.grade is grade for kind in self.found)

    @property
    def is_detected(self) -> bool:
        """Whether a finding of a kind that is meant for the forgery was made."""
        return not self.found.isdisjoint(MEANT[self.forgery])


def examine_made_up() -> list[Examined]:
    """The findings in all made-up papers.

    These are the sound papers and those with each forgery, then sound papers with each wrong
    declaration, of every setting and seed.
    """
    sound = product([Forgery.NONE], settings(), range(SOUND_SEEDS), [Mistake.NONE])
    forged = product(MEANT, settings(), range(FORGED_SEEDS), [Mistake.NONE])
    wrong = [one for one in Mistake if one is not Mistake.NONE]
    declared = product([Forgery.NONE], settings(), range(FORGED_SEEDS), wrong)
    return [_examined(*one) for one in (*sound, *forged, *declared)]


def _examined(forgery: Forgery, setting: MadeUpSetting, seed: int, mistake: Mistake) -> Examined:
    """The kinds of the findings in one made-up paper."""
    findings = examine(simulate_paper(setting, forgery, seed, mistake)).findings
    return Examined(setting, forgery, frozenset(one.kind for one in findings), mistake)


def false_alarms(papers: Sequence[Examined]) -> pd.DataFrame:
    """The sound papers with right declarations that have a finding, by printed digits."""
    sound = [one for one in papers if one.forgery is Forgery.NONE and one.mistake is Mistake.NONE]
    lines = []
    for digits in (*DIGITS, None):
        own = [one for one in sound if digits in (one.setting.digits, None)]
        counts = {f"with a {grade}": count for grade, count in _alarms(own).items()}
        lines.append({"printed decimals": digits or "all", "sound papers": len(own), **counts})
    return pd.DataFrame(lines)


def alarms_of_mistakes(papers: Sequence[Examined]) -> pd.DataFrame:
    """The share of sound papers with a finding, by what is wrong with the declared facts."""
    lines = []
    for mistake in Mistake:
        own = [one for one in papers if one.forgery is Forgery.NONE and one.mistake is mistake]
        line: dict[str, object] = {"wrong with the declaration": str(mistake)}
        line["sound papers"] = len(own)
        line |= {f"with a {grade}": count / len(own) for grade, count in _alarms(own).items()}
        lines.append(line)
    return pd.DataFrame(lines)


def _alarms(papers: Sequence[Examined]) -> dict[Grade, int]:
    """The number of papers that have a finding of each grade."""
    counts = dict.fromkeys(Grade, 0)
    for one in papers:
        for grade in Grade:
            counts[grade] += one.has(grade)
    return counts


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
