"""References to numbers of artefacts in texts, and the values of the references.

A sentence about a result contains no typed number. A reference names the artefact, data set,
method, score and parameters, and is replaced with the value from the journal when the text is
rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import chain, product
from typing import Any

import pandas as pd

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DpfairError, meaning
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.means import Runs, as_list, fits, mean, runs_of, standard_deviation
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


# means stay numbers of NumPy, which `round` treats otherwise than those of Python: 173.95 is 174.0
OF_SCORES: Mapping[Statistic, Callable[[Floats], float]] = {
    Statistic.MEAN: mean,
    Statistic.DEVIATION: standard_deviation,
    Statistic.LOWEST: lambda scores: float(scores.min()),
    Statistic.HIGHEST: lambda scores: float(scores.max()),
    Statistic.RUNS: len,
}


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
    rows: pd.DataFrame  # one line for each finished run, as `ArtefactRuns.rows` gives them
    published: Sequence[PublishedCell]

    def value(self, reference: Reference) -> float:
        """The number that a reference selects, such as our mean score.

        Raises:
            DpfairError: no run fits, several settings fit, or there is no published value.
        """
        if reference.statistic is Statistic.PUBLISHED:  # needs no run
            return self._published_mean(reference)
        scores = self._scores(reference)
        if reference.statistic is Statistic.DIFFERENCE:
            return mean(scores) - self._published_mean(reference)
        return OF_SCORES[reference.statistic](scores)

    def is_published(self, reference: Reference) -> bool:
        """Whether the paper prints a number for a reference."""
        return len(self._cells(reference)) == 1

    def _scores(self, reference: Reference) -> Floats:
        """The score of each run that matches a reference, (runs,)."""
        self._check_words(reference)
        found = self._runs.having(self._wanted(reference))
        if not len(found):
            raise DpfairError(
                f"no finished run matches the reference {reference}: correct a value of the "
                "reference where it is written (in `measured` of deviations.yaml, or in the page "
                "of the paper), or make the missing runs with `dpfair reproduce`"
            )
        # a seed twice: the mean would mix two settings
        if len({*found.seeds.tolist()}) < len(found):
            raise DpfairError(
                f"several settings match the reference {reference}: give a value of "
                f"{self._varying(self.rows.iloc[found.positions])}"
            )
        scores = found.with_score(reference.metric).numbers(reference.metric)
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
    def _runs(self) -> Runs:
        return runs_of(self.rows)

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        """The names of the data sets, methods and scores in the journal, by kind."""
        return {
            "data set": set(self.rows["dataset"].unique()),
            "method": set(self.rows["method"].unique()),
            "score": set(self.rows.columns),
            "parameter": set(self.rows.columns),
        }

    def _varying(self, rows: pd.DataFrame) -> str:
        """The names of the parameters that differ between runs (`rows`), in words."""
        spec = self.spec
        named = (*(one.params for one in spec.methods), *(one.options for one in spec.datasets))
        axes = chain(spec.layout.axes, *named)
        found = [name for name in dict.fromkeys(axes) if name in rows and rows[name].nunique() > 1]
        return " or ".join(found) or "a data set"

    def _published_mean(self, reference: Reference) -> float:
        cells = self._cells(reference)
        if len(cells) != 1:
            why = "no published cell matches" if not cells else "several published cells match"
            raise DpfairError(f"{why} the reference {reference}")
        return cells[0].mean

    def _cells(self, reference: Reference) -> list[PublishedCell]:
        """The published cells that match a reference; a parameter that a cell lacks always fits."""
        method = self.spec.published_labels.get(reference.method, reference.method)
        wanted = self._wanted(reference) | {"method": method, "metric": reference.metric}
        cells = zip(self.published, self._named, strict=True)
        return [cell for cell, named in cells if fits(wanted, named)]

    @cached_property
    def _named(self) -> list[dict[str, Any]]:
        """What tells each published cell apart; a page asks for hundreds of references."""
        return [cell.named for cell in self.published]

    def _wanted(self, reference: Reference) -> dict[str, Any]:
        """The values that runs of a reference have."""
        dataset = {"dataset": reference.dataset} if reference.dataset else {}
        return {"method": reference.method, **dict(reference.parameters), **dataset}


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
    found = []
    for point in product(*(as_list(whole.get(key, "")) for key in order)):
        artefact, dataset, *values, method, metric = point
        parameters = tuple(zip(names, values, strict=True))
        found.append(Reference(artefact, dataset, method, metric, parameters))
    return found
