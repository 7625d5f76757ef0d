"""Comparison of two objects in every part that an attacker could read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from types import CellType, FunctionType, MethodType
from typing import Any
from weakref import ref

import numpy as np

_NUMBERS = (np.ndarray, np.generic, bool, int, float, complex)
_TEXTS = (str, bytes, bytearray)
# without attributes or parts: most comparisons are of these, and end here
_PLAIN = (float, int, bool, np.float64, np.float32, np.int64, np.bool_)


def same(one: Any, other: Any) -> bool:
    """Whether two values have the same type and are equal bit by bit in every part.

    Arrays, sequences and mappings are compared part by part, functions by their code and closures,
    other objects by their attributes including slots, or otherwise by their pickled state. NaN
    equals NaN.
    """
    waiting = [(one, other)]
    # the pairs of parts that were met, so that the search also ends for objects that contain
    # themselves; the objects are kept too: a new object may get the id of one that is gone
    met: dict[tuple[int, int], tuple[Any, Any]] = {}
    while waiting:
        left, right = waiting.pop()
        if left is right:
            continue
        if type(left) is not type(right) or not _same_value(left, right):
            return False
        if type(left) in _PLAIN or (id(left), id(right)) in met:
            continue
        met[id(left), id(right)] = left, right
        ours, theirs = _inside(left), _inside(right)
        if ours is None or theirs is None:
            if not bool(left == right):
                return False
        elif len(ours) != len(theirs):
            return False
        else:
            waiting.extend(zip(ours, theirs, strict=True))
    return True


def _inside(thing: Any) -> list[Any] | None:
    """The parts of an object that are compared; None if they cannot be determined."""
    if isinstance(thing, (*_TEXTS, type)):
        return []
    if isinstance(thing, np.ndarray) and thing.dtype.kind == "O":
        return [*thing.ravel().tolist(), *_held(thing)]
    if isinstance(thing, _NUMBERS):
        return _held(thing)  # a subclass may have attributes too
    return list(thing) if isinstance(thing, Sequence) else parts_of(thing)


def _same_value(one: Any, other: Any) -> bool:
    """Whether two numbers, texts or classes of the same type are equal; True for other objects."""
    if isinstance(one, (int, *_TEXTS, type)):  # an int may have more digits than one of NumPy
        return bool(one == other)
    if isinstance(one, _NUMBERS):
        return _same_array(np.asarray(one), np.asarray(other))
    return True


def _same_array(one: Any, other: Any) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    # objects are compared as parts
    if one.dtype.kind == "O" or one.tobytes() == other.tobytes():
        return True
    if one.dtype.kind == "c":
        return _same_array(one.real, other.real) and _same_array(one.imag, other.imag)
    if one.dtype.kind != "f":
        return bool(np.array_equal(one, other))
    # other bytes are equal for NaN alone, which has many; 0 and -0 are told apart by their sign
    signs = (np.signbit(each) & ~np.isnan(each) for each in (one, other))
    return bool(np.array_equal(one, other, equal_nan=True) and np.array_equal(*signs))


def leaves(thing: Any) -> Iterator[Any]:
    """The numbers, texts, arrays and objects inside an object, at any depth and in order."""
    waiting, met = [thing], {}
    while waiting:
        item = waiting.pop()
        if isinstance(item, np.ndarray) and item.dtype.kind == "O":
            waiting.extend(reversed(item.ravel().tolist()))
        elif isinstance(item, (*_NUMBERS, str, bytes, type(None))):
            yield item
        elif id(item) not in met:
            met[id(item)] = item
            yield item
            waiting.extend(reversed(item if isinstance(item, Sequence) else parts_of(item) or []))


def parts_of(thing: Any) -> list[Any] | None:
    """The parts of an object; None if they cannot be determined."""
    for kind, parts in _PARTS.items():
        if isinstance(thing, kind):
            return parts(thing)
    library = type(thing).__module__.partition(".")[0]
    if library == "torch" and hasattr(thing, "detach"):
        # without the graph of its gradients, which differs in each fit
        return [thing.detach().cpu().numpy()]
    if library == "pandas":  # whose attributes have caches
        return _pickled(thing)
    return _held(thing) or _pickled(thing)


def _held(thing: Any) -> list[tuple[str, Any]]:
    """The (name, value) of each attribute of an object, from its slots and its dictionary."""
    slots = list(chain.from_iterable(map(_slots, type(thing).__mro__)))
    held = [(name, getattr(thing, name)) for name in slots if hasattr(thing, name)]
    return held + list(getattr(thing, "__dict__", {}).items())


def _slots(kind: type) -> list[str]:
    """The slots of a class, by the names of their attributes: Python mangles private names."""
    slots = kind.__dict__.get("__slots__", ())
    private = f"_{kind.__name__.lstrip('_')}"
    found = []
    for name in [slots] if isinstance(slots, str) else slots:
        mangled = name.startswith("__") and not name.endswith("__")
        if name not in ("__dict__", "__weakref__"):
            found.append(private + name if mangled else name)
    return found


def _pickled(thing: Any) -> list[Any] | None:
    """The state that pickle stores for an object; None if the object cannot be pickled."""
    try:
        made = thing.__reduce_ex__(4)
    except TypeError:
        return None
    if isinstance(made, str):
        return [made]
    return [list(part) if hasattr(part, "__next__") else part for part in made]


def _of_function(thing: Any) -> list[Any]:
    defaults = thing.__defaults__, thing.__kwdefaults__
    return [thing.__code__, *(thing.__closure__ or ()), *defaults, vars(thing)]


_PARTS: dict[type, Callable[[Any], list[Any] | None]] = {
    Mapping: lambda thing: list(thing.items()),
    FunctionType: _of_function,
    MethodType: lambda thing: [thing.__func__, thing.__self__],
    CellType: lambda thing: [thing.cell_contents] if thing != CellType() else [],
    partial: lambda thing: [thing.func, thing.args, thing.keywords],
    ref: lambda thing: [thing()],
}
