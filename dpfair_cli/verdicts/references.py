"""References to numbers of artefacts in texts, and the values of the references.

A sentence about a result contains no typed number. A reference names the artefact, data set,
method, score and parameters, and is replaced with the value from the journal when the text is
rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DpfairError, meaning
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.means import as_list, deviation, equals_value, is_equal, mean
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.wording import describe_parameters

OWN_KEYS = ("artefact", "dataset", "method", "metric")  # all other keys are parameters


class Statistic(StrEnum):
    """The number that a reference selects for a score: our mean, the published value, ...."""

    MEAN = "mean"
    DEVIATION = "std"
    LOWEST = "lowest"
    HIGHEST = "highest"
    RUNS = "runs"
    PUBLISHED = "published"  # the published mean
    DIFFERENCE = "difference"  # our mean minus the published mean


@dataclass(frozen=True)
class Reference:
    """A reference to the score of one method at one point of one artefact."""

    artefact: str  # within its paper, such as "table8.1"
    dataset: str  # empty if the artefact has only one
    method: str  # or a variant of a method, as in the spec
    metric: str
    parameters: tuple[tuple[str, Any], ...] = ()  # which tell the points of the artefact apart
    statistic: Statistic = Statistic.MEAN
    digits: int = 4  # printed decimals; numbers from 1,000 on have none

    def __str__(self) -> str:
        point = describe_parameters(dict(self.parameters))
        words = (self.artefact, self.dataset, self.method, point, self.metric)
        return ", ".join(filter(None, words))


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of one artefact, from its journal and from published.csv."""

    spec: Spec
    rows: pd.DataFrame  # one line for each finished run, as `Artefact.rows` gives them
    published: Sequence[PublishedCell]
    _fitting: dict[tuple[str, Any], NDArray[np.bool_]] = field(default_factory=dict, init=False)
    _columns: dict[str, NDArray[Any]] = field(default_factory=dict, init=False)

    def value(self, reference: Reference) -> float:
        """The number that a reference selects, such as our mean score.

        Raises:
            DpfairError: no run fits, several settings fit, or there is no published value.
        """
        match reference.statistic:
            case Statistic.MEAN:
                return mean(self._scores(reference))
            case Statistic.DEVIATION:
                return deviation(self._scores(reference))
            case Statistic.LOWEST:
                return float(self._scores(reference).min())
            case Statistic.HIGHEST:
                return float(self._scores(reference).max())
            case Statistic.RUNS:
                return len(self._scores(reference))
            case Statistic.PUBLISHED:
                return self._published_mean(reference)
            case Statistic.DIFFERENCE:
                return mean(self._scores(reference)) - self._published_mean(reference)

    def is_published(self, reference: Reference) -> bool:
        """Whether the paper prints a number for a reference."""
        return len(self._cells(reference)) == 1

    def _scores(self, reference: Reference) -> Floats:
        """The score of each run that matches a reference, (runs,)."""
        self._check_words(reference)
        keep = self._is_run_of(reference)
        if not keep.any():
            raise DpfairError(
                f"no finished run matches the reference {reference}: correct a value of the "
                "reference where it is written (in `measured` of deviations.yaml, or in the page "
                "of the paper), or make the missing runs with `dpfair reproduce`"
            )
        seeds = self._values("seed")[keep].tolist()
        if len({*seeds}) < len(seeds):
            raise DpfairError(
                f"several settings match the reference {reference}: give a value of "
                f"{self._varying(self.rows[keep])}"
            )
        found: Floats = self._values(reference.metric)[keep].astype(float)
        scores: Floats = found[~np.isnan(found)]
        if not len(scores):
            raise DpfairError(
                f"the score has no value in the runs that match the reference {reference}"
            )
        return scores

    def _check_words(self, reference: Reference) -> None:
        """Raises an error if a reference has a name that no run in the journal has."""
        named = {
            "data set": {reference.dataset} - {""},
            "method": {reference.method},
            "score": {reference.metric},
            "parameter": {name for name, _ in reference.parameters},
        }
        for noun, words in named.items():
            names = self._names[noun]
            for word in sorted(words - names):
                hint = meaning(word, names)
                why = f"the journal has no {noun} {word!r}" + (f", {hint}" if hint else "")
                raise DpfairError(f"invalid reference {reference}: {why}")
        if not reference.dataset and len(self._names["data set"]) > 1:
            raise DpfairError(
                f"the artefact has several data sets: name one of them in the reference {reference}"
            )

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        """The names of the data sets, methods and scores in the journal, by kind."""
        return {
            "data set": set(self.rows["dataset"].unique()),
            "method": set(self.rows["method"].unique()),
            "score": set(self.rows.columns),
            "parameter": set(self.rows.columns),
        }

    def _is_run_of(self, reference: Reference) -> NDArray[np.bool_]:
        """Whether each row matches a reference; a parameter that a method lacks fits any value."""
        named = {"method": reference.method, **dict(reference.parameters)}
        if reference.dataset:
            named["dataset"] = reference.dataset
        fitting = [self._has(*item) for item in named.items()]
        return np.asarray(np.logical_and.reduce(fitting), dtype=bool)

    def _has(self, name: str, value: Any) -> NDArray[np.bool_]:
        """Whether each row has a value in a column, or an empty column, (rows,)."""
        if (name, value) not in self._fitting:
            column = self.rows[name]
            found = equals_value(column, value) | column.isna().to_numpy()
            self._fitting[name, value] = found
        return self._fitting[name, value]

    def _values(self, name: str) -> NDArray[Any]:
        """The entries of a column, (rows,)."""
        if name not in self._columns:
            self._columns[name] = self.rows[name].to_numpy()
        return self._columns[name]

    def _varying(self, rows: pd.DataFrame) -> str:
        """The names of the parameters that differ between runs (`rows`), in words."""
        named: list[str] = []
        for method in self.spec.methods:
            named += method.params
        for dataset in self.spec.datasets:
            named += dataset.options
        axes = [*self.spec.layout.axes, *named]
        found = [name for name in dict.fromkeys(axes) if name in rows and rows[name].nunique() > 1]
        return " or ".join(found) or "a data set"

    def _published_mean(self, reference: Reference) -> float:
        cells = self._cells(reference)
        if len(cells) != 1:
            why = "no published cell matches" if not len(cells) else "several published cells match"
            raise DpfairError(f"{why} the reference {reference}")
        return cells[0].mean

    def _cells(self, reference: Reference) -> list[PublishedCell]:
        """The published cells that match a reference; a parameter that a cell lacks always fits."""
        method = self.spec.published_labels.get(reference.method, reference.method)
        wanted = (method, reference.metric)
        found = []
        for cell in self.published:
            is_named = (cell.method, cell.metric) == wanted
            has_data = reference.dataset in ("", cell.dataset)
            if is_named and has_data and _has_parameters(cell, reference):
                found.append(cell)
        return found


