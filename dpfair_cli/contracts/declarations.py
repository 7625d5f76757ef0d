"""The records by which a module declares what it holds: ALGORITHM, DATASET, TASK.

The folder is the registry: the stem of a file is the name of its record, which says everything else
that the toolkit asks. `resolved.py` has these records with all their parameters.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import NOT_PRIVATE, Guarantee
from dpfair_cli.contracts.parameters import Parameter, complete, parameters
from dpfair_cli.contracts.results import Classifier, Outcome
from dpfair_cli.contracts.score_ranges import Range, range_of
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext

EXAMPLE = (
    'guarantee=Guarantee(released="the weights", neighbours=Neighbours.REPLACE_ONE, '
    'public="the number of records", status=Status.AS_PUBLISHED), '
    "all of dpfair_cli.contracts.guarantees"
)


@dataclass(frozen=True, eq=False)
class Declaration(ABC):
    """The declaration of an algorithm, a data source or a study by its module.

    The module assigns the declaration to the name in `attribute`, and the catalog registers it
    under the name of the module's file. A declaration is pickled as a reference to its module.
    """

    attribute: ClassVar[str]

    name: str = field(default="", init=False)
    """The name that specs and commands use, the stem of the module; empty if not registered."""

    module: str = field(default="", init=False)
    """The dotted name of the module; empty if not registered."""

    @property
    @abstractmethod
    def function(self) -> Callable[..., Any]:
        """The function whose keyword-only arguments are the parameters."""

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name, in the order of the signature."""
        return parameters(self.function)

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters in the order of the signature: `given` converted, defaults otherwise.

        Raises:
            DpfairError: an unknown parameter, a value that its annotation does not allow, or a
                missing one.
        """
        try:
            return complete(self.function, given)
        except ValueError as error:
            raise DpfairError(f"{self.name}: {error}") from error

    def registered(self, name: str, module: str) -> Self:
        """The declaration itself, after its name and its module were stored in it."""
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "module", module)
        return self

    def __reduce__(self) -> Any:
        if not self.module:
            return super().__reduce__()
        return _registered_again, (self.module, self.attribute, self.name)


def _registered_again(module: str, attribute: str, name: str) -> Any:
    return getattr(import_module(module), attribute).registered(name, module)


@dataclass(frozen=True, eq=False)
class Algorithm(Declaration):
    """A published algorithm."""

    attribute = "ALGORITHM"

    fit: Callable[..., Any]
    """`fit(data, *, ..., rng)` returns the fitted result."""

    version: int = 1
    """Raised when the same arguments give another result."""

    source: str = ""
    """The paper with the place in it, such as "xu2021, Algorithm 5"."""

    guarantee: Guarantee = NOT_PRIVATE
    """The privacy guarantee; a method that takes an epsilon has one."""

    data_options: Mapping[str, Any] = field(default_factory=dict)
    """The options that a command loads data sets with, where they exist and are not given."""

    uses_groups: bool = False
    """Whether the fit depends on the groups of records."""

    needs: str = ""
    """A Python module that the fit imports and that dpfair does not install."""

    @property
    def function(self) -> Callable[..., Any]:
        """`fit`."""
        return self.fit

    @cached_property
    def takes_context(self) -> bool:
        """Whether `fit` trains for epochs and takes a TrainingContext as its keyword `context`."""
        return "context" in inspect.signature(self.fit).parameters

    def require_complete(self) -> None:
        """Refuses an algorithm whose declaration is incomplete.

        Raises:
            DpfairError: names the method and says what to write.
        """
        lacking = self.why_incomplete()
        if lacking:
            raise DpfairError(f"{self.name}: {lacking}")

    def why_incomplete(self) -> str:
        """The missing part of the declaration and what to write; empty if nothing is missing."""
        if not self.source:
            return (
                'ALGORITHM needs a source: write Algorithm(fit, source="Smith 2024, Algorithm 1")'
            )
        if "rng" not in inspect.signature(self.fit).parameters:
            return "the function fit must have a keyword-only argument `rng`"
        takes_epsilon = "epsilon" in self.parameters
        if takes_epsilon and not self.guarantee.is_private:
            return f"fit takes epsilon, so ALGORITHM must have a privacy guarantee: write {EXAMPLE}"
        if self.guarantee.is_private and not takes_epsilon:
            return "ALGORITHM has a guarantee, so fit must have a keyword-only argument `epsilon`"
        return self.guarantee.why_incomplete()


@dataclass(frozen=True, eq=False)
class BoundFit:
    """An algorithm with a value for every parameter; a study calls it to fit a model."""

    name: str
    """The name of the algorithm."""

    algorithm: Algorithm
    """What is fitted."""

    params: Mapping[str, Any]
    """Every parameter, by name."""

    context: TrainingContext = NO_CONTEXT
    """What surrounds the fit of an algorithm that trains for epochs."""

    def __call__(self, data: Any, *, rng: np.random.Generator, **changed: Any) -> Any:
        """The algorithm fitted to `data`, with the parameters `changed` in place of its own."""
        params = {**self.params, **changed}
        if not self.algorithm.takes_context:
            return self.algorithm.fit(data, **params, rng=rng)
        context = replace(self.context, fit_name=f"{self.name} {self.algorithm.version} {params}")
        return self.algorithm.fit(data, **params, context=context, rng=rng)


class StandIn(StrEnum):
    """The kinds of data that can replace the data of a paper."""

    REPLICA = "REPLICA"
    """Synthetic data, which are compared with nothing."""

    SUBSTITUTE = "SUBSTITUTE"
    """Public data of the same kind."""


@dataclass(frozen=True)
class File:
    """A published file of a data set."""

    path: str
    """Its path below a data folder."""

    sha256: str
    """The SHA-256 of its bytes, in hexadecimal digits."""

    size: int
    """Its size in bytes."""

    urls: tuple[str, ...]
    """Public addresses that hold it."""


@dataclass(frozen=True, eq=False)
class Replica:
    """A synthetic data set with the columns of a real data set that may not be distributed."""

    path: Callable[[Path], Path]
    """`path(folder)` is its file, given the folder of replicas."""

    load: Callable[..., Any]
    """`load(path, **options)` reads it."""

    note: str = "drawn from a differentially private model of the real data"
    """Where it comes from."""


@dataclass(frozen=True, eq=False)
class DataSource(Declaration):
    """The declaration of a data set: how its files are found, read and described."""

    attribute = "DATASET"

    load: Callable[..., Any]
    """`load(folder, *, ...)` returns the data, or a population to draw them from."""

    note: str
    """One line about it in lists."""

    task: str = "classification"
    """The name of the task that the data are for, unless a spec says otherwise."""

    files: tuple[File, ...] = ()
    """The files that must have their SHA-256 before they are read."""

    expected: Mapping[str, Any] = field(default_factory=dict)
    """The counts that the loaded data must show (see `counts` of a kind of data)."""

    expected_by_option: Mapping[tuple[str, Any], Mapping[str, Any]] = field(default_factory=dict)
    """(option, value) -> counts in place of the `expected` ones where the option has that value."""

    own_files: tuple[str, ...] = ()
    """The options that name files of the user."""

    public_files: tuple[str, ...] = ()
    """Those of `own_files` that say what is public (ranges, levels, nodes).

    What a missing one would say is read from the private data.
    """

    confirmed: Callable[[Mapping[str, Any]], bool] = lambda options: True
    """Whether a person has confirmed what the public files say, given the options."""

    profile: Callable[..., Any] | None = None
    """`profile(**options)`: what a user should see of their own table before anything runs."""

    table: Callable[..., Mapping[str, Any]] = lambda **options: {}
    """`table(**options)`: how another file with the same columns is read, as JSON."""

    replica: Replica | None = None
    """A synthetic stand-in, where there is one."""

    truth: bool = True
    """Whether the answer that the task looks for is known."""

    needs: str = ""
    """A Python module without which no run can be made on the data."""

    unpublished: str = ""
    """What the paper does not say of how its data were made, so that these differ."""

    version: int = 1
    """To be raised when the same files and options give other data."""

    @property
    def function(self) -> Callable[..., Any]:
        """`load`."""
        return self.load

    @property
    def is_substitute(self) -> bool:
        """Whether the data replace data of a paper that are not public."""
        return "SUBSTITUTE" in self.note

    def counts(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The numbers of records, columns and the like that the data must have with the options."""
        found = dict(self.expected)
        for (name, value), changed in self.expected_by_option.items():
            found |= changed if options.get(name) == value else {}
        return found

    def reads_bounds(self, options: Mapping[str, Any]) -> bool:
        """Whether ranges, levels or nodes are read from the private data, given these options."""
        given = all(options.get(name) for name in self.public_files)
        return not (given and self.confirmed(options))


