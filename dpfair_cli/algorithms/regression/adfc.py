"""ADFC: the fair relaxed functional mechanism with more Gaussian noise on one attribute.

Source: ding2020, Algorithm 3.
Differs: The differences of pdfc apply. In addition, delta_s and delta_n are not published. Here
    delta_s and delta_n are equal, with 1 - (1 - delta_s)(1 - delta_n) = delta. Every fit checks
    with the exact delta of Gaussian noise that the published budget is (epsilon,
    delta)-differentially private; otherwise the fit is refused. For d = 2 features there are
    neighbours that violate Theorem 5. With `sensitivity` "tight" the budget of the other attributes
    is (epsilon, delta) itself.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Delta, Epsilon, Share, checked
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.budget import split_by_attribute
from dpfair_cli.mechanisms.gaussian import (
    SigmaCalibration,
    calibrated_sigma,
    gaussian,
    gaussian_delta,
)
from dpfair_cli.models.regression import perturbation as functional
from dpfair_cli.models.regression.linear import LinearClassifier

ROUNDING = 1e-9


@checked
def fit(
    records: Records | PartitionedRecords,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-3,
    attribute: str = "random",  # x_s; "we randomly select an unprotected attribute"
    attribute_ratio: Share = 0.01,
    calibration: SigmaCalibration = "extended",
    term: functional.FairnessTerm = functional.DEFAULT_TERM,
    perturbation: functional.Perturbation = functional.DEFAULT_PERTURBATION,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier that minimises a noisy objective with a fairness term.

    The objective is the truncated logistic loss. Gaussian noise is added to its coefficients, and
    those of `attribute` have a smaller epsilon than the others.

    Args:
        attribute: The attribute that gets more noise: the name of a column, or "random" for one
            that is drawn.
        attribute_ratio: The budget of the attribute divided by the budget of the other attributes.
        calibration: The formula of the Gaussian noise; "extended" is the paper's, and "classical"
            is refused above epsilon 1.

    Raises:
        ValueError: the attribute is unknown, there are not two groups, the calibration is
            "classical" and epsilon is above 1, or the published budget is not private for the
            number of features.
    """
    d, fair = len(records.columns), functional.FairPerturbation(term, perturbation)
    chosen = functional.chosen_attribute(fair, records.domain, attribute, rng)
    epsilon_s, epsilon_n = split_by_attribute(epsilon, attribute_ratio, chosen.share)
    # two releases: 1 - (1 - delta_s)(1 - delta_n) is delta
    step_delta = 1 - sqrt(1 - delta) if chosen.share else delta
    delta_2, (own, others) = fair.l2(d), chosen.l2()
    sigma_s = calibrated_sigma(calibration, delta_2, epsilon_s, step_delta)
    sigma_n = calibrated_sigma(calibration, delta_2, epsilon_n, step_delta)
    if _joint_delta(epsilon, [(others, sigma_n), (own, sigma_s)]) > delta * (1 + ROUNDING):
        raise ValueError(
            "with the published split of epsilon and delta, ADFC would spend more than delta on "
            f"data with {d} features: set the parameter `sensitivity` to 'tight'"
        )

    # bound: x in [0, 1]^d; query: (m,)
    query, special = fair.query(records), chosen.special
    # release: Phi_s, and then Phi_n
    noisy = np.empty_like(query)
    noisy[special] = gaussian(query[special], l2_sensitivity=own, sigma=sigma_s, rng=rng)
    noisy[~special] = gaussian(query[~special], l2_sensitivity=others, sigma=sigma_n, rng=rng)
    # post-process
    return chosen.classifier(noisy, sigma_s, sigma_n)


def _joint_delta(epsilon: float, parts: list[tuple[float, float]]) -> float:
    """The exact delta, at `epsilon`, of several Gaussian releases together.

    Each of the `parts` is (sensitivity, standard deviation of the noise) of one release.
    """
    square = sum((move / sigma) ** 2 if sigma else inf for move, sigma in parts)
    return gaussian_delta(epsilon, 1 / sqrt(square))


ALGORITHM = Algorithm(
    fit,
    source="ding2020, Algorithm 3",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="the weights",
        neighbours=Neighbours.REPLACE_ONE,
        remark="protected attribute included",
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/objective.py",
    ),
    uses_groups=True,
)
