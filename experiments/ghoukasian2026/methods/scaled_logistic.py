"""Logistic regression as in the authors' script: plain, balanced, or without one attribute.

Source: ghoukasian2026, the authors' script; Yu, Chakraborty and Menzies 2024 (FairBalance)
Differs: Newton's method finds the minimum, and the script's L-BFGS stops nearby.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp

from ..models.attribute_records import AttributeRecords
from ..models.reported_rule import ReportedRule, balanced_weights, fitted
from ..models.response_law import SILENCE

Weights = Literal["equal", "fairbalance"]
Attribute = Literal["read", "left out"]


@dp.checked
def fit(
    records: AttributeRecords,
    *,
    weights: Weights = "equal",
    attribute: Attribute = "read",
    rng: np.random.Generator,
) -> ReportedRule:
    """The logistic regression of the script on the true attributes; `rng` is not used.

    Args:
        records: The training records.
        weights: "equal" weights, or those with which FairBalance balances the labels of each group.
        attribute: Whether the attribute that others randomise is "read", or "left out" of the rule.
        rng: The source of randomness.
    """
    factors = balanced_weights(records) if weights == "fairbalance" else None
    if attribute == "left out":
        return fitted(records, weights=factors, left_out=records.randomised[0], law=SILENCE)
    return fitted(records, weights=factors)


ALGORITHM = dp.Algorithm(
    fit,
    source="ghoukasian2026, the authors' script; Yu, Chakraborty and Menzies 2024 (FairBalance)",
)
