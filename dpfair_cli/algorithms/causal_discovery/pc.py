"""PC: the causal graph of observed variables, without privacy.

Source: xu2021, Algorithm 2 (Spirtes, Glymour and Scheines 2000), in the variant of Colombo and
    Maathuis 2014.
Differs: Neighbours are fixed at the beginning of an order ("stable"), so the skeleton does not
    depend on the order of the variables. This is the default of pcalg, which the dissertation used.
    The separators of a pair are all sets that separate it, not the first one found. `freedom` and
    `records_per_freedom` choose among the published conventions of the G^2 test
    (models/causal_discovery/independence.py). The default is the printed formula for any number of
    records.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Fraction, NotNegative, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.independence import CountingTest, FisherZ, Freedom, Test, g2
from dpfair_cli.models.causal_discovery.observed import correlation, require_distinct
from dpfair_cli.models.causal_discovery.orientation import orient
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
    """The graph that PC finds, by G^2 tests of categories or Fisher's z tests of numbers.

    `rng` is not used.

    Raises:
        ValueError: fewer records than variables, or a variable that is constant, a copy or a sum of
            others.
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
    version=1,
    source=(
        "xu2021, Algorithm 2 (Spirtes, Glymour and Scheines 2000), in the variant of Colombo and "
        "Maathuis 2014"
    ),
)
