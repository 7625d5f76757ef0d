"""Causal discovery with the graph itself among the scores, so that a picture can be drawn from a journal.

Besides the scores of causal_discovery there is one for each pair of variables, named `a | b` in their order: 0 no edge,
1 the arrow a -> b, 2 the arrow b -> a, 3 the line a - b.
"""

from __future__ import annotations

from itertools import combinations

from dpfair_cli.contracts import CausalGraph
from dpfair_cli.tasks import causal_discovery
from dpfair_cli.tasks.causal_discovery import Case

SCORES = causal_discovery.SCORES

split = causal_discovery.split


def score(model: CausalGraph, case: Case) -> dict[str, float]:
    """Every score of SCORES that there is, and the pairs."""
    places = combinations(range(len(model.names)), 2)
    pairs = {
        f"{model.names[i]} | {model.names[j]}": float(model.cpdag[i, j] + 2 * model.cpdag[j, i]) for i, j in places
    }
    return causal_discovery.score(model, case) | pairs
