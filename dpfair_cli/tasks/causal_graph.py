"""Causal discovery with the learned graph as an output, from which pictures are drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.tasks import causal_discovery
from dpfair_cli.tasks.causal_discovery import ObservationsSplit, score, split


def study(
    fit: Callable[..., CausalGraph], case: ObservationsSplit, *, rng: np.random.Generator
) -> Outcome:
    """The fitted graph, also as the output "graph", with the scores of causal_discovery."""
    graph = fit(case.train, rng=rng)
    return Outcome(graph, score(graph, case), outputs={"graph": graph.as_output()})


TASK = Study(
    split=split,
    study=study,
    scores=causal_discovery.SCORES,
    unbounded=causal_discovery.UNBOUNDED,
    result=CausalGraph,
    outputs=("graph",),
)
