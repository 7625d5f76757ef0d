"""Private synthetic records: a tree-augmented network of the columns, label and group included.

Source: tree_augmented_network, fitted to the levels and bins of the columns of the records.
Differs: As tree_augmented_network. The label of the records is the label of the network, and the
    protected column is the root. A logistic regression is fitted to a sample of the network that
    has as many records as were given, so that the rule costs no further budget.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.algorithms.synthesis import tree_augmented_network
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.fixed_records import label_rule
from dpfair_cli.models.synthesis.tree_records import TreeRecords, as_observations, as_records


@checked
def fit(records: Records, *, epsilon: Epsilon = 1.0, rng: np.random.Generator) -> TreeRecords:
    """The private generator of records, with a rule that predicts the label of a record.

    Raises:
        ValueError: the records do not have the encoding "binned", or there are none.
    """
    observations = as_observations(records)
    *_, protected, label = observations.names
    network = tree_augmented_network.fit(
        observations, epsilon=epsilon, label=label, protected=protected, rng=rng
    )
    drawn = network.sample(len(records), rng=rng.spawn(1)[0])
    made = as_records(drawn, records.domain)
    return TreeRecords(network, label_rule(made), made.domain)


ALGORITHM = Algorithm(
    fit,
    source="tree_augmented_network, fitted to the levels and bins of the columns of the records",
    data_options={"encoding": "binned"},
    guarantee=Guarantee(
        released="the network, any number of records drawn from it, and a rule fitted to such",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/counts.py, mechanisms/sensitivity/dependence.py",
    ),
)
