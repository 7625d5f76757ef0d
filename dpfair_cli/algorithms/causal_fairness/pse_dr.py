"""PSE-DR: the smallest change of P(label | causes) that makes direct and indirect effects small.

Source: Zhang, Wu and Wu (2017), "A causal framework for discovering and removing direct and
    indirect discrimination"; xu2021, Section 7.3.3.
Differs: The size of a change is the sum of its squares over all cells of the joint distribution
    that the causal graph gives. The result is the joint distribution with the changed table P(label
    | causes), not a sample of this distribution. Entries of the table for combinations of causes
    without records keep their value.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.causal_model import empirical_joint, estimate
from dpfair_cli.models.causal_fairness.effects import (
    direct_path,
    paths_through,
    require_identifiable,
)
from dpfair_cli.models.causal_fairness.label_table import LabelTable
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution


@checked
def fit(
    records: CausalRecords, *, threshold: NotNegativeFinite = 0.05, rng: np.random.Generator
) -> RecordDistribution:
    """The nearest distribution to the records in which two effects are at most `threshold`.

    The two effects are the direct and the indirect effect of the protected variable on the label.
    The indirect effect is along the paths through `records.through`. `rng` is not used.

    Args:
        threshold: The largest direct or indirect effect that is allowed.

    Raises:
        ValueError: the indirect effect is not identified, because the graph has a recanting
            witness for these attributes.
    """
    graph, indirect = records.graph, paths_through(records.graph, records.through)
    require_identifiable(graph, indirect)
    model = estimate(empirical_joint(records.codes), graph)
    table = LabelTable(model)
    # (2, configurations)
    effects = np.array([table.effect(paths) for paths in (direct_path(graph), indirect)])
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
