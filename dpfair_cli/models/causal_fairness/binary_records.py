"""Records of binary attributes with a causal graph, made from a table."""

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
    """The rows of a table as records with a causal graph.

    Args:
        frame: one record a row; every column has two values.
        schema: the public levels, the label and the protected column.
        tiers: the names of the variables in the order of causes; no variable causes a variable of
            an earlier tier or of the first tier.
        graph: "pc" for the graph that PC finds, "all" for every edge that `tiers` allow.
        through: the variables through which the indirect paths go.
        context: the variables that a counterfactual effect is conditional on.
    """
    records = encode(frame, schema, encoding="binned")
    names = tuple(records.domain.values)
    codes = codes_of(records)
    if graph == "pc":
        found = pc_graph(codes, names, tiers)
    else:
        found = directed(full_skeleton(len(names)), names, tiers)
    return with_graph(
        records, found, tiers=tuple(map(tuple, tiers)), through=through, context=context
    )


def codes_of(records: Records) -> np.ndarray:
    """The levels of the attributes, the protected group and the label of each record, (n, p)."""
    places = records.domain.attributes.values()
    columns = [records.X[:, list(own)].argmax(axis=1) for own in places]
    columns += [records.protected, records.y]
    return np.column_stack(columns)


def with_graph(records: Records, graph: CausalDag, **known: object) -> CausalRecords:
    """The same records with a causal graph; `known` are the other fields of `CausalRecords`."""
    fields = (records.X, records.y, records.protected, records.domain)
    return CausalRecords(*fields, graph, **known)  # type: ignore[arg-type]
