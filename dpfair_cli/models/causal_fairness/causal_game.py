"""The adversarial game of CFGAN: a generator that follows a causal graph and two critics.

Source: xu2021, Section 7.2. The critic D1 tells real from generated records, and the critic D2
predicts under which intervention a record was generated. J1 and J2 are their objectives.

Section 7.2.3 gives no sizes of the generator. Here each variable has a network with one hidden
layer of HIDDEN units, fed by its causes. A variable v is 1 if the score of its network plus
independent logistic noise exceeds 0. P(v = 1 | causes) is therefore exactly the logistic function
of the score. Gradients are those of the logistic function at TEMPERATURE (straight-through
gradients), as in chapter 6. The records as observed and under an intervention on the protected
variable have the same noise and the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn.functional import logsigmoid

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.training_context import Device, TrainingContext
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.models.causal_fairness.causal_model import (
    CausalModel,
    all_codes,
    distance_by_chance,
    empirical_joint,
)
from dpfair_cli.models.causal_fairness.effects import ContextWeights
from dpfair_cli.models.causal_fairness.record_distribution import SamplingDistance
from dpfair_cli.models.synthesis.critics import opponent_loss
from dpfair_cli.models.synthesis.game_schedule import CausalSchedule, Goal
from dpfair_cli.models.synthesis.networks import (
    TEMPERATURE,
    Critic,
    DecisionCritic,
    Tensor,
    log_likelihood,
)
from dpfair_cli.models.synthesis.one_hot_groups import require_a_batch, require_two_groups
from dpfair_cli.models.synthesis.players import SeededPlayers

ADAM_BETAS = (0.5, 0.9)  # as for Wasserstein critics; with (0.9, 0.999) learning is too slow
CRITIC_WIDTHS = (64, 32)  # a quarter of the widths in chapter 6, for a fifth of the inputs
HIDDEN = 32  # units of the hidden layer; our choice
SMALLEST = 1e-7  # uniform numbers lie in [SMALLEST, 1 - SMALLEST], so that logistic noise is finite
SAMPLED = 50_000  # records drawn under do(S = 1) to compare with the exact distribution


@dataclass(frozen=True, eq=False)
class Worlds:
    """A batch of generated records as observed and under two interventions, with the same noise.

    If no interventions were computed, `at_0` and `at_1` have no rows.
    """

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
        """The scores of the k variables of the layer for a batch, (b, k).

        Args:
            before: the variables of the earlier layers, (b, m).
            group: the value of the protected variable that each of the k variables sees, (b, k).
        """
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
        """The records that the generator makes from noise (b, p), with and without interventions.

        The two interventions set the protected variable S to 0 and to 1.

        Args:
            noise: logistic noise, (b, p).
            along: for the records `at_1`, the value of S that each variable sees, (p,).
        """
        b = len(noise)

        def seen(value: Tensor, level: LayerOfVariables) -> Tensor:
            own = value[:b].expand(-1, len(level.own))
            at_1 = chosen(along[None], level.own).expand(b, -1)
            return torch.cat([own, torch.zeros_like(own), at_1])

        return Worlds(*self._values(noise.repeat(3, 1), seen).split(b))

    def _values(self, noise: Tensor, seen: Callable[[Tensor, LayerOfVariables], Tensor]) -> Tensor:
        """The values of all variables, each computed after its causes, (b, p).

        `seen` maps the protected variable (b, 1) and a layer of k variables to the values of the
        protected variable that the layer sees, (b, k).
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


