"""A name -> what its module declares. The folder is the registry: a file's stem is its name.

Algorithms, tasks, models and layouts may lie in folders of their family; stems are unique all the
same. Other packages add algorithms, data sets and tasks by entry points: in the group
`dpfair.algorithms` a name with the module that declares ALGORITHM, as a file of ours does.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import metadata
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

from dpfair_cli.contracts import parameters as keywords
from dpfair_cli.contracts.declarations import Algorithm, Dataset, Task
from dpfair_cli.contracts.errors import DpfairError, UnknownNameError, nearest
from dpfair_cli.contracts.parameters import Parameter
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.contracts.specs import Layout
from dpfair_cli.kinds import Population

PACKAGE = Path(__file__).parent.parent
FOLDERS = {  # kind -> where its files lie
    "algorithms": "algorithms",
    "datasets": "datasets",
    "tasks": "tasks",
    "models": "models",
    "layouts": "reporting/layouts",
}
EXTENSIBLE = (
    "algorithms",
    "datasets",
    "tasks",
)  # kinds that other packages may add to, by entry points
NOUNS = {
    "algorithms": "method",
    "datasets": "data set",
    "tasks": "task",
    "models": "model",
    "layouts": "layout",
}


@cache
def modules(kind: str) -> Mapping[str, str]:
    """Name -> dotted name of the module: our own files, and what other packages declare as entry
    points.

    Raises:
        DpfairError: a package declares a name that there is already.
    """
    found = dict(own_modules(kind))
    for name, (module, package) in _entry_points(kind).items():
        if name in found:
            raise DpfairError(
                f"{package} declares the {NOUNS[kind]} {name!r}, which there is already: {found[name]}"
            )
        found[name] = module
    return dict(sorted(found.items()))


def _entry_points(kind: str) -> dict[str, tuple[str, str]]:
    """Name -> (module, package) of what other packages declare in the group `dpfair.<kind>`."""
    if kind not in EXTENSIBLE:
        return {}
    points = metadata.entry_points(group=f"dpfair.{kind}")
    return {
        point.name: (point.module, point.dist.name if point.dist else point.module)
        for point in points
    }


@cache
def own_modules(kind: str) -> Mapping[str, str]:
    """Name -> dotted name of the module: every file of the kind's folder and of the folders in it."""
    files = sorted((PACKAGE / FOLDERS[kind]).rglob("*.py"), key=lambda file: file.stem)
    parts = {file.stem: file.relative_to(PACKAGE.parent).with_suffix("").parts for file in files}
    return {stem: ".".join(names) for stem, names in parts.items() if stem != "__init__"}


def names(kind: str) -> tuple[str, ...]:
    """The names of a kind, in alphabetical order."""
    return tuple(modules(kind))


def find(kind: str, name: str) -> ModuleType:
    """The module of that name.

    Raises:
        DpfairError: there is none; the nearest name is proposed.
        UnknownNameError: so it is, and another package may declare one of that kind.
    """
    if name not in modules(kind):
        form = UnknownNameError if kind in EXTENSIBLE else DpfairError
        raise form(f"no {NOUNS[kind]} {name!r}: {nearest(name, names(kind))}")
    module = modules(kind)[name]
    try:
        return sys.modules.get(module) or importlib.import_module(
            module
        )  # a journal asks for one at each of its rows
    except ImportError as error:
        if name in own_modules(kind):
            raise
        raise DpfairError(
            f"the {NOUNS[kind]} {name} ({module}) cannot be imported: {error}"
        ) from error


def algorithm(name: str) -> Algorithm:
    """What the algorithm of that name declares."""
    declared: Algorithm = find("algorithms", name).ALGORITHM
    return declared


def dataset(name: str) -> Dataset:
    """What the data set of that name declares."""
    declared: Dataset = find("datasets", name).DATASET
    return declared


def task(name: str) -> Task:
    """What the task of that name declares."""
    declared: Task = find("tasks", name).TASK
    return declared


def layout(name: str) -> type[Layout]:
    """The layout of that name."""
    declared: type[Layout] = find("layouts", name).LAYOUT
    return declared


def parameters(kind: str, name: str) -> dict[str, Parameter]:
    """The parameters of an algorithm, a data set or a task, by name."""
    return keywords.parameters(_entry(kind, name))


