"""A table or figure as data: what to run and how to show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from dpfair_cli.contracts.layouts import Layout


@dataclass(frozen=True, eq=False)
class Part:
    """A data set, an algorithm or a task with every one of its parameters.

    `method` is the name that tables print for an algorithm, `published` the name its published values stand under,
    `datasets` the data sets it runs on (all of the spec's if empty), `seeds` how many of its seeds (all if 0).
    """

    name: str
    params: Mapping[str, Any]
    method: str = ""
    published: str = ""
    datasets: tuple[str, ...] = ()
    seeds: int = 0


class Run(NamedTuple):
    """One fit and its scores."""

    task: Part
    dataset: Part
    algorithm: Part
    seed: int


@dataclass(frozen=True)
class Spec:
    """One table or figure: what to run and how to show it; `axis` is what the curves of its task run over."""

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

    def runs(self) -> Iterator[Run]:
        """Every run, in the order in which results are written."""
        for dataset, algorithm, seed in product(self.datasets, self.algorithms, range(self.seeds)):
            if dataset.name in (algorithm.datasets or [dataset.name]) and seed < (algorithm.seeds or self.seeds):
                yield Run(self.task, dataset, algorithm, seed)