def _has_parameters(cell: PublishedCell, reference: Reference) -> bool:
    """Whether a cell has the parameters of a reference; one that the cell lacks always fits."""
    return all(
        is_equal(cell.parameters[name], value)
        for name, value in reference.parameters
        if name in cell.parameters
    )


Lookup = Callable[[str], Numbers]  # name of an artefact within its paper -> numbers


def measured_references(deviation: Deviation, artefact: str) -> list[list[Reference]]:
    """The references in `measured` of a deviation: one list for each item.

    An item has keys of a reference; keys that the item lacks are taken from the deviation. A list
    as a value stands for one reference per value. `artefact` is the artefact for a deviation of a
    claim.

    Raises:
        DpfairError: `measured` is not a list of mappings, or an item lacks a required key.
    """
    measured = deviation.measured
    if not isinstance(measured, list):
        raise DpfairError(
            f"deviations.yaml: `measured` must be a list of references, got {measured!r}"
        )
    inherited = {"artefact": list(deviation.artefact) or artefact}
    inherited |= {name: list(values) for name, values in deviation.covers.items()}
    return [_references(item, inherited) for item in measured]


def check_references(paper: Paper) -> None:
    """Refuses a deviation whose `measured` is not a list of references.

    Raises:
        DpfairError: `measured` is invalid; the message names the mistake.
    """
    for one in paper.deviations:
        if one.measured:
            measured_references(one, "")


def _references(item: Any, inherited: Mapping[str, Any]) -> list[Reference]:
    """The references of an item of `measured`: one for each combination of the listed values.

    `inherited` has the values for keys that the item lacks.
    """
    if not isinstance(item, Mapping):
        raise DpfairError(f"deviations.yaml: a reference must be a mapping, got {item!r}")
    whole = {**inherited, **item}
    lacking = [key for key in OWN_KEYS if key not in whole and key != "dataset"]
    if lacking:
        raise DpfairError(f"deviations.yaml: the reference {dict(item)} must name {lacking[0]}")
    names = [key for key in whole if key not in OWN_KEYS]
    order = ("artefact", "dataset", *names, "method", "metric")
    points = product(*(as_list(whole.get(key, "")) for key in order))
    return [_reference(dict(zip(order, point, strict=True)), names) for point in points]


def _reference(point: Mapping[str, Any], names: Sequence[str]) -> Reference:
    parameters = tuple((name, point[name]) for name in names)
    return Reference(
        point["artefact"], point["dataset"], point["method"], point["metric"], parameters
    )
