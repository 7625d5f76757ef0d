"""The specification of a table or figure: its runs and its layout."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from dpfair_cli.contracts.declarations import DataSet, Method, Task
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.contracts.training_context import LIBRARY

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Vocabulary:
    """The names that a layout of a spec may refer to."""

    scores: frozenset[str]  # the scores of the task
    outputs: frozenset[str]  # the other outputs of the task
    parameters: frozenset[str]  # the parameters by which runs differ, and "dataset" and "method"
    methods: frozenset[str]  # the labels of the methods

    def require(self, kind: str, words: Iterable[str]) -> None:
        """Refuses a word that is not a name of this `kind`, which is a field such as "scores".

        Raises:
            ValueError: a word is unknown; the message proposes the most similar name.
        """
        known = getattr(self, kind)
        for word in words:
            if word not in known:
                raise ValueError(f"unknown {kind[:-1]} {word!r}: {nearest(word, known)}")


@dataclass(frozen=True)
class Placement:
    """The rule that places published cells as points in a figure.

    A published cell belongs to the run of the figure that has the parameters of the cell. The
    parameter `at` and the parameters in `apart` may differ.
    """

    x: str = ""  # the parameter of the horizontal axis; empty if no cell becomes a point
    # score of the figure -> `metric` of the published cells and other values, such as a group
    scores: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    artefacts: tuple[str, ...] = ()  # other artefacts of the paper whose cells are drawn too
    # the parameter whose value is the horizontal place of a cell without a value of `x`
    at: str = ""
    apart: tuple[str, ...] = ()  # parameters in which a cell and the run of the figure may differ


class PublishedPoint(NamedTuple):
    """A published cell as a point of a figure."""

    dataset: str
    method: str  # the label of the method
    metric: str  # the score that the figure shows
    x: float | str  # the place of the point on the horizontal axis
    mean: float
    std: float  # the published standard deviation; NaN if none is printed


@dataclass(frozen=True, eq=False)
class Table:
    """A table of results, ready to be printed."""

    title: str
    notes: tuple[str, ...]  # sentences about the table, printed with it
    numbers: pd.DataFrame  # the lines of the table as numbers, for the CSV file
    formatted: pd.DataFrame  # the same lines as formatted text
    # the published cells that the picture of the artefact can show as points
    published: tuple[PublishedPoint, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The headings of the columns of the table, as they are printed."""
        return [str(name) for name in self.formatted]

    @property
    def lines(self) -> list[list[str]]:
        """The lines of the table, each as the texts of its cells."""
        return [list(line) for line in self.formatted.to_numpy()]


PUBLISHED_IN: Mapping[str, str] = {  # word of a spec -> where published numbers stand
    "paper": "printed in the paper",
    "repository": "in the authors' repository",
    "rows": "computed by us from the authors' rows",
}


class Run(NamedTuple):
    """One run: a fit of a method to a data set with one seed, and its scores."""

    task: Task  # the task that scores the fit
    dataset: DataSet  # the data that are split and fitted
    method: Method  # the method that is fitted
    seed: int  # the seed of split and noise

    @property
    def label(self) -> str:
        """The name under which tables print the method of this run."""
        return with_variant(self.method.label, self.dataset.variant)

    @property
    def trains_network(self) -> bool:
        """Whether this run trains a network, which can be on an accelerator."""
        return LIBRARY in (self.method.algorithm.needs, self.dataset.source.needs)


def with_variant(label: str, variant: str) -> str:
    """The label of a method under a variant, such as "PFLR, shift".

    Without a variant the label is returned unchanged.
    """
    return f"{label}, {variant}" if variant else label


class TaskVariant(NamedTuple):
    """One interpretation of the protocol that a paper leaves open, applied to all methods alike."""

    name: str  # the name of the variant, with which the labels of its methods end
    task: Task  # the task with the changed parameters
    # the default variants of the methods of the spec, under the name of this variant
    methods: tuple[Method, ...]


