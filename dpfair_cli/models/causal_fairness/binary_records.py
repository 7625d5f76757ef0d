"""A table of two-valued columns becomes records with a causal graph."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpfair_cli.contracts.schemas import Schema
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.causal_fairness.found_graph import Tiers, directed, full_skeleton, pc_graph
from dpfair_cli.models.tabular.encoding import encode


def causal_records(
    frame: pd.DataFrame,
    schema: Schema,
    tiers: Tiers,
    graph: str,
    *,
    through: tuple[str, ...],
    context: tuple[str, ...],
) -> CausalRecords:
    """The rows of a table with the graph that `graph` "pc" finds on them, or "all" edges that the
    tiers allow.
    """
    records = encode(frame, schema, encoding="binned")
    names = tuple(records.domain.values)
    codes = codes_of(records)
    found = (
        pc_graph(codes, names, tiers)
        if graph == "pc"
        else directed(full_skeleton(len(names)), names, tiers)
    )
    return with_graph(
        records, found, tiers=tuple(map(tuple, tiers)), through=through, context=context
    )


def codes_of(records: Records) -> np.ndarray:
    """The level of every attribute, the group and the label, (n, p)."""
    places = list(records.domain.attributes.values())
    return np.column_stack([*(records.X[:, own].argmax(axis=1) for own in map(list, places)), records.protected,
                            records.y])  # fmt: skip


def with_graph(records: Records, graph: CausalDag, **known: object) -> CausalRecords:
    """The same records, with a graph and what is known of it."""
    return CausalRecords(records.X, records.y, records.protected, records.domain, graph, **known)  # type: ignore[arg-type]
