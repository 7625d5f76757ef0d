"""The means and intervals that the authors' script prints, rounded to its three decimals.

`_halfwidth` is half the width of the 95 % interval of Student's t over the repeats.

Source: the authors' script FairBalance/src/main.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # which imports `scipy.stats` when it is used

import dpfair_cli.plugin as dp

from ..methods.authors_script import Repeats
from ..models.attribute_records import AttributeRecords
from .group_gaps import rates

PRINTED = ("accuracy", "auc", "equal_opportunity_difference", "average_odds_difference")
HALF_WIDTHS = tuple(f"{name}_halfwidth" for name in PRINTED)
DECIMALS = 3


@dataclass(frozen=True, eq=False)
class AllRecords:
    """All records, which the script splits."""

    train: AttributeRecords


@dp.checked
def split(records: AttributeRecords, *, rng: np.random.Generator) -> AllRecords:
    """All records; `rng` is not used.

    Args:
        records: The records.
        rng: The source of randomness.
    """
    return AllRecords(records)


def score(repeats: Repeats, case: AllRecords) -> dict[str, float]:
    """The mean of each score over the repeats and the half-width of its interval, rounded."""
    each = [rates(rule, test) for rule, test in zip(repeats.rules, repeats.tests, strict=True)]
    found: dict[str, float] = {}
    for name in PRINTED:
        values = np.array([scores[name] for scores in each])
        error = values.std(ddof=1) / np.sqrt(len(values))
        quantile = scipy.stats.t.ppf(0.975, len(values) - 1)
        found[name] = round(float(values.mean()), DECIMALS)
        found[f"{name}_halfwidth"] = round(float(quantile * error), DECIMALS)
    return found


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=(*PRINTED, *HALF_WIDTHS),
    ranges={
        **dict.fromkeys(HALF_WIDTHS, (0.0, 1.0)),
        "average_odds_difference": (0.0, 1.0),
    },
    result=Repeats,
    exact=True,
)
