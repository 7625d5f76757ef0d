"""The declarations ALGORITHM, DATASET and TASK of the modules with algorithms, data and studies.

The registered name of a declaration is the name of the file without `.py`. A declaration contains
everything else that the toolkit needs to know about the module.

The `catalog` turns the names in a command, a spec or the estimator into a Method, a DataSet or a
Task: a declaration with a value for each parameter. All other code passes these objects and not
the names.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import NOT_PRIVATE, Guarantee
from dpfair_cli.contracts.parameters import Parameter, complete, parameters
from dpfair_cli.contracts.results import Classifier, Outcome, Range, range_of
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext

SIZES = 1e-15, 1e15  # of the numbers of a private method: a product of a few does not overflow
EXAMPLE = (
    'guarantee=Guarantee(released="the weights", neighbours=Neighbours.REPLACE_ONE, '
    'public="the number of records", status=Status.AS_PUBLISHED), '
    "all of dpfair_cli.contracts.guarantees"
)


@dataclass(frozen=True, eq=False)
class Declaration:
    """The declaration of an algorithm, a data source or a study by its module.

    The module assigns the declaration to the name in `attribute`, and the catalog registers it
    under the name of the module's file. A declaration is pickled as a reference to its module.

    Attributes:
        attribute: the name to which the module assigns the declaration.
        described: the field with the function that `function` returns.
        name: the name that specs and commands use, the stem of the module; empty if not registered.
        module: the dotted name of the module; empty if not registered.
    """

    attribute: ClassVar[str]
    described: ClassVar[str]
    name: str = field(default="", init=False)
    module: str = field(default="", init=False)

    @property
    def function(self) -> Callable[..., Any]:
        """The function whose keyword-only arguments are the parameters."""
        described: Callable[..., Any] = getattr(self, self.described)
        return described

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name, in the order of the signature."""
        return parameters(self.function)

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The value of each parameter, in the order of the signature.

        A value in `given` is converted to the type of the parameter; the other parameters have
        their defaults.

        Raises:
            DpfairError: a parameter is unknown, a value is not allowed, or a parameter without a
                default has no value.
        """
        try:
            return complete(self.function, given)
        except ValueError as error:
            raise DpfairError(f"{self.name}: {error}") from error

    def registered(self, name: str, module: str) -> Self:
        """The declaration itself, after `name` and `module` were stored in it."""
        # the module makes its declaration before anybody knows its registered name
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "module", module)
        return self

    def __reduce__(self) -> Any:
        if not self.module:
            return super().__reduce__()
        # by reference: a default such as that of `confirmed` is a lambda, which pickle refuses
        return _registered_again, (self.module, self.attribute, self.name)


def _registered_again(module: str, attribute: str, name: str) -> Any:
    """The declaration of a module, in the process that unpickles it."""
    declared = getattr(import_module(module), attribute)
    # the module of re-analyses has several declarations, by name
    found = declared[name] if isinstance(declared, Mapping) else declared
    return found.registered(name, module)


@dataclass(frozen=True, eq=False)
class Algorithm(Declaration):
    """A published algorithm.

    Attributes:
        fit: `fit(data, *, ..., rng)` returns the fitted result.
        version: the number of the version, which is increased when the same arguments give another
            result.
        source: the paper with the place in it, such as "xu2021, Algorithm 5".
        guarantee: the privacy guarantee; a method that takes an epsilon has one.
        data_options: the data set options that commands use for this method, unless the user gives
            others.
        uses_groups: whether the fit depends on the groups of records.
        needs: a Python module that dpfair does not install, and that the fit, or a task with its
            result, imports; empty if none.
    """

    attribute, described = "ALGORITHM", "fit"

    fit: Callable[..., Any]
    version: int = 1
    source: str = ""
    guarantee: Guarantee = NOT_PRIVATE
    data_options: Mapping[str, Any] = field(default_factory=dict)
    uses_groups: bool = False
    needs: str = ""

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The value of each parameter, as `Declaration.complete` returns them.

        With numbers beyond SIZES, or with weight decay that makes weights larger in each step,
        computations overflow for some records and not for others. A private method refuses such
        settings, because a refused fit would say something about the records.

        Raises:
            DpfairError: as `Declaration.complete`, or a number of a private method is too small or
                too large, or its learning rate is too large for its weight decay.
        """
        found = super().complete(given)
        least, most = SIZES
        for name, value in found.items() if self.guarantee.is_private else ():
            size = abs(value) if isinstance(value, float) else 1.0
            if 0 < size < least or most < size < math.inf:
                raise DpfairError(
                    f"{self.name}: {name} must be from {least:g} to {most:g} in size, got {value:g}"
                )
        decay = found.get("learning_rate", 0.0) * found.get("regularisation", 0.0)
        if self.guarantee.is_private and decay > 1:
            raise DpfairError(
                f"{self.name}: learning_rate times regularisation must be at most 1, got {decay:g}"
            )
        return found

    @cached_property
    def takes_context(self) -> bool:
        """Whether `fit` trains for epochs and takes a TrainingContext as its keyword `context`."""
        return "context" in inspect.signature(self.fit).parameters

    def require_complete(self) -> None:
        """Refuses an algorithm whose declaration is incomplete.

        Raises:
            DpfairError: the declaration is incomplete; the message says what is missing.
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
    algorithm: Algorithm  # the algorithm whose `fit` is called
    params: Mapping[str, Any]  # the value of each parameter, by name
    # the checkpoints and progress display, for an algorithm that trains for epochs
    context: TrainingContext = NO_CONTEXT

    def __call__(self, data: Any, *, rng: np.random.Generator, **changed: Any) -> Any:
        """The fitted result of the algorithm on `data`; `changed` replaces values of `params`."""
        params = {**self.params, **changed}
        if not self.algorithm.takes_context:
            return self.algorithm.fit(data, **params, rng=rng)
        device = self.context.device
        where = "" if device.is_processor else f" on {device.name}"
        name = f"{self.name} {self.algorithm.version} {params}{where}"
        context = replace(self.context, fit_name=name)
        return self.algorithm.fit(data, **params, context=context, rng=rng)


class StandIn(StrEnum):
    """The kinds of data that can replace the data of a paper."""

    REPLICA = "REPLICA"  # synthetic data, whose results are not compared with published values
    SUBSTITUTE = "SUBSTITUTE"  # public data with similar records and columns


@dataclass(frozen=True)
class File:
    """A published file of a data set."""

    path: str  # the path of the file below a data folder
    sha256: str  # the SHA-256 of the file, in hexadecimal digits
    size: int  # the size of the file in bytes
    urls: tuple[str, ...]  # public addresses of the file
    # the licence of the file in words, such as "CC BY 4.0"; says so if none is stated
    licence: str = ""


@dataclass(frozen=True, eq=False)
class Replica:
    """A synthetic data set with the columns of a real data set that may not be distributed."""

    # `path(folder)` is the path of the replica in the folder of replicas
    path: Callable[[Path], Path]
    load: Callable[..., Any]  # `load(path, **options)` reads the replica
    # the origin of the replica
    note: str = "drawn from a differentially private model of the real data"


@dataclass(frozen=True, eq=False)
class DataSource(Declaration):
    """The declaration of a data set: how its files are found, read and described.

    Attributes:
        load: `load(folder, *, ...)` returns the data, or a population from which data are drawn.
        note: a description of one line for lists of data sets.
        task: the name of the task that the data are for, unless a spec says otherwise.
        files: the files of the data set; the SHA-256 of a file is checked before the file is read.
        expected: the expected result of the method `counts` of the loaded data.
        expected_by_option: (option, value) -> the counts that differ from `expected` if the option
            has this value.
        own_files: the options whose values are paths of the user's files.
        public_files: the options among `own_files` whose files have public facts (ranges, levels,
            nodes). If such an option is not given, these facts are read from the private data.
        confirmed: `confirmed(options)` says whether a person has confirmed the content of the
            public files.
        profile: `profile(**options)` describes the user's table; `train` and `sweep` print the
            result.
        table: `table(**options)` is JSON with which `dpfair predict` reads a file with these
            columns.
        replica: synthetic data for use where the files are missing; None if there are none.
        truth: whether the true answer, such as the true graph in causal discovery, is known.
        needs: a Python module that every run on the data needs; empty if none.
        unpublished: the facts about the paper's data that are not published; empty if everything is
            known.
        optional_in_rows: the options of `load` that a row contains only if they differ from their
            defaults.
        version: the number of the version, increased when the same files and options give other
            data.
    """

    attribute, described = "DATASET", "load"

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
    optional_in_rows: tuple[str, ...] = ()
    version: int = 1

    @property
    def is_substitute(self) -> bool:
        """Whether the data replace data of a paper that are not public."""
        return "SUBSTITUTE" in self.note

    def counts(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The expected counts of the data with these options, such as records and columns."""
        # several options may change the same data, and a later one has the last word
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
    """The scores that `dpfair sweep` shows for a task.

    Attributes:
        title: the title of the table, to which the name of the data is added.
        methods: the algorithms that are run unless the user names others.
        values: the main scores of the table.
        also: additional scores of the table, such as the selection rate.
        panels: the scores of the figure, one panel each.
        labels: the names of scores in the table.
        known_without_truth: the scores that are shown if the true answer is not known.
        reference_methods: algorithms without privacy that every sweep runs for comparison.
        baselines: score -> the score of its constant baseline.
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


class Score(str):
    """The name of a score that had other names before.

    Rows and published.csv may have a former name, and are read under this one: a score is renamed
    without a change of results.
    """

    formerly: tuple[str, ...]  # the former names

    def __new__(cls, name: str, *, formerly: tuple[str, ...] = ()) -> Score:
        """The name of a score with its former names."""
        score = super().__new__(cls, name)
        score.formerly = formerly
        return score


@dataclass(frozen=True, eq=False)
class Study(Declaration):
    """An evaluation protocol: how data are split, which model is fitted, and what is scored.

    Attributes:
        split: `split(data, *, ..., rng)` returns an object with the training data in the field
            `train`.
        study: `study(fit, case, *, rng)` calls the BoundFit `fit` and returns an Outcome with
            scores.
        scores: the names of all scores that the study can compute; a renamed one is a `Score`.
        unbounded: scores that are not rates (counts, norms), for which `check` allows a relative
            difference.
        ranges: score -> (lowest, highest), for scores without a rule in contracts/results.py.
        result: the type of result that a fit must return.
        axis: the axis of the curves that the study computes, such as the epoch; empty without
            curves.
        outputs: the names of other outputs, such as a graph.
        exact: whether the scores are the same for every seed.
        sweep: what `dpfair sweep` shows for this study; None if there is no sweep.
        fits: the number of fits in a run, each with the full epsilon, from the parameters of
            `split`.
        optional_in_rows: the parameters of `split` that a row contains only if they differ from
            their defaults.
        version: the number of the version, which is increased when the same fit gives other scores.
    """

    attribute, described = "TASK", "split"

    split: Callable[..., Any]
    study: Callable[..., Outcome]
    scores: tuple[str, ...]
    unbounded: tuple[str, ...] = ()
    ranges: Mapping[str, Range] = field(default_factory=dict)
    result: type[Any] = Classifier
    axis: str = ""
    outputs: tuple[str, ...] = ()
    exact: bool = False
    sweep: Sweep | None = None
    fits: Callable[[Mapping[str, Any]], int] = lambda protocol: 1
    optional_in_rows: tuple[str, ...] = ()
    version: int = 1

    @cached_property
    def renamed(self) -> dict[str, str]:
        """The present name of a score, by each of its former names."""
        found: dict[str, str] = {}
        for score in self.scores:
            if isinstance(score, Score):
                found |= dict.fromkeys(score.formerly, str(score))
        return found

    @cached_property
    def score_ranges(self) -> dict[str, Range]:
        """The (lowest, highest) possible value of each score, by the name of the score."""
        return {score: range_of(score) for score in self.scores} | dict(self.ranges)


@dataclass(frozen=True, eq=False)
class Method:
    """An algorithm with a value for every parameter, as one row of a table runs it."""

    algorithm: Algorithm  # the algorithm that is fitted
    params: Mapping[str, Any]  # the value of each parameter of the fit, by name
    label: str  # the name that tables print
    published: str  # the name of the method in the file of published values
    # the names of the data sets that the method runs on; empty for all data sets of the spec
    datasets: tuple[str, ...] = ()
    seeds: int = 0  # the number of seeds that the method runs with; 0 for all seeds of the spec
    chosen_by: str = ""  # the reason for the choice of the default variant

    @property
    def name(self) -> str:
        """The name of the algorithm that this method runs."""
        return self.algorithm.name

    @property
    def is_private(self) -> bool:
        """Whether the algorithm of this method has a privacy budget."""
        return self.algorithm.guarantee.is_private

    @cached_property
    def json_params(self) -> dict[str, Any]:
        """The parameters of the method as JSON values."""
        return as_json(self.params)


@dataclass(frozen=True)
class DataSet:
    """A data source with a value for every option.

    Two data sets of the same source, options and variant are equal.
    """

    source: DataSource  # the data source that loads the data
    options: Mapping[str, Any]  # the value of each option of `source.load`, by name
    # the name of this variant of the data in a spec; empty for the default variant
    variant: str = ""

    def __hash__(self) -> int:
        return hash((self.source.name, self.variant))

    @property
    def name(self) -> str:
        """The name of the data source of this data set."""
        return self.source.name

    @property
    def public_options(self) -> dict[str, Any]:
        """The options of the data set, except for the paths of the user's own files."""
        hidden = self.source.own_files
        return {name: value for name, value in self.options.items() if name not in hidden}

    @cached_property
    def json_options(self) -> dict[str, Any]:
        """The options of the data set, as the rows of its runs contain them, as JSON values.

        Paths of the user's own files are left out. An option that was added after the first runs
        (`optional_in_rows`) is left out while it has its default.
        """
        later = self.source.optional_in_rows
        defaults = {name: self.source.parameters[name].default for name in later}
        said = {
            name: value
            for name, value in self.public_options.items()
            if name not in defaults or value != defaults[name]
        }
        return as_json(said)

    @property
    def reads_bounds(self) -> bool:
        """Whether ranges, levels or nodes of this data set are read from the private data."""
        return self.source.reads_bounds(self.options)


@dataclass(frozen=True)
class Task:
    """A study with a value for every parameter of its protocol."""

    study: Study
    protocol: Mapping[str, Any]  # the value of each parameter of `study.split`, by name

    def __hash__(self) -> int:
        return hash(self.study.name)

    @property
    def name(self) -> str:
        """The name of the study that this task runs."""
        return self.study.name

    @cached_property
    def json_protocol(self) -> dict[str, Any]:
        """The parameters of the study protocol as JSON values."""
        return as_json(self.protocol)

    @property
    def score_ranges(self) -> Mapping[str, Range]:
        """The (lowest, highest) possible value of each score, by the name of the score."""
        return self.study.score_ranges

    @property
    def fits_per_run(self) -> int:
        """The number of fits in one run, each with the full epsilon of the method."""
        return self.study.fits(self.protocol)
