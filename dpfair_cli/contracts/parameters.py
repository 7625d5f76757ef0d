"""The annotations of keyword arguments are the only truth about their values, and they are checked here.

A keyword-only argument of a fit, of a data set's `load` or of a task's `split` is at once a YAML key, a `--set` key and
a result column. Its annotation says what it may be:

    epsilon: Epsilon = 1.0                     # a number in a range, Annotated[float, ...]
    fairness: Literal["penalty", "shift"]      # one of these words
    gaps: tuple[float, ...] = (0.05, 0.1)      # several values
    schedule: Schedule = Schedule()            # a frozen dataclass: its fields are keywords too

`@checked` lets a function be called with the fields of its dataclasses as flat keywords and refuses every value that
its annotation does not allow; `complete` does the same for a mapping that comes from a spec or a command line.
"""

from __future__ import annotations

import collections.abc as abc
import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, wraps
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from dpfair_cli.contracts.errors import nearest
from dpfair_cli.contracts.ranges import parse_ranges

P = ParamSpec("P")
R = TypeVar("R")
REQUIRED = inspect.Parameter.empty  # the default of a parameter that must be given
PASSED = ("rng", "context")  # keywords that the toolkit passes itself: no parameters


@dataclass(frozen=True)
class Above:
    """Greater than `low`; infinity is allowed."""

    low: float

    def problem(self, value: float) -> str:
        """What is wrong with a value, in words; empty if nothing is."""
        return "" if value > self.low else f"must be {'positive' if self.low == 0 else f'above {self.low:g}'}"


@dataclass(frozen=True)
class AtLeast:
    """Not less than `low`."""

    low: float

    def problem(self, value: float) -> str:
        """What is wrong with a value, in words; empty if nothing is."""
        return "" if value >= self.low else f"must be at least {self.low:g}"


@dataclass(frozen=True)
class Between:
    """Between `low` and `high`, neither of them included."""

    low: float
    high: float

    def problem(self, value: float) -> str:
        """What is wrong with a value, in words; empty if nothing is."""
        return "" if self.low < value < self.high else f"must lie between {self.low:g} and {self.high:g}"


@dataclass(frozen=True)
class Below:
    """Less than `high`: Below(math.inf) is any finite number."""

    high: float

    def problem(self, value: float) -> str:
        """What is wrong with a value, in words; empty if nothing is."""
        if value < self.high:
            return ""
        return "must be finite" if math.isinf(self.high) else f"must be below {self.high:g}"


Epsilon = Annotated[float, Above(0)]  # infinity is no privacy
Delta = Annotated[float, Between(0, 1)]
Fraction = Annotated[float, Between(0, 1)]
Positive = Annotated[float, Above(0)]
PositiveFinite = Annotated[float, Above(0), Below(math.inf)]
NotNegative = Annotated[float, AtLeast(0)]
NotNegativeFinite = Annotated[float, AtLeast(0), Below(math.inf)]
Count = Annotated[int, AtLeast(1)]
CountOrZero = Annotated[int, AtLeast(0)]


@dataclass(frozen=True)
class Parameter:
    """One keyword: its annotation, its default, and the dataclass argument that it is a field of (empty: none)."""

    annotation: Any
    default: Any
    group: str = ""


@cache
def parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The keyword-only arguments of a function by name, those of its dataclasses in their place."""
    return dict(_parameters(function))


def _parameters(function: Callable[..., Any]) -> Iterator[tuple[str, Parameter]]:
    types = get_type_hints(function, include_extras=True)
    for name, argument in inspect.signature(function).parameters.items():
        if argument.kind is not argument.KEYWORD_ONLY or name in PASSED:
            continue
        if not is_dataclass(types[name]):
            yield name, Parameter(types[name], argument.default)
            continue
        inner = get_type_hints(types[name], include_extras=True)
        for field in fields(types[name]):
            yield field.name, Parameter(inner[field.name], getattr(argument.default, field.name), name)


def complete(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` converted, checked and filled with defaults: every parameter of the function, in its order.

    Raises:
        ValueError: an unknown parameter, a value that the annotation does not allow, or a missing one.
    """
    known = parameters(function)
    for key in given:
        if key not in known:
            hint = nearest(key, known) if known else "it takes none"
            raise ValueError(f"no parameter {key!r}: {hint}")
    missing = [key for key, parameter in known.items() if key not in given and parameter.default is REQUIRED]
    if missing:
        raise ValueError(f"a value is needed for {', '.join(missing)}")
    return {key: convert(key, given.get(key, known[key].default), known[key].annotation) for key in known}


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """`function` with its keywords checked against their annotations; the fields of its dataclasses may be given flat.

    Raises:
        ValueError: when called with a value that an annotation does not allow.
    """

    @wraps(function)
    def wrapper(*args: P.args, **keywords: P.kwargs) -> R:
        return function(*args, **_grouped(function, keywords))

    return wrapper


