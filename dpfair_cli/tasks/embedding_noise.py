"""The noise of an embedding: its distance from the non-private embedding, relative to the signal.

Noise and signal are root mean squares of the norms of the rows. The scores are computed from the
private graph and are not private.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding.node_vectors import Embedding

SCORES = ("signal_norm", "noise_norm", "noise_to_signal")


@dataclass(frozen=True, eq=False)
class WholeGraph:
    """A graph without held-out edges or nodes."""

    train: Graph  # the graph without classes


@checked
def split(graph: Graph, *, rng: np.random.Generator) -> WholeGraph:
    """The whole graph; no part is held out, and `rng` is not used."""
    return WholeGraph(graph.without_labels())


def study(fit: BoundFit, case: WholeGraph, *, rng: np.random.Generator) -> Outcome:
    """The private embedding, with scores that compare it with the embedding without noise."""
    # with a copy of the generator, so that both begin with the same rows
    public = fit(case.train, rng=deepcopy(rng), epsilon=np.inf)
    model = fit(case.train, rng=rng)
    signal, noise = mean_norm(public.vectors), mean_norm(model.vectors - public.vectors)
    scores = {"signal_norm": signal, "noise_norm": noise, "noise_to_signal": noise / signal}
    return Outcome(model, scores)


def mean_norm(vectors: Floats) -> float:
    """The root mean square of the norms of the rows of `vectors`."""
    return float(np.sqrt(np.mean(np.sum(vectors**2, axis=1))))


TASK = Study(split=split, study=study, scores=SCORES, unbounded=SCORES, result=Embedding)
