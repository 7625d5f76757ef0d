"""A method, a data set or a task: a declaration with a value for each parameter.

The `catalog` turns the names in a command, a spec or the estimator into these objects. All other
code passes the objects and not the names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.declarations import Algorithm, DataSource, Study
from dpfair_cli.contracts.score_ranges import Range


@dataclass(frozen=True, eq=False)
class Method:
    """An algorithm with a value for every parameter, as one row of a table runs it."""

    algorithm: Algorithm
    """The algorithm that is fitted."""

    params: Mapping[str, Any]
    """The value of each parameter of the fit, by name."""

    label: str
    """The name that tables print."""

    published: str
    """The name of the method in the file of published values."""

    datasets: tuple[str, ...] = ()
    """The names of the data sets that the method runs on; empty for all data sets of the spec."""

    seeds: int = 0
    """The number of seeds that the method runs with; 0 for all seeds of the spec."""

    chosen_by: str = ""
    """The reason for the choice of the default variant."""

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

    Two data sets of the same source and options are equal.
    """

    source: DataSource
    """The data source that loads the data."""

    options: Mapping[str, Any]
    """The value of each option of `source.load`, by name."""

    variant: str = ""
    """The name of this variant of the data in a spec; empty for the default variant."""

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
    """The study, which splits the data, fits a method and scores the result."""

    protocol: Mapping[str, Any]
    """The value of each parameter of `study.split`, by name."""

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
