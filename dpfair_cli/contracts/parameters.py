"""Parameters as keyword-only arguments, whose values are checked against their annotations.

A keyword-only argument of the function `fit` of an algorithm, `load` of a data set or `split` of a
task is a key in YAML files, a key of `--set` and a column of results. The annotation gives the
allowed values:

    epsilon: Epsilon = 1.0                     # a number in a range, Annotated[float, ...]
    fairness: Literal["penalty", "shift"]      # one of these words
    gaps: tuple[float, ...] = (0.05, 0.1)      # several values
    schedule: Schedule = Schedule()            # a frozen dataclass with a default: its fields are
        keywords too

`complete` checks a mapping from a spec or a command line. The decorator `@checked` checks the
arguments of every call of a function, given by name or by position, and accepts the fields of a
dataclass argument as separate keywords. An argument whose annotation cannot be checked, such as an
array, is not checked. A condition on two arguments, or on an argument and the data, is checked by
the function that needs this condition.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from functools import cache, wraps
from types import UnionType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    ParamSpec,
    TypeVar,
    Union,
    get_origin,
    get_type_hints,
)

from dpfair_cli.contracts.conversion import Converter, convert, converter, field_types
from dpfair_cli.contracts.errors import nearest

P = ParamSpec("P")
R = TypeVar("R")
REQUIRED = inspect.Parameter.empty  # the default of a parameter that must be given
PASSED = ("rng", "context")  # keywords that the toolkit passes itself; these are not parameters


@dataclass(frozen=True)
class Above:
    """The range of numbers greater than `low`, infinity included."""

    low: float

    def problem(self, value: float) -> str:
        """The requirement that `value` violates, such as "must be positive", or an empty text."""
        return (
            ""
            if value > self.low
            else f"must be {'positive' if self.low == 0 else f'above {self.low:g}'}"
        )


@dataclass(frozen=True)
class AtLeast:
    """The range of numbers not smaller than `low`."""

    low: float

    def problem(self, value: float) -> str:
        """The requirement that `value` violates, "must be at least ...", or an empty text."""
        return "" if value >= self.low else f"must be at least {self.low:g}"


@dataclass(frozen=True)
class AtMost:
    """The range of numbers not larger than `high`."""

    high: float

    def problem(self, value: float) -> str:
        """The requirement that `value` violates, "must be at most ...", or an empty text."""
        return "" if value <= self.high else f"must be at most {self.high:g}"


@dataclass(frozen=True)
class Between:
    """The range of numbers between `low` and `high`, both ends excluded."""

    low: float
    high: float

    def problem(self, value: float) -> str:
        """The requirement that `value` violates, "must lie between ...", or an empty text."""
        return (
            ""
            if self.low < value < self.high
            else f"must lie between {self.low:g} and {self.high:g}"
        )


@dataclass(frozen=True)
class Below:
    """The range of numbers smaller than `high`; Below(math.inf) is the range of finite numbers."""

    high: float

    def problem(self, value: float) -> str:
        """The requirement that `value` violates, "must be below ...", or an empty text."""
        if value < self.high:
            return ""
        return "must be finite" if math.isinf(self.high) else f"must be below {self.high:g}"


@dataclass(frozen=True)
class MultipleOf:
    """The positive multiples of `unit`."""

    unit: int

    def problem(self, value: int) -> str:
        """The requirement that `value` violates, "must be a multiple of ...", or an empty text."""
        return (
            ""
            if value > 0 and value % self.unit == 0
            else f"must be a positive multiple of {self.unit}"
        )


Epsilon = Annotated[float, Above(0)]  # infinity means no privacy
Delta = Annotated[float, Between(0, 1)]
Fraction = Annotated[float, Between(0, 1)]  # more than nothing and less than all
Share = Annotated[float, Above(0), AtMost(1)]  # more than nothing, up to all
Positive = Annotated[float, Above(0)]
PositiveFinite = Annotated[float, Above(0), Below(math.inf)]
NotNegative = Annotated[float, AtLeast(0)]
NotNegativeFinite = Annotated[float, AtLeast(0), Below(math.inf)]
Count = Annotated[int, AtLeast(1)]
CountOrZero = Annotated[int, AtLeast(0)]


@dataclass(frozen=True)
class Parameter:
    """One keyword parameter of a function."""

    annotation: Any
    default: Any
    # the dataclass argument that has the parameter as a field; empty for a plain argument
    group: str = ""


@cache
def parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The keyword-only arguments of a function, by name.

    An argument that is a dataclass is replaced by the fields of the dataclass.
    """
    return dict(_parameters(function))


