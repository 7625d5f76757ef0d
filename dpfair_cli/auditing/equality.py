"""What a thing is made of, and whether two are the same in every part that an attacker could read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import CellType, FunctionType, MethodType
from typing import Any
from weakref import ref

import numpy as np

_ATOMS = (np.ndarray, np.generic, bool, int, float, complex, str, bytes, type(None))


def same(one: Any, other: Any) -> bool:
    """Whether two values are of one type and equal in every part, to the bit, whatever they are
    made of.

    Arrays, sequences and mappings are compared by their parts and their order, functions by their
    code and what they close over, other objects by their attributes, slots included, or else as
    they would be pickled. NaN equals NaN.
    """
    return _Comparison().same(one, other)


class _Comparison:
    """Knows (and keeps) the pairs of objects it has met, so that one that refers to itself comes to
    an end.
    """

    def __init__(self) -> None:
        self.met: dict[tuple[int, int], tuple[Any, Any]] = {}

    def same(self, one: Any, other: Any) -> bool:
        if one is other or (id(one), id(other)) in self.met:
            return True
        self.met[id(one), id(other)] = one, other
        if type(one) is not type(other):
            return False
        if isinstance(one, (np.ndarray, np.generic, bool, int, float, complex)):
            return self._same_arrays(np.asarray(one), np.asarray(other)) and self.same(
                _held(one), _held(other)
            )
        if isinstance(one, (str, bytes, bytearray, type)):
            return bool(one == other)
        if isinstance(one, Sequence):
            return len(one) == len(other) and all(map(self.same, one, other))
        parts = parts_of(one), parts_of(other)
        return (
            bool(one == other) if None in parts else self.same(*parts)
        )  # of some nothing else can be told

    def _same_arrays(self, one: Any, other: Any) -> bool:
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        if one.dtype.kind == "O":
            return self.same(one.ravel().tolist(), other.ravel().tolist())
        if one.dtype.kind == "c":
            return self._same_arrays(one.real, other.real) and self._same_arrays(
                one.imag, other.imag
            )
        if one.dtype.kind != "f":
            return bool(np.array_equal(one, other))
        signs = (np.signbit(each) & ~np.isnan(each) for each in (one, other))
        return bool(np.array_equal(one, other, equal_nan=True) and np.array_equal(*signs))


def leaves(thing: Any) -> Iterator[Any]:
    """Every number, text, array and object that a thing is made of, at any depth and in order."""
    waiting, met = [thing], {}
    while waiting:
        item = waiting.pop()
        if isinstance(item, np.ndarray) and item.dtype.kind == "O":
            waiting.extend(reversed(item.ravel().tolist()))
        elif isinstance(item, _ATOMS):
            yield item
        elif id(item) not in met:
            met[id(item)] = item
            yield item
            waiting.extend(reversed(item if isinstance(item, Sequence) else parts_of(item) or []))


def parts_of(thing: Any) -> list[Any] | None:
    """What a thing is made of; None if nothing can be told."""
    for kind, parts in _PARTS.items():
        if isinstance(thing, kind):
            return parts(thing)
    library = type(thing).__module__.partition(".")[0]
    if library == "torch" and hasattr(thing, "detach"):
        return [thing.detach().cpu().numpy()]
    return (
        _pickled(thing) if library == "pandas" else _held(thing) or _pickled(thing)
    )  # there attributes have caches


def _held(thing: Any) -> list[tuple[str, Any]]:
    """What an object holds in its slots and its dictionary, by name."""
    slots = [slot for kind in type(thing).__mro__ for slot in _slots(kind)]
    return [(name, getattr(thing, name)) for name in slots if hasattr(thing, name)] + [
        *getattr(thing, "__dict__", {}).items()
    ]


def _slots(kind: type) -> list[str]:
    slots = kind.__dict__.get("__slots__", ())
    private = f"_{kind.__name__.lstrip('_')}"
    return [
        private + name if name.startswith("__") and not name.endswith("__") else name
        for name in ([slots] if isinstance(slots, str) else slots)
        if name not in ("__dict__", "__weakref__")
    ]


def _pickled(thing: Any) -> list[Any] | None:
    """What pickle would write of an object; None if it refuses."""
    try:
        made = thing.__reduce_ex__(4)
    except TypeError:
        return None
    return (
        [made]
        if isinstance(made, str)
        else [list(part) if hasattr(part, "__next__") else part for part in made]
    )


def _of_function(thing: Any) -> list[Any]:
    return [
        thing.__code__,
        *(thing.__closure__ or ()),
        thing.__defaults__,
        thing.__kwdefaults__,
        vars(thing),
    ]


_PARTS: dict[type, Callable[[Any], list[Any] | None]] = {
    Mapping: lambda thing: list(thing.items()),
    FunctionType: _of_function,
    MethodType: lambda thing: [thing.__func__, thing.__self__],
    CellType: lambda thing: [thing.cell_contents] if thing != CellType() else [],
    partial: lambda thing: [thing.func, thing.args, thing.keywords],
    ref: lambda thing: [thing()],
}
