"""LapMech: the PC algorithm on a contingency table of all variables with Laplace noise.

Source: xu2021, Section 4.4.3.
Differs: Replacing a record changes two counts. The noise with `noise` "replace_one" therefore has
    scale 2 / epsilon. With `noise` "published" the noise has the printed scale 1 / epsilon. This
    variant is epsilon-differentially private if a record is added or removed, and 2
    epsilon-differentially private if a record is replaced. Its guarantee, which is for replaced
    records, is refuted. With `noise` "occupied" the noise of the printed scale is added only to
    cells that hold a record, as in a program that lists the combinations of values that occur. The
    list itself is then released without noise, and the guarantee is refuted for every epsilon. The
    dissertation does not say how negative counts are treated. With
    `negative_counts` "summed" the marginal tables are sums of the noisy counts, in which errors
    cancel, and negative cells of the sums become 0. With "zero" negative counts become 0 before the
    sums, which adds about (number of cells) / epsilon records that look independent. The number of
    records is the sum of the noisy table. A table of more than 20 million cells is refused. Noise
    on many cells makes nearly all of the p variables look dependent. All 2^(p - 2) conditioning
    sets of each pair are then tested: with 14 variables a fit takes minutes, and two seconds with
    `max_order` 3, which limits the size of a conditioning set.
"""

from __future__ import annotations

from math import inf, prod
from typing import Literal

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, Fraction, NotNegative, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.counts import L1_ADDED, L1_REPLACED
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.contingency import JointTable, joint_counts
from dpfair_cli.models.causal_discovery.independence import CountingTest, TablesG2
from dpfair_cli.models.causal_discovery.orientation import orient
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton

LARGEST = 20_000_000  # cells: 160 MB
Noise = Literal["replace_one", "published", "occupied"]
NegativeCounts = Literal["summed", "zero"]


@checked
def fit(
    observations: Observations,
    *,
    epsilon: Epsilon = 1.0,
    significance: Fraction = 0.01,
    noise: Noise = "replace_one",
    negative_counts: NegativeCounts = "summed",
    max_order: NotNegative = inf,
    records_per_freedom: NotNegative = 0.0,
    rng: np.random.Generator,
) -> CausalGraph:
    """The causal graph of categorical observations, found by tests on a noisy contingency table.

    A test conditions on at most `max_order` variables. `records_per_freedom` is explained in
    models/causal_discovery/independence.py.

    Args:
        significance: The significance level of the independence tests.
        noise: The cells that get noise, and its scale; only "replace_one" is private for replaced
            records.
        negative_counts: What happens to negative noisy counts: they are summed as they are, or
            become 0.
        max_order: The largest size of a conditioning set.
        records_per_freedom: The records for each degree of freedom below which a test says
            independent.

    Raises:
        ValueError: the variables are numbers, or the table is too large.
    """
    _require_table(observations)
    levels = observations.levels
    # query: (cells,)
    counts = joint_counts(observations)
    sensitivity = L1_REPLACED if noise == "replace_one" else L1_ADDED
    # release
    noisy = laplace(counts, l1_sensitivity=sensitivity, epsilon=epsilon, rng=rng)
    # post-process
    noisy = np.where(counts > 0, noisy, 0.0) if noise == "occupied" else noisy  # not private
    noisy = np.maximum(noisy, 0.0) if negative_counts == "zero" else noisy
    test = CountingTest(
        TablesG2(JointTable(noisy.reshape(levels)), records_per_freedom=records_per_freedom)
    )
    found = find_skeleton(len(levels), test, significance=significance, max_order=max_order)
    return orient(
        found.adjacent, found.separators, observations.names, tests=test.tests, reads=test.reads
    )


def _require_table(observations: Observations) -> None:
    if not observations.categorical:
        raise ValueError(
            "lap_mech must be fitted to categorical variables, got numerical ones: use priv_pc_star"
        )
    size = prod(observations.levels)
    if size > LARGEST:
        raise ValueError(
            f"the contingency table of all variables must have at most {LARGEST:,} cells, "
            f"got {size:,}: merge levels of the variables"
        )


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 4.4.3",
    guarantee=Guarantee(
        released="the noisy table and the graph made from it",
        neighbours=Neighbours.REPLACE_ONE,
        public="the levels of the variables",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/counts.py",
        variants={
            ("noise", "published"): Status.REFUTED,
            ("noise", "occupied"): Status.REFUTED,
        },
    ),
)
