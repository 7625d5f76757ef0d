"""A user's own table of two-valued columns with a causal graph: a csv as in csv.py, and a YAML file
of its edges.

    edges: [[sex, married], [married, income], [sex, income]]
    tiers: [[sex], [married], [income]]     # optional: the order of causes, which a private graph
        needs

Columns without an edge stand alone. `through` and `observed` name the attributes R and O of xu2021,
Section 7.2.1: those that cannot be justified, and those that say for whom counterfactual fairness
is asked. With the domain file of csv.py the second level counts as 1, and no record can refuse the
table; without one the levels are read from the data, the second in the order of csv.py counts as 1,
and a context that nobody has is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.contracts import yaml_files
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.datasets import csv
from dpfair_cli.formats.causal_profile import causal_profile
from dpfair_cli.formats.domain_file import confirms
from dpfair_cli.formats.records_profile import records_profile
from dpfair_cli.formats.table_profile import TableProfile
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.models.causal_fairness.binary_records import with_graph
from dpfair_cli.models.causal_fairness.paths import paths_through


@checked
def load(
    folder: Path,
    *,
    file: str,
    label: str,
    protected: str,
    graph: str,
    positive: str = "",
    domain: str = "",
    through: tuple[str, ...] = (),
    observed: tuple[str, ...] = (),
    graph_epsilon: Epsilon = math.inf,
) -> CausalRecords:
    """The records of `file` with the graph of the file `graph`; paths as typed (`folder` is not
    used).

    Raises:
        DpfairError: a file is not there or not of its form, a column has more than two levels, or
            the graph has a cycle, names no column, or has no path through one of `through`; without
            a domain, a context has nobody.
    """
    records = csv.load(
        folder,
        file=file,
        label=label,
        protected=protected,
        positive=positive,
        domain=domain,
        encoding="binned",
    )
    names, known = tuple(records.domain.values), read_graph(graph)
    try:
        dag = CausalDag(names, arrows(known["edges"], names), protected, label)
        found = with_graph(
            records,
            dag,
            through=through,
            context=observed,
            tiers=known["tiers"],
            graph_epsilon=graph_epsilon,
        )
        require_paths(found)
        if found.bounds == "data":
            require_contexts(found)
        return found
    except ValueError as error:
        raise DpfairError(f"{graph}: {error}") from error


def profile(
    *, file: str, label: str, protected: str, positive: str, domain: str, **graph: Any
) -> TableProfile:
    """What a user should see of table and graph before anything runs.

    Raises:
        DpfairError: as `load`.
    """
    roles: dict[str, Any] = {"label": label, "protected": protected, "positive": positive}
    table = {"file": file, **roles, "domain": domain}
    return causal_profile(
        records_profile(**table, encoding="binned"), load(Path(), **table, **graph)
    )


def require_paths(records: CausalRecords) -> None:
    """Refuse an attribute that no path from the protected column to the label passes.

    Raises:
        ValueError: names it.
    """
    for name in records.through:
        if not paths_through(records.graph, (name,)):
            raise ValueError(
                f"no path from {records.graph.protected!r} to {records.graph.label!r} passes {name!r}"
            )


def require_contexts(records: CausalRecords) -> None:
    """Refuse a context that nobody has.

    Raises:
        ValueError: names it.
    """
    seen = {
        tuple(row)
        for row in records.codes[
            :, [records.graph.place(name) for name in records.context]
        ].tolist()
    }
    for values in product((0, 1), repeat=len(records.context)):
        if values not in seen:
            levels = [
                records.domain.values[name][value]
                for name, value in zip(records.context, values, strict=True)
            ]
            firsts = [
                level if isinstance(level, str) else f"{level[0]:g}" for level in levels
            ]  # of a bin
            words = ", ".join(
                f"{name}={first}" for name, first in zip(records.context, firsts, strict=True)
            )
            raise ValueError(f"the context {words} has nobody")


def read_graph(file: str) -> dict[str, Any]:
    """Edges and tiers in a YAML file of the form above.

    Raises:
        DpfairError: the file is not there, or is not of that form.
    """
    parts = yaml_files.read_texts(file)
    found = parts[0] if len(parts) == 1 else None
    if not isinstance(found, Mapping) or "edges" not in found or found.keys() - {"edges", "tiers"}:
        raise DpfairError(
            f"{file} is no causal graph such as `edges: [[sex, income]]`, with `tiers` at most beside them"
        )
    edges, tiers = found["edges"], found.get("tiers", [])
    if (
        not _lists_of_names(edges)
        or any(len(edge) != 2 for edge in edges)
        or not _lists_of_names(tiers)
    ):
        raise DpfairError(f"{file}: an edge is [cause, effect], a tier a list of columns")
    return {"edges": [tuple(edge) for edge in edges], "tiers": tuple(tuple(tier) for tier in tiers)}


def _lists_of_names(found: object) -> bool:
    return isinstance(found, list) and all(
        isinstance(each, list) and all(isinstance(name, str) for name in each) for each in found
    )


def arrows(edges: list[tuple[str, str]], names: tuple[str, ...]) -> np.ndarray:
    """The edges between variables, (p, p).

    Raises:
        ValueError: a name is no column.
    """
    found = np.zeros((len(names),) * 2, dtype=bool)
    for cause, effect in edges:
        for name in (cause, effect):
            if name not in names:
                raise ValueError(f"no column {name!r} in the table: {nearest(name, names)}")
        found[names.index(cause), names.index(effect)] = True
    return found


DATASET = DataSource(
    load=load,
    note="your own two-valued csv: file=PATH, label=, protected=, graph=PATH [, through=, observed=, domain=PATH]",
    task="causal_fairness",
    own_files=("file", "domain", "graph"),
    public_files=("domain", "graph"),
    confirmed=confirms,
    profile=profile,
    version=3,
)
