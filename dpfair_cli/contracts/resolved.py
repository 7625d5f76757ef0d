"""What a name becomes at the edge: a method, a data set or a task, with every parameter.

A command, a spec, an entry point or the estimator resolves a name once (`catalog`); below it these
objects travel.
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
    """What is fitted."""

    params: Mapping[str, Any]
    """Every parameter of the fit, by name."""

    label: str
    """The name that tables print."""

    published: str
    """The name that the published values of the method have."""

    datasets: tuple[str, ...] = ()
    """The names of the data sets that it runs on; empty for all of the spec's."""

    seeds: int = 0
    """How many of the spec's seeds it runs; 0 for all."""

    chosen_by: str = ""
    """What decided between the default variant and the others."""

    @property
    def name(self) -> str:
        """The name of the algorithm."""
        return self.algorithm.name

    @property
    def is_private(self) -> bool:
        """Whether the algorithm has a privacy budget."""
        return self.algorithm.guarantee.is_private

    @cached_property
    def json_params(self) -> dict[str, Any]:
        """The parameters as JSON values."""
        return as_json(self.params)


@dataclass(frozen=True)
class DataSet:
    """A data source with a value for every option.

    Two data sets of the same source and options are equal.
    """

    source: DataSource
    """What loads it."""

    options: Mapping[str, Any]
    """Every option of its `load`, by name."""

    variant: str = ""
    """The name of this variant of the data in a spec; empty for the default one."""

    def __hash__(self) -> int:
        return hash((self.source.name, self.variant))

    @property
    def name(self) -> str:
        """The name of the source."""
        return self.source.name

    @property
    def public_options(self) -> dict[str, Any]:
        """The options, except for the paths of the user's own files."""
        hidden = self.source.own_files
        return {name: value for name, value in self.options.items() if name not in hidden}

    @cached_property
    def json_options(self) -> dict[str, Any]:
        """The public options as JSON values."""
        return as_json(self.public_options)

    @property
    def reads_bounds(self) -> bool:
        """Whether ranges, levels or nodes are read from the private data."""
        return self.source.reads_bounds(self.options)


@dataclass(frozen=True)
class Task:
    """A study with a value for every parameter of its protocol."""

    study: Study
    """How data are split, fitted and scored."""

    protocol: Mapping[str, Any]
    """Every parameter of its `split`, by name."""

    def __hash__(self) -> int:
        return hash(self.study.name)

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.study.name

    @cached_property
    def json_protocol(self) -> dict[str, Any]:
        """The protocol as JSON values."""
        return as_json(self.protocol)

    @property
    def score_ranges(self) -> Mapping[str, Range]:
        """The (lowest, highest) possible value of each score, by the name of the score."""
        return self.study.score_ranges

    @property
    def fits_per_run(self) -> int:
        """The number of fits in one run, each of which spends the budget of its method."""
        return self.study.fits(self.protocol)
