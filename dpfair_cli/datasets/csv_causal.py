"""A user's table of two-valued columns with a causal graph: a csv as in csv.py, and a YAML file.

    edges: [[sex, married], [married, income], [sex, income]]
    tiers: [[sex], [married], [income]]     # the order of causes; only a private graph needs it

The option `through` names the attributes R of xu2021, Section 7.2.1, through which an effect cannot
be justified. The option `observed` names the attributes O, whose values are the contexts of
counterfactual fairness. A column without an edge is not connected to the graph.

With a domain file as in csv.py, the second level of a column counts as 1, and no record can cause
an error. Without a domain file, the levels are read from the data, the second level in the order of
csv.py counts as 1, and a context without a record is an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.files import read_yaml_texts
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.datasets import csv
from dpfair_cli.formats.domain_file import confirms
from dpfair_cli.formats.profiles import TableProfile, records_profile
from dpfair_cli.formats.questions import in_short
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.models.causal_fairness.binary_records import with_graph
from dpfair_cli.models.causal_fairness.effects import paths_through

Edges = Sequence[Sequence[str]]  # (cause, effect) of each edge


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
    """The records of the table at the path `file`, with the causal graph in the file `graph`.

    `folder` is not used.

    Raises:
        DpfairError: a file is missing or malformed, a column has more than two levels, the graph
            has a cycle, an unknown column, or no path through an attribute in `through`, or,
            without a domain file, a context has no record.
    """
    table = {"file": file, "label": label, "protected": protected}
    records = csv.load(folder, **table, positive=positive, domain=domain, encoding="binned")
    # attributes, protected column and label
    names, (edges, tiers) = tuple(records.domain.values), read_graph(graph)
    try:
        dag = CausalDag(names, arrows(edges, names), protected, label)
        found = with_graph(
            records,
            dag,
            through=through,
            context=observed,
            tiers=tiers,
            graph_epsilon=graph_epsilon,
        )
        require_paths(found)
        # with a domain file, no record may cause an error
        if found.bounds == "data":
            require_contexts(found)
        return found
    except ValueError as error:
        raise DpfairError(f"{graph}: {error}") from error


def profile(
    *, file: str, label: str, protected: str, positive: str, domain: str, **graph: Any
) -> TableProfile:
    """The profile of a user's table and causal graph, printed before the runs.

    Raises:
        DpfairError: for the same reasons as in `load`.
    """
    options: dict[str, Any] = {"file": file, "label": label, "protected": protected}
    options |= {"positive": positive, "domain": domain}
    table = records_profile(**options, encoding="binned")
    data = load(Path(), **options, **graph)
    facts = {**table.facts, "graph": _words(data.graph)}
    for name, attributes in (("through", data.through), ("observed", data.context)):
        if attributes:
            facts[name] = ", ".join(attributes)

    def stand_in(rng: np.random.Generator) -> CausalRecords:
        more = {"tiers": data.tiers, "graph_epsilon": data.graph_epsilon}
        made = table.stand_in(rng)
        return with_graph(made, data.graph, through=data.through, context=data.context, **more)

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


def require_paths(records: CausalRecords) -> None:
    """Refuses an attribute of `through` that is on no path from the protected column to the label.

    Raises:
        ValueError: there is such an attribute, which the message names.
    """
    protected, label = records.graph.protected, records.graph.label
    for name in records.through:
        if not paths_through(records.graph, (name,)):
            raise ValueError(
                f"every attribute in `through` must be on a path from {protected!r} to "
                f"{label!r} in the causal graph, got {name!r}"
            )


def require_contexts(records: CausalRecords) -> None:
    """Refuses attributes in `observed` with a combination of values that no record has.

    Raises:
        ValueError: there is such a combination, which the message names.
    """
    places = [records.graph.place(name) for name in records.context]
    seen = set(map(tuple, records.codes[:, places].tolist()))  # the contexts that occur
    # an effect is estimated for each combination, so that each must have a record
    for values in product((0, 1), repeat=len(places)):
        if values not in seen:
            words = []
            for name, value in zip(records.context, values, strict=True):
                level = records.domain.values[name][value]
                first = level if isinstance(level, str) else f"{level[0]:g}"  # of a bin
                words.append(f"{name}={first}")
            raise ValueError(
                f"every combination of values of the attributes in `observed` must occur, but no "
                f"record has {', '.join(words)}: name fewer attributes in `observed`"
            )


def read_graph(file: str) -> tuple[Edges, tuple[tuple[str, ...], ...]]:
    """The edges of a causal graph in a YAML file, and the tiers; empty if the file has no tiers.

    Raises:
        DpfairError: the file is missing or malformed.
    """
    parts = read_yaml_texts(file)
    found = parts[0] if len(parts) == 1 else None  # a second part would be another file
    if not isinstance(found, Mapping) or "edges" not in found or found.keys() - {"edges", "tiers"}:
        raise DpfairError(
            f"{file} must describe a causal graph with the key `edges` and optionally the key "
            "`tiers`: write for example `edges: [[sex, income]]`"
        )
    edges, tiers = found["edges"], found.get("tiers", [])
    lists = _is_lists_of_names(edges) and _is_lists_of_names(tiers)
    if not lists or any(len(edge) != 2 for edge in edges):
        raise DpfairError(
            f"{file}: every edge must be a list [cause, effect] and every tier a list of columns, "
            "such as `edges: [[sex, income]]` and `tiers: [[sex], [income]]`"
        )
    return edges, tuple(map(tuple, tiers))


def _is_lists_of_names(found: object) -> bool:
    """Whether a value is a list of lists of text."""
    if not isinstance(found, list) or not all(isinstance(each, list) for each in found):
        return False
    return all(isinstance(name, str) for name in chain.from_iterable(found))


def arrows(edges: Edges, names: tuple[str, ...]) -> np.ndarray:
    """The adjacency matrix (p, p) of the edges; entry (i, j) is True for an edge i -> j.

    Raises:
        ValueError: an edge names an unknown column.
    """
    found = np.zeros((len(names),) * 2, dtype=bool)  # an edge that stands twice is one
    for cause, effect in edges:
        for name in (cause, effect):
            if name not in names:
                raise ValueError(
                    f"unknown column {name!r} in the causal graph: {nearest(name, names)}"
                )
        found[names.index(cause), names.index(effect)] = True
    return found


DATASET = DataSource(
    load=load,
    note="your own two-valued csv: "
    "file=PATH, label=, protected=, graph=PATH [, through=, observed=, domain=PATH]",
    task="causal_fairness",
    own_files=("file", "domain", "graph"),
    public_files=("domain", "graph"),
    confirmed=confirms,
    profile=profile,
    version=14,
)
