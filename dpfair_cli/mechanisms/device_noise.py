"""Normal noise for a vector that is a tensor of an accelerator, so that the vector stays there.

The accelerator draws the noise with a separate generator, whose seed the generator of the fit
draws anew for each release. Accelerators have no cryptographic generator. Secret noise is therefore
drawn by the processor, with exact probabilities as always, and the noisy vector is copied back.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.devices import Device

SEEDS = 2**62  # the number of seeds of a generator of torch


def is_tensor(values: object) -> bool:
    """Whether `values` are a tensor; False without an import of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def as_array(values: Any) -> Floats:
    """A tensor as an array of doubles; an array is returned as it is."""
    return np.asarray(values.cpu().numpy().astype(float) if is_tensor(values) else values)


def placed_like(values: Floats, tensor: Any) -> Any:
    """An array as a tensor on the device of `tensor` and in its precision."""
    return tensor.new_tensor(values)


def normal_like(tensor: Any, sigma: float, source: np.random.Generator) -> Any:
    """Normal noise of standard deviation `sigma` for each entry of a tensor, on its device.

    `source` draws the seed of the noise.
    """
    drawn = Device(tensor.device.type).generator(int(source.integers(SEEDS)))
    return sigma * tensor.new_empty(tensor.shape).normal_(generator=drawn)
