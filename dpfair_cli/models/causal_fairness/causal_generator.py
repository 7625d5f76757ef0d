"""A generator that follows a causal graph: a small network for each variable, which sees the
variable's causes.

xu2021, Section 7.2.3, gives no sizes. Ours: one hidden layer of HIDDEN units; a variable is 1 where
the score of its network and logistic noise of its own add up to more than 0, so that P(v = 1 |
causes) is the logistic function of the score, exactly. Gradients flow through the same function at
TEMPERATURE (straight-through), as in chapter 6. The worlds share noise and weights: what is
observed, and an intervention on the protected variable along some edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.models.causal_fairness.causal_model import CausalModel
from dpfair_cli.models.causal_fairness.joint import all_codes
from dpfair_cli.models.synthesis.networks import TEMPERATURE, Tensor

HIDDEN = 32
SMALLEST = 1e-7  # of a uniform number and of 1 less it: 32-bit numbers have finite logistic noise


@dataclass(frozen=True, eq=False)
class Worlds:
    """A batch of records in the world that is observed and, of the same noise, under two
    interventions; (b, p) each.

    Without an intervention there is only the first.
    """

    observed: Tensor
    at_0: Tensor
    at_1: Tensor


class Level(nn.Module):  # type: ignore[misc]
    """The networks of k variables that can be computed together, after all of their causes.

    They see the m variables of the levels before them, in that order, through weights that are 0
    where one is no cause, and the protected variable apart, because under an intervention not all
    see the same value of it.
    """

    def __init__(self, graph: CausalDag, before: list[int], own: list[int]) -> None:
        super().__init__()
        self.own, protected = own, graph.place(graph.protected)
        causes = (
            graph.arrows[np.ix_(before, own)] & (np.array(before, dtype=int) != protected)[:, None]
        )  # (m, k)
        width = torch.tensor(np.maximum(graph.arrows[:, own].sum(axis=0), 1.0) ** -0.5)[
            :, None
        ].float()  # (k, 1)
        self.inputs = nn.Parameter(uniform(len(before), len(own), HIDDEN) * width)
        self.group = nn.Parameter(uniform(len(own), HIDDEN) * width)
        self.shift = nn.Parameter(uniform(len(own), HIDDEN) * width)
        self.second = nn.Parameter(uniform(len(own), HIDDEN) * HIDDEN**-0.5)
        self.last = nn.Parameter(torch.zeros(len(own)))
        self.register_buffer("causes", torch.tensor(causes[:, :, None]).float(), False)
        self.register_buffer(
            "sees_group", torch.tensor(graph.arrows[protected, own][:, None]).float(), False
        )

    def forward(self, before: Tensor, group: Tensor) -> Tensor:
        """Scores (b, k) for the variables before (b, m) and what each of these sees of the
        protected one (b, k).
        """
        hidden = (before @ (self.inputs * self.causes).flatten(1)).view(
            len(before), len(self.own), HIDDEN
        )
        hidden = hidden + group[:, :, None] * (self.group * self.sees_group) + self.shift
        return (torch.relu(hidden) * self.second).sum(-1) + self.last


class CausalGenerator(nn.Module):  # type: ignore[misc]
    """The networks of all variables of a graph, level by level."""

    def __init__(self, graph: CausalDag) -> None:
        super().__init__()
        self.graph, found = graph, levels(graph)
        self.sequence = [
            j for level in found for j in level
        ]  # of the variables as they are computed
        starts = [sum(map(len, found[:k])) for k in range(len(found))]
        self.levels = nn.ModuleList(
            Level(graph, self.sequence[:start], level)
            for start, level in zip(starts, found, strict=True)
        )
        self.protected = self.sequence.index(graph.place(graph.protected))
        self.register_buffer("back", torch.tensor(np.argsort(self.sequence)), False)

    def observed(self, noise: Tensor) -> Worlds:
        """What is observed of noise (b, p)."""
        found = self._values(noise, lambda value, level: value.expand(-1, len(level.own)))
        return Worlds(found, found[:0], found[:0])

    def worlds(self, noise: Tensor, along: Tensor) -> Worlds:
        """What is observed of noise (b, p), and the same if the protected variable is 0, or 1 for
        `along` (p,).
        """
        b = len(noise)

        def seen(value: Tensor, level: Level) -> Tensor:
            own = value[:b].expand(-1, len(level.own))
            return torch.cat([own, torch.zeros_like(own), along[level.own].expand(b, -1)])

        return Worlds(*self._values(noise.repeat(3, 1), seen).split(b))

    def _values(self, noise: Tensor, seen: Callable[[Tensor, Level], Tensor]) -> Tensor:
        """Every variable after its causes, (b, p); `seen` is what those of a level see of the
        protected one (b, 1).
        """
        values, noise = noise[:, :0], noise[:, self.sequence]
        for level in self.levels:
            start = values.shape[1]
            group = (
                values[:, self.protected, None]
                if start > self.protected
                else noise.new_zeros(len(noise), 1)
            )
            total = level(values, seen(group, level)) + noise[:, start : start + len(level.own)]
            soft = torch.sigmoid(total / TEMPERATURE)
            values = torch.cat([values, (total > 0).float() - soft.detach() + soft], 1)
        return values.index_select(1, self.back)

    def model(self) -> CausalModel:
        """The tables P(v = 1 | causes) that the networks stand for."""
        with torch.no_grad():
            tables = {j: table for level in self.levels for j, table in self._tables(level)}
        return CausalModel(self.graph, tuple(tables[j] for j in range(len(self.sequence))))

    def _tables(self, level: Level) -> Iterator[tuple[int, Floats]]:
        before = self.sequence[: len(level.causes)]
        for place, j in enumerate(level.own):
            causes = self.graph.parents(j)
            codes = torch.zeros(2 ** len(causes), len(self.sequence))
            codes[:, list(causes)] = torch.tensor(all_codes(len(causes)), dtype=torch.float32)
            group = codes[:, [self.sequence[self.protected]]].expand(-1, len(level.own))
            scores = level(codes[:, before], group)[:, place]
            yield j, torch.sigmoid(scores.double()).numpy().reshape((2,) * len(causes))


def levels(graph: CausalDag) -> list[list[int]]:
    """Variables that can be computed together, each after all of its causes."""
    depth: dict[int, int] = {}
    for j in graph.order:
        depth[j] = 1 + max((depth[k] for k in graph.parents(j)), default=-1)
    return [
        [j for j in sorted(depth) if depth[j] == level] for level in range(max(depth.values()) + 1)
    ]


def uniform(*shape: int) -> Tensor:
    """Numbers between -1 and 1."""
    return 2 * torch.rand(*shape) - 1


def logistic_noise(b: int, p: int, draws: torch.Generator) -> Tensor:
    """Noise (b, p) of the logistic distribution."""
    uniform = torch.rand(b, p, generator=draws).clamp_(SMALLEST, 1 - SMALLEST)
    return torch.log(uniform) - torch.log1p(-uniform)


def edge_values(along: Mask, graph: CausalDag) -> Tensor:
    """1 for each variable to which one of the edges leads from the protected one, (p,)."""
    return torch.tensor(along[graph.place(graph.protected)], dtype=torch.float32)
