"""Conversion of a value to the type of a parameter: one converter for each form of annotation.

The annotation of a parameter may be float, int, str, bool, `Literal` (one of several words),
`Annotated` (a value inside ranges, such as `Above(0)`), `tuple[kind, ...]` (several values) or
`Mapping[str, kind]`. A field of a dataclass that is read from a file may also have one of these
annotations: an `Enum`, `Any`, a tuple of fixed length, `str | float`, a frozen dataclass (read from
a mapping of its fields), or a union of dataclasses. From a mapping the dataclass of a union is
chosen that has a key of the mapping which the other dataclasses lack.

A tuple of numbers and the option `--eps` may be a text, such as `0.1,1,10` or `0.01..10`. The text
has parts that are separated by commas. A part is a number (`1`, `inf`) or a range, such as
`0.01..10`, `0.01..10:7` or `0.1..1 by 0.1`. `low..high` has one point a decade, `low..high:7` has
seven points evenly on a log scale, and `low..high by step` has equal steps.
"""

from __future__ import annotations

import collections.abc as abc
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from numbers import Integral
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from dpfair_cli.contracts.errors import nearest

R = TypeVar("R")
Converter = Callable[[str, Any], Any]  # (name of the parameter, for messages; value) -> value
ONE_OR_MORE = (
    "one or more"  # Annotated[tuple[kind, ...], ONE_OR_MORE]: a single value is a list of one
)