def complete(kind: str, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` checked and filled with defaults: every parameter of `name`, in the order of its
    signature.

    Raises:
        DpfairError: an unknown parameter, a value that its annotation does not allow, or a missing
            one.
    """
    try:
        return keywords.complete(_entry(kind, name), given)
    except ValueError as error:
        raise DpfairError(f"{name}: {error}") from error


def _entry(kind: str, name: str) -> Callable[..., Any]:
    """The function whose keyword-only arguments are the parameters."""
    if kind == "algorithms":
        return algorithm(name).fit
    return dataset(name).load if kind == "datasets" else task(name).split


def fitted_data(name: str) -> frozenset[Any]:
    """The kinds of data that an algorithm can be fitted to."""
    return _members(
        _annotation(name, next(iter(inspect.signature(algorithm(name).fit).parameters), "data"))
    )


def train_data(name: str) -> frozenset[Any]:
    """The kinds of data that the algorithms of a task are fitted to."""
    case = get_type_hints(task(name).split)["return"]
    return _members(get_type_hints(case)["train"])


def loaded_data(name: str) -> frozenset[Any]:
    """The kinds of data that an algorithm sees of a data set; data are drawn from a population
    first.
    """
    loaded = get_type_hints(dataset(name).load)["return"]
    if issubclass(loaded, Population):
        loaded, _ = get_args(get_type_hints(loaded.draw)["return"])  # and what is true of them
    return frozenset((loaded,))


def fits_data(method: str, name: str) -> bool:
    """Whether an algorithm can be fitted to a data set, whatever task is to score it."""
    return _takes(fitted_data(method), loaded_data(name))


def gives_result(method: str, *, task: str) -> bool:
    """Whether what an algorithm's `fit` returns can do what a task asks of a result, such as
    predict.
    """
    return not _lacking(method, task=task)


def _lacking(method: str, *, task: str) -> set[str]:
    """What a task asks of a result and what an algorithm's `fit` returns cannot do."""
    return _public_names(find("tasks", task).TASK.result) - _public_names(
        _annotation(method, "return")
    )


def _annotation(method: str, name: str) -> Any:
    """The annotation of an argument of an algorithm's `fit`, or of what it returns.

    Raises:
        DpfairError: there is none.
    """
    hints = get_type_hints(algorithm(method).fit)
    if name not in hints:
        what = "what it returns" if name == "return" else repr(name)
        raise DpfairError(f"{method}: fit has no annotation of {what}")
    return hints[name]


def why_not_fit(method: str, *, task: str) -> str:
    """Why an algorithm cannot be fitted or scored in a task; empty if it can."""
    if not _takes(fitted_data(method), train_data(task)):
        return f"it is fitted to {_class_names(fitted_data(method))}, not to {_class_names(train_data(task))}"
    lacking = sorted(_lacking(method, task=task))
    base = (
        ""
        if set(lacking) - _public_names(NotSaved)
        else f": derive it from {NotSaved.__module__}.NotSaved"
    )
    return (
        f"what its fit returns lacks {', '.join(f'`{name}`' for name in lacking)}{base}"
        if lacking
        else ""
    )


def _class_names(kinds: Collection[Any]) -> str:
    return " or ".join(sorted(kind.__name__ for kind in kinds))


def _public_names(form: type[Any]) -> set[str]:
    """The methods, the properties and the fields of a class, those without a default too."""
    fields = chain.from_iterable(map(inspect.get_annotations, form.__mro__))
    return {name for name in (*dir(form), *fields) if not name.startswith("_")}


@cache
def is_fit_for(method: str, *, task: str) -> bool:
    """Whether an algorithm can be fitted and scored in a task."""
    return _takes(fitted_data(method), train_data(task)) and gives_result(method, task=task)


@cache
def is_data_for(name: str, *, task: str) -> bool:
    """Whether a data set is of the kind that a task takes."""
    return _takes(train_data(task), loaded_data(name))


def methods_for(name: str) -> tuple[str, ...]:
    """The algorithms that can be fitted to a data set and scored in some task."""
    return tuple(method for method in names("algorithms") if _tasks_for(name, method))


def task_for(name: str, *methods: str) -> str:
    """The task that scores methods on a data set: the data set's own, or else the first that can
    score all of them.

    Raises:
        DpfairError: there is none; names the methods that there are for the data set.
    """
    own = dataset(name).task
    if all(_serves(own, name, method) for method in methods):
        return own  # the others need not even be imported
    for method in methods:
        if not _tasks_for(name, method):
            there = ", ".join(methods_for(name))
            raise DpfairError(f"{method} is no method for {name} ({own}): there are {there}")
    shared = set(names("tasks")).intersection(*(_tasks_for(name, method) for method in methods))
    if not shared:
        raise DpfairError(f"no task scores all of {', '.join(methods)} on {name}")
    return min(shared)


def _tasks_for(name: str, method: str) -> set[str]:
    """The tasks in which an algorithm can be fitted to a data set and scored."""
    return {task for task in names("tasks") if _serves(task, name, method)}


def _serves(task: str, name: str, method: str) -> bool:
    """Whether an algorithm can be fitted to a data set in a task and scored."""
    data = {kind for kind in loaded_data(name) if _takes(train_data(task), {kind})}
    return _takes(fitted_data(method), data) and gives_result(method, task=task)


def _takes(wanted: Collection[Any], given: Collection[Any]) -> bool:
    """Whether data of a kind that is given are of a kind that is wanted, or of one derived from it."""
    return any(issubclass(kind, tuple(wanted)) for kind in given)


def _members(kinds: Any) -> frozenset[Any]:
    """The members of a union, or the type itself."""
    return frozenset(get_args(kinds) or (kinds,))
