"""Causal discovery: a method sees the records, scoring compares its graph with the true one.

A made data set draws its graph and its records from the split's generator: a seed is a graph, the
same for all methods. The true graph of real records is not known. With `reference` "pc" the graph
that PC finds on them takes its place (xu2021, Section 4.6.3); otherwise only the scores of COUNTS
are computed.

`tpr`, `fpr` and `tdr` are the columns of xu2021's tables as they were computed: precision, missed
edges over non-adjacent pairs of the estimate, and recall (metrics/graphs.py). The scores that these
names promise are `skeleton_recall`, `skeleton_false_positive_rate` and `skeleton_precision`.
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

    train: Observations
    """All observations, which the fit sees."""


@dataclass(frozen=True, eq=False)
class KnownGraphSplit(ObservationsSplit):
    """Observations together with their true graph."""

    truth: CausalGraph
    """The equivalence class of the true graph, which only scoring sees."""


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
    """Observations together with their true graph, sampled from a population or given.

    Args:
        data: a population of graphs and records, or real records.
        reference: with "pc" the graph that PC finds stands for the true graph of real records.
        significance: the level of that PC's tests.
        freedom: how that PC counts degrees of freedom.
        records_per_freedom: records per degree of freedom that a test of that PC needs.
        rng: for the draw.

    Raises:
        ValueError: the true graph has a cycle, or PC refuses the records.
    """
    if not isinstance(data, Observations):
        observations, dag = data.draw(rng)
        return KnownGraphSplit(observations, equivalence_class(dag, observations.names))
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
    """The scores in SCORES; only those in COUNTS if the true graph is unknown."""
    found: dict[str, float] = {"edges": metrics.edges(model.skeleton)}
    found |= {"tests": model.tests, "reads": model.reads}
    if isinstance(case, KnownGraphSplit):
        found |= _against_truth(model, case.truth)
    return {name: float(found[name]) for name in SCORES if name in found}


def _against_truth(model: CausalGraph, truth: CausalGraph) -> dict[str, float]:
    """The scores that compare a graph with the true one."""
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
