"""Exact effects of the protected variable S on the label y, from a joint distribution and a graph.

Source: xu2021, Section 3.2.3.2 and Definitions 13 to 16. The effects are sums over all 2 ** p cells
of the joint distribution of p binary variables; nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.models.causal_fairness.causal_model import estimate
from dpfair_cli.models.causal_fairness.joint import marginal, share_given
from dpfair_cli.models.causal_fairness.paths import Path, edges_of, require_identifiable

ContextWeights = Literal["equal", "proportional"]
"""How the contexts of a counterfactual effect are weighted in one number."""


def total_effect(joint: Floats, graph: CausalDag) -> float:
    """The total effect of the protected variable S on the label y, adjusted for the parents of S.

    The effect is P(y = 1 | do(S = 1)) - P(y = 1 | do(S = 0)). `joint` is the joint distribution of
    the p variables of the graph, (2,) * p. The parents of S are its direct causes in the graph; the
    adjustment uses no other edge. The result is NaN if a combination of values of the parents
    occurs with only one value of S.
    """
    return counterfactual_effect(joint, graph, {})


def counterfactual_effect(joint: Floats, graph: CausalDag, context: Mapping[str, int]) -> float:
    """The total effect of S on the label among the records with the values `context`.

    S is the protected variable, which must not cause a variable of the context. `joint` is the
    joint distribution of the p variables of the graph, (2,) * p.

    Raises:
        ValueError: S causes a variable of the context, or no record has these values.
    """
    protected, label = graph.place(graph.protected), graph.place(graph.label)
    causes = graph.parents(protected)
    require_identified_context(graph, tuple(context))
    among = joint
    for name, value in context.items():
        among = among.take([value], axis=graph.place(name))
    if not among.sum() > 0:
        values = ", ".join(f"{name}={value}" for name, value in context.items())
        raise ValueError(
            f"no record has the values {values}, so the effect for these values cannot be estimated"
        )
    weight = marginal(among, causes) / among.sum()
    rate = share_given(among, label, (*causes, protected), unseen=np.nan)
    change = rate.take([1], axis=protected) - rate.take([0], axis=protected)
    return float(np.where(weight > 0, weight * change, 0.0).sum())


def require_identified_context(graph: CausalDag, context: Sequence[str]) -> None:
    """Refuses a context that contains the protected variable or one of its effects.

    Raises:
        ValueError: the context has such a variable, which the message names.
    """
    moved = graph.descendants(graph.place(graph.protected)) | {graph.place(graph.protected)}
    for name in context:
        if graph.place(name) in moved:
            raise ValueError(
                f"the context of a counterfactual effect must not contain {graph.protected!r} or a "
                f"variable that {graph.protected!r} causes, because the effect is then not "
                f"identifiable, got {name!r}"
            )


def path_specific_effect(joint: Floats, graph: CausalDag, paths: Sequence[Path]) -> float:
    """The change of P(label = 1) if S changes from 0 to 1 only along `paths`.

    S is the protected variable. `joint` is the joint distribution of the p variables of the graph,
    (2,) * p.

    Raises:
        ValueError: the paths have a recanting witness.
    """
    require_identifiable(graph, paths)
    model, p = estimate(joint, graph), len(graph.names)
    return model.outcome(edges_of(paths, p)) - model.outcome(edges_of((), p))
