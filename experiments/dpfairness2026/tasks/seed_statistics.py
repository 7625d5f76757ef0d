"""Statistics of stored gaps over seeds, by the formulas of the authors' analysis.

    gap_mean, gap_std        mean and standard deviation (n - 1) of the gaps
    interval_low, _high      95 % t interval of the mean over the seeds
    backfire_rate            share of seeds in which the gap is larger than without intervention
    lower_share              share of seeds in which it is smaller
    median_change            median of the gaps less those without intervention
    wilcoxon_p               two-sided p-value of Wilcoxon's signed-rank test of these changes
    attenuation              1 less the mean benefit over the seeds in parts of the benefit without
                             privacy

A benefit is the gap without an intervention less the gap with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # which imports `scipy.stats` when it is used

import dpfair_cli.plugin as dp

from ..methods.stored_gap import MethodGaps
from ..models.stored_gaps import StoredGaps

LEVEL = 0.95
OF_GAPS = ("gap_mean", "gap_std", "interval_low", "interval_high")
SHARES = ("backfire_rate", "lower_share")
OF_CHANGES = ("median_change", "wilcoxon_p", "attenuation")
SCORES = (*OF_GAPS, *SHARES, *OF_CHANGES)


@dataclass(frozen=True, eq=False)
class StoredCase:
    """The stored gaps of all methods."""

    train: StoredGaps


@dp.checked
def split(runs: StoredGaps, *, rng: np.random.Generator) -> StoredCase:
    """The stored gaps, without a split; `rng` is not used."""
    return StoredCase(runs)


def score(model: MethodGaps, case: StoredCase) -> dict[str, float]:
    """The statistics of the gaps of a method, by name; those of changes are NaN without changes."""
    gaps, change = model.gaps, model.gaps - model.without
    mean, std = gaps.mean(), gaps.std(ddof=1)
    half = scipy.stats.t.ppf((1 + LEVEL) / 2, len(gaps) - 1) * std / np.sqrt(len(gaps))
    found = {
        "gap_mean": mean,
        "gap_std": std,
        "interval_low": mean - half,
        "interval_high": mean + half,
        "backfire_rate": (change > 0).mean(),
        "lower_share": (change < 0).mean(),
        **dict.fromkeys(OF_CHANGES, np.nan),
    }
    if change.any():
        found["median_change"] = np.median(change)
        found["wilcoxon_p"] = scipy.stats.wilcoxon(change).pvalue
        clean_benefit = model.clean_without - model.clean_gap
        found["attenuation"] = 1 + change.mean() / clean_benefit
    return {name: float(value) for name, value in found.items()}


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=SCORES,
    ranges={
        **dict.fromkeys((*OF_GAPS, *OF_CHANGES), (-np.inf, np.inf)),
        **dict.fromkeys(("gap_mean", "wilcoxon_p", *SHARES), (0.0, 1.0)),
    },
    result=MethodGaps,
    exact=True,
)
