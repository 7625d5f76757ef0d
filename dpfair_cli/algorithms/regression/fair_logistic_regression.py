"""FairLR: the truncated logistic objective with a covariance penalty, without noise.

Source: xu2021, Equation 8.2 (FairLR in Table 8.1); the constraint is Zafar et al. 2017, xu2021
    Equation 3.17.
Differs: `fairness` is one of the variants of the fairness term (models/regression/perturbation.py).
    The default makes the mean scores of both groups equal. The dissertation does not say whether
    FairLR was trained on the full or on the truncated loss. Here the loss is truncated, and FairLR
    equals PFLR at epsilon = infinity.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.sensitivity.objective import Bound
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.perturbation import DEFAULT_TERM, FairnessTerm
from dpfair_cli.models.regression.quadratic import logistic_polynomial


@checked
def fit(
    records: Records,
    *,
    term: FairnessTerm = DEFAULT_TERM,
    bound: Bound = "box",
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier that minimises the truncated logistic loss plus a fairness term.

    The weight of the fairness term is alpha, a field of `term`.

    Args:
        bound: The set to which records are clipped, the "box" [0, 1]^d, or also the unit "ball".

    Raises:
        ValueError: the protected attribute does not have two groups.
    """
    # bound: x in [0, 1]^d
    objective = logistic_polynomial(records, bound=bound)
    return LinearClassifier(term.added_to(objective, term.covariance(records, bound)).minimiser())


ALGORITHM = Algorithm(
    fit,
    source=(
        "xu2021, Equation 8.2 (FairLR in Table 8.1); the constraint is Zafar et al. 2017, xu2021 "
        "Equation 3.17"
    ),
    uses_groups=True,
)
