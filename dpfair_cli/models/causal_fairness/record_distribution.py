"""A distribution of records of two-valued attributes: all that the methods of causal fairness give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import FittedFields
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.causal_fairness.causal_model import CausalModel
from dpfair_cli.models.causal_fairness.joint import all_codes
from dpfair_cli.models.synthesis.saved_domain import restored_domain, saved_domain


@dataclass(frozen=True, eq=False)
class RecordDistribution(FittedFields):
    """The probability of every cell, (2,) * p: attributes in the order of `domain`, protected
    column, label.
    """

    joint: Floats
    domain: Domain
    graph: CausalDag

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """So many new records (n)."""
        chosen = all_codes(self.joint.ndim)[
            rng.choice(self.joint.size, size=n, p=self.joint.ravel())
        ]
        return records_of(chosen, self.domain)

    def described(self) -> list[str]:
        """That nothing is private here."""
        return ["not private: the distribution was learned from every record, without noise"]

    def saved(self) -> dict[str, Any]:
        """Probabilities, domain and arrows, for a model file."""
        return {
            "form": "record_distribution",
            "joint": self.joint.ravel().tolist(),
            "domain": saved_domain(self.domain),
            "causes": [list(pair) for pair in np.argwhere(self.graph.arrows).tolist()],
        }


class Apart(NamedTuple):
    """The total variation distance of n sampled records under do(S = 1) from the exact
    distribution.

    `by_chance` is that which so many records drawn from the exact distribution have on average.
    """

    n: int
    distance: float
    by_chance: float


@dataclass(frozen=True, eq=False)
class ModelledRecords(RecordDistribution):
    """The distribution of a causal model, and how far sampled records under an intervention lay
    from the exact ones.
    """

    model: CausalModel
    sampled_apart: Apart

    def described(self) -> list[str]:
        """The same, and that distance."""
        return [
            *super().described(),
            f"total variation distance of {self.sampled_apart.n:,} sampled records under do(S = 1) from the exact "
            f"distribution: {self.sampled_apart.distance:.4f} ({self.sampled_apart.by_chance:.4f} by chance)",
        ]


def records_of(codes: Any, domain: Domain) -> Records:
    """The records with these codes (n, p)."""
    X = np.zeros((len(codes), len(domain.columns)))
    for j, places in enumerate(domain.attributes.values()):
        X[np.arange(len(codes)), np.array(places)[codes[:, j]]] = 1.0
    return Records(X, codes[:, -1].astype(np.int64), codes[:, -2].astype(np.int64), domain)


def restore(saved: Mapping[str, Any]) -> RecordDistribution:
    """The distribution in a model file.

    Raises:
        ValueError: the probabilities do not fit the domain.
    """
    domain, joint = restored_domain(saved["domain"]), np.array(saved["joint"], dtype=float)
    names = tuple(domain.values)
    arrows = np.zeros((len(names),) * 2, dtype=bool)
    for i, j in saved["causes"]:
        arrows[i, j] = True
    return RecordDistribution(
        joint.reshape((2,) * len(names)), domain, CausalDag(names, arrows, *names[-2:])
    )