def _parameters(function: Callable[..., Any]) -> Iterator[tuple[str, Parameter]]:
    types = get_type_hints(function, include_extras=True)
    for name, argument in inspect.signature(function).parameters.items():
        if argument.kind is not argument.KEYWORD_ONLY or name in PASSED:
            continue
        if not _is_group(argument):
            yield name, Parameter(types[name], argument.default)
            continue
        for field, annotation in field_types(argument.default.__class__).items():
            yield field, Parameter(annotation, getattr(argument.default, field), name)


def _is_group(argument: inspect.Parameter) -> bool:
    """Whether an argument is a dataclass whose fields may be given as keywords of the function."""
    default = argument.default
    return argument.name not in PASSED and is_dataclass(default) and not isinstance(default, type)


def complete(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters `given`, converted and checked, together with the defaults of the others.

    The parameters are in the order of the function's signature.

    Raises:
        ValueError: a parameter is unknown, a value is not allowed, or a parameter without a default
            has no value.
    """
    known = parameters(function)
    # a misspelt name is told before the missing value that it was meant to be
    for key in given:
        if key not in known:
            hint = nearest(key, known) if known else "there are no parameters"
            raise ValueError(f"unknown parameter {key!r}: {hint}")
    missing = [
        key
        for key, parameter in known.items()
        if key not in given and parameter.default is REQUIRED
    ]
    if missing:
        raise ValueError(f"missing parameters: give a value for {', '.join(missing)}")
    # the order of the signature is the order of columns, whatever the order of a spec
    return {
        key: convert(key, given.get(key, known[key].default), known[key].annotation)
        for key in known
    }


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """A wrapper of `function` that checks the arguments against their annotations.

    The fields of a dataclass argument may be given as separate keywords.

    Raises:
        ValueError: the wrapper is called with a value that an annotation does not allow.
    """

    @wraps(function)
    def wrapper(*args: P.args, **keywords: P.kwargs) -> R:
        known = _signature(function)
        placed = [
            check(name, value) for (name, check), value in zip(known.places, args, strict=False)
        ]
        return function(*placed, *args[len(placed) :], **_grouped(known, keywords))  # type: ignore[arg-type]

    return wrapper


class _Signature(NamedTuple):
    """The parsed signature of a function that `checked` wraps."""

    places: list[tuple[str, Converter]]  # the arguments that may be given by place
    converters: dict[str, Converter]  # of every argument, and of every field of its dataclasses
    groups: dict[str, Any]  # dataclass argument -> its default
    owners: dict[str, str]  # field of a dataclass -> the argument that it belongs to


@cache
def _signature(function: Callable[..., Any]) -> _Signature:
    types, arguments = (
        get_type_hints(function, include_extras=True),
        inspect.signature(function).parameters,
    )
    groups = {name: argument.default for name, argument in arguments.items() if _is_group(argument)}
    owners = {
        field: name for name, default in groups.items() for field in field_types(default.__class__)
    }
    for default in groups.values():
        types |= field_types(default.__class__)
    converters = {
        name: _converter_of(kind) or _unchanged for name, kind in types.items()
    } | dict.fromkeys(groups, _whole)
    by_place = [
        name
        for name, argument in arguments.items()
        if argument.kind is argument.POSITIONAL_OR_KEYWORD
    ]
    return _Signature(
        [(name, converters.get(name, _unchanged)) for name in by_place], converters, groups, owners
    )


def _converter_of(annotation: Any) -> Converter | None:
    """The converter of an argument; None for an argument that holds data, which is not checked."""
    is_union = get_origin(annotation) in (Union, UnionType)
    return None if is_union or is_dataclass(annotation) else converter(annotation)


def _unchanged(key: str, value: Any) -> Any:
    """The value itself: the converter of an argument that cannot be checked."""
    return value


def _whole(key: str, value: Any) -> Any:
    """The dataclass instance itself: the converter of a dataclass that is given as one argument."""
    check_fields(value)
    return value


def _grouped(known: _Signature, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The `keywords`, checked, with each dataclass argument of a function built from its fields.

    `known` is the parsed signature of the function.
    """
    result: dict[str, Any] = {}
    flat: dict[str, dict[str, Any]] = {}
    for key, value in keywords.items():
        into = flat.setdefault(known.owners[key], {}) if key in known.owners else result
        into[key] = known.converters.get(key, _unchanged)(key, value)
    for group, values in flat.items():
        result[group] = replace(result.get(group, known.groups[group]), **values)
    return result


def check_fields(instance: Any) -> None:
    """Checks the fields of a dataclass against their annotations; for use in `__post_init__`.

    Raises:
        ValueError: a value is not allowed; the message names the field.
    """
    for name, annotation in field_types(instance.__class__).items():
        convert(name, getattr(instance, name), annotation)
