"""The registries, which find algorithms, data sources, studies, models and layouts by name.

`method`, `data_set` and `task` turn a name into an object. The module `matching` finds out which
algorithms, data sources and studies fit together.

The registered name of a module is the name of its file without `.py`. Files may be in subfolders,
or in the folder of a paper, and all names of a registry are different. Other packages add
algorithms, data sources and studies by entry points. An entry point of the group
`dpfair.algorithms`, for example, has a name and a module that declares ALGORITHM.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from dpfair_cli import papers
from dpfair_cli.contracts.declarations import (
    Algorithm,
    DataSet,
    DataSource,
    Declaration,
    Method,
    Study,
    Task,
)
from dpfair_cli.contracts.errors import DpfairError, UnknownNameError, nearest
from dpfair_cli.contracts.specs import Layout

PACKAGE = Path(__file__).parent.parent

Declared = TypeVar("Declared", bound=Declaration)


@dataclass(frozen=True)
class Registry(Generic[Declared]):
    """The modules of one category, such as algorithms, by their registered names.

    Attributes:
        folder: the folder of the modules, below the package dpfair_cli.
        noun: the word for one module in messages, such as "method".
        record: the type of the declaration in each module; None for modules without one.
        group: the group of entry points by which other packages add modules; empty if they cannot.
    """

    folder: str
    noun: str
    record: type[Declared] | None = None
    group: str = ""

    @cached_property
    def own_modules(self) -> Mapping[str, str]:
        """The import path of each module of dpfair and of its papers, by registered name."""
        # files are listed, not imported: a command imports only the modules that it names
        package = (PACKAGE / self.folder).rglob("[!_]*.py")
        found = {file.stem: _dotted(file, PACKAGE, "dpfair_cli") for file in package}
        for file in papers.modules(self.folder):
            found[file.stem] = _dotted(file, papers.FOLDER, papers.__name__)
        return dict(sorted(found.items()))

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """The import path of each module, plug-ins included, by name in alphabetical order.

        Raises:
            DpfairError: another package declares a name that exists.
        """
        found = dict(self.own_modules)
        for point in metadata.entry_points(group=self.group) if self.group else ():
            if point.name in found:
                package = point.dist.name if point.dist else point.module
                raise DpfairError(
                    f"the package {package} declares the {self.noun} {point.name!r}, but this name "
                    f"already belongs to {found[point.name]}: rename the entry point of {package}"
                )
            found[point.name] = point.module
        return dict(sorted(found.items()))

    @property
    def names(self) -> tuple[str, ...]:
        """The registered names, in alphabetical order."""
        return tuple(self.modules)

    def module(self, name: str) -> ModuleType:
        """The imported module with a registered name.

        Raises:
            UnknownNameError: no module has the name, but another package may declare it.
            DpfairError: no module has the name, or another package's module cannot be imported.
        """
        if name not in self.modules:
            error = UnknownNameError if self.group else DpfairError
            raise error(f"unknown {self.noun} {name!r}: {nearest(name, self.names)}")
        module = self.modules[name]
        try:
            return import_module(module)
        except ImportError as error:
            # a mistake of dpfair keeps its traceback; one of a plug-in is told to its user
            if name in self.own_modules:
                raise
            raise DpfairError(
                f"the {self.noun} {name} ({module}) cannot be imported: {error}"
            ) from error

    def find(self, name: str) -> Declared:
        """The declaration of the module with a registered name.

        Raises:
            UnknownNameError, DpfairError: as `module`.
        """
        assert self.record, "a module of this registry has no declaration"
        module = self.module(name)
        declared: Declared = getattr(module, self.record.attribute)
        # the name in the registry is known here only; a declaration that has one is registered
        return declared if declared.module else declared.registered(name, module.__name__)


def _dotted(file: Path, folder: Path, package: str) -> str:
    """The import path of a module in the folder of a package."""
    return ".".join((package, *file.relative_to(folder).with_suffix("").parts))


algorithms = Registry("algorithms", "method", Algorithm, "dpfair.algorithms")
data_sources = Registry("datasets", "data set", DataSource, "dpfair.datasets")
studies = Registry("tasks", "task", Study, "dpfair.tasks")
models: Registry[Any] = Registry("models", "model")
layouts: Registry[Any] = Registry("reporting/layouts", "layout")

# catalog.algorithm("pflr") is the declaration with this name
algorithm, data_source, study = algorithms.find, data_sources.find, studies.find


@cache
def layout(name: str) -> type[Layout]:
    """The class of the layout, a form in which results are shown, with this name."""
    declared: type[Layout] = layouts.module(name).LAYOUT
    return declared


def method(name: str, params: Mapping[str, Any] | None = None) -> Method:
    """The algorithm with this name and these parameters; other parameters have their defaults.

    Raises:
        DpfairError: the name or a parameter is unknown, or a value is not allowed.
    """
    found = algorithm(name)
    return Method(found, found.complete(params or {}), label=name, published=name)


def data_set(name: str, options: Mapping[str, Any] | None = None) -> DataSet:
    """The data source with this name and these options; defaults and errors as `method`."""
    found = data_source(name)
    return DataSet(found, found.complete(options or {}))


def task(name: str, protocol: Mapping[str, Any] | None = None) -> Task:
    """The study with this name and these parameters; defaults and errors as `method`."""
    found = study(name)
    return Task(found, found.complete(protocol or {}))
