"""The scores of decisions on the test records of one seed of the authors.

Source: verona2026, Benchmark/utils/auxiliar.py; the names are those of the result files.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpfair_cli.plugin as dp

from ..methods.authors_seed import Decided
from ..models.coded import Coded

SCORES = ("accuracy", "mad", "eod", "spd")
RANGES = dict.fromkeys(SCORES[1:], (-1.0, 1.0))


@dataclass(frozen=True, eq=False)
class AllRecords:
    """All records, which the framework splits."""

    train: dp.Records


@dp.checked
def split(records: dp.Records, *, rng: np.random.Generator) -> AllRecords:
    """All records; `rng` is not used.

    Args:
        records: The records.
        rng: The source of randomness.
    """
    return AllRecords(records)


def gaps(decisions: dp.Ints, test: Coded) -> dict[str, float]:
    """Accuracy, and the value of group 0 minus that of group 1 of three rates.

    MAD is the difference of accuracies, EOD of true positive rates, SPD of shares of decision 1.
    """
    right = decisions == test.y

    def difference(values: dp.Floats | dp.Ints, among: dp.Ints) -> float:
        means = [values[(test.group == k) & among].mean() for k in (0, 1)]
        return float(means[0] - means[1])

    everyone = np.ones(len(right), dtype=bool)
    return {
        "accuracy": float(right.mean()),
        "mad": difference(right, everyone),
        "eod": difference(decisions, test.y == 1),
        "spd": difference(decisions, everyone),
    }


def score(found: Decided, case: AllRecords) -> dict[str, float]:
    """The scores of the decisions."""
    return gaps(found.decisions, found.test)


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=SCORES,
    ranges=RANGES,
    result=Decided,
    exact=True,
)
