"""PDFC: the fair functional mechanism with more Laplace noise on one attribute.

Source: ding2020, Algorithm 1.
Differs: epsilon_s, the budget of the one attribute, and epsilon_n, the budget of the other
    attributes, are not published. `attribute_ratio` = epsilon_s / epsilon_n is 0.01, the ratio of
    the method that PDFC builds on (Wang, Si and Wu 2015). An attribute that is encoded in k of the
    d columns gets the share k/d instead of the paper's 1/d. The paper's budget, epsilon = epsilon_s
    / d + epsilon_n (d - 1) / d, averages over attributes where the worst case counts. A fit with
    this budget is private only where the published sensitivity is loose enough. Every fit checks
    this condition, which fails with few features; the fit is then refused. With `sensitivity`
    "tight" the budget of the other attributes is epsilon itself. `fairness` is one of three
    variants of the fairness term (models/regression/perturbation.py). The noisy objective is mended
    as in functional_mechanism, with a separate addition for each attribute that is proportional to
    the noise of this attribute.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, Share, checked
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.budget import split_by_attribute
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.models.regression import perturbation as functional
from dpfair_cli.models.regression.linear import LinearClassifier

ROUNDING = 1e-12


@checked
def fit(
    records: Records | PartitionedRecords,
    *,
    epsilon: Epsilon = 1.0,
    attribute: str = "random",  # x_s; "we randomly select an unprotected attribute"
    attribute_ratio: Share = 0.01,
    term: functional.FairnessTerm = functional.DEFAULT_TERM,
    perturbation: functional.Perturbation = functional.DEFAULT_PERTURBATION,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier that minimises a noisy objective with a fairness term.

    The objective is the truncated logistic loss. Laplace noise is added to its coefficients, and
    those of `attribute` have a smaller epsilon than the others.

    Args:
        attribute: The attribute that gets more noise: the name of a column, or "random" for one
            that is drawn.
        attribute_ratio: The budget of the attribute divided by the budget of the other attributes.

    Raises:
        ValueError: the attribute is unknown, there are not two groups, or the published budget is
            not private for the number of features.
    """
    d, fair = len(records.columns), functional.FairPerturbation(term, perturbation)
    chosen = functional.chosen_attribute(fair, records.domain, attribute, rng)
    # the published budget averages over attributes; whether it covers the worst is checked below
    epsilon_s, epsilon_n = split_by_attribute(epsilon, attribute_ratio, chosen.share)
    delta_1, (own, others) = fair.l1(d), chosen.l1()
    if (others * epsilon_n + own * epsilon_s) / delta_1 > epsilon * (1 + ROUNDING):
        raise ValueError(
            "with the published split of epsilon, PDFC would spend more than epsilon on data with "
            f"{d} features: set the parameter `sensitivity` to 'tight'"
        )

    # bound: x in [0, 1]^d; query: (m,)
    query, special = fair.query(records), chosen.special
    # release: Phi_s, and then Phi_n, which is empty if one attribute has all columns
    noisy = np.empty_like(query)
    for block, moves, budget in ((special, own, epsilon_s), (~special, others, epsilon_n)):
        if block.any():
            noisy[block] = laplace(
                query[block], l1_sensitivity=moves, epsilon=moves * budget / delta_1, rng=rng
            )
    # post-process
    scale = sqrt(2) * delta_1
    return chosen.classifier(noisy, scale / epsilon_s, scale / epsilon_n)


ALGORITHM = Algorithm(
    fit,
    source="ding2020, Algorithm 1",
    guarantee=Guarantee(
        released="the weights",
        neighbours=Neighbours.REPLACE_ONE,
        remark="protected attribute included",
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/objective.py",
    ),
    uses_groups=True,
)
