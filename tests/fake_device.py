"""A device for tests without an accelerator: its own memory, and the sums of the processor.

A tensor of the device cannot be read as an array before it is copied to the processor, and an
operation on tensors of two devices is refused, as with a real accelerator. Torch calls the device
"meta", a name that it has on every machine. Generators are those of the processor.
"""

import sys
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_flatten, tree_map_only

from dpfair_cli.commands import options
from dpfair_cli.contracts import training_context
from dpfair_cli.contracts.training_context import Device

FAKE = Device("fake")
PLACE = torch.device("meta")
optimizer = sys.modules[torch.optim.Adam.__mro__[1].__module__]  # torch.optim hides its name


class FakeTensor(torch.Tensor):
    """A tensor of the fake device, which holds a tensor `held` of the processor."""

    @staticmethod
    def __new__(cls, held):
        return torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=PLACE,
        )

    def __init__(self, held):
        self.held = held

    def __repr__(self):
        return f"FakeTensor({self.held})"

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return computed(function, args, kwargs or {})


def computed(function, args, kwargs):
    """The result of an operation of torch, on the fake device if its operands or its device are."""
    tensors = [one for one in tree_flatten((args, kwargs))[0] if isinstance(one, torch.Tensor)]
    here = [one for one in tensors if isinstance(one, FakeTensor)]
    plain = [one for one in tensors if not isinstance(one, FakeTensor) and one.ndim]
    wanted = kwargs.get("device")
    if here and plain and function is not torch.ops.aten.copy_.default:
        raise RuntimeError(f"{function} got tensors of two devices")
    wanted = torch.device(wanted) if wanted is not None else None
    inner = {**kwargs, "device": torch.device("cpu")} if wanted is not None else kwargs
    held = tree_map_only(FakeTensor, lambda one: one.held, (args, inner))
    made = function(*held[0], **held[1])
    stays = bool(here) if wanted is None else wanted == PLACE
    if not stays:
        return made
    wrapped = tree_map_only(torch.Tensor, FakeTensor, made)
    if not here:
        return wrapped
    return return_and_correct_aliasing(function, args, kwargs, wrapped)


class _Factories(TorchDispatchMode):
    """Makes tensors for the fake device also if no operand is one of its tensors."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return computed(function, args, kwargs or {})


@dataclass
class Log:
    """What was asked of the fake device while it was there."""

    seeds: list
    """The seed of each generator."""
    places: int = 0
    """How often tensors were placed on the device."""


@contextmanager
def fake_device(monkeypatch):
    """A context in which the fake device is on this machine; yields the log of what it makes."""
    log = Log([])
    real_place, real_generator = Device.torch, Device.generator
    real_names = training_context.available
    fused = optimizer._get_fused_kernels_supported_devices

    def place(device):
        if device.name not in (FAKE.name, PLACE.type):
            return real_place(device)
        log.places += 1
        return PLACE

    def generator(device, seed):
        if device.name not in (FAKE.name, PLACE.type):
            return real_generator(device, seed)
        log.seeds.append(seed)
        return torch.Generator().manual_seed(seed)

    monkeypatch.setattr(Device, "torch", place)
    monkeypatch.setattr(Device, "generator", generator)
    monkeypatch.setattr(training_context, "available", lambda: [*real_names(), FAKE.name])
    monkeypatch.setattr(training_context, "NAMES", (*training_context.NAMES, FAKE.name))
    monkeypatch.setattr(options.DEVICES, "choices", training_context.NAMES)
    monkeypatch.setattr(
        optimizer,
        "_get_fused_kernels_supported_devices",
        lambda: [*fused(), PLACE.type],
    )
    with _Factories():
        yield log