@cache
def converter(annotation: Any) -> Converter | None:
    """A function that converts values to an annotation; None if the annotation cannot be checked.

    The function raises a ValueError that names the parameter and shows the given value.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return partial(_word, arguments)
    if origin in (Union, UnionType):
        return _of_union(arguments)
    if origin is tuple and arguments[-1] is not ...:
        each = [converter(argument) for argument in arguments]
        return partial(_each, tuple(each)) if None not in each else None
    # what holds other values converts them with their own converters
    if origin in (Annotated, tuple, abc.Mapping):
        inner = converter(arguments[-1] if origin is abc.Mapping else arguments[0])
        return inner and partial(_COMPOSED[origin], inner, arguments)
    if is_dataclass(annotation):
        return partial(_record, annotation)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return partial(_member, annotation)
    return _PLAIN.get(annotation)


def _of_union(kinds: tuple[Any, ...]) -> Converter | None:
    """The converter for a union: of dataclasses, or of text and a number.

    `kinds` are the members of the union.
    """
    if all(map(is_dataclass, kinds)):
        return partial(_one_of, kinds)
    return _text_or_number if set(kinds) == {str, float} else None


@cache
def field_types(form: Any) -> dict[str, Any]:
    """The annotation of each field of a dataclass."""
    types = get_type_hints(form, include_extras=True)
    return {field.name: types[field.name] for field in fields(form)}


def from_mapping(form: type[R], given: Any) -> R:
    """An instance of the dataclass `form` with the fields of a mapping, converted and checked.

    Raises:
        ValueError: `given` is not a mapping, a field is unknown or missing, or an annotation does
            not allow a value.
    """
    types = field_types(form)  # type: ignore[arg-type]  # mypy doubts that a class can be hashed
    known = {field.name: field for field in fields(form)}  # type: ignore[arg-type]
    if not isinstance(given, Mapping):
        allowed = ", ".join(known)
        raise ValueError(f"must be a mapping with no other keys than {allowed}, got {given!r}")
    # a misspelt key is told before the missing value that it was meant to be
    for key in given:
        if key not in known:
            raise ValueError(f"unknown key {key!r}: {nearest(str(key), known)}")
    missing = [name for name in needed_fields(form) if name not in given]
    if missing:
        raise ValueError(f"missing values: give a value for {', '.join(missing)}")
    return form(**{key: convert(key, value, types[key]) for key, value in given.items()})


def needed_fields(form: Any) -> list[str]:
    """The names of the fields of a dataclass that have no default."""
    return [
        field.name
        for field in fields(form)
        if field.default is MISSING and field.default_factory is MISSING
    ]


def _record(form: Any, key: str, value: Any) -> Any:
    """The dataclass instance `form(**value)` for a mapping; an instance is returned unchanged.

    `key` is the name of the parameter in an error message.
    """
    if isinstance(value, form):
        return value
    try:
        return from_mapping(form, value)
    except ValueError as mistake:
        raise ValueError(f"{key}: {mistake}") from mistake


def _one_of(forms: tuple[Any, ...], key: str, value: Any) -> Any:
    """An instance of one of the dataclasses `forms`, made from the mapping `value`.

    The dataclass is the one that has a key of the mapping which the other dataclasses lack. `key`
    is the name of the parameter in an error message.
    """
    if isinstance(value, forms):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"{key} must be a mapping, got {value!r}")
    # a key of several forms does not tell them apart
    names = [field.name for form in forms for field in fields(form)]
    own_keys = {name for name in names if name in value and names.count(name) == 1}
    chosen = [form for form in forms if own_keys & field_types(form).keys()]
    unknown = next((str(name) for name in value if name not in names), "")
    if unknown:
        raise ValueError(f"unknown key {unknown!r}: {nearest(unknown, names)}")
    if len(chosen) != 1:
        own = [name for form in forms for name in needed_fields(form) if names.count(name) == 1]
        raise ValueError(f"{key} must have one of the keys {', '.join(own)}, got {dict(value)}")
    return from_mapping(chosen[0], value)


def convert(key: str, value: Any, annotation: Any) -> Any:
    """The value converted to an annotation.

    Integers are converted to floats, and lists and texts of ranges to tuples.

    Raises:
        ValueError: the annotation does not allow the value; the message has `key` and the value.
        TypeError: there is no converter for the annotation.
    """
    found = converter(annotation)
    if found is None:
        raise TypeError(
            f"{key}: values cannot be checked against the annotation {annotation}: use float, int, "
            "str, bool, Literal, Annotated, tuple or Mapping"
        )
    return found(key, value)


def _word(words: tuple[Any, ...], key: str, value: Any) -> Any:
    """The value itself, if it is one of `words`."""
    if value not in words:
        raise ValueError(f"unknown {key} {value!r}: {nearest(str(value), map(str, words))}")
    return value


def _member(kind: type[Enum], key: str, value: Any) -> Enum:
    """The member of an enumeration whose value is `value`."""
    words = [member.value for member in kind]
    if value not in words:
        raise ValueError(f"unknown {key} {value!r}: {nearest(str(value), words)}")
    return kind(value)


def _each(inner: tuple[Any, ...], key: str, value: Any) -> tuple[Any, ...]:
    """The values of a list of fixed length, each converted to its own type.

    `inner` are the converters, one for each value, and `key` is the name of the parameter in an
    error message.
    """
    if not isinstance(value, (list, tuple)) or len(value) != len(inner):
        raise ValueError(f"{key} must be a list of {len(inner)} values, got {value!r}")
    return tuple(convert(key, item) for convert, item in zip(inner, value, strict=True))


def _text_or_number(key: str, value: Any) -> str | float:
    """The value itself if it is a text, otherwise as a float."""
    return value if isinstance(value, str) else _number(key, value)


def _unchanged(key: str, value: Any) -> Any:
    """The value itself, for the annotation Any."""
    return value


def _in_range(inner: Converter, arguments: tuple[Any, ...], key: str, value: Any) -> Any:
    """The value converted by `inner`, if it is in the ranges of an annotation.

    `arguments` are those of `Annotated`: the type, and then ranges or the mark ONE_OR_MORE.
    """
    # a single value becomes a list before its items are converted
    allows_one = ONE_OR_MORE in arguments and not isinstance(value, (list, tuple))
    converted = inner(key, [value] if allows_one else value)
    for allowed in (each for each in arguments[1:] if each is not ONE_OR_MORE):
        if problem := allowed.problem(converted):
            raise ValueError(f"{key} {problem}, got {value}")
    return converted


def _several(inner: Converter, arguments: tuple[Any, ...], key: str, value: Any) -> tuple[Any, ...]:
    """The values of a list, each converted by `inner`, as a tuple.

    If `inner` converts numbers, `value` may also be a single number or a text such as "0.1..10".
    The head of this file has the grammar of such a text.
    """
    # one text would be taken apart into its letters
    if arguments[0] is str and not isinstance(value, (list, tuple)):
        raise ValueError(f"{key} must be a list, such as [{value}], got {value!r}")
    if isinstance(value, str):
        value = parse_ranges(value, key)
    return tuple(
        inner(key, item) for item in (value if isinstance(value, (list, tuple)) else (value,))
    )


def _mapping(inner: Converter, arguments: tuple[Any, ...], key: str, value: Any) -> dict[str, Any]:
    """The mapping `value` with its values converted by `inner`; `arguments` are not used."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{key} must be a mapping, got {value!r}")
    return {name: inner(f"{key}: {name}", item) for name, item in value.items()}


def _instance(kind: type, key: str, value: Any) -> Any:
    """The value itself, if it is an instance of `kind`."""
    if isinstance(value, kind):
        return value
    raise ValueError(f"{key} must be of type {kind.__name__}, got {value!r}")


