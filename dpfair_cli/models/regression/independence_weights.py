"""Weights of records that make label and group independent and keep the shares of both."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.records import Records


def independence_weights(records: Records) -> Floats:
    """The weight P(s) P(y) / P(s, y) of each record with group s and label y, (n,).

    The sum of the weights is n.

    Raises:
        ValueError: a group has no record with one of the labels.
    """
    counts = np.zeros((len(records.domain.groups), 2))  # (groups, labels)
    np.add.at(counts, (records.protected, records.y), 1)
    wanted = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(records)
    for group, label in np.argwhere((counts == 0) & (wanted > 0)):
        raise ValueError(
            "every group must have records of both labels, but group "
            f"{records.domain.groups[group]!r} has none with label {label}"
        )
    return np.asarray(wanted[records.protected, records.y] / counts[records.protected, records.y])
