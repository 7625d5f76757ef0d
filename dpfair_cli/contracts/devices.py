"""The device on which networks are trained: the processor, or an accelerator that torch finds.

A network has the same first weights and the same batches on every device. The noise of an
accelerator and the order of its sums differ from those of the processor. Therefore a row names its
device, and rows of two devices are compared by their verdicts and not to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.extras import how_to_install

NAMES = ("cpu", "cuda", "mps")
LIBRARY = "torch"  # a method or a data set that needs it trains a network


@dataclass(frozen=True)
class Device:
    """A device on which networks are trained."""

    name: str
    """The name of the device in torch."""

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
