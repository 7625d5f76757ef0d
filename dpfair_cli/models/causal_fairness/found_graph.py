"""A causal graph of binary variables from an undirected skeleton and a known order of causes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.records_g2 import g2
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton

SIGNIFICANCE = 0.01  # of the tests of PC; xu2021, Section 4.6
Tiers = Sequence[Sequence[str]]
"""Names of variables in the order of causes; a variable causes only later variables."""


def pc_graph(codes: Ints, names: tuple[str, ...], tiers: Tiers) -> CausalDag:
    """The causal graph with the edges that the algorithm PC finds in the codes (n, p) of records.

    The tiers, groups of variables in the order of causes, give the directions. The last two names
    are the protected variable and the label.
    """
    observed = Observations(codes, names, (2,) * len(names))
    found = find_skeleton(len(names), g2(observed, "full", 0.0), significance=SIGNIFICANCE)
    return directed(found.adjacent, names, tiers)


def directed(skeleton: Mask, names: tuple[str, ...], tiers: Tiers) -> CausalDag:
    """The causal graph with the edges of a skeleton (p, p), from earlier to later names of tiers.

    Edges inside the first tier are dropped. This tier has the variables that are given at birth,
    which may be dependent although none of them causes another.

    Raises:
        ValueError: a name is in no tier.
    """
    order = [name for tier in tiers for name in tier]
    rank = np.array([order.index(name) for name in names])
    born = np.isin(names, tiers[0])
    arrows = skeleton & (rank[:, None] < rank[None, :]) & ~(born[:, None] & born[None, :])
    return CausalDag(names, arrows, protected=names[-2], label=names[-1])


def full_skeleton(p: int) -> Mask:
    """The complete undirected graph of p variables, (p, p)."""
    return ~np.eye(p, dtype=bool)
