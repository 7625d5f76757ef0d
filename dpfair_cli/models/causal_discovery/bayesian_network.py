"""Bayesian networks of categorical variables: tables at random or from a BIF file, and records
drawn from them.

Source: xu2021, Section 4.6.1 (2 to 5 categories a variable); the format BIF of the Bayesian network
    repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.random_dag import topological_order

FEWEST_LEVELS = 2
ROUNDING = 1e-3  # by which a printed row of probabilities may miss 1: files give 4 to 8 digits


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """Variables with their levels and, for each, its parents and P(level | parents),
    (configurations, levels).

    Configurations run over the parents' levels in mixed radix, the last parent fastest.
    """

    names: tuple[str, ...]
    levels: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]

    @property
    def dag(self) -> Mask:
        """The graph (p, p)."""
        found = np.zeros((len(self.names),) * 2, dtype=bool)
        for child, parents in enumerate(self.parents):
            found[list(parents), child] = True
        return found

    @property
    def parameters(self) -> int:
        """How many probabilities are free."""
        return sum(table.shape[0] * (table.shape[1] - 1) for table in self.tables)

    def sample(self, n: int, *, rng: np.random.Generator) -> Observations:
        """Draw n records, every variable after its parents."""
        values = np.zeros((n, len(self.names)), dtype=np.int64)
        for child in topological_order(self.dag):
            rows = self._configuration(values, child)
            upper = np.cumsum(self.tables[child], axis=1)[:, :-1]  # (configurations, levels - 1)
            values[:, child] = (rng.random(n)[:, None] >= upper[rows]).sum(axis=1)
        return Observations(values, self.names, self.levels)

    def _configuration(self, values: Ints, child: int) -> Ints:
        code = np.zeros(len(values), dtype=np.int64)
        for parent in self.parents[child]:
            code = code * self.levels[parent] + values[:, parent]
        return code


@dataclass(frozen=True, eq=False)
class NetworkSample:
    """A network as a population: each draw is new records of it."""

    network: BayesianNetwork
    records: int

    def draw(self, rng: np.random.Generator) -> tuple[Observations, Mask]:
        """The records and the graph."""
        return self.network.sample(self.records, rng=rng), self.network.dag

    def counts(self) -> dict[str, Any]:
        """Variables, arcs, and free parameters of the tables."""
        network = self.network
        return {
            "nodes": len(network.names),
            "arcs": int(network.dag.sum()),
            "parameters": network.parameters,
        }


def random_network(
    dag: Mask, *, most_levels: int, concentration: float, rng: np.random.Generator
) -> BayesianNetwork:
    """2 to `most_levels` levels for each variable of a graph, each row of its table from a
    symmetric Dirichlet law.
    """
    p = len(dag)
    levels = tuple(int(count) for count in rng.integers(FEWEST_LEVELS, most_levels + 1, size=p))
    parents = tuple(tuple(np.flatnonzero(dag[:, child]).tolist()) for child in range(p))
    sizes = [prod(levels[parent] for parent in parents[child]) for child in range(p)]
    tables = tuple(
        rng.dirichlet(np.full(count, concentration), size)
        for count, size in zip(levels, sizes, strict=True)
    )
    return BayesianNetwork(tuple(f"v{child}" for child in range(p)), levels, parents, tables)


def parse_bif(text: str) -> BayesianNetwork:
    """The network that a BIF file describes.

    Raises:
        DpfairError: the text is not of that form, or its graph has a cycle; says which variable.
    """
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    variables = re.findall(_VARIABLE, text)
    states = {name: _states(name, int(count), body) for name, count, body in variables}
    found = [(head.partition("|"), body) for head, body in re.findall(_PROBABILITY, text)]
    if (
        not states
        or len(states) < len(variables)
        or sorted(head[0].strip() for head, _ in found) != sorted(states)
    ):
        raise DpfairError(
            "this is no BIF file: every variable needs its states and its probabilities, once"
        )
    names, blocks = (
        tuple(states),
        {head[0].strip(): (_words(head[2]), body) for head, body in found},
    )
    tables = tuple(_table(name, *blocks[name], states) for name in names)
    places = tuple(tuple(names.index(parent) for parent in blocks[name][0]) for name in names)
    network = BayesianNetwork(names, tuple(len(states[name]) for name in names), places, tables)
    try:
        topological_order(network.dag)
    except ValueError as error:
        raise DpfairError(f"this is no Bayesian network: {error}") from error
    return network


_VARIABLE = r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*(\d+)\s*\]\s*\{([^}]*)\}"
_PROBABILITY = r"probability\s*\(([^)]*)\)\s*\{([^}]*)\}"


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _states(name: str, count: int, body: str) -> list[str]:
    found = _words(body)
    if len(set(found)) != count or len(found) != count:
        raise DpfairError(
            f"the variable {name!r} has {count} states, and these are named: {', '.join(found)}"
        )
    return found


def _table(name: str, parents: list[str], body: str, states: dict[str, list[str]]) -> Floats:
    """P(level | parents), (configurations, levels), from the rows of a probability block."""
    unknown = [parent for parent in parents if parent not in states]
    if unknown:
        raise DpfairError(f"the parent {unknown[0]!r} of {name!r} is no variable of the file")
    left = {
        given: place for place, given in enumerate(product(*(states[parent] for parent in parents)))
    }
    table = np.full((len(left), len(states[name])), np.nan)
    for given, row in _rows(name, body):
        if given not in left or len(row) != len(states[name]) or min(row) < 0:
            raise DpfairError(
                f"a row of {name!r}, {given or 'table'}, is there twice, negative or fits no states"
            )
        table[left.pop(given)] = row
    sums = table.sum(axis=1)
    if not (np.abs(sums - 1) < ROUNDING).all():
        raise DpfairError(
            f"the probabilities of {name!r} do not add up to 1 for every value of its parents"
        )
    return np.asarray(table / sums[:, None])


def _rows(name: str, body: str) -> Iterator[tuple[tuple[str, ...], list[float]]]:
    """(states of the parents, probabilities) of each line of a probability block."""
    for line in filter(str.strip, body.split(";")):
        given, _, numbers = line.strip().removeprefix("table").rpartition(")")
        try:
            yield tuple(_words(given.lstrip("("))), [float(word) for word in _words(numbers)]
        except ValueError as error:
            raise DpfairError(f"the probabilities of {name!r}: {error}") from error
