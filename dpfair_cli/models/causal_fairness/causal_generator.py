"""A generator that follows a causal graph: a small network for each variable, fed by its causes.

Source: xu2021, Section 7.2.3, which gives no sizes. Here each network has one hidden layer of
HIDDEN units. A variable v is 1 if the score of its network plus independent logistic noise exceeds
0. P(v = 1 | causes) is therefore exactly the logistic function of the score. Gradients are those of
the logistic function at TEMPERATURE (straight-through gradients), as in chapter 6. The records as
observed and the records under an intervention on the protected variable are generated with the same
noise and the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.models.causal_fairness.causal_model import CausalModel, all_codes
from dpfair_cli.models.synthesis.networks import TEMPERATURE, Tensor

HIDDEN = 32  # units of the hidden layer; our choice
SMALLEST = 1e-7  # uniform numbers lie in [SMALLEST, 1 - SMALLEST], so that logistic noise is finite


@dataclass(frozen=True, eq=False)
class Worlds:
    """A batch of generated records as observed and under two interventions, with the same noise."""

    observed: Tensor  # records without an intervention, (b, p)
    at_0: Tensor  # records under do(S = 0), (b, p)
    at_1: Tensor  # records under do(S = 1), or with S = 1 only along some edges, (b, p)


class LayerOfVariables(nn.Module):  # type: ignore[misc]
    """The networks of k variables of a graph that are computed together, after all their causes.

    The inputs are the m variables of the earlier layers, with weight 0 for one that is not a cause.
    The protected variable is a separate input, because under an intervention different variables
    may see different values of it.
    """

    def __init__(self, graph: CausalDag, before: list[int], own: list[int]) -> None:
        super().__init__()
        self.own, protected = own, graph.place(graph.protected)
        is_protected = np.array(before, dtype=int) == protected  # (m,)
        causes = graph.arrows[np.ix_(before, own)] & ~is_protected[:, None]  # (m, k)
        sees_group = graph.arrows[protected, own][:, None]  # (k, 1)
        number_of_causes = np.maximum(graph.arrows[:, own].sum(axis=0), 1.0)  # (k,)
        width = torch.tensor(number_of_causes**-0.5)[:, None].float()  # (k, 1)
        self.inputs = nn.Parameter(uniform(len(before), len(own), HIDDEN) * width)
        self.group = nn.Parameter(uniform(len(own), HIDDEN) * width)
        self.shift = nn.Parameter(uniform(len(own), HIDDEN) * width)
        self.second = nn.Parameter(uniform(len(own), HIDDEN) * HIDDEN**-0.5)
        self.last = nn.Parameter(torch.zeros(len(own)))
        self.register_buffer("causes", torch.tensor(causes[:, :, None]).float(), False)
        self.register_buffer("sees_group", torch.tensor(sees_group).float(), False)

    def forward(self, before: Tensor, group: Tensor) -> Tensor:
        """The scores (b, k), from the earlier variables (b, m) and the group each sees (b, k)."""
        hidden = before @ (self.inputs * self.causes).flatten(1)
        hidden = hidden.view(len(before), len(self.own), HIDDEN)
        hidden = hidden + group[:, :, None] * (self.group * self.sees_group) + self.shift
        return (torch.relu(hidden) * self.second).sum(-1) + self.last


class CausalGenerator(nn.Module):  # type: ignore[misc]
    """The networks that generate all variables of a causal graph, layer by layer."""

    def __init__(self, graph: CausalDag) -> None:
        super().__init__()
        self.graph, found = graph, levels(graph)
        self.sequence: list[int] = []  # the variables in the order in which they are computed
        self.levels = nn.ModuleList()
        for level in found:
            self.levels.append(LayerOfVariables(graph, list(self.sequence), level))
            self.sequence += level
        self.protected = self.sequence.index(graph.place(graph.protected))
        self.register_buffer("back", torch.tensor(np.argsort(self.sequence)), False)

    def observed(self, noise: Tensor) -> Worlds:
        """The records that the generator makes from noise (b, p) without an intervention."""
        found = self._values(noise, lambda value, level: value.expand(-1, len(level.own)))
        return Worlds(found, found[:0], found[:0])

    def worlds(self, noise: Tensor, along: Tensor) -> Worlds:
        """The records that noise (b, p) gives, also under interventions that set S to 0 and to 1.

        `along` (p,) is the value of S that each variable sees in the records `at_1`.
        """
        b = len(noise)

        def seen(value: Tensor, level: LayerOfVariables) -> Tensor:
            own = value[:b].expand(-1, len(level.own))
            at_1 = chosen(along[None], level.own).expand(b, -1)
            return torch.cat([own, torch.zeros_like(own), at_1])

        return Worlds(*self._values(noise.repeat(3, 1), seen).split(b))

    def _values(self, noise: Tensor, seen: Callable[[Tensor, LayerOfVariables], Tensor]) -> Tensor:
        """The values of all variables, each computed after its causes, (b, p).

        `seen` maps S (b, 1) and a layer of k variables to the values of S that they see, (b, k).
        """
        values, noise = noise[:, :0], chosen(noise, self.sequence)
        for level in self.levels:
            start = values.shape[1]
            if start > self.protected:
                group = values[:, self.protected, None]
            else:
                group = noise.new_zeros(len(noise), 1)
            total = level(values, seen(group, level)) + noise[:, start : start + len(level.own)]
            soft = torch.sigmoid(total / TEMPERATURE)
            values = torch.cat([values, (total > 0).float() - soft.detach() + soft], 1)
        return values.index_select(1, self.back)

    def model(self) -> CausalModel:
        """The causal model whose tables P(v = 1 | causes) are those that the networks compute."""
        with torch.no_grad():
            tables: dict[int, Floats] = {}
            for level in self.levels:
                tables.update(self._tables(level))
        return CausalModel(self.graph, tuple(tables[j] for j in range(len(self.sequence))))

    def _tables(self, level: LayerOfVariables) -> Iterator[tuple[int, Floats]]:
        before = self.sequence[: len(level.causes)]
        for place, j in enumerate(level.own):
            causes = self.graph.parents(j)
            values = np.zeros((2 ** len(causes), len(self.sequence)), dtype=np.float32)
            values[:, causes] = all_codes(len(causes))
            codes = torch.as_tensor(values, device=self.back.device)
            group = chosen(codes, [self.sequence[self.protected]]).expand(-1, len(level.own))
            scores = level(chosen(codes, before), group)[:, place]
            yield j, torch.sigmoid(scores.cpu().double()).numpy().reshape((2,) * len(causes))


def chosen(values: Tensor, columns: Sequence[int]) -> Tensor:
    """The columns of `values` (b, p) with the given numbers, (b, k)."""
    places = np.array(columns, dtype=np.int64)
    return values.index_select(1, torch.as_tensor(places, device=values.device))


def levels(graph: CausalDag) -> list[list[int]]:
    """The variables of the graph in layers, each of which can be computed at once."""
    depth: dict[int, int] = {}
    for j in graph.order:
        depth[j] = 1 + max((depth[k] for k in graph.parents(j)), default=-1)
    found: list[list[int]] = [[] for _ in range(max(depth.values()) + 1)]
    for j in sorted(depth):
        found[depth[j]].append(j)
    return found


def uniform(*shape: int) -> Tensor:
    """Uniform random numbers between -1 and 1, of the given shape."""
    return 2 * torch.rand(*shape) - 1


def logistic_noise(b: int, p: int, draws: torch.Generator, place: torch.device) -> Tensor:
    """Random numbers from the standard logistic distribution, on the device `place`, (b, p)."""
    uniform = torch.rand(b, p, generator=draws, device=place).clamp_(SMALLEST, 1 - SMALLEST)
    return torch.log(uniform) - torch.log1p(-uniform)


def edge_values(along: Mask, graph: CausalDag) -> Tensor:
    """For each of p variables, 1 if S has an edge of `along` to the variable, else 0, (p,)."""
    return torch.tensor(along[graph.place(graph.protected)], dtype=torch.float32)
