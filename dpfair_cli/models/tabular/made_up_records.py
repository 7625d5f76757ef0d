"""Records who do not exist, in a public domain: to see whether a method takes such data, without
the data.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.kinds.records import Domain, Records


def made_up_records(domain: Domain, n: int, *, rng: np.random.Generator) -> Records:
    """So many records (n) of all groups and both labels, with any level or any of five numbers of
    each attribute.
    """
    X = np.zeros((n, len(domain.columns)))
    for places in domain.attributes.values():
        if len(places) == 1 and not domain.values:
            X[:, places[0]] = rng.integers(5, size=n) / 4
        elif places:
            chosen = rng.integers(len(places), size=n)
            X[np.arange(n), np.array(places)[chosen]] = 1.0
    group, label = np.arange(n) % len(domain.groups), np.arange(n) // len(domain.groups) % 2
    return Records(X, label, group, domain)
