"""The records by which a module declares what it holds: ALGORITHM, DATASET, TASK.

The folder is the registry: a file's stem is the name, and its record says everything else that the
toolkit asks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import NOT_PRIVATE, Guarantee
from dpfair_cli.contracts.parameters import parameters
from dpfair_cli.contracts.results import Classifier, Outcome
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext

EXAMPLE = (
    'guarantee=Guarantee(released="the weights", neighbours=Neighbours.REPLACE_ONE, '
    'public="the number of records", status=Status.AS_PUBLISHED), '
    "all of dpfair_cli.contracts.guarantees"
)


@dataclass(frozen=True, eq=False)
class Algorithm:
    """A published method."""

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

    @cached_property
    def takes_context(self) -> bool:
        """Whether `fit` trains for epochs and takes a TrainingContext as its keyword `context`."""
        return "context" in inspect.signature(self.fit).parameters

    def require_complete(self, name: str) -> None:
        """Refuse a method whose declaration lacks something.

        Raises:
            DpfairError: names the method and says what to write.
        """
        lacking = self.why_incomplete()
        if lacking:
            raise DpfairError(f"{name}: {lacking}")

    def why_incomplete(self) -> str:
        """What the declaration lacks and what to write, in words; empty if nothing."""
        if not self.source:
            return 'ALGORITHM has no source: write Algorithm(fit, source="Smith 2024, Algorithm 1")'
        if "rng" not in inspect.signature(self.fit).parameters:
            return "fit has no keyword `rng`"
        takes_epsilon = "epsilon" in parameters(self.fit)
        if takes_epsilon and not self.guarantee.is_private:
            return f"fit takes epsilon and ALGORITHM has no guarantee: write {EXAMPLE}"
        if self.guarantee.is_private and not takes_epsilon:
            return "ALGORITHM has a guarantee and fit has no keyword `epsilon`"
        return self.guarantee.why_incomplete()


@dataclass(frozen=True, eq=False)
class BoundFit:
    """An algorithm with all its parameters, which a task's study calls to fit."""

    name: str
    algorithm: Algorithm
    params: Mapping[str, Any]
    context: TrainingContext = NO_CONTEXT

    def __call__(self, data: Any, *, rng: np.random.Generator, **changed: Any) -> Any:
        """The algorithm fitted to `data`; parameters that are `changed` take the place of its own."""
        params = {**self.params, **changed}
        if not self.algorithm.takes_context:
            return self.algorithm.fit(data, **params, rng=rng)
        context = replace(self.context, fit_name=f"{self.name} {self.algorithm.version} {params}")
        return self.algorithm.fit(data, **params, context=context, rng=rng)


@dataclass(frozen=True)
class File:
    """A file of a data set: its path below a data folder, SHA-256, size in bytes, and public
    addresses that hold it.
    """

    path: str
    sha256: str
    size: int
    urls: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Replica:
    """A synthetic stand-in: `path(folder)` is its file, given the folder of replicas, `load(path,
    **options)` reads it.

    `note` says where it comes from.
    """

    path: Callable[[Path], Path]
    load: Callable[..., Any]
    note: str = "drawn from a differentially private model of the real data"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set.

    `load(folder, *, ...)` gives its data, or a population to draw them from. `files` must have the
    stated SHA-256 before they are read, and the data loaded must show the counts `expected` (see
    `counts` of a kind of data), with those of `expected_by_option` in their place where an option has that
    value: (option, value) -> counts. `own_files` are the options that name a user's own files;
    where others of them may be private, `public_files` are those that say what is public (ranges,
    levels, nodes), which is read from the private data where one of them is missing, or where a
    person has not yet `confirmed` what they say, given the options. `task` is what the data are for
    unless a spec says otherwise, `truth` whether the answer that the task looks for is known,
    `needs` a Python module without which no run can be made on the data, `unpublished` what a paper
    does not say of how its data were made, so that these are others; `profile`, given the options of
    `load`, what a user should see of a table of their own before anything runs, and `table` what
    reads another file of the same columns, as JSON.
    """

    load: Callable[..., Any]
    note: str
    task: str = "classification"
    files: tuple[File, ...] = ()
    expected: Mapping[str, Any] = field(default_factory=dict)
    expected_by_option: Mapping[tuple[str, Any], Mapping[str, Any]] = field(default_factory=dict)
    own_files: tuple[str, ...] = ()
    public_files: tuple[str, ...] = ()
    confirmed: Callable[[Mapping[str, Any]], bool] = lambda options: True
    profile: Callable[..., Any] | None = None
    table: Callable[..., Mapping[str, Any]] = lambda **options: {}
    replica: Replica | None = None
    truth: bool = True
    needs: str = ""
    unpublished: str = ""
    version: int = 1

    def counts(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The counts that the data must show with these options."""
        found = dict(self.expected)
        for (name, value), changed in self.expected_by_option.items():
            found |= changed if options.get(name) == value else {}
        return found

    def reads_bounds(self, options: Mapping[str, Any]) -> bool:
        """Whether ranges, levels or nodes are read from the private data with these options."""
        given = all(options.get(name) for name in self.public_files)
        return not (given and self.confirmed(options))


@dataclass(frozen=True)
class Sweep:
    """What `dpfair sweep` shows of a task: `methods` unless some are named, a table of `values` and
    `also`, `panels`.

    `known_without_truth` are the scores to show where the true answer is not known. `reference_methods` are
    methods without privacy that every sweep has beside those that are asked for, `baselines` scores
    that whoever knows nothing has too: value -> the score that it has to exceed.
    """

    title: str
    methods: tuple[str, ...]
    values: tuple[str, ...]
    also: tuple[str, ...]
    panels: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    known_without_truth: tuple[str, ...] = ()
    reference_methods: tuple[str, ...] = ()
    baselines: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Task:
    """A study protocol.

    `split(data, *, ..., rng)` gives a case: what a fit may see (`train`) and what only scoring
    sees. `study(fit, case, *, rng)` calls a BoundFit, scores, and gives an `Outcome`; `result` is
    the kind of result that a fit must return for it. `scores` names everything that it may score,
    `unbounded` those that are no rates (counts and norms, whose tolerance is a share of the
    published value), `ranges` the lowest and highest value of scores whose name does not say it
    (see metrics/ranges.py), `axis` what its curves run over, `outputs` what else it gives, such as
    a graph, and `exact` that its scores are the same for every seed. `fits(protocol)` is how often
    a run spends the budget of its method, given the parameters of `split`.
    """

    split: Callable[..., Any]
    study: Callable[..., Outcome]
    scores: tuple[str, ...]
    unbounded: tuple[str, ...] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    result: type[Any] = Classifier
    axis: str = ""
    outputs: tuple[str, ...] = ()
    exact: bool = False
    sweep: Sweep | None = None
    fits: Callable[[Mapping[str, Any]], int] = lambda protocol: 1
    version: int = 1
