"""A name -> the module of that name, its parameters and what it states about itself. The folder is the registry."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from dpfair_cli.contracts import DpfairError, Observations, nearest
from dpfair_cli.mechanisms.budget import require_delta, require_epsilon

# kind -> the function whose keyword-only arguments are the parameters of that kind
ENTRY = {"algorithms": "fit", "datasets": "load", "tasks": "split"}
NOUN = {"algorithms": "method", "datasets": "data set", "tasks": "task"}
STATEMENTS = ("Source", "Privacy", "Neighbours", "Status", "Differs")


@cache
def names(kind: str) -> tuple[str, ...]:
    """The names of a kind: the files of its folder."""
    package = importlib.import_module(f"dpfair_cli.{kind}")
    return tuple(sorted(module.name for module in pkgutil.iter_modules(package.__path__)))


@cache
def find(kind: str, name: str) -> ModuleType:
    """The module of that name.

    Raises:
        DpfairError: there is none; the nearest name is proposed.
    """
    if name not in names(kind):
        raise DpfairError(f"no {NOUN[kind]} {name!r}: {nearest(name, names(kind))}")
    return importlib.import_module(f"dpfair_cli.{kind}.{name}")


@cache
def parameters(kind: str, name: str) -> dict[str, tuple[Any, Any]]:
    """Parameter -> (type, default); a default of inspect.Parameter.empty means that it must be given."""
    entry: Callable[..., Any] = getattr(find(kind, name), ENTRY[kind])
    types = get_type_hints(entry)
    found = inspect.signature(entry).parameters.values()
    keyword_only = [p for p in found if p.kind is p.KEYWORD_ONLY and p.name != "rng"]
    return {p.name: (types[p.name], p.default) for p in keyword_only}


def complete(kind: str, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` checked and filled with defaults: every parameter of `name`, in the order of its signature.

    Raises:
        DpfairError: an unknown parameter, a value of the wrong type, or a missing one.
    """
    known = parameters(kind, name)
    for key in given:
        if key not in known:
            hint = nearest(key, known) if known else "it takes none"
            raise DpfairError(f"{name} has no parameter {key!r}: {hint}")
    values = {key: given.get(key, default) for key, (_, default) in known.items()}
    missing = [key for key, value in values.items() if value is inspect.Parameter.empty]
    if missing:
        raise DpfairError(f"{name} needs a value for {', '.join(missing)}")
    return {key: _checked(name, key, value, known[key][0]) for key, value in values.items()}


def _checked(name: str, key: str, value: Any, wanted: Any) -> Any:
    if get_origin(wanted) is Literal:
        if value in get_args(wanted):
            return value
        raise DpfairError(f"{name}: {key} {value!r}: {nearest(str(value), get_args(wanted))}")
    if wanted is float:
        return _in_range(name, key, _number(name, key, value))
    if isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool)):
        return value
    raise DpfairError(f"{name}: {key} must be {wanted.__name__}, got {value!r}")


def _in_range(name: str, key: str, value: float) -> float:
    """Budgets are checked here, at the door, with the rules of the mechanisms."""
    rules = {"epsilon": require_epsilon, "delta": require_delta}
    try:
        if key in rules:
            rules[key](value)
    except ValueError as error:
        raise DpfairError(f"{name}: {error}") from error
    return value


