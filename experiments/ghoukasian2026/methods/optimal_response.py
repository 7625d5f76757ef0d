"""OPT: a report of the rarer level is mostly true, and one of the other level is random.

Source: ghoukasian2026, Theorem 1
Differs: Which level is rarer is a public parameter; the script counts it in the training records.
    "symmetric" reports by randomised response alone, and is our comparison.
"""

from __future__ import annotations

from dataclasses import replace
from math import exp
from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp

from ..models.attribute_records import AttributeRecords
from ..models.reported_rule import ReportedRule, fitted
from ..models.response_law import Response, response_law

Level = Literal["0", "1"]


@dp.checked
def fit(
    records: AttributeRecords,
    *,
    epsilon: dp.Epsilon = 1.0,
    response: Response = "optimal",
    rarer: Level = "0",
    rng: np.random.Generator,
) -> ReportedRule:
    """The logistic regression on records whose randomised attribute holds reports.

    With e = exp(epsilon), a record of the rarer level reports it with probability 1 - 1 / (2 e),
    and a record of the other level reports either level with probability 1/2. This is randomised
    response with the same epsilon, followed by a change that reads the report alone: with
    p = e / (1 + e), a report of the other level is kept with probability k = 1 / (2 p), else
    changed to the rarer one. A record of the other level then reports it with probability
    p k = 1/2, and one of the rarer level with probability (1 - p) k = 1 / (2 e).

    Args:
        records: The training records.
        epsilon: The privacy loss of a report.
        response: "optimal" (OPT), or "symmetric" randomised response.
        rarer: The level that fewer individuals have; public.
        rng: The source of randomness.
    """
    columns = records.level_columns
    reported = dp.randomised_response(  # one record changes one row
        records.X[:, columns], hamming_sensitivity=1, epsilon=epsilon, rng=rng
    )
    if response == "optimal":
        changed = _coins(len(records), (1 - exp(-epsilon)) / 2, rng)  # 1 - k
        reported = np.where(changed, int(rarer), reported)
    # inputs are never changed
    X = records.X.copy()
    X[:, columns] = np.eye(2)[reported]
    law = response_law(epsilon, response, int(rarer))
    return fitted(replace(records, X=X), law=law)  # post-processing


def _coins(n: int, chance: float, rng: np.random.Generator) -> dp.Ints:
    """Whether each of n reports is changed, (n,)."""
    return np.asarray(rng.random(n) < chance)


ALGORITHM = dp.Algorithm(
    fit,
    source="ghoukasian2026, Theorem 1",
    guarantee=dp.Guarantee(
        released="the reports of all records and the rule",
        neighbours=dp.Neighbours.RANDOMISED_ATTRIBUTES,
        remark="in any way (local differential privacy)",
        public="the labels, all other attributes, the number of records and the rarer level",
        status=dp.Status.PROVED,
        proof="mechanisms/randomised_response.py",
    ),
)
