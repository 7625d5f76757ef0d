"""Networks that are trained against each other: rounds, epochs, and states to resume from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dpfair_cli.contracts.training_context import Device, TrainingContext, TrainingState
from dpfair_cli.models.synthesis.networks import RATE, Tensor
from dpfair_cli.models.training.epochs import run_epochs

ADAM_BETAS = (0.9, 0.999)  # the default of torch.optim.Adam

Rounds = Callable[[int], Iterable[Mapping[str, float]]]
"""A function of the number of an epoch that plays its rounds and yields their measurements."""


class Player:
    """A network on a device with its optimiser; `betas` are the decay rates of Adam's moments."""

    def __init__(
        self, network: torch.nn.Module, device: Device, betas: tuple[float, float] = ADAM_BETAS
    ) -> None:
        self.network = network.to(device.torch())
        self.weights = list(network.parameters())
        self.optimiser = torch.optim.Adam(self.weights, lr=RATE, betas=betas, fused=True)

    def __call__(self, *inputs: Tensor) -> Tensor:
        """The output of the network of this player for the inputs."""
        return self.network(*inputs)

    def descend(self, loss: Tensor) -> None:
        """Makes one training step of the network that decreases `loss`."""
        self.step(self.gradients(loss))

    def gradients(self, loss: Tensor) -> tuple[Tensor, ...]:
        """The gradient of `loss` by each weight of the network.

        A gradient is None if `loss` does not depend on the weight. The loss can be differentiated
        again afterwards.
        """
        # a round may differentiate the same outputs for several players
        return tuple(torch.autograd.grad(loss, self.weights, retain_graph=True, allow_unused=True))

    def step(self, gradients: Sequence[Tensor]) -> None:
        """Makes one training step of the network with the given gradients of all its weights."""
        for weight, gradient in zip(self.weights, gradients, strict=True):
            weight.grad = gradient
        self.optimiser.step()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights, running means and moments of Adam of the network, by name."""
        # moments of Adam are part of the state: without them, a resumed run takes other steps
        weights = self.network.state_dict()
        found = {name: value.cpu().numpy().copy() for name, value in weights.items()}
        for place, moments in self.optimiser.state_dict()["state"].items():
            for name, value in moments.items():
                found[f"adam.{place}.{name}"] = value.cpu().numpy().copy()
        return found

    def resume(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores the state of the network that an earlier call of `arrays` returned."""
        own = [name for name in arrays if not name.startswith("adam.")]
        weights = {name: torch.tensor(arrays[name]) for name in own}
        self.network.load_state_dict(weights)
        # torch numbers the weights in the order in which the optimiser got them
        state: dict[int, dict[str, Tensor]] = {}
        for name in arrays.keys() - weights.keys():
            _, place, moment = name.split(".")
            state.setdefault(int(place), {})[moment] = torch.tensor(arrays[name])
        self.optimiser.load_state_dict({**self.optimiser.state_dict(), "state": state})


class Players:
    """Networks with their optimisers, by name, and the random generators that their training uses.

    Args:
        streams: generators of torch, by name.
    """

    def __init__(
        self, rng: np.random.Generator, device: Device, **streams: torch.Generator
    ) -> None:
        self.rng, self.device, self.streams = rng, device, streams
        self.named: dict[str, Player] = {}

    def add(
        self, name: str, network: torch.nn.Module, betas: tuple[float, float] = ADAM_BETAS
    ) -> Player:
        """Adds a network with its optimiser, as a player of the game, and returns the player."""
        self.named[name] = Player(network, self.device, betas)
        return self.named[name]

    def play(
        self, rounds: Rounds, *, epochs: int, context: TrainingContext, rng: np.random.Generator
    ) -> None:
        """Plays all epochs of a game, or those that remain of an interrupted training.

        `rounds` plays the rounds of the epoch with a given number and yields their measurements.

        Raises:
            ValueError: a measurement of an epoch is not finite.
        """

        def epochs_after(state: TrainingState) -> Iterator[TrainingState]:
            return self._epochs(state, rounds, epochs)

        start = self._state(0, {})
        self._resume(run_epochs(start, epochs_after, epochs=epochs, context=context, rng=rng))

    def _epochs(self, state: TrainingState, rounds: Rounds, epochs: int) -> Iterator[TrainingState]:
        """Yields the state at the end of each epoch, with the means of the epoch's measurements."""
        self._resume(state)
        for epoch in range(state.epoch + 1, epochs + 1):
            # the whole epoch, whose means are shown and checked
            found = list(rounds(epoch))
            numbers: dict[str, float] = {}
            for name in found[0]:
                numbers[name] = float(np.mean([each[name] for each in found]))
            if not np.isfinite(list(numbers.values())).all():
                raise ValueError(
                    f"the training diverged in epoch {epoch} ({numbers}): use smaller fairness "
                    "weights, fewer epochs or another seed"
                )
            yield self._state(epoch, numbers)

    def _state(self, epoch: int, numbers: Mapping[str, float]) -> TrainingState:
        # random streams are part of the state, so that a resumed run has the same noise
        arrays = {name: stream.get_state().numpy().copy() for name, stream in self.streams.items()}
        for name, player in self.named.items():
            for part, value in player.arrays().items():
                arrays[f"{name} {part}"] = value
        return TrainingState(epoch, arrays, {"batches": self.rng.bit_generator.state}, numbers)

    def _resume(self, state: TrainingState) -> None:
        for name, player in self.named.items():
            own = [key for key in state.arrays if key.startswith(f"{name} ")]
            player.resume({key.removeprefix(f"{name} "): state.arrays[key] for key in own})
        for name, stream in self.streams.items():
            stream.set_state(torch.tensor(state.arrays[name]))
        self.rng.bit_generator.state = state.facts["batches"]


class SeededPlayers(Players):
    """Players whose batches, noise (`draws`) and first weights all come from one generator."""

    def __init__(self, rng: np.random.Generator, device: Device) -> None:
        batches, seeds = rng.spawn(2)
        self.draws = device.generator(int(seeds.integers(2**62)))
        self.seed = int(seeds.integers(2**62))
        super().__init__(batches, device, draws=self.draws)

    def begin(
        self,
        name: str,
        network: Callable[[], torch.nn.Module],
        betas: tuple[float, float] = ADAM_BETAS,
    ) -> Player:
        """Adds and returns a player, a network with its optimiser.

        The first weights of the network depend on its name and on the seed only: the processor
        draws them.
        """
        # the global generator of torch is left as it was; a network draws weights from it
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed((self.seed + sum(name.encode())) % 2**62)
            return self.add(name, network(), betas)