class CausalGame:
    """The records of a data set, the generator and the two critics.

    D1 tells real from generated records. D2 predicts from the label, and from the variables of
    `context`, under which intervention a record was generated.

    Args:
        records: records of two groups, at least `schedule.batch_size`.
        schedule: the number of epochs and the size of a batch.
        along: the edges that pass the intervention on, (p, p).
        context: the names of the variables that D2 sees in addition to the label.
        weights: "equal" gives equal weight to the contexts that occur in a batch, "proportional" a
            weight proportional to the number of records with the context.

    Raises:
        ValueError: there are fewer records than a batch, or not two groups.
    """

    def __init__(
        self,
        records: CausalRecords,
        schedule: CausalSchedule,
        along: Mask,
        context: tuple[str, ...],
        weights: ContextWeights,
        rng: np.random.Generator,
        device: Device,
    ) -> None:
        require_two_groups(records)
        require_a_batch(records, schedule.batch_size)
        self.schedule, self.graph = schedule, records.graph
        self.codes = torch.tensor(records.codes, dtype=torch.float32, device=device.torch())
        self.along = edge_values(along, records.graph).to(device.torch())
        self.label = records.graph.place(records.graph.label)
        self.known, self.weights = [records.graph.place(name) for name in context], weights
        self.players = SeededPlayers(rng, device)
        p = len(records.graph.names)
        self.generator = self.players.begin(
            "generator", lambda: CausalGenerator(records.graph), ADAM_BETAS
        )
        self.origin = self.players.begin("D1", lambda: Critic(p, CRITIC_WIDTHS), ADAM_BETAS)
        self.intervention = self.players.begin(
            "D2", lambda: DecisionCritic(1 + len(context)), ADAM_BETAS
        )

    def real(self) -> Tensor:
        """A batch of b real records of p variables, (b, p)."""
        rows = self.players.rng.integers(len(self.codes), size=self.schedule.batch_size)
        return self.codes.index_select(0, torch.as_tensor(rows, device=self.codes.device))

    def generated(self, intervened: bool) -> Worlds:
        """A batch of generated records without gradients, for training the critics.

        If `intervened` is set, the batch also has the records under the two interventions.
        """
        with torch.no_grad():
            return self.generated_with_gradients(intervened)

    def generated_with_gradients(self, intervened: bool) -> Worlds:
        """A batch of generated records, with gradients."""
        noise = self._noise(self.schedule.batch_size)
        network = self.generator.network
        found: Worlds = network.worlds(noise, self.along) if intervened else network.observed(noise)
        return found

    def _noise(self, b: int) -> Tensor:
        """Noise for b generated records, on the device, (b, p)."""
        p, place = self.codes.shape[1], self.codes.device
        return logistic_noise(b, p, self.players.draws, place)

    def train_origin_critic(self, real: Tensor, fake: Worlds) -> None:
        """Makes one gradient step of the critic D1, which tells real from generated records."""
        judged_real, judged_fake = self.origin(real), self.origin(fake.observed)
        likelihood_real = log_likelihood(judged_real, torch.ones_like(judged_real))
        likelihood_fake = log_likelihood(judged_fake, torch.zeros_like(judged_fake))
        self.origin.descend(-(likelihood_real + likelihood_fake))

    def train_intervention_critic(self, fake: Worlds) -> None:
        """Makes one gradient step of the critic D2, which predicts the intervention of a record."""
        self.intervention.descend(-self._log_likelihood(fake, 1.0))

    def origin_loss(self, fake: Worlds, goal: Goal) -> Tensor:
        """The loss of the generator against D1, the critic of real and generated records."""
        judged = self.origin(fake.observed)
        return opponent_loss(judged, torch.zeros_like(judged), goal)

    def intervention_loss(self, fake: Worlds, goal: Goal) -> Tensor:
        """The loss of the generator against D2, the critic that predicts interventions."""
        return (
            self._log_likelihood(fake, 1.0)
            if goal == "minimax"
            else -self._log_likelihood(fake, -1.0)
        )

    def _log_likelihood(self, fake: Worlds, sign: float) -> Tensor:
        """The log-likelihood that the critic D2 gives to the true interventions of a batch.

        With `sign` -1 the result is the log-likelihood of the wrong interventions.
        """
        # the context is given, and no gradient of the loss may move it
        known = chosen(fake.observed, self.known).detach()
        weights = weigh_contexts(known, self.weights)
        at_0 = self.intervention(chosen(fake.at_0, [self.label]), known)
        at_1 = self.intervention(chosen(fake.at_1, [self.label]), known)
        likelihood_1 = (weights * logsigmoid(sign * at_1)).sum()
        likelihood_0 = (weights * logsigmoid(-sign * at_0)).sum()
        return likelihood_1 + likelihood_0

    def difference(self, fake: Worlds) -> float:
        """P(label = 1 | do(S = 1)) - P(label = 1 | do(S = 0)) among the records of a batch."""
        return float((fake.at_1 - fake.at_0)[:, self.label].detach().mean())

    def play(
        self,
        play_round: Callable[[], Mapping[str, float]],
        *,
        context: TrainingContext,
        rng: np.random.Generator,
    ) -> CausalModel:
        """The causal model that the generator represents after training."""
        rounds = -(-len(self.codes) // self.schedule.batch_size)

        def epoch_rounds(epoch: int) -> Iterator[Mapping[str, float]]:
            return (play_round() for _ in range(rounds))

        epochs = self.schedule.epochs
        self.players.play(epoch_rounds, epochs=epochs, context=context, rng=rng)
        model: CausalModel = self.generator.network.model()
        return model

    def sampling_distance(self, model: CausalModel) -> SamplingDistance:
        """The distance of records sampled under do(S = 1) from the distribution of `model`."""
        noise = self._noise(SAMPLED)
        network, along = self.generator.network, torch.ones_like(self.along)
        parts = noise.split(self.schedule.batch_size)
        with torch.no_grad():  # in batches, which stay in the processor's cache
            made = torch.cat([network.worlds(part, along).at_1 for part in parts])
        protected = self.graph.place(self.graph.protected)
        # the protected variable is 1 in all of them
        others = [j for j in range(self.codes.shape[1]) if j != protected]
        found = empirical_joint(made.cpu().numpy().round().astype(np.int64)[:, others])
        exact = model.intervened(np.ones_like(self.graph.arrows)).reshape(found.shape)
        distance = float(np.abs(found - exact).sum() / 2)
        return SamplingDistance(SAMPLED, distance, distance_by_chance(exact, SAMPLED))


def weigh_contexts(known: Tensor, weights: ContextWeights) -> Tensor:
    """The weight of each record of a batch in the loss of the intervention critic, (b,).

    The sum of the weights is 1.

    Args:
        known: the values of the variables of the context, zeros and ones, (b, k).
        weights: "equal" weights of the contexts that occur, or weights "proportional" to their
            numbers of records.
    """
    if weights == "proportional":
        return known.new_full(known.shape[:1], 1.0 / len(known))
    # the values of the context, read as a binary number, count the contexts
    digits = 2.0 ** torch.arange(known.shape[1], device=known.device)
    contexts = (known @ digits).long()
    sizes = contexts.bincount()
    return 1.0 / (sizes[contexts] * sizes.count_nonzero())
