"""Which algorithms, data sources and studies fit together, by the annotations of their functions.

An algorithm can be fitted to a data source if its `fit` accepts the type of the data. A study can
score an algorithm if the result of `fit` has the methods that the study needs, such as `predict`.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from itertools import chain
from typing import Any, get_args, get_type_hints

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import Algorithm, DataSource, Study
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds import Population
from dpfair_cli.kinds.partitioned_records import PartitionedRecords

Types = frozenset[Any]


@cache
def fitted_types(algorithm: Algorithm) -> Types:
    """The types of data that the `fit` of an algorithm accepts.

    Raises:
        DpfairError: `fit` has no annotation for the data.
    """
    first = next(iter(inspect.signature(algorithm.fit).parameters), "data")
    return _members(_annotation(algorithm, first))


@cache
def train_types(study: Study) -> Types:
    """The types of training data that a study passes to `fit`."""
    case = get_type_hints(study.split)["return"]
    return _members(get_type_hints(case)["train"])


@cache
def loaded_types(source: DataSource) -> Types:
    """The types of data that a source provides; for a population, the type of its samples."""
    loaded = get_type_hints(source.load)["return"]
    if issubclass(loaded, Population):
        loaded, _truth = get_args(get_type_hints(loaded.draw)["return"])
    return frozenset((loaded,))


def is_in_parts(source: DataSource) -> bool:
    """Whether a source provides records in parts that never are in one process together."""
    return PartitionedRecords in loaded_types(source)


def can_fit(algorithm: Algorithm, source: DataSource) -> bool:
    """Whether an algorithm can be fitted to the data of a source, regardless of the study."""
    return _takes(fitted_types(algorithm), loaded_types(source))


def can_score(study: Study, algorithm: Algorithm) -> bool:
    """Whether a study can fit and score an algorithm."""
    return not why_not_scored(study, algorithm)


def can_be_saved(algorithm: Algorithm) -> bool:
    """Whether a model file can hold the result of an algorithm's `fit`."""
    return not issubclass(_annotation(algorithm, "return"), NotSaved)


def can_split(study: Study, source: DataSource) -> bool:
    """Whether a study can split the data of a source."""
    return _takes(train_types(study), loaded_types(source))


def why_not_scored(study: Study, algorithm: Algorithm) -> str:
    """The reason why a study cannot fit or score an algorithm; empty if there is no such reason."""
    wanted, given = fitted_types(algorithm), train_types(study)
    if not _takes(wanted, given):
        return f"it is fitted to {_type_names(wanted)}, not to {_type_names(given)}"
    lacking = sorted(_lacking(study, algorithm))
    if not lacking:
        return ""
    names = ", ".join(f"`{name}`" for name in lacking)
    base = f"{NotSaved.__module__}.NotSaved"
    # a result that lacks only what NotSaved has is a plain class of a new method
    hint = "" if set(lacking) - _public_names(NotSaved) else f": derive it from {base}"
    return f"the result of its fit lacks {names}{hint}"


def algorithms_for(source: DataSource) -> tuple[Algorithm, ...]:
    """The algorithms that can be fitted to a source and scored by some study."""
    served: set[Algorithm] = set()
    every = [catalog.algorithm(name) for name in catalog.algorithms.names]
    for study in map(catalog.study, catalog.studies.names):
        served |= {algorithm for algorithm in every if _serves(study, source, algorithm)}
    return tuple(algorithm for algorithm in every if algorithm in served)


def study_named(name: str, source: DataSource, algorithms: Iterable[Algorithm]) -> Study:
    """The study with this name, which must score all of `algorithms` on a source.

    Without a name, the study is that of the source if it can score them all, or else the first by
    name that can.

    Raises:
        DpfairError: no study has the name, or no study can score all algorithms on the source; the
            message names an algorithm that does not fit.
    """
    algorithms = list(algorithms)
    # the study of the source is first, because the other studies then need not even be imported
    names = [name] if name else [source.task, *catalog.studies.names]
    for found in map(catalog.study, names):
        if all(_serves(found, source, algorithm) for algorithm in algorithms):
            return found
    there = algorithms_for(source)
    for algorithm in algorithms:
        if name and not _serves(catalog.study(name), source, algorithm):
            raise DpfairError(
                f"the task {name} cannot score the algorithm {algorithm.name} on the data set "
                f"{source.name}: choose another task"
            )
        if algorithm not in there:
            raise DpfairError(
                f"the algorithm {algorithm.name} cannot be fitted to the data set {source.name} "
                f"(task {source.task}): choose one of {', '.join(one.name for one in there)}"
            )
    raise DpfairError(
        f"no task scores all of {', '.join(one.name for one in algorithms)} on the data set "
        f"{source.name}: run the algorithms separately"
    )


def divided(
    settings: Mapping[str, Any], study: Study, algorithms: Iterable[Algorithm]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings that are parameters of a study, and the other settings.

    A parameter that one of `algorithms` has, too, belongs to the algorithm.
    """
    # who sets a parameter that both have means the method that is named with it
    own = set(study.parameters).difference(*(one.parameters for one in algorithms))
    protocol = {key: value for key, value in settings.items() if key in own}
    return protocol, {key: value for key, value in settings.items() if key not in own}


@cache
def _serves(study: Study, source: DataSource, algorithm: Algorithm) -> bool:
    """Whether a study can fit an algorithm to the data of a source and score the result."""
    is_fitted = can_split(study, source) and can_fit(algorithm, source)
    return is_fitted and not _lacking(study, algorithm)


@cache
def _lacking(study: Study, algorithm: Algorithm) -> frozenset[str]:
    """The attributes that a study needs and that the result of an algorithm's `fit` lacks."""
    returned: Any = _annotation(algorithm, "return")
    wanted: Any = study.result
    return _public_names(wanted) - _public_names(returned)


@cache
def _annotation(algorithm: Algorithm, name: str) -> Any:
    """The annotation of an argument of an algorithm's `fit`, or of the value that `fit` returns.

    Raises:
        DpfairError: the argument or the value has no annotation.
    """
    hints = get_type_hints(algorithm.fit)
    if name not in hints:
        what = "its return value" if name == "return" else repr(name)
        raise DpfairError(f"the function fit of {algorithm.name} must have an annotation of {what}")
    return hints[name]


@cache
def _public_names(form: Any) -> frozenset[str]:
    """The names of all methods, properties and fields of a class."""
    fields = chain.from_iterable(map(inspect.get_annotations, form.__mro__))
    return frozenset(name for name in (*dir(form), *fields) if not name.startswith("_"))


def _type_names(types: Collection[Any]) -> str:
    """The names of types as one text."""
    return " or ".join(sorted(form.__name__ for form in types))


def _takes(wanted: Collection[Any], given: Collection[Any]) -> bool:
    """Whether a type in `given` is a type in `wanted`, or a subclass of a type in `wanted`."""
    return any(issubclass(form, tuple(wanted)) for form in given)


def _members(types: Any) -> Types:
    """The members of a union, or the type itself."""
    return frozenset(get_args(types) or (types,))
