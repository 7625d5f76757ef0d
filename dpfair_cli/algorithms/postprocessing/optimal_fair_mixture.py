"""The mixture of two or four fixed decision rules with the least error and nearly equal FPRs.

Source: jagielski2019, Section 4.2 (Theorem 4.6).
Differs: The feature X of the paper has the values U and V. A record has X = U if its first feature
    is above one half.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegative, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.postprocessing import fair_mixture

Features = Literal["blind", "aware"]


@checked
def fit(
    records: Records,
    *,
    fairness_gap: NotNegative = 0.05,
    features: Features = "blind",
    rng: np.random.Generator,
) -> fair_mixture.HypothesisMixture:
    """The mixture of a few fixed decision rules with the least error among the fair mixtures.

    The rules are h0 (decision 1 for no record) and hU (decision 1 if the first feature exceeds
    1/2), and with `features` "aware" also hR and hB (decision 1 for all records of one group). A
    mixture is fair if the false positive rates of the two groups differ by at most `fairness_gap`.

    Args:
        fairness_gap: gamma, the largest difference of false positive rates that is allowed.
        features: Whether a rule may use the group ("aware") or not ("blind").

    Raises:
        ValueError: there are not two groups.
    """
    if len(records.domain.groups) != 2:
        raise ValueError(
            "the records must have two groups for the optimal fair mixture, got "
            f"{len(records.domain.groups)} groups"
        )
    decisions = fair_mixture.hypotheses(2 if features == "blind" else 4)
    _, shares = fair_mixture.optimal_mixtures(
        fair_mixture.count_table(records)[None], fairness_gap, decisions
    )
    return fair_mixture.HypothesisMixture(shares[0], fairness_gap)


ALGORITHM = Algorithm(
    fit,
    source="jagielski2019, Section 4.2 (Theorem 4.6)",
    uses_groups=True,
)
