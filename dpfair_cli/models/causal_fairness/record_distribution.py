"""Distributions of records with binary attributes, the results of methods of causal fairness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import FittedFields
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.causal_fairness.causal_model import CausalModel, all_codes
from dpfair_cli.models.synthesis.one_hot_groups import restored_domain, saved_domain


@dataclass(frozen=True, eq=False)
class RecordDistribution(FittedFields):
    """The joint distribution of p binary variables, with their domain and causal graph."""

    # the probability of every cell, (2,) * p; axes are attributes, protected column, label
    joint: Floats
    domain: Domain  # the names and public values of attributes and groups
    graph: CausalDag  # the causal graph that the distribution was fitted with

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """A sample of n independent records from the distribution."""
        cells = rng.choice(self.joint.size, size=n, p=self.joint.ravel())  # (n,)
        return records_of(all_codes(self.joint.ndim)[cells], self.domain)

    def described(self) -> list[str]:
        """A line of text that says that the distribution is not private."""
        return ["not private: the distribution was learned from every record, without noise"]

    def saved(self) -> dict[str, Any]:
        """The probabilities, the domain and the edges of the graph, as JSON for a model file."""
        return {
            "form": "record_distribution",
            "joint": self.joint.ravel().tolist(),
            "domain": saved_domain(self.domain),
            "causes": [list(pair) for pair in np.argwhere(self.graph.arrows).tolist()],
        }


class SamplingDistance(NamedTuple):
    """The distance of records sampled under do(S = 1) from the exact distribution."""

    n: int  # the number of sampled records
    distance: float  # total variation distance of the sampled records from the exact distribution
    by_chance: float  # the mean distance of n records that are drawn from the exact distribution


@dataclass(frozen=True, eq=False)
class ModelledRecords(RecordDistribution):
    """The distribution of a causal model, with a check of the sampler under an intervention."""

    model: CausalModel  # the causal model, whose joint distribution is `joint`
    # the distance of records sampled under do(S = 1) from the exact distribution
    sampling_distance: SamplingDistance

    def described(self) -> list[str]:
        """Lines of text on privacy and on the distance of sampled records from the distribution."""
        found = self.sampling_distance
        line = (
            f"total variation distance of {found.n:,} sampled records under do(S = 1) from the "
            f"exact distribution: {found.distance:.4f} ({found.by_chance:.4f} by chance)"
        )
        return [*super().described(), line]


def records_of(codes: Any, domain: Domain) -> Records:
    """The records whose variables have the values `codes` (n, p) of the domain."""
    X = np.zeros((len(codes), len(domain.columns)))
    for j, places in enumerate(domain.attributes.values()):
        # a 1 in the column of the level that each record has
        X[np.arange(len(codes)), np.array(places)[codes[:, j]]] = 1.0
    return Records(X, codes[:, -1].astype(np.int64), codes[:, -2].astype(np.int64), domain)


def restore(saved: Mapping[str, Any]) -> RecordDistribution:
    """The distribution of records that a model file holds."""
    domain, joint = restored_domain(saved["domain"]), np.array(saved["joint"], dtype=float)
    names = tuple(domain.values)
    arrows = np.zeros((len(names),) * 2, dtype=bool)
    for i, j in saved["causes"]:
        arrows[i, j] = True
    return RecordDistribution(
        joint.reshape((2,) * len(names)), domain, CausalDag(names, arrows, *names[-2:])
    )
