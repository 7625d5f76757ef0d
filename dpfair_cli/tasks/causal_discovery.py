"""Causal discovery: a method sees the records, scoring the graph that made them.

A made data set draws its graph and its records from the split's generator: a seed is a graph, the
same for all methods. Real records have no known graph; with `reference` "pc", the graph that PC
finds on them stands for it (xu2021, Section 4.6.3), and otherwise nothing that needs a truth is
scored.

`tpr`, `fpr` and `tdr` are the columns of xu2021's tables as they were computed: precision, missed
edges over the gaps of the estimate, and recall (metrics/graphs.py). Their right names are
`skeleton_precision` and `skeleton_recall`; `skeleton_false_positive_rate` is what the text calls
FPR.
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

COUNTS = ("edges", "tests", "reads")  # what is known of a graph without the true one
SCORES = (
    *("skeleton_precision", "skeleton_recall", "skeleton_false_positive_rate"),
    *("structural_hamming_distance", "orientation_f1", "true_edges"),
    *("tpr", "fpr", "tdr"),
    *COUNTS,
)
UNBOUNDED = ("edges",)


@dataclass(frozen=True, eq=False)
class ObservationsSplit:
    """The observations, which a fit may see."""

    train: Observations


@dataclass(frozen=True, eq=False)
class KnownGraphSplit(ObservationsSplit):
    """The observations, and the equivalence class of the true graph, which only scoring sees."""

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
    """Draw a graph and its records, or take real records; the other options are those of the
    reference PC.

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
    """Every score of SCORES; those of COUNTS alone where the truth is not known."""
    counts = {"edges": metrics.edges(model.skeleton), "tests": model.tests, "reads": model.reads}
    found = (
        _against_truth(model, case.truth) if isinstance(case, KnownGraphSplit) else {}
    ) | counts
    return {name: float(found[name]) for name in SCORES if name in found}


def _against_truth(model: CausalGraph, truth: CausalGraph) -> dict[str, float]:
    """The scores that compare a graph with the true one."""
    right = metrics.compare_graphs(model.skeleton, truth.skeleton)
    published = metrics.compare_graphs(
        truth.skeleton, model.skeleton
    )  # the roles as in the dissertation
    return {
        "skeleton_precision": right.tdr,
        "skeleton_recall": right.tpr,
        "skeleton_false_positive_rate": right.fpr,
        "structural_hamming_distance": metrics.structural_hamming_distance(
            model.cpdag, truth.cpdag
        ),
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
