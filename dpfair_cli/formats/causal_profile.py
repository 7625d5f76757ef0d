"""The profile of a user's table with a causal graph, shown before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpfair_cli.formats.table_profile import TableProfile, in_short
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.causal_fairness.binary_records import with_graph


def causal_profile(table: TableProfile, data: CausalRecords) -> TableProfile:
    """The profile of a user's table, with facts and questions about the causal graph of `data`."""
    facts = {**table.facts, "graph": _words(data.graph)}
    for name, attributes in (("through", data.through), ("observed", data.context)):
        if attributes:
            facts[name] = ", ".join(attributes)

    def stand_in(rng: np.random.Generator) -> CausalRecords:
        records: Records = table.stand_in(rng)
        more = {"tiers": data.tiers, "graph_epsilon": data.graph_epsilon}
        return with_graph(records, data.graph, through=data.through, context=data.context, **more)

    questions = (*table.questions, *_questions(data.graph))
    return replace(table, facts=facts, questions=questions, stand_in=stand_in)


def _words(graph: CausalDag) -> str:
    """The numbers of edges and variables of a causal graph, and the label's causes, as text."""
    causes = in_short([graph.names[j] for j in graph.parents(graph.place(graph.label))]) or "none"
    size = f"{int(graph.arrows.sum())} edges of {len(graph.names)} variables"
    return f"{size}; {graph.label} is caused by {causes}"


def _questions(graph: CausalDag) -> Iterator[str]:
    """Yields questions about a causal graph that may be wrong.

    The questions are about variables without an edge, and about a label without a protected cause.
    """
    ends: list[bool] = np.asarray((graph.arrows | graph.arrows.T).any(axis=0)).tolist()
    alone = [name for name, has_edge in zip(graph.names, ends, strict=True) if not has_edge]
    if alone:
        yield f"no edge contains {in_short(alone)}: these variables have neither causes nor effects"
    protected, label = graph.protected, graph.label
    if graph.place(label) not in graph.descendants(graph.place(protected)):
        effect = "by this graph there is no effect to remove"
        yield f"no path leads from {protected} to {label}: {effect}"
