"""A tree-augmented Bayesian network as a generator of records, and a rule fitted to its sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import FittedFields, NotSaved
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.regression import linear
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis import one_hot_groups


@dataclass(frozen=True, eq=False)
class TreeNetwork(NotSaved):
    """The tables of a tree-augmented network of discrete variables."""

    names: tuple[str, ...]  # the names of the variables, in the order of their indices
    levels: tuple[int, ...]  # the number of levels of each variable
    label: int  # the index of the variable that is a parent of all others
    root: int  # the index of the root of the tree
    # the (child, parent) of each edge; a parent comes before its children
    edges: tuple[tuple[int, int], ...]
    joint: Floats  # P(label, root), (levels of the label, levels of the root)
    # P(child | label, parent) of each edge, (levels of label, of parent, of child)
    conditionals: tuple[Floats, ...]

    def sample(self, n: int, *, rng: np.random.Generator) -> Observations:
        """A sample of n records from the network, drawn variable by variable down the tree."""
        values = np.zeros((n, len(self.names)), dtype=np.int64)
        cells = rng.choice(self.joint.size, size=n, p=self.joint.ravel())
        values[:, self.label], values[:, self.root] = np.unravel_index(cells, self.joint.shape)
        for (child, parent), probabilities in zip(self.edges, self.conditionals, strict=True):
            cumulative = probabilities.cumsum(axis=-1)  # (labels, levels of parent, levels)
            upper = cumulative[values[:, self.label], values[:, parent], :-1]  # (n, levels - 1)
            values[:, child] = (rng.random((n, 1)) > upper).sum(axis=1)
        return Observations(values, self.names, self.levels)


def dependence(table: Floats) -> float:
    """The L1 distance between the counts of two variables and the product of their marginals."""
    product = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(np.abs(table - product).sum())


def shares(counts: Floats) -> Floats:
    """The counts divided by their sums along the last axis; equal shares if a sum is 0."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1), 1 / counts.shape[-1])


@dataclass(frozen=True, eq=False)
class TreeRecords(FittedFields):
    """A network from which records are drawn, and a rule that predicts the label."""

    network: TreeNetwork  # the network of the attributes, the protected column and the label
    classifier: LinearClassifier  # rule that predicts the label, fitted to a sample of the network
    domain: Domain  # the columns of the training records
    reads_group: ClassVar[bool] = False  # whether `predict` uses the protected group

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """A sample of n new records from the network."""
        return as_records(self.network.sample(n, rng=rng), self.domain)

    def predict(self, records: Records) -> Floats:
        """The decision on each record as a probability, 0.0 or 1.0, (n,)."""
        return self.classifier.predict(records)

    def described(self) -> list[str]:
        """A line with the tree: each column with the column on which it depends."""
        names = self.network.names
        edges = [f"{names[child]} on {names[parent]}" for child, parent in self.network.edges]
        label, root = names[self.network.label], names[self.network.root]
        return [f"every column depends on {label}; also {', '.join([f'{root} on none', *edges])}"]

    def state(self) -> dict[str, Any]:
        """The tables of the network, its tree and the weights of the rule, by name."""
        return {**self.network.state(), **self.classifier.state()}

    def saved(self) -> dict[str, Any]:
        """All fields of the network and its classifier as JSON, for a model file."""
        network = self.network
        return {
            "form": "tree_records",
            "label": network.label,
            "root": network.root,
            "tree": [list(edge) for edge in network.edges],
            "joint": network.joint.tolist(),
            "conditionals": [table.tolist() for table in network.conditionals],
            "classifier": self.classifier.saved(),
            "domain": one_hot_groups.saved_domain(self.domain),
        }


def as_observations(records: Records) -> Observations:
    """The attributes, the protected column and the label of records as categorical variables."""
    one_hot_groups.attribute_groups(records)
    domain = records.domain
    codes = [records.X[:, list(places)].argmax(axis=1) for places in domain.attributes.values()]
    values = np.column_stack([*codes, records.protected, records.y])  # (n, p)
    return Observations(values, tuple(domain.values), _levels(domain), domain.bounds)


def as_records(observations: Observations, domain: Domain) -> Records:
    """The records of observations that `as_observations` made, with the columns of `domain`."""
    groups = one_hot_groups.OneHotGroups(tuple(map(len, domain.attributes.values())))
    codes = np.asarray(observations.values, dtype=np.int64)  # (n, p)
    return Records(groups.rows(codes[:, :-2]), codes[:, -1], codes[:, -2], domain)


def _levels(domain: Domain) -> tuple[int, ...]:
    return tuple(len(known) for known in domain.values.values())


def restore(saved: Mapping[str, Any]) -> TreeRecords:
    """The network and the classifier that a model file holds."""
    domain = one_hot_groups.restored_domain(saved["domain"])
    network = TreeNetwork(
        tuple(domain.values),
        _levels(domain),
        saved["label"],
        saved["root"],
        tuple((child, parent) for child, parent in saved["tree"]),
        joint=np.array(saved["joint"], dtype=float),
        conditionals=tuple(np.array(table, dtype=float) for table in saved["conditionals"]),
    )
    return TreeRecords(network, linear.restore(saved["classifier"]), domain)