@dataclass(frozen=True)
class Sweep:
    """The scores that `dpfair sweep` shows for a task."""

    title: str
    """The title of its table, before the name of the data."""

    methods: tuple[str, ...]
    """The algorithms that are run unless others are named."""

    values: tuple[str, ...]
    """The scores that the table is about."""

    also: tuple[str, ...]
    """Further scores of the table, which guard the reader."""

    panels: tuple[str, ...]
    """The scores of the figure, a panel each."""

    labels: Mapping[str, str] = field(default_factory=dict)
    """The names of scores in the table."""

    known_without_truth: tuple[str, ...] = ()
    """The scores to show where the true answer is not known."""

    reference_methods: tuple[str, ...] = ()
    """Algorithms without privacy that every sweep runs as well."""

    baselines: Mapping[str, str] = field(default_factory=dict)
    """score -> the score of a constant prediction that it has to exceed."""


@dataclass(frozen=True, eq=False)
class Study(Declaration):
    """An evaluation protocol: how data are split, which model is fitted, and what is scored."""

    attribute = "TASK"

    split: Callable[..., Any]
    """`split(data, *, ..., rng)` returns a case: `train`, which a fit may see, and the rest."""

    study: Callable[..., Outcome]
    """`study(fit, case, *, rng)` calls a BoundFit, scores its result and returns an Outcome."""

    scores: tuple[str, ...]
    """Everything that it may score."""

    unbounded: tuple[str, ...] = ()
    """Scores that are not rates (counts, norms): their margin is a share of the published value."""

    ranges: Mapping[str, Range] = field(default_factory=dict)
    """(lowest, highest) value of scores whose name does not say it (contracts/score_ranges.py)."""

    result: type[Any] = Classifier
    """The kind of result that a fit must return."""

    axis: str = ""
    """What its curves run over; empty without curves."""

    outputs: tuple[str, ...] = ()
    """What else it gives, such as a graph."""

    exact: bool = False
    """Whether its scores are the same for every seed."""

    sweep: Sweep | None = None
    """What `dpfair sweep` shows of it."""

    fits: Callable[[Mapping[str, Any]], int] = lambda protocol: 1
    """How often a run spends the budget of its method, given the parameters of `split`."""

    version: int = 1
    """To be raised when the same fit gives other scores."""

    @property
    def function(self) -> Callable[..., Any]:
        """`split`."""
        return self.split

    @cached_property
    def score_ranges(self) -> dict[str, Range]:
        """The (lowest, highest) possible value of each score, by the name of the score."""
        return {score: range_of(score) for score in self.scores} | dict(self.ranges)