def _whole(key: str, value: Any) -> int:
    """The value as an integer; a float is refused even if it is a whole number."""
    if type(value) is int:
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):  # such as NumPy's
        return int(value)
    raise ValueError(f"{key} must be an integer, got {value!r}")


def _number(key: str, value: Any) -> float:
    """The value as a float.

    A text such as "1e-5", which YAML does not read as a number, is refused with the correct
    spelling.
    """
    # most values are floats already, and hot functions check their arguments in every call
    if type(value) is float:
        return value
    if value == "inf":
        return math.inf
    if isinstance(value, str) and re.fullmatch(r"[-+]?\d+[eE][-+]?\d+", value):
        mantissa, exponent = re.split("[eE]", value)
        raise ValueError(
            f"{key} must be a number, but YAML reads {value!r} as text: write "
            f"{mantissa}.0e{exponent}"
        )
    # True is a number for Python, and a mistake here
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise ValueError(f"{key} must be a number, got {value!r}")
    return float(value)


_PLAIN: dict[Any, Converter] = {
    float: _number,
    int: _whole,
    str: partial(_instance, str),
    bool: partial(_instance, bool),
    Any: _unchanged,
}
_COMPOSED: dict[Any, Callable[..., Any]] = {
    Annotated: _in_range,
    tuple: _several,
    abc.Mapping: _mapping,
}


def as_json(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as JSON values: infinity becomes the text "inf", a tuple a list."""
    return {name: _json_value(value) for name, value in params.items()}


def _json_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_json_value(item) for item in value]
    return "inf" if isinstance(value, float) and math.isinf(value) else value


NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})(?::(\d+)|\s+by\s+({NUMBER}))?")
EXAMPLES = "write for example 0.1,1,10 or 0.01..10 or 0.01..10:7 or inf"
DIGITS = 9  # decimals of a point with equal steps, so that 0.1 is the same point in two ranges


def parse_ranges(text: str, name: str) -> list[float]:
    """The numbers that `text` stands for, in the order of the text, without repetitions.

    `name` is the name of the parameter in an error message.

    Raises:
        ValueError: the text does not follow the grammar, a point of a log scale is not positive, or
            the last number of a range is not larger than the first.
    """
    try:
        return list(
            dict.fromkeys(value for part in text.split(",") for value in _parse_part(part.strip()))
        )
    except ValueError as error:
        raise ValueError(f"{name} {text!r}: {error}; {EXAMPLES}") from error


def parse_epsilons(text: str) -> list[float]:
    """The privacy budgets that the text of `--eps` stands for.

    Raises:
        ValueError: the text does not follow the grammar, or an epsilon is not positive.
    """
    found = parse_ranges(text, "--eps")
    if min(found) <= 0:
        raise ValueError(f"--eps {text!r}: every epsilon must be positive; {EXAMPLES}")
    return found


def _parse_part(part: str) -> list[float]:
    if part == "inf":
        return [math.inf]
    if re.fullmatch(NUMBER, part) and math.isfinite(float(part)):
        return [float(part)]
    match = RANGE.fullmatch(part)
    if not match:
        raise ValueError("each part must be a number or a range")
    low, high = float(match[1]), float(match[2])
    if match[4] is None and not low > 0:
        raise ValueError("both ends of a range on a log scale must be positive")
    if low >= high:
        raise ValueError("the last number of a range must be larger than the first")
    if match[4] is not None:
        return _equal_steps(low, high, float(match[4]))
    return _decades(low, high) if match[3] is None else _log_spaced(low, high, int(match[3]))


def _equal_steps(low: float, high: float, step: float) -> list[float]:
    """The numbers low, low + step, ... up to high."""
    if step <= 0:
        raise ValueError("the step of a range must be positive")
    # the tolerance keeps an end that floating-point division puts just below a whole step
    count = math.floor((high - low) / step + 1e-9) + 1
    return [round(low + k * step, DIGITS) for k in range(count)]


def _decades(low: float, high: float) -> list[float]:
    """The numbers low, 10 low, 100 low, ... up to high, and high itself."""
    steps = math.floor(math.log10(high) - math.log10(low) + 1e-9)
    # powers of ten, since repeated products would collect rounding errors
    points = [_six_digits(10.0 ** (math.log10(low) + step)) for step in range(steps + 1)]
    return points if math.isclose(points[-1], high) else [*points, high]


def _log_spaced(low: float, high: float, points: int) -> list[float]:
    if points < 2:
        raise ValueError("a range must have at least 2 points")
    return [_six_digits(float(value)) for value in np.geomspace(low, high, points)]


def _six_digits(value: float) -> float:
    """The number rounded to six significant digits: 0.1, not 0.1000000000000001."""
    return float(f"{value:.6g}")
