"""The game of chapter 7: a generator that follows the graph, a critic of its people, and one of its interventions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.kinds.causal_people import CausalPeople
from dpfair_cli.models.causal_fairness.causal_generator import CausalGenerator, Worlds, edge_values, logistic_noise
from dpfair_cli.models.causal_fairness.causal_model import CausalModel
from dpfair_cli.models.causal_fairness.causal_schedule import CausalSchedule
from dpfair_cli.models.causal_fairness.joint import empirical_joint
from dpfair_cli.models.synthesis.critics import to_make_small
from dpfair_cli.models.synthesis.game_schedule import Goal
from dpfair_cli.models.synthesis.networks import Critic, DecisionCritic, Tensor, right
from dpfair_cli.models.synthesis.people_needed import require_a_batch, require_two_groups
from dpfair_cli.models.synthesis.players import Player, Players

MEMORY = (0.5, 0.9)  # of Adam, as in Wasserstein critics; with 0.9 and 0.999 2,600 rounds do not get far
CRITIC_WIDTHS = (64, 32)  # a quarter of chapter 6's, for a fifth of its inputs
SAMPLED = 50_000  # people of an intervention that are drawn to compare with the exact distribution


class CausalGame:
    """The people of a data set, generator, and critics.

    D1 tells real people from generated ones. D2 tells the two interventions apart by the label, and by what it knows of
    the context: every context counts alike.

    Raises:
        ValueError: fewer people than a batch, or not two groups.
    """

    def __init__(
        self, people: CausalPeople, schedule: CausalSchedule, along: Mask, context: tuple[str, ...],
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        require_two_groups(people)
        require_a_batch(people, schedule.batch_size)
        self.schedule, self.graph = schedule, people.graph
        self.batch_rng, seed_rng = rng.spawn(2)
        self.draws = torch.Generator().manual_seed(int(seed_rng.integers(2**62)))
        self.seed = int(seed_rng.integers(2**62))
        self.codes = torch.tensor(people.codes, dtype=torch.float32)
        self.along = edge_values(along, people.graph)
        self.label = people.graph.place(people.graph.label)
        self.known = [people.graph.place(name) for name in context]
        self.players = Players(self.batch_rng, draws=self.draws)
        p = len(people.graph.names)
        self.generator = self._add("generator", lambda: CausalGenerator(people.graph))
        self.origin = self._add("D1", lambda: Critic(p, CRITIC_WIDTHS))
        self.intervention = self._add("D2", lambda: DecisionCritic(1 + len(context)))

    def _add(self, name: str, network: Callable[[], torch.nn.Module]) -> Player:
        """A player whose first weights depend on its name and the seed alone."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed((self.seed + sum(name.encode())) % 2**62)
            return self.players.add(name, network(), MEMORY)

    def real(self) -> Tensor:
        """A batch of real people, (b, p)."""
        rows = self.batch_rng.integers(len(self.codes), size=self.schedule.batch_size)
        return self.codes.index_select(0, torch.as_tensor(rows))

    def shown(self, intervened: bool) -> Worlds:
        """A batch of generated people for the critics, through whom no gradient flows."""
        with torch.no_grad():
            return self.made(intervened)

    def made(self, intervened: bool) -> Worlds:
        """A batch of generated people, observed and, if `intervened`, under the interventions too."""
        noise = logistic_noise(self.schedule.batch_size, self.codes.shape[1], self.draws)
        network = self.generator.network
        found: Worlds = network.worlds(noise, self.along) if intervened else network.observed(noise)
        return found

    def tell_apart(self, real: Tensor, fake: Worlds) -> None:
        """One step of D1 up J1."""
        judged_real, judged_fake = self.origin(real), self.origin(fake.observed)
        j1 = right(judged_real, torch.ones_like(judged_real)) + right(judged_fake, torch.zeros_like(judged_fake))
        self.origin.descend(-j1)

    def tell_intervention(self, fake: Worlds) -> None:
        """One step of D2 up J2."""
        at_0, at_1, weights = self._judged(fake)
        self.intervention.descend(-sum_of(at_1, 1.0, weights) - sum_of(at_0, 0.0, weights))

    def told_from_real(self, fake: Worlds, goal: Goal) -> Tensor:
        """What the generator makes small of D1."""
        judged = self.origin(fake.observed)
        return to_make_small(judged, torch.zeros_like(judged), goal)

    def intervention_known(self, fake: Worlds, goal: Goal) -> Tensor:
        """What the generator makes small of D2."""
        at_0, at_1, weights = self._judged(fake)
        if goal == "minimax":
            return sum_of(at_1, 1.0, weights) + sum_of(at_0, 0.0, weights)
        return -sum_of(at_1, 0.0, weights) - sum_of(at_0, 1.0, weights)

    def _judged(self, fake: Worlds) -> tuple[Tensor, Tensor, Tensor]:
        """What D2 says of the label under both interventions, and what each person weighs: by context, (b,) each."""
        known = fake.observed[:, self.known].detach()
        contexts = (known @ 2.0 ** torch.arange(known.shape[1])).long()
        sizes = contexts.bincount()
        weights = 1.0 / (sizes[contexts] * sizes.count_nonzero())
        return (
            self.intervention(fake.at_0[:, [self.label]], known),
            self.intervention(fake.at_1[:, [self.label]], known),
            weights,
        )

    def difference(self, fake: Worlds) -> float:
        """The change of the label's share from one intervention to the other."""
        return float((fake.at_1 - fake.at_0)[:, self.label].detach().mean())

    def play(
        self, play_round: Callable[[], Mapping[str, float]], *, context: TrainingContext, rng: np.random.Generator
    ) -> CausalModel:
        """The model that the generator stands for after all epochs."""
        rounds = -(-len(self.codes) // self.schedule.batch_size)
        self.players.play(
            lambda epoch: (play_round() for _ in range(rounds)), epochs=self.schedule.epochs, context=context, rng=rng
        )
        model: CausalModel = self.generator.network.model()
        return model

    def sampled_apart(self, model: CausalModel) -> float:
        """The total variation distance of sampled people under do(S = 1) from the exact distribution."""
        noise = logistic_noise(SAMPLED, self.codes.shape[1], self.draws)
        with torch.no_grad():
            made = self.generator.network.worlds(noise, torch.ones_like(self.along)).at_1
        others = [j for j in range(self.codes.shape[1]) if j != self.graph.place(self.graph.protected)]
        found = empirical_joint(made.numpy().round().astype(np.int64)[:, others])
        exact = model.intervened(np.ones_like(self.graph.arrows)).reshape(found.shape)
        return float(np.abs(found - exact).sum() / 2)


def sum_of(judged: Tensor, answer: float, weights: Tensor) -> Tensor:
    """The weighted log-likelihood of an answer."""
    sign = 1.0 if answer else -1.0
    return (weights * torch.nn.functional.logsigmoid(sign * judged)).sum()
