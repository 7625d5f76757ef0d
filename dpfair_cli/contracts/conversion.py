"""Convert a parameter's value to its annotation: one converter for each form of annotation.

The forms are float, int, str, bool, `Literal` (one of these words), `Annotated` (a value inside
ranges, such as `Above(0)`), `tuple[kind, ...]` (several values) and `Mapping[str, kind]`.
"""

from __future__ import annotations

import collections.abc as abc
import math
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from numbers import Integral
from typing import Annotated, Any, Literal, get_args, get_origin

from dpfair_cli.contracts.errors import nearest
from dpfair_cli.contracts.ranges import parse_ranges

Converter = Callable[[str, Any], Any]  # of the name of a parameter, for the message, and its value


@cache
def converter(annotation: Any) -> Converter | None:
    """Return the converter of an annotation, or None if the annotation cannot be checked.

    The converter raises a ValueError that names the parameter and shows the value as it was given.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return partial(_word, arguments)
    if origin in (Annotated, tuple, abc.Mapping):
        inner = converter(arguments[-1] if origin is abc.Mapping else arguments[0])
        return inner and partial(_COMPOSED[origin], inner, arguments)
    return _PLAIN.get(annotation)


def convert(key: str, value: Any, annotation: Any) -> Any:
    """Convert a value to its annotation: integers to floats, lists and text ranges to tuples.

    Raises:
        ValueError: the annotation does not allow it; the message names `key` and shows the value as
            it was given.
        TypeError: nothing is known of such an annotation.
    """
    found = converter(annotation)
    if found is None:
        raise TypeError(f"{key}: no parameter can be of the kind {annotation}")
    return found(key, value)


def _word(words: tuple[Any, ...], key: str, value: Any) -> Any:
    if value not in words:
        raise ValueError(f"{key} {value!r}: {nearest(str(value), map(str, words))}")
    return value


def _in_range(inner: Converter, arguments: tuple[Any, ...], key: str, value: Any) -> Any:
    converted = inner(key, value)
    for allowed in arguments[1:]:
        if problem := allowed.problem(converted):
            raise ValueError(f"{key} {problem}, got {value}")
    return converted


def _several(inner: Converter, arguments: tuple[Any, ...], key: str, value: Any) -> tuple[Any, ...]:
    """Convert a list, or for numbers also a single one or a text such as "0.1..10", to a tuple.

    The grammar of such a text is in contracts/ranges.py.
    """
    if arguments[0] is str and not isinstance(value, (list, tuple)):
        raise ValueError(f"{key} must be a list, such as [{value}], got {value!r}")
    if isinstance(value, str):
        value = parse_ranges(value, key)
    return tuple(
        inner(key, item) for item in (value if isinstance(value, (list, tuple)) else (value,))
    )


def _mapping(inner: Converter, arguments: tuple[Any, ...], key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{key} must be a mapping, got {value!r}")
    return {name: inner(f"{key}: {name}", item) for name, item in value.items()}


def _instance(kind: type, key: str, value: Any) -> Any:
    if isinstance(value, kind):
        return value
    raise ValueError(f"{key} must be {kind.__name__}, got {value!r}")


def _whole(key: str, value: Any) -> int:
    if type(value) is int:
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):  # such as NumPy's
        return int(value)
    raise ValueError(f"{key} must be int, got {value!r}")


def _number(key: str, value: Any) -> float:
    """Convert to float; "1e-5", which YAML reads as text, is refused with the right spelling."""
    if type(value) is float:
        return value
    if value == "inf":
        return math.inf
    if isinstance(value, str) and re.fullmatch(r"[-+]?\d+[eE][-+]?\d+", value):
        mantissa, exponent = re.split("[eE]", value)
        raise ValueError(f"{key} {value!r} is text in YAML: write {mantissa}.0e{exponent}")
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise ValueError(f"{key} must be a number, got {value!r}")
    return float(value)


_PLAIN: dict[Any, Converter] = {
    float: _number,
    int: _whole,
    str: partial(_instance, str),
    bool: partial(_instance, bool),
}
_COMPOSED: dict[Any, Callable[..., Any]] = {
    Annotated: _in_range,
    tuple: _several,
    abc.Mapping: _mapping,
}


def as_json(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON values: infinity is the text "inf", several values are a list."""
    return {name: _json_value(value) for name, value in params.items()}


def _json_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_json_value(item) for item in value]
    return "inf" if isinstance(value, float) and math.isinf(value) else value
