"""What a training run of many epochs shares with every other: its state, and what surrounds it.

The state is named arrays and JSON, whatever is trained: one network, an embedding, two networks
against each other. An algorithm that trains for epochs takes a keyword `context` just before `rng`
and hands it to models/training/epochs.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray

Json = Any  # None, numbers, text, and lists of them or mappings from text to them


@dataclass(frozen=True, eq=False)
class TrainingState:
    """Where a training run stands at the end of an epoch, and all that it needs to go on from
    there.

    `arrays` are for example the parameters of a network, `facts` JSON such as the state of a
    generator. `numbers` are shown beside the progress bar and not kept.
    """

    epoch: int
    arrays: Mapping[str, NDArray[Any]]
    facts: Mapping[str, Json]
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FinishedTraining:
    """A training run at its end: the last thing that was measured, and the measurements, one an
    epoch.
    """

    last: Any
    measurements: list[Json]


class CheckpointStore(Protocol):
    """Where a training run that was cut off finds its last state, and what was measured of the
    epochs before.
    """

    def find(self, name: str, *, epochs: int) -> tuple[TrainingState, list[Json]] | None:
        """The last state of the run `name`, if there is one; called when the run begins."""
        ...

    def keep(self, name: str, state: TrainingState, measurements: list[Json]) -> None:
        """Keep the state of the run `name` at the end of an epoch."""
        ...


class NoCheckpoints:
    """Keeps nothing."""

    def find(self, name: str, *, epochs: int) -> tuple[TrainingState, list[Json]] | None:
        """Nothing."""
        return None

    def keep(self, name: str, state: TrainingState, measurements: list[Json]) -> None:
        """Do nothing."""


class ShowProgress(Protocol):
    """What shows how far a training run is."""

    def __call__(
        self, states: Iterator[TrainingState], *, epochs: int, done: int
    ) -> Iterator[TrainingState]:
        """The same states, of a run of so many `epochs`, of which `done` were over before."""
        ...


def show_nothing(
    states: Iterator[TrainingState], *, epochs: int, done: int
) -> Iterator[TrainingState]:
    """The same states."""
    return states


def ignore(found: Any) -> None:
    """Do nothing."""


NO_CHECKPOINTS = NoCheckpoints()


@dataclass(frozen=True, eq=False)
class TrainingContext:
    """What surrounds the training runs of one fit; none of it moves a byte of what is trained.

    `fit_name` says which fit it is: method, version, parameters. `measure` is called at the end of
    each epoch with what the training shows of itself, and returns JSON, which is not private.
    `measurement_name` says what that is: what is kept of a run serves every task that measures the
    same. `on_finished` is called with every run that ends.
    """

    fit_name: str = ""
    checkpoints: CheckpointStore = NO_CHECKPOINTS
    progress: ShowProgress = show_nothing
    measurement_name: str = ""
    measure: Callable[[Any], Json] = ignore
    on_finished: Callable[[FinishedTraining], None] = ignore


NO_CONTEXT = TrainingContext()  # keeps, shows and measures nothing
