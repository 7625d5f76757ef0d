"""The adversarial game of CFGAN: a generator that follows a causal graph and two critics.

Source: xu2021, Section 7.2. The critic D1 tells real from generated records, and the critic D2
predicts under which intervention a record was generated. J1 and J2 are their objectives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch
from torch.nn.functional import logsigmoid

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.contracts.training_context import Device, TrainingContext
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.causal_generator import (
    CausalGenerator,
    Worlds,
    chosen,
    edge_values,
    logistic_noise,
)
from dpfair_cli.models.causal_fairness.causal_model import (
    CausalModel,
    distance_by_chance,
    empirical_joint,
)
from dpfair_cli.models.causal_fairness.effects import ContextWeights
from dpfair_cli.models.causal_fairness.record_distribution import SamplingDistance
from dpfair_cli.models.synthesis.critics import opponent_loss
from dpfair_cli.models.synthesis.game_schedule import CausalSchedule, Goal
from dpfair_cli.models.synthesis.networks import Critic, DecisionCritic, Tensor, log_likelihood
from dpfair_cli.models.synthesis.one_hot_groups import require_a_batch, require_two_groups
from dpfair_cli.models.synthesis.players import SeededPlayers

ADAM_BETAS = (0.5, 0.9)  # as for Wasserstein critics; with (0.9, 0.999) learning is too slow
CRITIC_WIDTHS = (64, 32)  # a quarter of the widths in chapter 6, for a fifth of the inputs
SAMPLED = 50_000  # records drawn under do(S = 1) to compare with the exact distribution


class CausalGame:
    """The records of a data set, the generator and the two critics.

    D1 tells real from generated records. D2 predicts from the label, and from the variables of
    `context`, under which intervention a record was generated, which passes on `along` edges (p,
    p).

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
        """A batch of generated records without gradients; also `intervened` ones if asked for."""
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
        """The log-likelihood of the true interventions by D2; of the wrong ones with sign -1."""
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
    """The weight of each record of a batch in the loss of D2, (b,), with sum 1.

    The contexts among the values `known` (b, k) have "equal" weights, or weights "proportional" to
    their numbers of records.
    """
    if weights == "proportional":
        return known.new_full(known.shape[:1], 1.0 / len(known))
    # the values of the context, read as a binary number, count the contexts
    digits = 2.0 ** torch.arange(known.shape[1], device=known.device)
    contexts = (known @ digits).long()
    sizes = contexts.bincount()
    return 1.0 / (sizes[contexts] * sizes.count_nonzero())