def _grouped(function: Callable[..., Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords as the function takes them: each checked, the flat ones of a dataclass put together."""
    known, result = parameters(function), {}
    flat: dict[str, dict[str, Any]] = {}
    for key, value in keywords.items():
        if key not in known:
            result[key] = value  # a dataclass as a whole, or one of PASSED; Python refuses the rest
        elif known[key].group:
            flat.setdefault(known[key].group, {})[key] = convert(key, value, known[key].annotation)
        else:
            result[key] = convert(key, value, known[key].annotation)
    for group, values in flat.items():
        base = result.get(group, inspect.signature(function).parameters[group].default)
        result[group] = type(base)(**{field.name: getattr(base, field.name) for field in fields(base)} | values)
    return result


def from_mapping(form: type[R], given: Any) -> R:
    """The dataclass `form` with the fields that a mapping gives, converted and checked.

    Raises:
        ValueError: it is no mapping, an unknown or a missing field, or a value that an annotation does not allow.
    """
    types = get_type_hints(form, include_extras=True)
    known = {field.name: field for field in fields(form)}  # type: ignore[arg-type]
    if not isinstance(given, Mapping):
        raise ValueError(f"must be a mapping of {', '.join(known)}, got {given!r}")
    for key in given:
        if key not in known:
            raise ValueError(f"no key {key!r}: {nearest(str(key), known)}")
    needed = [name for name, field in known.items() if field.default is MISSING and field.default_factory is MISSING]
    missing = [name for name in needed if name not in given]
    if missing:
        raise ValueError(f"a value is needed for {', '.join(missing)}")
    return form(**{key: convert(key, value, types[key]) for key, value in given.items()})


def check_fields(instance: Any) -> None:
    """Refuse a dataclass with a value that the annotation of its field does not allow: for `__post_init__`.

    Raises:
        ValueError: names the field.
    """
    types = get_type_hints(type(instance), include_extras=True)
    for field in fields(instance):
        convert(field.name, getattr(instance, field.name), types[field.name])


def convert(key: str, value: Any, annotation: Any) -> Any:
    """The value as its annotation wants it: whole numbers as floats, lists and text ranges as tuples.

    Raises:
        ValueError: the annotation does not allow it; the message names `key`.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _in_range(key, convert(key, value, arguments[0]), arguments[1:])
    if origin is Literal:
        return _word(key, value, arguments)
    if origin is tuple:
        return tuple(convert(key, item, arguments[0]) for item in _items(key, value, arguments[0]))
    if origin is abc.Mapping:
        return _mapping(key, value, arguments[1])
    return _number(key, value) if annotation is float else _instance(key, value, annotation)


def _instance(key: str, value: Any, kind: type) -> Any:
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise ValueError(f"{key} must be {kind.__name__}, got {value!r}")


def _word(key: str, value: Any, words: tuple[Any, ...]) -> Any:
    if value not in words:
        raise ValueError(f"{key} {value!r}: {nearest(str(value), map(str, words))}")
    return value


def _mapping(key: str, value: Any, kind: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{key} must be a mapping, got {value!r}")
    return {name: convert(f"{key}: {name}", item, kind) for name, item in value.items()}


def _in_range(key: str, value: Any, ranges: tuple[Any, ...]) -> Any:
    for problem in (allowed.problem(value) for allowed in ranges):
        if problem:
            raise ValueError(f"{key} {problem}, got {value}")
    return value


def _items(key: str, value: Any, kind: Any) -> tuple[Any, ...]:
    """Several values: a list, or for numbers also one of them or a text in the grammar of contracts/ranges.py."""
    if isinstance(value, str) and kind is not str:
        return tuple(parse_ranges(value, key))
    if isinstance(value, (list, tuple)):
        return tuple(value)
    if kind is str:
        raise ValueError(f"{key} must be a list, got {value!r}")
    return (value,)


def _number(key: str, value: Any) -> float:
    """A float; text such as 1e-5, which YAML does not read as a number, is refused with the spelling that is."""
    if value == "inf":
        return math.inf
    if isinstance(value, str) and re.fullmatch(r"[-+]?\d+[eE][-+]?\d+", value):
        mantissa, exponent = re.split("[eE]", value)
        raise ValueError(f"{key} {value!r} is text in YAML: write {mantissa}.0e{exponent}")
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise ValueError(f"{key} must be a number, got {value!r}")
    return float(value)
