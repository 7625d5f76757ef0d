"""What a user should see of their own causal graph, beside the profile of its table, before anything
runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpfair_cli.formats.table_profile import TableProfile, in_short
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.causal_fairness.binary_records import with_graph


def causal_profile(table: TableProfile, data: CausalRecords) -> TableProfile:
    """The profile of the table with what was understood of the graph."""
    known = {"through": data.through, "observed": data.context}
    named = {name: ", ".join(attributes) for name, attributes in known.items() if attributes}
    facts = {**table.facts, "graph": _words(data.graph), **named}

    def stand_in(rng: np.random.Generator) -> CausalRecords:
        records: Records = table.stand_in(rng)
        more = {"tiers": data.tiers, "graph_epsilon": data.graph_epsilon}
        return with_graph(records, data.graph, through=data.through, context=data.context, **more)

    return replace(
        table, facts=facts, questions=(*table.questions, *_questions(data.graph)), stand_in=stand_in
    )


def _words(graph: CausalDag) -> str:
    """Its edges, and what the label is caused by."""
    causes = in_short([graph.names[j] for j in graph.parents(graph.place(graph.label))]) or "none"
    return f"{int(graph.arrows.sum())} edges of {len(graph.names)} variables; {graph.label} is caused by {causes}"


def _questions(graph: CausalDag) -> Iterator[str]:
    """What looks odd about a graph."""
    ends: list[bool] = np.asarray((graph.arrows | graph.arrows.T).any(axis=0)).tolist()
    alone = [name for name, has_edge in zip(graph.names, ends, strict=True) if not has_edge]
    if alone:
        yield f"no edge names {in_short(alone)}: they are causes and effects of nothing"
    if graph.place(graph.label) not in graph.descendants(graph.place(graph.protected)):
        yield f"no path leads from {graph.protected} to {graph.label}: by this graph there is no effect to remove"
