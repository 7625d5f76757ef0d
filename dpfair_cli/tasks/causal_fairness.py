"""Causal fairness of generated records: effects of the protected variable, and the cost in utility.

A method learns from all records and gives a distribution of new records. If a method can only draw
records, the distribution is that of as many generated records as there are real records. Effects
are computed exactly from this distribution and the causal graph of the records (xu2021, Section
7.3). R and O are the attributes `through` and `context` of the records. The scores are:

    total_effect                   Definition 13
    direct_effect                  Definition 14
    indirect_discrimination        Definition 15, along the paths through R
    counterfactual_effect_o1..o4   Definition 16, for O = (1, 1), (1, 0), (0, 1), (0, 0)
    largest_counterfactual_effect  the largest absolute value over all values of O
    chi2, accuracy_*               see metrics/generated_data.py
    largest_error                  the largest difference of an effect from the effect in the true
                                   distribution, for synthetic records
    edges_*                        edges of the graph that the method learned with, compared with
                                   the graph of the records: found, missing and extra edges

An effect has no score if the effect is not identified (there is a recanting witness, or the
protected variable causes a variable of the context), or if the method generates no record with the
context. If the records have a finite `graph_epsilon`, the method learns with another graph, which
PrivPC finds in the records for each seed and which is directed by the known order of causes. The
effects are computed with the graph of the records all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from dpfair_cli.algorithms.causal_discovery import priv_pc
from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.declarations import BoundFit, Study, Sweep
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import Outcome, RecordGenerator
from dpfair_cli.kinds import Population
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.metrics import generated_data as metrics
from dpfair_cli.metrics.graphs import count_edges
from dpfair_cli.models.causal_fairness import effects
from dpfair_cli.models.causal_fairness.binary_records import codes_of, directed
from dpfair_cli.models.causal_fairness.causal_model import empirical_joint
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution

CONTEXTS = tuple(f"counterfactual_effect_o{k}" for k in (1, 2, 3, 4))
EFFECTS = (
    "total_effect",
    "direct_effect",
    "indirect_discrimination",
    *CONTEXTS,
    "largest_counterfactual_effect",
)
EDGES = ("edges_found", "edges_missing", "edges_extra")
SCORES = (
    *EFFECTS,
    "chi2",
    *metrics.CLASSIFIERS,
    "majority_accuracy",
    "selection_rate",
    "largest_error",
    *EDGES,
)


@dataclass(frozen=True, eq=False)
class CausalCase:
    """All records, with the data from which scores are computed."""

    train: CausalRecords  # the records with the graph that the method learns with
    judged: CausalRecords  # the records with the graph from which effects are computed
    joint: Floats  # the distribution of the records, (2,) * p


@dataclass(frozen=True, eq=False)
class KnownCausalCase(CausalCase):
    """Synthetic records with their true distribution."""

    truth: Floats  # the distribution from which the records were drawn, (2,) * p


@checked
def split(
    records: CausalRecords | Population[CausalRecords], *, rng: np.random.Generator
) -> CausalCase:
    """All records, given or drawn from a population, with a causal graph.

    The graph is the one of the data set, or a private graph if `graph_epsilon` of the records is
    finite.

    Raises:
        ValueError: `graph_epsilon` is finite, and the records have no order of causes.
    """
    # given records have no true distribution, and drawn ones have one
    drawn, *truth = (records,) if isinstance(records, CausalRecords) else records.draw(rng)
    kept = drawn if np.isinf(drawn.graph_epsilon) else with_private_graph(drawn, rng)
    joint = empirical_joint(kept.codes)
    return KnownCausalCase(kept, drawn, joint, *truth) if truth else CausalCase(kept, drawn, joint)


def with_private_graph(records: CausalRecords, rng: np.random.Generator) -> CausalRecords:
    """The records with a graph that PrivPC finds, directed by the known order of causes.

    The graph is differentially private, but a model that a method fits with this graph is not.
    """
    if not records.tiers:
        raise ValueError(
            "a finite `graph_epsilon` needs the order of causes: add `tiers` to the file of the "
            "causal graph"
        )
    names, epsilon = records.graph.names, records.graph_epsilon
    observed = Observations(records.codes, names, (2,) * len(names))
    # the known order of causes directs the edges, so that no separators are needed
    found = priv_pc.fit(observed, epsilon=epsilon, separators="none", rng=rng)
    return replace(records, graph=directed(found.skeleton, names, records.tiers))


def study(fit: BoundFit, case: CausalCase, *, rng: np.random.Generator) -> Outcome:
    """The fitted distribution of records with all scores."""
    model = fit(case.train, rng=rng)
    # a child generator, so that the sample does not depend on the draws of the fit
    ours = joint_of(model, len(case.train), rng=rng.spawn(1)[0])
    return Outcome(model, score(ours, case), outputs={"causal_graph": graph_output(case.train)})


def joint_of(model: RecordGenerator, n: int, *, rng: np.random.Generator) -> Floats:
    """The exact joint distribution of a generator, else that of n generated records, (2,) * p."""
    # exact where possible: a sample would add its own error to the effects
    if isinstance(model, RecordDistribution):
        return model.joint
    return empirical_joint(codes_of(model.sample(n, rng=rng)))


def score(ours: Floats, case: CausalCase) -> dict[str, float]:
    """The scores of the joint distribution `ours`, (2,) * p, by name, less unidentified effects."""
    graph, found = case.judged.graph, dict(effects_by_name(ours, case.judged))
    if isinstance(case, KnownCausalCase):
        true = dict(effects_by_name(case.truth, case.judged))
        found["largest_error"] = max(abs(found[name] - true[name]) for name in found)
    found["chi2"] = metrics.chi2_distance(ours, case.joint, len(case.train))
    # by place, because the joint distribution has an axis for each variable
    places = graph.place(graph.protected), graph.place(graph.label)
    found |= metrics.classifier_accuracies(ours, case.joint, *places, len(case.train))
    base_rate = float(case.train.y.mean())
    found["majority_accuracy"] = max(base_rate, 1 - base_rate)
    found["selection_rate"] = float(ours[..., 1].sum())
    counts = count_edges(skeleton(case.train.graph), skeleton(case.judged.graph))
    return found | dict(zip(EDGES, map(float, counts), strict=True))


def skeleton(graph: CausalDag) -> Mask:
    """The edges of a graph without their directions, (p, p)."""
    return np.asarray(graph.arrows | graph.arrows.T)


def effects_by_name(joint: Floats, records: CausalRecords) -> Iterator[tuple[str, float]]:
    """Yields the name and the value of every identifiable effect of the protected variable."""
    graph = records.graph
    yield "total_effect", effects.total_effect(joint, graph)
    yield "direct_effect", effects.path_specific_effect(joint, graph, effects.direct_path(graph))
    with suppress(ValueError):  # a recanting witness
        paths = effects.paths_through(graph, records.through)
        yield "indirect_discrimination", effects.path_specific_effect(joint, graph, paths)
    found: list[float] = []
    with suppress(ValueError):  # the group causes the context, or a context has no record
        found = [
            effects.counterfactual_effect(joint, graph, context) for context in contexts(records)
        ]
    # the scores o1 to o4 are those of two binary context variables
    if len(records.context) == 2 and found:
        yield from zip(CONTEXTS, found, strict=True)
    if found:
        yield "largest_counterfactual_effect", float(np.abs(found).max())


def contexts(records: CausalRecords) -> list[dict[str, int]]:
    """All combinations of values of the context variables, the combination of ones first."""
    if not records.context:
        return []
    values = product((1, 0), repeat=len(records.context))
    return [dict(zip(records.context, each, strict=True)) for each in values]


def graph_output(records: CausalRecords) -> dict[str, list[object]]:
    """The causal graph as JSON; `marked` has the edges on paths through `records.through`."""
    graph: CausalDag = records.graph
    marked = effects.edges_of(effects.paths_through(graph, records.through), len(graph.names))
    names = graph.names
    return {
        "variables": list(names),
        "edges": [[names[i], "->", names[j]] for i, j in np.argwhere(graph.arrows).tolist()],
        "marked": [[names[i], "->", names[j]] for i, j in np.argwhere(marked).tolist()],
    }


TASK = Study(
    split=split,
    study=study,
    scores=SCORES,
    unbounded=("chi2", *EDGES),
    result=RecordGenerator,
    outputs=("causal_graph",),
    sweep=Sweep(
        title="Effects of the protected variable",
        methods=("copied_data", "pse_dr", "a1", "a3"),
        values=("total_effect", "indirect_discrimination", "chi2"),
        also=("direct_effect", "accuracy_lr", "majority_accuracy", "selection_rate"),
        panels=("total_effect", "chi2"),
    ),
)
