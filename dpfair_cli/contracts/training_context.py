"""The state of a training run of many epochs, with checkpoints, progress and measurements.

The state of any training run consists of named arrays and JSON. An algorithm that trains for epochs
has a keyword `context` before `rng` and passes the context to models/training/epochs.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray

from dpfair_cli.contracts.devices import CPU, Device

Json = Any  # None, numbers, text, and lists of them or mappings from text to them


@dataclass(frozen=True, eq=False)
class TrainingState:
    """The state of a training run at the end of an epoch, from which training can be resumed."""

    epoch: int
    """The number of finished epochs."""

    arrays: Mapping[str, NDArray[Any]]
    """Arrays such as the parameters of a network, by name."""

    facts: Mapping[str, Json]
    """JSON values such as the state of a random generator, by name."""

    numbers: Mapping[str, float] = field(default_factory=dict)
    """Numbers for the progress bar, which a checkpoint does not keep."""


@dataclass(frozen=True, eq=False)
class FinishedTraining:
    """The state and the measurements of a finished training run."""

    last: Any
    """The last state, in the form that the measuring function receives."""

    measurements: list[Json]
    """The results of the measuring function, one for each epoch."""


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
        """The states of a training run, unchanged, while their progress is shown.

        The run has `epochs` in total, of which `done` were finished in an earlier process.
        """
        ...


def show_nothing(
    states: Iterator[TrainingState], *, epochs: int, done: int
) -> Iterator[TrainingState]:
    """The states of a training run, unchanged; no progress is shown."""
    return states


def ignore(found: Any) -> None:
    """Does nothing with the argument."""


NO_CHECKPOINTS = NoCheckpoints()


@dataclass(frozen=True, eq=False)
class TrainingContext:
    """The device, checkpoints and progress display of the training runs of one fit.

    Apart from the device of a network, the context has no influence on the trained model.
    """

    fit_name: str = ""
    """The identity of the fit, with method, version and parameters."""

    checkpoints: CheckpointStore = NO_CHECKPOINTS
    """The store of the states of interrupted runs."""

    progress: ShowProgress = show_nothing
    """The function that shows the progress of a run."""

    measurement_name: str = ""
    """The identity of `measure`; tasks with the same measurements share checkpoints."""

    measure: Callable[[Any], Json] = ignore
    """The function that is called at the end of each epoch and returns measurements as JSON."""

    on_finished: Callable[[FinishedTraining], None] = ignore
    """The function that is called with every finished run."""

    device: Device = CPU
    """The device on which a network is trained."""


NO_CONTEXT = TrainingContext()  # no checkpoints, no progress and no measurements
