"""PSE-DR: the smallest change of the label's table that makes direct and indirect effects small.

Source: Zhang, Wu and Wu (2017), "A causal framework for discovering and removing direct and
    indirect discrimination"; xu2021, Section 7.3.3.
Differs: The squared change is summed over the cells of the distribution of the graph. The result is
    that distribution with the new table, not a sample of it. Entries of the table for combinations
    without records keep their value.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.causal_model import estimate
from dpfair_cli.models.causal_fairness.joint import empirical_joint
from dpfair_cli.models.causal_fairness.label_table import LabelTable
from dpfair_cli.models.causal_fairness.paths import direct_path, paths_through, require_identifiable
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution


@checked
def fit(
    records: CausalRecords, *, threshold: NotNegativeFinite = 0.05, rng: np.random.Generator
) -> RecordDistribution:
    """The distribution whose direct and indirect effects are at most `threshold`.

    The indirect effect is along the paths through `records.through`. `rng` is not used.

    Raises:
        ValueError: the effect through these attributes has a recanting witness.
    """
    graph, indirect = records.graph, paths_through(records.graph, records.through)
    require_identifiable(graph, indirect)
    model = estimate(empirical_joint(records.codes), graph)
    table = LabelTable(model)
    effects = np.array(
        [table.effect(paths) for paths in (direct_path(graph), indirect)]
    )  # (2, configurations)
    found = table.nearest(effects, threshold)
    return RecordDistribution(table.replaced(found).joint(), records.domain, records.graph)


ALGORITHM = Algorithm(
    fit,
    version=2,
    source=(
        'Zhang, Wu and Wu (2017), "A causal framework for discovering and removing direct and '
        'indirect discrimination"; xu2021, Section 7.3.3'
    ),
)
