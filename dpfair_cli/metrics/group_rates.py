"""Rates of decisions in each group, the gaps between groups, and how well both are known.

All numbers come from `counts` (groups, labels, decisions) of metrics/classification.py. A rate has
the interval of Wilson (1927), and the difference of two rates that of Newcombe (1998, method 10).
Both are at 95 % for a single rate and for two groups. With more groups, the gap is the largest of
several differences, and the 95 % is shared among them (Bonferroni).

>>> import numpy as np
>>> counts = np.array([[[5.0, 15.0], [10.0, 70.0]], [[18.0, 32.0], [2.0, 28.0]]])
>>> gap = gaps(counts)["selection rate"]
>>> f"{gap.value:.2f}, {gap.low:.4f} to {gap.high:.4f}: {gap.verdict}"
'0.10, 0.0000 to 0.2193: undecided'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan

import numpy as np
from scipy.special import ndtri

from dpfair_cli.contracts.arrays import Floats

LEVEL = 0.05  # of the two ends of an interval together
SMALL_GAP = 0.05  # a gap that is surely below it counts as small
SMALL, PRESENT, UNDECIDED, NOT_MEASURABLE = "small", "a gap", "undecided", "not measurable"
VERDICTS = {
    SMALL: f"the interval lies below {SMALL_GAP}",
    PRESENT: "the interval lies above 0",
    UNDECIDED: f"the interval holds 0 and also gaps above {SMALL_GAP}: test more records",
    NOT_MEASURABLE: "fewer than two groups have such a record",
}
RATES: dict[str, Callable[[Floats], tuple[Floats, Floats]]] = {  # (successes, records) of a group
    "selection rate": lambda counts: (counts[:, :, 1].sum(axis=1), counts.sum(axis=(1, 2))),
    "true positive rate": lambda counts: (counts[:, 1, 1], counts[:, 1].sum(axis=1)),
    "false positive rate": lambda counts: (counts[:, 0, 1], counts[:, 0].sum(axis=1)),
    "accuracy": lambda counts: (counts[:, 0, 0] + counts[:, 1, 1], counts.sum(axis=(1, 2))),
}


@dataclass(frozen=True)
class GroupRate:
    """A rate in one group; NaN if the group has no record that it is about."""

    records: float  # the number of records that the rate is about
    value: float
    low: float  # the lower end of the 95 % interval
    high: float  # the upper end of the 95 % interval


@dataclass(frozen=True)
class GroupGap:
    """The largest minus the smallest rate of a group; NaN with fewer than two rates."""

    value: float
    low: float  # the lower end of the 95 % interval
    high: float  # the upper end of the 95 % interval

    @property
    def verdict(self) -> str:
        """What the interval decides, a key of VERDICTS."""
        if isnan(self.value):
            return NOT_MEASURABLE
        if self.high <= SMALL_GAP:
            return SMALL
        return PRESENT if self.low > 0 else UNDECIDED


def rates(counts: Floats) -> dict[str, list[GroupRate]]:
    """The rates of each group, by name of the rate, from counts (groups, 2, 2)."""
    found = {}
    for name, parts in RATES.items():
        successes, records = parts(counts)
        ends = wilson(successes, records, LEVEL)
        columns = (records, successes / _positive(records), *ends)
        found[name] = [GroupRate(*row) for row in np.stack(columns, axis=1).tolist()]
    return found


def gaps(counts: Floats) -> dict[str, GroupGap]:
    """The gap between the groups, by name of the rate, from counts (groups, 2, 2)."""
    return {name: _gap(*parts(counts)) for name, parts in RATES.items()}


def _gap(successes: Floats, records: Floats) -> GroupGap:
    """The gap between groups, from the successes and the records of each, both (groups,).

    A group without records is left out.
    """
    successes, records = successes[records > 0], records[records > 0]
    pairs = list(combinations(range(len(records)), 2))
    if not pairs:
        return GroupGap(nan, nan, nan)
    found, (low, high) = (
        successes / records,
        wilson(successes, records, LEVEL / len(pairs)),
    )
    first, second = np.array(pairs).T
    difference = found[first] - found[second]  # (pairs,)
    down = np.hypot(found[first] - low[first], high[second] - found[second])
    up = np.hypot(high[first] - found[first], found[second] - low[second])
    # of the absolute difference: 0 is its lower end if the interval holds 0
    least = np.maximum(0.0, np.maximum(difference - down, -difference - up))
    most = np.maximum(difference + up, down - difference)
    return GroupGap(float(abs(difference).max()), float(least.max()), float(min(1.0, most.max())))


def wilson(successes: Floats, records: Floats, level: float) -> tuple[Floats, Floats]:
    """The ends of Wilson's interval of a share, which misses the share with probability `level`.

    The ends are NaN for 0 records. Counts need not be whole: a randomised rule has expected ones.
    """
    z = ndtri(1 - level / 2)
    n = _positive(records)
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    variance = np.maximum(share * (1 - share) / n + z**2 / (4 * n**2), 0.0)
    half = z * np.sqrt(variance) / (1 + z**2 / n)
    return np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)


def _positive(records: Floats) -> Floats:
    """The numbers of records, with NaN in place of 0."""
    return np.where(records > 0, records, np.nan)
