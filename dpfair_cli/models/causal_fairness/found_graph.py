"""A causal graph of two-valued variables from an undirected skeleton and what is known of the order
of causes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.independence import g2
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton

SIGNIFICANCE = 0.01  # of PC, as in Section 4.6 of xu2021
Tiers = Sequence[Sequence[str]]


def pc_graph(codes: Ints, names: tuple[str, ...], tiers: Tiers) -> CausalDag:
    """The graph of PC's skeleton of codes (n, p); the last two names are the protected variable and
    the label.
    """
    observed = Observations(codes, names, (2,) * len(names))
    found = find_skeleton(len(names), g2(observed, "full", 0.0), significance=SIGNIFICANCE)
    return directed(found.adjacent, names, tiers)


def directed(skeleton: Mask, names: tuple[str, ...], tiers: Tiers) -> CausalDag:
    """The edges of a skeleton (p, p) from earlier to later names of the tiers; those inside the
    first tier are dropped.

    Nothing that comes with birth causes another such thing: they may be dependent, but not as cause
    and effect.

    Raises:
        ValueError: no tier has one of the names.
    """
    order = [name for tier in tiers for name in tier]
    rank = np.array([order.index(name) for name in names])
    born = np.isin(names, tiers[0])
    arrows = skeleton & (rank[:, None] < rank[None, :]) & ~(born[:, None] & born[None, :])
    return CausalDag(names, arrows, protected=names[-2], label=names[-1])


def full_skeleton(p: int) -> Mask:
    """Every edge between p variables."""
    return ~np.eye(p, dtype=bool)