def _number(name: str, key: str, value: Any) -> float:
    """A float; text such as 1e-5, which YAML does not read as a number, is refused with the spelling that is."""
    if value == "inf":
        return np.inf
    if isinstance(value, str) and re.fullmatch(r"[-+]?\d+[eE][-+]?\d+", value):
        mantissa, exponent = re.split("[eE]", value)
        raise DpfairError(f"{name}: {key} {value!r} is text in YAML: write {mantissa}.0e{exponent}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if np.isnan(value):
            raise DpfairError(f"{name}: {key} must be a number, got nan")
        return float(value)
    raise DpfairError(f"{name}: {key} must be a number, got {value!r}")


@cache
def statement(name: str) -> dict[str, str]:
    """What an algorithm states in its docstring: Source, Privacy, Neighbours, Status, Differs."""
    text = inspect.cleandoc(find("algorithms", name).__doc__ or "")
    fields = re.findall(r"^(\w+):((?:.*)(?:\n[ \t]+.*)*)", text, flags=re.MULTILINE)
    return {key: " ".join(value.split()) for key, value in fields if key in STATEMENTS}


def task_of(dataset: str) -> str:
    """The task that a data set is for, unless a spec names another one on the same kind of data."""
    return str(getattr(find("datasets", dataset), "TASK", "classification"))


def has_truth(dataset: str) -> bool:
    """Whether scores of a data set's task can be told: not those of a graph that nobody knows."""
    return get_type_hints(find("datasets", dataset).load)["return"] is not Observations


@cache
def data_of(kind: str, name: str) -> Any:
    """What an algorithm, or the algorithms of a task or of a data set, are fitted to: Records, Observations ..."""
    if kind == "algorithms":
        entry = find(kind, name).fit
        return get_type_hints(entry)[next(iter(inspect.signature(entry).parameters))]
    if kind == "tasks":
        return get_type_hints(find(kind, name).Case)["train"]
    loaded, fitted = get_type_hints(find(kind, name).load)["return"], data_of("tasks", task_of(name))
    return loaded if loaded in _options(fitted) else fitted  # a population is drawn from first


def agree(kind: str, name: str, other_kind: str, other: str) -> bool:
    """Whether two of an algorithm, a data set and a task are made for the same kind of data."""
    return not _options(data_of(kind, name)).isdisjoint(_options(data_of(other_kind, other)))


def methods(task: str) -> tuple[str, ...]:
    """The algorithms that can be fitted in a task."""
    return tuple(name for name in names("algorithms") if agree("algorithms", name, "tasks", task))


def require_fit(dataset: str, method: str) -> None:
    """Refuse a method on a data set of another kind.

    Raises:
        DpfairError: names the methods that there are for the data set.
    """
    if not agree("algorithms", method, "datasets", dataset):
        there = ", ".join(n for n in names("algorithms") if agree("algorithms", n, "datasets", dataset))
        raise DpfairError(f"{method} is no method for {dataset} ({task_of(dataset)}): there are {there}")


def _options(data: Any) -> frozenset[Any]:
    """The members of a union, or the type itself."""
    return frozenset(get_args(data) or (data,))


def is_private(name: str) -> bool:
    """Whether an algorithm takes an epsilon."""
    return "epsilon" in parameters("algorithms", name)


def privacy(algorithm: str, params: Mapping[str, Any]) -> str:
    """The privacy status of an algorithm with these parameters, "not private" for one without a budget.

    Neighbours other than whole replaced records are said.
    """
    if not is_private(algorithm) or params.get("epsilon") == np.inf:
        return "not private"
    return " ".join([status(algorithm, params), *_other_neighbours(algorithm)])


def status(algorithm: str, params: Mapping[str, Any]) -> str:
    """The status of an algorithm's claim: that of its docstring, but for a reading with its own in STATUS."""
    readings: Mapping[tuple[str, str], str] = getattr(find("algorithms", algorithm), "STATUS", {})
    own = [found for (name, value), found in readings.items() if params.get(name) == value]
    return own[0] if own else statement(algorithm)["Status"]


def labelled(algorithm: str) -> str:
    """An algorithm's name for an axis that it shares: what its epsilon protects, if that is not a replaced record."""
    return " ".join([algorithm, *(_other_neighbours(algorithm) if is_private(algorithm) else [])])


def _other_neighbours(algorithm: str) -> list[str]:
    neighbours = statement(algorithm)["Neighbours"].rstrip(".")
    return [] if neighbours.startswith("replace-one") else [f"({neighbours})"]
