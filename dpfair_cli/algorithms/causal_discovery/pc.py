"""PC: the causal graph of observed variables, without privacy.

Source: xu2021, Algorithm 2 (Spirtes, Glymour and Scheines 2000), in the variant of Colombo and
    Maathuis 2014.
Differs: The tests with conditioning sets of one size all use the neighbours from before these tests
    (the "stable" variant). The skeleton therefore does not depend on the order of the variables.
    This variant is the default of the R package pcalg, which the dissertation used. The separators
    of a pair of variables are the union of all sets that separate the pair, not the first such set.
    Publications differ in two conventions of the G^2 test. `freedom` says how the degrees of
    freedom are counted. `records_per_freedom` is the number of records for each degree of freedom
    below which a test says independent (models/causal_discovery/independence.py). By default the
    degrees of freedom have the printed formula, and every number of records is enough.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Fraction, NotNegative, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.independence import CountingTest, FisherZ, Freedom, Test
from dpfair_cli.models.causal_discovery.observed import correlation, require_distinct
from dpfair_cli.models.causal_discovery.orientation import orient
from dpfair_cli.models.causal_discovery.records_g2 import g2
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton


@checked
def fit(
    observations: Observations,
    *,
    significance: Fraction = 0.01,
    freedom: Freedom = "full",
    records_per_freedom: NotNegative = 0.0,
    rng: np.random.Generator,
) -> CausalGraph:
    """The causal graph that PC finds.

    The tests are G^2 tests for categorical variables and Fisher's z tests for numbers. `rng` is not
    used.

    Args:
        significance: The significance level of the independence tests.
        freedom: How the degrees of freedom are counted: by the printed formula ("full"), or less
            empty cells.
        records_per_freedom: The records for each degree of freedom below which a test says
            independent.

    Raises:
        ValueError: there are not more records than variables, or a variable is constant, a copy of
            another variable or a weighted sum of other variables.
    """
    require_distinct(observations)
    test = CountingTest(_test(observations, freedom, records_per_freedom))
    found = find_skeleton(len(observations.names), test, significance=significance)
    return orient(
        found.adjacent, found.separators, observations.names, tests=test.tests, reads=test.reads
    )


def _test(observations: Observations, freedom: Freedom, records_per_freedom: float) -> Test:
    if observations.categorical:
        return g2(observations, freedom, records_per_freedom)
    return FisherZ(correlation(observations), len(observations))


ALGORITHM = Algorithm(
    fit,
    source=(
        "xu2021, Algorithm 2 (Spirtes, Glymour and Scheines 2000), in the variant of Colombo and "
        "Maathuis 2014"
    ),
)
