"""Records of binary attributes with a causal graph, which PC or the order of causes gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.contracts.schemas import Schema
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.records_g2 import g2
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton
from dpfair_cli.models.tabular.encoding import encode

SIGNIFICANCE = 0.01  # of the tests of PC; xu2021, Section 4.6
Tiers = Sequence[Sequence[str]]
"""Names of variables in the order of causes; a variable causes only later variables."""


def pc_graph(codes: Ints, names: tuple[str, ...], tiers: Tiers) -> CausalDag:
    """The causal graph with the edges that the algorithm PC finds in the codes (n, p) of records.

    The tiers, groups of variables in the order of causes, give the directions. The last two names
    are the protected variable and the label.
    """
    observed = Observations(codes, names, (2,) * len(names))
    found = find_skeleton(len(names), g2(observed, "full", 0.0), significance=SIGNIFICANCE)
    return directed(found.adjacent, names, tiers)


def directed(skeleton: Mask, names: tuple[str, ...], tiers: Tiers) -> CausalDag:
    """The causal graph with the edges of a skeleton (p, p), from earlier to later names of tiers.

    Edges inside the first tier are dropped. This tier has the variables that are given at birth,
    which may be dependent although none of them causes another.

    Raises:
        ValueError: a name is in no tier.
    """
    order = [name for tier in tiers for name in tier]
    rank = np.array([order.index(name) for name in names])
    born = np.isin(names, tiers[0])
    arrows = skeleton & (rank[:, None] < rank[None, :]) & ~(born[:, None] & born[None, :])
    return CausalDag(names, arrows, protected=names[-2], label=names[-1])


def full_skeleton(p: int) -> Mask:
    """The complete undirected graph of p variables, (p, p)."""
    return ~np.eye(p, dtype=bool)


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
