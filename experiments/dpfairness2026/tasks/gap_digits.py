"""What the digits of stored gaps say about the groups between which they are.

A rate of a group of n records is a whole number of parts of n. A search over the digits of all
stored gaps found the sizes below (paper.md). A gap belongs to the smallest size that fits it. One
in 17 shares of 900 records fits 20 or 36 records by chance.

    decided_share      share of gaps to which one of the sizes belongs
    small_group_share  share of gaps to which a small group belongs
    median_size        median size of the groups that decide the gaps, of those that are decided
    exact_low, _high   mean ends of the exact 95 % intervals of equalized odds gaps, see `interval`
"""

from __future__ import annotations

import math

import numpy as np
import scipy  # which imports `scipy.stats` when it is used

import dpfair_cli.plugin as dp

from ..methods.stored_gap import MethodGaps
from ..models.stored_gaps import Gap
from .seed_statistics import StoredCase, split

CLOSE = 1e-12  # a gap of double precision is nearer than this to the fraction that it is
# held-out records with a high income: equalized odds gaps are 1 less a share of these
POSITIVES = (20, 36, 900)
# held-out records: demographic parity gaps are between shares of these and of LARGEST
RECORDS = (5, 94, 133, 236, 4596)
LARGEST = 6577
SIZES: dict[Gap, tuple[int, ...]] = {"equalized odds": POSITIVES, "demographic parity": RECORDS}
FACTOR: dict[Gap, int] = {"equalized odds": 1, "demographic parity": LARGEST}
SMALL = 300  # a smaller group is a small one
LEVEL = 0.95
SHARES = ("decided_share", "small_group_share")
INTERVAL = ("exact_low", "exact_high")


def size(gap: float, kind: Gap) -> float:
    """The size of the smallest group whose shares give the gap; NaN if none fits."""
    for n in SIZES[kind]:
        parts = n * FACTOR[kind]
        if abs(gap - round(gap * parts) / parts) < CLOSE:
            return n
    return math.nan


def exact(hits: int, n: int, level: float) -> tuple[float, float]:
    """The exact interval of a share (Clopper and Pearson 1934)."""
    found = scipy.stats.binomtest(hits, n).proportion_ci(level)
    return float(found.low), float(found.high)


def interval(gap: float, n: int) -> tuple[float, float]:
    """The interval of a gap between the rate 1 of one record and the rate 1 - gap of n records.

    Each rate has an exact interval at half of the error, so that the level of the gap is at least
    95 % (Bonferroni).
    """
    half = (1 + LEVEL) / 2
    low, high = exact(round((1 - gap) * n), n, half)
    one_low, one_high = exact(1, 1, half)
    return one_low - high, one_high - low


def score(model: MethodGaps, case: StoredCase) -> dict[str, float]:
    """The scores of the gaps of a method, by name."""
    sizes = np.array([size(gap, model.kind) for gap in model.gaps])  # (seeds,)
    known = ~np.isnan(sizes)
    low, high = math.nan, math.nan
    if model.kind == "equalized odds" and known.any():
        pairs = zip(model.gaps[known], sizes[known], strict=True)
        low, high = np.mean([interval(gap, int(n)) for gap, n in pairs], axis=0)
    return {
        "decided_share": float(known.mean()),
        "small_group_share": float((sizes < SMALL).mean()),
        "median_size": float(np.median(sizes[known])) if known.any() else math.nan,
        "exact_low": float(low),
        "exact_high": float(high),
    }


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=(*SHARES, "median_size", *INTERVAL),
    unbounded=("median_size",),
    ranges={
        **dict.fromkeys(SHARES, (0.0, 1.0)),
        "median_size": (0.0, np.inf),
        **dict.fromkeys(INTERVAL, (-1.0, 1.0)),
    },
    result=MethodGaps,
    exact=True,
)
