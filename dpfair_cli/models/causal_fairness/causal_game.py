"""The game of chapter 7: a generator that follows the graph, a critic of its records, and one of
its interventions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch.nn.functional import logsigmoid

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.causal_generator import (
    CausalGenerator,
    Worlds,
    edge_values,
    logistic_noise,
)
from dpfair_cli.models.causal_fairness.causal_model import CausalModel
from dpfair_cli.models.causal_fairness.causal_schedule import CausalSchedule
from dpfair_cli.models.causal_fairness.effects import ContextWeights
from dpfair_cli.models.causal_fairness.joint import distance_by_chance, empirical_joint
from dpfair_cli.models.causal_fairness.record_distribution import Apart
from dpfair_cli.models.synthesis.critics import to_make_small
from dpfair_cli.models.synthesis.game_schedule import Goal
from dpfair_cli.models.synthesis.networks import Critic, DecisionCritic, Tensor, right
from dpfair_cli.models.synthesis.players import SeededPlayers
from dpfair_cli.models.synthesis.records_needed import require_a_batch, require_two_groups

MEMORY = (
    0.5,
    0.9,
)  # of Adam, as in Wasserstein critics; with 0.9 and 0.999 2,600 rounds do not get far
CRITIC_WIDTHS = (64, 32)  # a quarter of chapter 6's, for a fifth of its inputs
SAMPLED = 50_000  # records of an intervention that are drawn to compare with the exact distribution


class CausalGame:
    """The records of a data set, generator, and critics.

    D1 tells real records from generated ones. D2 tells the two interventions apart by the label,
    and by what it knows of the `context`: those that occur in a batch have equal weights, or
    weights proportional to their records.

    Raises:
        ValueError: fewer records than a batch, or not two groups.
    """

    def __init__(
        self, records: CausalRecords, schedule: CausalSchedule, along: Mask, context: tuple[str, ...],
        weights: ContextWeights, rng: np.random.Generator,
    ) -> None:  # fmt: skip
        require_two_groups(records)
        require_a_batch(records, schedule.batch_size)
        self.schedule, self.graph = schedule, records.graph
        self.codes = torch.tensor(records.codes, dtype=torch.float32)
        self.along = edge_values(along, records.graph)
        self.label = records.graph.place(records.graph.label)
        self.known, self.weights = [records.graph.place(name) for name in context], weights
        self.players = SeededPlayers(rng)
        p = len(records.graph.names)
        self.generator = self.players.begin(
            "generator", lambda: CausalGenerator(records.graph), MEMORY
        )
        self.origin = self.players.begin("D1", lambda: Critic(p, CRITIC_WIDTHS), MEMORY)
        self.intervention = self.players.begin(
            "D2", lambda: DecisionCritic(1 + len(context)), MEMORY
        )

    def real(self) -> Tensor:
        """A batch of real records, (b, p)."""
        rows = self.players.rng.integers(len(self.codes), size=self.schedule.batch_size)
        return self.codes.index_select(0, torch.as_tensor(rows))

    def shown(self, intervened: bool) -> Worlds:
        """A batch of generated records for the critics, through whom no gradient flows."""
        with torch.no_grad():
            return self.made(intervened)

    def made(self, intervened: bool) -> Worlds:
        """A batch of generated records, observed and, if `intervened`, under the interventions too."""
        noise = logistic_noise(self.schedule.batch_size, self.codes.shape[1], self.players.draws)
        network = self.generator.network
        found: Worlds = network.worlds(noise, self.along) if intervened else network.observed(noise)
        return found

    def tell_apart(self, real: Tensor, fake: Worlds) -> None:
        """One step of D1 up J1."""
        judged_real, judged_fake = self.origin(real), self.origin(fake.observed)
        j1 = right(judged_real, torch.ones_like(judged_real)) + right(
            judged_fake, torch.zeros_like(judged_fake)
        )
        self.origin.descend(-j1)

    def tell_intervention(self, fake: Worlds) -> None:
        """One step of D2 up J2."""
        self.intervention.descend(-self._told(fake, 1.0))

    def told_from_real(self, fake: Worlds, goal: Goal) -> Tensor:
        """What the generator makes small of D1."""
        judged = self.origin(fake.observed)
        return to_make_small(judged, torch.zeros_like(judged), goal)

    def intervention_known(self, fake: Worlds, goal: Goal) -> Tensor:
        """What the generator makes small of D2."""
        return self._told(fake, 1.0) if goal == "minimax" else -self._told(fake, -1.0)

    def _told(self, fake: Worlds, sign: float) -> Tensor:
        """J2, the log-likelihood that D2 gives to the right interventions, or with sign -1 to the
        wrong ones.
        """
        known = fake.observed[:, self.known].detach()
        weights = weigh_contexts(known, self.weights)
        at_0, at_1 = (
            self.intervention(world[:, [self.label]], known) for world in (fake.at_0, fake.at_1)
        )
        return (weights * logsigmoid(sign * at_1)).sum() + (
            weights * logsigmoid(-sign * at_0)
        ).sum()

    def difference(self, fake: Worlds) -> float:
        """The change of the label's share from one intervention to the other."""
        return float((fake.at_1 - fake.at_0)[:, self.label].detach().mean())

    def play(
        self,
        play_round: Callable[[], Mapping[str, float]],
        *,
        context: TrainingContext,
        rng: np.random.Generator,
    ) -> CausalModel:
        """The model that the generator stands for after all epochs."""
        rounds = -(-len(self.codes) // self.schedule.batch_size)
        self.players.play(
            lambda epoch: (play_round() for _ in range(rounds)),
            epochs=self.schedule.epochs,
            context=context,
            rng=rng,
        )
        model: CausalModel = self.generator.network.model()
        return model

    def sampled_apart(self, model: CausalModel) -> Apart:
        """How far sampled records under do(S = 1) lie from the exact distribution."""
        noise = logistic_noise(SAMPLED, self.codes.shape[1], self.players.draws)
        network, along = self.generator.network, torch.ones_like(self.along)
        with torch.no_grad():  # in batches, which stay in the processor's cache
            made = torch.cat(
                [network.worlds(part, along).at_1 for part in noise.split(self.schedule.batch_size)]
            )
        others = [
            j for j in range(self.codes.shape[1]) if j != self.graph.place(self.graph.protected)
        ]
        found = empirical_joint(made.numpy().round().astype(np.int64)[:, others])
        exact = model.intervened(np.ones_like(self.graph.arrows)).reshape(found.shape)
        return Apart(
            SAMPLED, float(np.abs(found - exact).sum() / 2), distance_by_chance(exact, SAMPLED)
        )


def weigh_contexts(known: Tensor, weights: ContextWeights) -> Tensor:
    """How much each person counts, 1 in all, (b,), by what is known of the context (b, k), zeros
    and ones.
    """
    if weights == "proportional":
        return known.new_full(known.shape[:1], 1.0 / len(known))
    contexts = (known @ 2.0 ** torch.arange(known.shape[1])).long()
    sizes = contexts.bincount()
    return 1.0 / (sizes[contexts] * sizes.count_nonzero())
