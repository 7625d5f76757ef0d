"""The state of a training run of many epochs, with its device, checkpoints and measurements.

The state of any training run consists of named arrays and JSON. An algorithm that trains for epochs
has a keyword `context` before `rng` and passes the context to models/training/epochs.py.

A network has the same first weights and the same batches on every device. The noise of an
accelerator and the order of its sums differ from those of the processor. Therefore a row names its
device, and rows of two devices are compared by their verdicts and not to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from dpfair_cli.contracts.errors import DpfairError, how_to_install

if TYPE_CHECKING:  # the options of commands need the devices, and do not wait for NumPy
    from numpy.typing import NDArray

NAMES = ("cpu", "cuda", "mps")
LIBRARY = "torch"  # a method or a data set that needs it trains a network


@dataclass(frozen=True)
class Device:
    """A device on which networks are trained."""

    name: str  # the name of the device in torch

    @property
    def is_processor(self) -> bool:
        """Whether this is the processor, on which the committed results were made."""
        return self == CPU

    def torch(self) -> Any:
        """The torch.device on which tensors are made; imports torch."""
        import torch

        return torch.device(self.name)

    def generator(self, seed: int) -> Any:
        """A torch.Generator that draws on this device, with a seed."""
        import torch

        return torch.Generator(self.torch()).manual_seed(seed)

    def require(self) -> None:
        """Refuses a device that torch does not find on this machine.

        Raises:
            DpfairError: torch is not installed, or does not find the device.
        """
        if self.is_processor:
            return
        try:
            import torch
        except ImportError as error:
            install = how_to_install([LIBRARY])
            raise DpfairError(f"--device {self.name} needs torch: {install}") from error
        if self.name not in available():
            raise DpfairError(
                f"torch {torch.__version__} finds no device {self.name} on this machine: give one "
                f"of the devices {', '.join(available())}, or leave out --device"
            )
        # sums as exact as on the processor: convolutions are otherwise rounded to 10 bits
        torch.backends.cudnn.allow_tf32 = False
        # the same sums in every run: convolutions are otherwise added up in any order
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False


CPU = Device("cpu")


def available() -> list[str]:
    """The names of the devices that torch finds on this machine; imports torch."""
    import torch

    found = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return [CPU.name, *(name for name, is_there in found.items() if is_there)]


Json = Any  # None, numbers, text, and lists of them or mappings from text to them


@dataclass(frozen=True, eq=False)
class TrainingState:
    """The state of a training run at the end of an epoch, from which training can be resumed."""

    epoch: int  # the number of finished epochs
    arrays: Mapping[str, NDArray[Any]]  # arrays such as the parameters of a network, by name
    facts: Mapping[str, Json]  # JSON values such as the state of a random generator, by name
    # numbers for the progress bar, which a checkpoint does not keep
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FinishedTraining:
    """The state and the measurements of a finished training run."""

    last: Any  # the last state, in the form that the measuring function receives
    measurements: list[Json]  # the results of the measuring function, one for each epoch


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

    fit_name: str = ""  # the identity of the fit, with method, version and parameters
    checkpoints: CheckpointStore = NO_CHECKPOINTS  # the store of the states of interrupted runs
    progress: ShowProgress = show_nothing  # the function that shows the progress of a run
    # the identity of `measure`; tasks with the same measurements share checkpoints
    measurement_name: str = ""
    # the function that is called at the end of each epoch and returns measurements as JSON
    measure: Callable[[Any], Json] = ignore
    # the function that is called with every finished run
    on_finished: Callable[[FinishedTraining], None] = ignore
    device: Device = CPU  # the device on which a network is trained


NO_CONTEXT = TrainingContext()  # no checkpoints, no progress and no measurements
