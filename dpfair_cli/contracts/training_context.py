"""The interface of training runs of many epochs: their state, and what surrounds them.

The state is named arrays and JSON, whether one network, an embedding or two networks against each
other are trained. An algorithm that trains for epochs takes a keyword `context` before `rng` and
passes it to models/training/epochs.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray

Json = Any  # None, numbers, text, and lists of them or mappings from text to them


@dataclass(frozen=True, eq=False)
class TrainingState:
    """The state of a training run at the end of an epoch, from which training can be resumed."""

    epoch: int
    """The number of finished epochs."""

    arrays: Mapping[str, NDArray[Any]]
    """Arrays such as the parameters of a network, by name."""

    facts: Mapping[str, Json]
    """JSON such as the state of a generator, by name."""

    numbers: Mapping[str, float] = field(default_factory=dict)
    """Numbers that the progress bar shows; they are not kept."""


@dataclass(frozen=True, eq=False)
class FinishedTraining:
    """The state and the measurements of a finished training run."""

    last: Any
    """What was measured last."""

    measurements: list[Json]
    """What was measured, one entry an epoch."""


class CheckpointStore(Protocol):
    """A store of the last state and the measurements of training runs that may be interrupted."""

    def find(self, name: str, *, epochs: int) -> tuple[TrainingState, list[Json]] | None:
        """The last saved state of the run `name`; None if the store has no state of this run.

        Called when the run begins.
        """
        ...

    def keep(self, name: str, state: TrainingState, measurements: list[Json]) -> None:
        """Stores the state of the run `name` at the end of an epoch."""
        ...


class NoCheckpoints:
    """A store that keeps nothing."""

    def find(self, name: str, *, epochs: int) -> tuple[TrainingState, list[Json]] | None:
        """None, since this store has no state."""
        return None

    def keep(self, name: str, state: TrainingState, measurements: list[Json]) -> None:
        """Does nothing."""


class ShowProgress(Protocol):
    """A function that shows the progress of a training run."""

    def __call__(
        self, states: Iterator[TrainingState], *, epochs: int, done: int
    ) -> Iterator[TrainingState]:
        """The same states, shown as progress.

        The run has `epochs` in total, of which `done` were finished in an earlier process.
        """
        ...


def show_nothing(
    states: Iterator[TrainingState], *, epochs: int, done: int
) -> Iterator[TrainingState]:
    """The same states; no progress is shown."""
    return states


def ignore(found: Any) -> None:
    """Do nothing."""


NO_CHECKPOINTS = NoCheckpoints()


@dataclass(frozen=True, eq=False)
class TrainingContext:
    """The checkpoints and progress display of the training runs of one fit.

    The context has no influence on the trained model.
    """

    fit_name: str = ""
    """What identifies the fit: method, version, parameters."""

    checkpoints: CheckpointStore = NO_CHECKPOINTS
    """What keeps the state of interrupted runs."""

    progress: ShowProgress = show_nothing
    """What shows how far a run is."""

    measurement_name: str = ""
    """What identifies the measurement: a kept run serves every task that measures the same."""

    measure: Callable[[Any], Json] = ignore
    """Called at the end of each epoch with the training; returns JSON, which is not private."""

    on_finished: Callable[[FinishedTraining], None] = ignore
    """Called with every run that ends."""


NO_CONTEXT = TrainingContext()  # keeps, shows and measures nothing