class Layout(ABC):
    """The rule that turns the rows of an artefact into files.

    Each layout is a module in `reporting/layouts/`, and the name of the module is the key of the
    layout in a spec. The module declares LAYOUT, a frozen dataclass whose fields are the keys of
    the section.
    """

    picture: ClassVar[str] = ""  # the file of its picture; empty for a table
    baselines: Mapping[str, str] = {}  # a score -> the score of its constant baseline

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that identify a line of results, such as "dataset" and "method"."""

    @property
    @abstractmethod
    def scores(self) -> tuple[str, ...]:
        """The names of the scores that are shown; the scores that the paper prints come first."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the parameters that distinguish the points of one data set and method."""
        return tuple(name for name in self.columns if name not in ("dataset", "method"))

    @property
    def placement(self) -> Placement:
        """The rule that places published cells in a figure; by default no cells are placed."""
        return Placement()

    @abstractmethod
    def check(self, known: Vocabulary) -> None:
        """Refuses names in the layout that the artefact does not have.

        Raises:
            ValueError: a name is unknown; the message proposes the most similar name.
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
        """Writes the files of a table or figure into `folder` and returns their paths.

        Equal `rows` give files with equal bytes.
        """


@dataclass(frozen=True)
class PrintedShape:
    """The headings of the rows and columns of a table as the paper prints the table.

    A heading is "dataset", "method", "metric" or a parameter; the outermost heading comes first.
    Two empty lists mean the default shape.

    Attributes:
        rows: The headings of a row.
        columns: The headings of a column.
    """

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


class ChosenByCells(NamedTuple):
    """A variant that was chosen because it comes near to published cells of the artefact."""

    method: str  # the published name of the method of these cells
    variant: str  # the name of the chosen variant; empty for the default variant
    datasets: tuple[str, ...]  # the data sets of these cells


@dataclass(frozen=True)
class Spec:
    """The specification of one table or figure: which runs to make and how to show them."""

    artefact: str  # the name of the artefact with its paper, such as xu2021/table8.1
    title: str  # the title of the artefact
    source: str  # the place in the paper, such as "Xu 2021, Table 8.1"
    task: Task  # the task, which splits the data, fits a method and scores the result
    datasets: tuple[DataSet, ...]  # the data sets, in order
    methods: tuple[Method, ...]  # the methods, one for each setting of parameters, in order
    seeds: int  # the number of seeds on each data set of a method that does not say otherwise
    layout: Layout  # the layout that turns the rows of results into files
    published_runs: int = 10  # the number of runs over which the published means are
    # data set -> the number of runs in its published means, if this number is another one
    published_runs_on: Mapping[str, int] = field(default_factory=dict)
    published_runs_by: str = ""  # the reason for this number if the paper does not state it
    published_in: tuple[str, ...] = ("paper",)  # keys of PUBLISHED_IN
    chosen_by_cells: tuple[ChosenByCells, ...] = ()
    # data set, parameter or score -> the name that tables and figures print
    labels: Mapping[str, str] = field(default_factory=dict)
    printed: PrintedShape = PrintedShape()  # the shape in which the paper prints the table
    variants: tuple[str, ...] = ()  # of the whole spec: they change parameters of all methods
    remarks: tuple[str, ...] = ()  # sentences that are printed with the table
    task_variants: tuple[TaskVariant, ...] = ()  # the variants of the task
    task_chosen_by: str = ""  # the reason for the choice of the default variant of the task
    # variant of the data -> the labels of the methods that run on it, if not all methods do
    methods_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # the files of the authors from which runs recompute the published values; empty if they do not
    recomputes: str = ""
    is_reanalysis: bool = False  # printed values are compared when needed, and nothing is run

    @property
    def paper(self) -> str:
        """The key of the paper, such as ding2020."""
        return self.artefact.split("/")[0]

    @property
    def name(self) -> str:
        """The name of the artefact, a table or figure, within its paper, such as table8.1."""
        return self.artefact.split("/")[-1]

    @property
    def curve(self) -> str:
        """The axis of the scores that the task measures as curves, if the layout shows this axis.

        The text is empty if the layout does not.
        """
        axis = self.task.study.axis
        return axis if axis in self.layout.axes else ""

    def runs_of_published(self, dataset: str) -> int:
        """The number of runs over which the published means of a data set are."""
        return self.published_runs_on.get(dataset, self.published_runs)

    def chose_default(self, method: str, dataset: str) -> bool:
        """Whether the default variant of a method was chosen by its published cells on a data set.

        `method` is the published name.
        """
        return any(
            not one.variant and one.method == method and dataset in one.datasets
            for one in self.chosen_by_cells
        )

    @property
    def dataset_names(self) -> list[str]:
        """The names of the data sets of the artefact, without repetitions."""
        return list(dict.fromkeys(dataset.name for dataset in self.datasets))

    @property
    def shared_variants(self) -> frozenset[str]:
        """The names of the variants of data, task and whole spec, which all methods share."""
        of_data = {dataset.variant for dataset in self.datasets if dataset.variant}
        of_task = {variant.name for variant in self.task_variants}
        return frozenset({*of_data, *of_task, *self.variants})

    @cached_property
    def methods_by_label(self) -> dict[str, Method]:
        """The methods of the artefact, by the label that tables print.

        A label may end with the name of a variant of the data or of the task.
        """
        # dict.fromkeys keeps the order of the spec, which is the order of lines and colours
        variants = dict.fromkeys(["", *(dataset.variant for dataset in self.datasets)])
        pairs = product(variants, self.methods)
        found = {with_variant(method.label, variant): method for variant, method in pairs}
        for variant in self.task_variants:
            found |= {method.label: method for method in variant.methods}
        return found

    @property
    def published_labels(self) -> dict[str, str]:
        """The name of each method in the published values, by the label of the method."""
        return {label: method.published for label, method in self.methods_by_label.items()}

    def runs(self) -> Iterator[Run]:
        """All runs that the artefact needs, in the order in which results are written."""
        for first in self.first_runs():
            for seed in range(self.seeds_of(first.method)):
                yield first._replace(seed=seed)

    def seeds_of(self, method: Method) -> int:
        """The number of runs of a method on a data set; their seeds are 0, 1, 2, ..."""
        return min(method.seeds or self.seeds, self.seeds)

    def first_runs(self) -> Iterator[Run]:
        """The run with seed 0 of each method on each data set.

        Variants of the task run on the default variants of the data.
        """
        yield from self._first_runs(self.task, self.datasets, self.methods)
        # two changes at once would not say which of them moved a score
        plain = [dataset for dataset in self.datasets if not dataset.variant]
        for variant in self.task_variants:
            yield from self._first_runs(variant.task, plain, variant.methods)

    def _first_runs(
        self, task: Task, datasets: Sequence[DataSet], methods: Sequence[Method]
    ) -> Iterator[Run]:
        for dataset, method in product(datasets, methods):
            runs_here = dataset.name in (method.datasets or [dataset.name])
            runs_here &= method.label in self.methods_of.get(dataset.variant, [method.label])
            if runs_here:
                yield Run(task, dataset, method, seed=0)
