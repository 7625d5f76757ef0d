"""Random records of a public domain, to check without data that a method accepts such a domain."""

from __future__ import annotations

import numpy as np

from dpfair_cli.kinds.records import Domain, Records


def made_up_records(domain: Domain, n: int, *, rng: np.random.Generator) -> Records:
    """A number n of random records, with all groups and both labels.

    Each attribute has a random level; a numeric feature is one of 0, 1/4, 1/2, 3/4 and 1.
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
