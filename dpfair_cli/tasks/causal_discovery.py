"""Causal discovery: a method learns a causal graph, which is compared with the true graph.

A synthetic data set draws a new graph and new records for each seed, and all methods get the same
graph and records for the same seed. The true graph of real records is not known. With `reference`
"pc" the graph that PC finds replaces the true graph (xu2021, Section 4.6.3). Otherwise only the
scores of COUNTS are computed.

The scores `tpr`, `fpr` and `tdr` are the columns of the tables of xu2021 as the dissertation
computed them (metrics/graphs.py): the precision, the missed edges divided by the pairs without an
edge in the estimate, and the recall. The rates that are usually called TPR, FPR and TDR are
`skeleton_recall`, `skeleton_false_positive_rate` and `skeleton_precision`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpfair_cli.algorithms.causal_discovery import pc
from dpfair_cli.contracts.declarations import Study, Sweep
from dpfair_cli.contracts.parameters import Fraction, NotNegative, checked
from dpfair_cli.contracts.results import fitted_once
from dpfair_cli.kinds import Population
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.metrics import graphs as metrics
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.independence import Freedom
from dpfair_cli.models.causal_discovery.orientation import equivalence_class

COUNTS = ("edges", "tests", "reads")  # scores that do not need the true graph
SCORES = (
    "skeleton_precision",
    "skeleton_recall",
    "skeleton_false_positive_rate",
    "structural_hamming_distance",
    "orientation_f1",
    "true_edges",
    "tpr",
    "fpr",
    "tdr",
    *COUNTS,
)
UNBOUNDED = ("edges",)


@dataclass(frozen=True, eq=False)
class ObservationsSplit:
    """Observations whose true graph is unknown."""

    train: Observations  # all observations, to which methods are fitted


@dataclass(frozen=True, eq=False)
class KnownGraphSplit(ObservationsSplit):
    """Observations together with their true graph."""

    # the equivalence class (CPDAG) of the true graph, which is used only for the scores
    truth: CausalGraph


@checked
def split(
    data: Observations | Population[Observations],
    *,
    reference: Literal["truth", "pc"] = "truth",
    significance: Fraction = 0.01,
    freedom: Freedom = "full",
    records_per_freedom: NotNegative = 0.0,
    rng: np.random.Generator,
) -> ObservationsSplit:
    """Observations, with their true graph if this graph is known.

    Args:
        data: a population, from which a graph and records are drawn, or real records.
        reference: with "pc" the graph that PC finds replaces the true graph of real records.
        significance: the level of the tests of this PC.
        freedom: how this PC counts degrees of freedom.
        records_per_freedom: the number of records for each degree of freedom below which a test of
            this PC says independent.
        rng: the source of randomness.

    Raises:
        ValueError: the true graph has a cycle, or PC refuses the records.
    """
    # a population draws its graph too, which is the truth
    if not isinstance(data, Observations):
        observations, dag = data.draw(rng)
        return KnownGraphSplit(observations, equivalence_class(dag, observations.names))
    # real records without a reference have no true graph
    if reference == "truth":
        return ObservationsSplit(data)
    found = pc.fit(
        data,
        significance=significance,
        freedom=freedom,
        records_per_freedom=records_per_freedom,
        rng=rng,
    )
    return KnownGraphSplit(data, found)


def score(model: CausalGraph, case: ObservationsSplit) -> dict[str, float]:
    """The scores of a learned graph, by name."""
    found: dict[str, float] = {"edges": metrics.edges(model.skeleton)}
    found |= {"tests": model.tests, "reads": model.reads}
    if isinstance(case, KnownGraphSplit):
        found |= _against_truth(model, case.truth)
    return {name: float(found[name]) for name in SCORES if name in found}


def _against_truth(model: CausalGraph, truth: CausalGraph) -> dict[str, float]:
    """The scores that compare a learned graph with the true graph."""
    rates = metrics.compare_graphs(model.skeleton, truth.skeleton)
    published = metrics.compare_graphs(truth.skeleton, model.skeleton)  # roles swapped, as xu2021
    distance = metrics.structural_hamming_distance(model.cpdag, truth.cpdag)
    return {
        "skeleton_precision": rates.tdr,
        "skeleton_recall": rates.tpr,
        "skeleton_false_positive_rate": rates.fpr,
        "structural_hamming_distance": distance,
        "orientation_f1": metrics.orientation_f1(model.cpdag, truth.cpdag),
        "true_edges": metrics.edges(truth.skeleton),
        **published._asdict(),
    }


TASK = Study(
    split=split,
    study=fitted_once(score),
    scores=SCORES,
    unbounded=UNBOUNDED,
    result=CausalGraph,
    sweep=Sweep(
        title="Edges found",
        methods=("pc", "priv_pc"),
        values=("skeleton_precision", "skeleton_recall", "skeleton_false_positive_rate"),
        also=("structural_hamming_distance", "orientation_f1", "edges", "true_edges"),
        panels=("skeleton_precision", "skeleton_recall"),
        known_without_truth=("edges",),
    ),
)
