"""Bayesian networks of categorical variables, with random tables or from a BIF file.

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

FEWEST_LEVELS = 2  # xu2021, Section 4.6.1
ROUNDING = 1e-3  # largest difference of the sum of a row from 1; files give 4 to 8 digits


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """A Bayesian network of categorical variables.

    A configuration is a combination of levels of the parents of a variable. Configurations are
    numbered such that the level of the last parent changes fastest.
    """

    names: tuple[str, ...]  # the names of the p variables
    levels: tuple[int, ...]  # the number of levels of each variable
    parents: tuple[tuple[int, ...], ...]  # the indices of each variable's parents
    tables: tuple[Floats, ...]  # P(level | parents) of each variable, (configurations, levels)

    @property
    def dag(self) -> Mask:
        """The adjacency matrix (p, p) of the network; entry (i, j) is True for an edge i -> j."""
        found = np.zeros((len(self.names),) * 2, dtype=bool)
        for child, parents in enumerate(self.parents):
            found[list(parents), child] = True
        return found

    @property
    def parameters(self) -> int:
        """The number of free parameters in the probability tables of the network."""
        return sum(table.shape[0] * (table.shape[1] - 1) for table in self.tables)

    def sample(self, n: int, *, rng: np.random.Generator) -> Observations:
        """A sample of n records from the network; every variable is drawn after its parents."""
        values = np.zeros((n, len(self.names)), dtype=np.int64)
        for child in topological_order(self.dag):
            rows = self._configuration(values, child)
            # one uniform number for each record: the level is the number of bounds below it
            upper = np.cumsum(self.tables[child], axis=1)[:, :-1]  # (configurations, levels - 1)
            values[:, child] = (rng.random(n)[:, None] >= upper[rows]).sum(axis=1)
        return Observations(values, self.names, self.levels)

    def _configuration(self, values: Ints, child: int) -> Ints:
        """The number of the configuration of `child`'s parents in each record, (n,)."""
        code = np.zeros(len(values), dtype=np.int64)
        for parent in self.parents[child]:
            code = code * self.levels[parent] + values[:, parent]
        return code


@dataclass(frozen=True, eq=False)
class NetworkSample:
    """A population of records: each draw is a new sample from a Bayesian network."""

    network: BayesianNetwork  # the network that every draw samples; its graph is the truth to find
    records: int  # the number of records of a draw

    def draw(self, rng: np.random.Generator) -> tuple[Observations, Mask]:
        """Records of a new sample, and the adjacency matrix (p, p) of the network's graph."""
        return self.network.sample(self.records, rng=rng), self.network.dag

    def counts(self) -> dict[str, Any]:
        """The numbers of variables, arcs and free parameters of the network."""
        network = self.network
        return {
            "nodes": len(network.names),
            "arcs": int(network.dag.sum()),
            "parameters": network.parameters,
        }


def random_network(
    dag: Mask, *, most_levels: int, concentration: float, rng: np.random.Generator
) -> BayesianNetwork:
    """A Bayesian network on a graph, with random levels and random tables.

    Args:
        dag: the graph, (p, p); entry (i, j) is True for an edge i -> j.
        most_levels: the largest number of levels; the number of levels of a variable is uniform
            from 2 to this number.
        concentration: the parameter of the symmetric Dirichlet distribution of each table row.
        rng: the source of randomness.
    """
    p = len(dag)
    levels = tuple(int(count) for count in rng.integers(FEWEST_LEVELS, most_levels + 1, size=p))
    parents = tuple(tuple(np.flatnonzero(column).tolist()) for column in dag.T)
    tables: list[Floats] = []
    for count, causes in zip(levels, parents, strict=True):
        configurations = prod(levels[cause] for cause in causes)
        tables.append(rng.dirichlet(np.full(count, concentration), configurations))
    names = tuple(f"v{child}" for child in range(p))
    return BayesianNetwork(names, levels, parents, tuple(tables))


def parse_bif(text: str) -> BayesianNetwork:
    """The Bayesian network described by the text of a BIF file.

    Raises:
        DpfairError: the text is not in the format BIF, or the graph has a cycle.
    """
    # comments first, since they may hold words of the format
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    variables = re.findall(_VARIABLE, text)
    states = {name: _states(name, int(count), body) for name, count, body in variables}
    described, parents, rows = [], {}, {}
    for head, body in re.findall(_PROBABILITY, text):
        child, _, given = head.partition("|")
        described.append(child.strip())
        parents[child.strip()], rows[child.strip()] = _words(given), body
    # a name that occurs twice has fewer entries in the dictionary than in the text
    if not states or len(states) < len(variables) or sorted(described) != sorted(states):
        raise DpfairError(
            "the file must be in the format BIF: every variable must have its states and "
            "its probabilities exactly once"
        )
    names = tuple(states)
    tables = tuple(_table(name, parents[name], rows[name], states) for name in names)
    places = tuple(tuple(map(names.index, parents[name])) for name in names)
    network = BayesianNetwork(names, tuple(map(len, states.values())), places, tables)
    try:
        topological_order(network.dag)
    except ValueError as error:
        raise DpfairError(f"the file must describe a Bayesian network: {error}") from error
    return network


_VARIABLE = r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*(\d+)\s*\]\s*\{([^}]*)\}"
_PROBABILITY = r"probability\s*\(([^)]*)\)\s*\{([^}]*)\}"


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _states(name: str, count: int, body: str) -> list[str]:
    found = _words(body)
    if len(set(found)) != count or len(found) != count:
        raise DpfairError(
            f"the variable {name!r} of the BIF file declares {count} states and must list as many "
            f"different ones, got {', '.join(found)}"
        )
    return found


def _table(name: str, parents: list[str], body: str, states: dict[str, list[str]]) -> Floats:
    """The conditional probabilities of a variable, (configurations of the parents, levels)."""
    unknown = [parent for parent in parents if parent not in states]
    if unknown:
        raise DpfairError(
            f"the parent {unknown[0]!r} of {name!r} must be a variable of the BIF file"
        )
    levels = [states[parent] for parent in parents]
    # rows are taken out as they are read, so that a repeated row is found
    left = {given: place for place, given in enumerate(product(*levels))}
    table = np.full((len(left), len(states[name])), np.nan)
    for given, row in _rows(name, body):
        if given not in left or len(row) != len(states[name]) or min(row) < 0:
            raise DpfairError(
                f"the row {given or 'table'} of the variable {name!r} in the BIF file is "
                "repeated, has a negative probability, has too few or too many probabilities, or "
                "names an unknown state"
            )
        table[left.pop(given)] = row
    sums = table.sum(axis=1)
    if not (np.abs(sums - 1) < ROUNDING).all():
        raise DpfairError(
            f"the probabilities of the variable {name!r} in the BIF file must add up to 1 for "
            "every combination of states of its parents"
        )
    # published probabilities are rounded and add up to 1 only nearly
    return np.asarray(table / sums[:, None])


def _rows(name: str, body: str) -> Iterator[tuple[tuple[str, ...], list[float]]]:
    """Yields the (states of the parents, probabilities) of each line of a probability block."""
    for line in filter(str.strip, body.split(";")):
        given, _, numbers = line.strip().removeprefix("table").rpartition(")")
        try:
            yield tuple(_words(given.lstrip("("))), [float(word) for word in _words(numbers)]
        except ValueError as error:
            raise DpfairError(
                f"the probabilities of the variable {name!r} in the BIF file must be numbers: "
                f"{error}"
            ) from error
