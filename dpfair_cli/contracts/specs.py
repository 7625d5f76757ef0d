"""A table or figure as data: what to run and how to show it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dpfair_cli.contracts.layouts import Placement, Table, Vocabulary

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Part:
    """A data set, an algorithm or a task with every one of its parameters.

    `method` is the name that tables print for an algorithm, `published` the name its published
    values stand under, `datasets` the data sets it runs on (all of the spec's if empty), `seeds`
    how many of its seeds (all if 0), and `chosen_by` what the default one of its variants was
    chosen by. `variant` names another variant of a data set.
    """

    name: str
    params: Mapping[str, Any]
    method: str = ""
    published: str = ""
    datasets: tuple[str, ...] = ()
    seeds: int = 0
    chosen_by: str = ""
    variant: str = ""


def _with_variant(method: str, variant: str) -> str:
    return f"{method}, {variant}" if variant else method


class Run(NamedTuple):
    """One fit and its scores."""

    task: Part
    dataset: Part
    algorithm: Part
    seed: int

    @property
    def method(self) -> str:
        """The name that tables print."""
        return _with_variant(self.algorithm.method, self.dataset.variant)


class Layout(ABC):
    """How the rows of an artefact become files.

    A layout is one file in `reporting/layouts/` whose stem is its key in a spec. It declares
    LAYOUT, a frozen dataclass whose fields are the keys of its section.
    """

    picture: ClassVar[str] = ""  # the file of its picture; empty for a table
    baselines: Mapping[
        str, str
    ] = {}  # a score -> the one that it has to exceed to be better than a constant

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """What names a line, in order: parameters, and where their place matters "dataset" and
        "method".
        """

    @property
    @abstractmethod
    def scores(self) -> tuple[str, ...]:
        """Every score that is shown: those of the source first, those that guard the reader last."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The parameters that tell the points of an artefact apart, besides data set and method."""
        return tuple(name for name in self.columns if name not in ("dataset", "method"))

    @property
    def placement(self) -> Placement:
        """How published cells become points of its picture; a layout that draws none need not say."""
        return Placement()

    @abstractmethod
    def check(self, known: Vocabulary) -> None:
        """Refuse words that nothing of the artefact goes by.

        Raises:
            ValueError: names the word and the nearest that there is.
        """

    @abstractmethod
    def write(
        self,
        rows: pd.DataFrame,
        table: Table,
        spec: Spec,
        folder: Path,
        *,
        notes: Sequence[str] = (),
    ) -> list[Path]:
        """The files of an artefact in its folder; the same rows give the same bytes."""


@dataclass(frozen=True)
class Spec:
    """One table or figure: what to run and how to show it.

    `axis` is what the curves of its task run over, `unbounded` are the scores of its task that are
    no rates, `ranges` the lowest and highest value that each of its scores can have, `exact` says
    that they are the same for every seed, and `remarks` are sentences for a reader of its table.
    """

    artefact: str
    title: str
    source: str
    task: Part
    datasets: tuple[Part, ...]
    algorithms: tuple[Part, ...]
    seeds: int
    layout: Layout
    published_runs: int = 10
    labels: Mapping[str, str] = field(default_factory=dict)
    axis: str = ""
    unbounded: tuple[str, ...] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    exact: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def paper(self) -> str:
        """The paper's key, such as ding2020."""
        return self.artefact.split("/")[0]

    @property
    def name(self) -> str:
        """The artefact's name within its paper, such as table8.1."""
        return self.artefact.split("/")[-1]

    @property
    def curve(self) -> str:
        """The axis along which the task's scores are curves, if the layout shows it; else empty."""
        return self.axis if self.axis in self.layout.axes else ""

    @property
    def methods(self) -> dict[str, Part]:
        """Every method by the name that tables print: under another variant of the data, that
        stands behind its own.
        """
        variants = dict.fromkeys(["", *(dataset.variant for dataset in self.datasets)])
        return {
            _with_variant(part.method, variant): part
            for variant in variants
            for part in self.algorithms
        }

    @property
    def published_methods(self) -> dict[str, str]:
        """The name that the published values of each method stand under."""
        return {method: part.published or part.method for method, part in self.methods.items()}

    def runs(self) -> Iterator[Run]:
        """Every run, in the order in which results are written."""
        for dataset, algorithm, seed in product(self.datasets, self.algorithms, range(self.seeds)):
            if dataset.name in (algorithm.datasets or [dataset.name]) and seed < (
                algorithm.seeds or self.seeds
            ):
                yield Run(self.task, dataset, algorithm, seed)
