"""Networks that are trained against each other: rounds and epochs, the state of everybody, and
going on from one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dpfair_cli.contracts.training_context import TrainingContext, TrainingState
from dpfair_cli.models.synthesis.networks import RATE, Tensor
from dpfair_cli.models.training.epochs import run_epochs

ADAM_MEMORY = (0.9, 0.999)  # torch's

Rounds = Callable[
    [int], Iterable[Mapping[str, float]]
]  # plays those of an epoch and gives the numbers of each


class Player:
    """A network that takes part, with its own optimiser."""

    def __init__(self, network: torch.nn.Module, memory: tuple[float, float] = ADAM_MEMORY) -> None:
        self.network = network
        self.weights = list(network.parameters())
        self.optimiser = torch.optim.Adam(self.weights, lr=RATE, betas=memory, fused=True)

    def __call__(self, *inputs: Tensor) -> Tensor:
        """What the network gives."""
        return self.network(*inputs)

    def descend(self, loss: Tensor) -> None:
        """One step that makes `loss` smaller, by this network alone."""
        self.step(self.gradients(loss))

    def gradients(self, loss: Tensor) -> tuple[Tensor, ...]:
        """The gradient of `loss` by each weight, None for one that has no part in it; the loss can
        be used again.
        """
        return tuple(torch.autograd.grad(loss, self.weights, retain_graph=True, allow_unused=True))

    def step(self, gradients: Sequence[Tensor]) -> None:
        """One step against the gradients of all weights."""
        for weight, gradient in zip(self.weights, gradients, strict=True):
            weight.grad = gradient
        self.optimiser.step()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights, running means and moments by name, to go on from."""
        found = {name: value.numpy().copy() for name, value in self.network.state_dict().items()}
        for place, moments in self.optimiser.state_dict()["state"].items():
            found |= {
                f"adam.{place}.{name}": value.numpy().copy() for name, value in moments.items()
            }
        return found

    def go_on(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Put back what `arrays` gave."""
        weights = {
            name: torch.tensor(value)
            for name, value in arrays.items()
            if not name.startswith("adam.")
        }
        self.network.load_state_dict(weights)
        state: dict[int, dict[str, Tensor]] = {}
        for name in arrays.keys() - weights.keys():
            _, place, moment = name.split(".")
            state.setdefault(int(place), {})[moment] = torch.tensor(arrays[name])
        self.optimiser.load_state_dict({**self.optimiser.state_dict(), "state": state})


class Players:
    """Players by name, and what their rounds draw from: `rng` for batches, and generators of torch
    by name.
    """

    def __init__(self, rng: np.random.Generator, **streams: torch.Generator) -> None:
        self.rng, self.streams = rng, streams
        self.named: dict[str, Player] = {}

    def add(
        self, name: str, network: torch.nn.Module, memory: tuple[float, float] = ADAM_MEMORY
    ) -> Player:
        """One more player; `memory` are the two shares of its moments that Adam keeps from step to
        step.
        """
        self.named[name] = Player(network, memory)
        return self.named[name]

    def play(
        self, rounds: Rounds, *, epochs: int, context: TrainingContext, rng: np.random.Generator
    ) -> None:
        """All epochs, or those that are left of a training that was cut off.

        Raises:
            ValueError: the numbers of an epoch are not finite.
        """
        start = self._state(0, {})
        last = run_epochs(start, lambda state: self._epochs(state, rounds, epochs), epochs=epochs, context=context,
                          rng=rng)  # fmt: skip
        self._go_on(last)

    def _epochs(self, state: TrainingState, rounds: Rounds, epochs: int) -> Iterator[TrainingState]:
        """The states at the end of each epoch after `state`, with the means of the numbers of its
        rounds.
        """
        self._go_on(state)
        for epoch in range(state.epoch + 1, epochs + 1):
            found = list(rounds(epoch))
            numbers = {name: float(np.mean([each[name] for each in found])) for name in found[0]}
            if not np.isfinite(list(numbers.values())).all():
                raise ValueError(f"the training diverged in epoch {epoch}: {numbers}")
            yield self._state(epoch, numbers)

    def _state(self, epoch: int, numbers: Mapping[str, float]) -> TrainingState:
        arrays = {name: stream.get_state().numpy().copy() for name, stream in self.streams.items()}
        for who, player in self.named.items():
            arrays |= {f"{who} {what}": value for what, value in player.arrays().items()}
        return TrainingState(epoch, arrays, {"batches": self.rng.bit_generator.state}, numbers)

    def _go_on(self, state: TrainingState) -> None:
        for who, player in self.named.items():
            own = f"{who} "
            player.go_on(
                {
                    key.removeprefix(own): each
                    for key, each in state.arrays.items()
                    if key.startswith(own)
                }
            )
        for name, stream in self.streams.items():
            stream.set_state(torch.tensor(state.arrays[name]))
        self.rng.bit_generator.state = state.facts["batches"]


class SeededPlayers(Players):
    """Players whose batches, noise (`draws`) and first weights all come from one generator."""

    def __init__(self, rng: np.random.Generator) -> None:
        batches, seeds = rng.spawn(2)
        self.draws = torch.Generator().manual_seed(int(seeds.integers(2**62)))
        self.seed = int(seeds.integers(2**62))
        super().__init__(batches, draws=self.draws)

    def begin(
        self,
        name: str,
        network: Callable[[], torch.nn.Module],
        memory: tuple[float, float] = ADAM_MEMORY,
    ) -> Player:
        """One more player, whose first weights depend on its name and the seed alone, not on who
        else plays.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed((self.seed + sum(name.encode())) % 2**62)
            return self.add(name, network(), memory)
