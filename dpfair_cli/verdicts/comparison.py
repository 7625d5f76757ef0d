"""Published cells against ours: each published cell is compared with every variant of its method.

A variant is one of our methods whose `published` name in the spec is the cell's method; the default
variant is the one of the same name, else the spec's first. What a comparison can say is in
`levels.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.errors import DpfairError, meaning
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.levels import FEWEST, Comparison, Sample
from dpfair_cli.verdicts.means import deviation, has_values, mean, to_records, with_axis_columns
from dpfair_cli.verdicts.published import parameter_columns
from dpfair_cli.verdicts.wording import describe_parameters, label

TIMES = ("seconds",)  # of another machine: `make bench` prints them, no result holds them
RECORD_COUNTS = ("sample_size",)  # numbers of records, which are true by construction
NOT_COMPARED, MISSING, RECORD_COUNT = "not compared", "missing", "record count"
IDENTIFYING = ("dataset", "algorithm", "metric", "published_mean", "published_std")
NUMBERS = (
    "mean",
    "std",
    "runs",
    "published_mean",
    "published_std",
    "spread",
    "difference",
    "noise",
    "largest",
)
WORDS = (
    "verdict",
    "remedy",
    "is_default",
    "nearest_variant",
    "cell",
    "experiment",
    "kind",
    "cause",
)
PLACES = ("line", "members")

FIXED = (
    "method",
    "published_method",
    "algorithm",
    "seed",
)  # columns of the runs that every comparison reads

Line = dict[str, Any]  # a line of the comparison
Positions = NDArray[np.intp]  # of runs among all of an artefact


def compare_cells(
    rows: pd.DataFrame, spec: Spec, published: pd.DataFrame, *, standins: Mapping[str, str]
) -> pd.DataFrame:
    """One line for each published cell of the artefact and variant of its method; no variant leaves
    one line too.

    Columns: dataset, method (the variant), parameters, metric, published_method, the NUMBERS, and
    in words: verdict (a level, or "not compared" for a replica and for times, "record count",
    "missing"), remedy (what would decide it), is_default (the default variant), nearest_variant
    (empty if there is but one), cell (its description), experiment (equal for two cells that print
    one number of one experiment), and kind and cause of its deviation (empty here, but for the
    cause of a missing cell with a name that is nearly one of ours). The PLACES are the line of
    published.csv and the labels of the `rows` that the mean is of.
    """
    published = published[published["artefact"] == spec.name]
    keys = list(dict.fromkeys([*spec.layout.axes, *parameter_columns(published)]))
    runs = with_axis_columns(rows, spec)
    runs = runs.assign(published_method=runs["method"].map(spec.published_labels))
    cells = _Cells(runs, keys, spec, standins) if len(published) else None
    lines = [line for cell in to_records(published) for line in cells.lines(cell)] if cells else []
    return pd.DataFrame(
        lines,
        columns=[
            "dataset",
            "method",
            *keys,
            "metric",
            "published_method",
            *NUMBERS,
            *WORDS,
            *PLACES,
        ],
    )


def comparison(line: Mapping[str, Any], spec: Spec) -> Comparison:
    """The comparison of a line that has means."""
    ours = Sample(line["mean"], line["std"], line["runs"])
    published = Sample(line["published_mean"], line["published_std"], spec.published_runs)
    return Comparison(
        ours, published, line["spread"], relative=line["metric"] in spec.task.study.unbounded
    )


class _Cells:
    """What the published cells of one artefact are compared with."""

    def __init__(
        self, runs: pd.DataFrame, keys: Sequence[str], spec: Spec, standins: Mapping[str, str]
    ) -> None:
        self.runs, self.keys, self.spec, self.standins = runs, keys, spec, standins
        settings = [
            *(dataset.options for dataset in spec.datasets),
            *(method.params for method in spec.methods),
        ]
        named = dict.fromkeys(name for setting in settings for name in setting)
        self.parameters = [
            name for name in named if name in runs
        ]  # also those with one value in the whole artefact
        self.values = {
            name: runs[name].to_numpy(dtype=object) for name in {*FIXED, *keys, *named} & {*runs}
        }
        places = runs.groupby(["dataset", "published_method"]).indices
        self.places = {key: np.asarray(found) for key, found in places.items()}
        self.fitting: dict[tuple[str, Any], NDArray[np.bool_]] = {}
        self.scores: dict[str, NDArray[np.float64]] = {}
        self.deviations: dict[tuple[Any, ...], tuple[float, float]] = {}

    def lines(self, cell: Line) -> list[Line]:
        """The lines of one published cell: one for each variant, or one without a mean if there is
        none.
        """
        dataset, method, metric = cell["dataset"], cell["method"], cell["metric"]
        parameters = {key: cell[key] for key in self.keys if pd.notna(cell.get(key))}
        words = (dataset, method, describe_parameters(parameters), label(metric, self.spec))
        line = {
            "dataset": dataset,
            "method": method,
            **parameters,
            "metric": metric,
            "published_method": method,
        }
        line |= {
            "published_mean": cell["mean"],
            "published_std": cell["std"],
            "cell": ", ".join(filter(None, words)),
        }
        line |= {"line": cell.get("line", 0), "members": ()}
        line |= {
            "is_default": True,
            **dict.fromkeys(("remedy", "nearest_variant", "experiment", "kind", "cause"), ""),
        }
        if self.standins.get(dataset) == "REPLICA" or metric in TIMES:
            return [line | {"verdict": NOT_COMPARED}]
        ours = self._runs_at(dataset, method, parameters)
        ours = ours[~np.isnan(self._scores(metric)[ours])] if metric in self.runs else ours[:0]
        if not len(ours):
            return [line | {"verdict": MISSING, "cause": self._misspelt(dataset, method, metric)}]
        return self._decided([line | variant for variant in self._variants(ours, metric)])

    def _misspelt(self, dataset: str, method: str, metric: str) -> str:
        """What a published cell without runs may have meant: of a name that is none of ours the
        nearest, if any.
        """
        scores = {*self.spec.task.score_ranges, *([metric] if metric in self.runs else [])}
        words = {
            "data set": (dataset, {part.name for part in self.spec.datasets}),
            "method": (method, {*self.spec.published_labels.values()}),
            "score": (metric, scores),
        }
        found = [(f"no {noun} {word!r} here", meaning(word, known)) for noun, (word, known) in words.items()
                 if word not in known]  # fmt: skip
        return "; ".join(f"{unknown}: {meant}" for unknown, meant in found if meant)

    def _runs_at(self, dataset: str, method: str, parameters: Line) -> Positions:
        """The runs that a published cell is about."""
        found = self.places.get((dataset, method), np.empty(0, dtype=np.intp))
        for name, value in parameters.items():
            found = found[self._fits(name, value)[found]] if name in self.runs else found
        return found

    def _scores(self, metric: str) -> NDArray[np.float64]:
        """A score of every run, (runs,)."""
        if metric not in self.scores:
            self.scores[metric] = self.runs[metric].to_numpy(dtype=float)
        return self.scores[metric]

    def _fits(self, name: str, value: Any) -> NDArray[np.bool_]:
        """Whether each run has a value of a parameter; many cells ask for the same."""
        if (name, value) not in self.fitting:
            self.fitting[name, value] = has_values(self.runs, {name: value}).to_numpy()
        return self.fitting[name, value]

    def _variants(self, runs: Positions, metric: str) -> list[Line]:
        """What is known of each variant of a method, the default one first."""
        groups: dict[str, list[int]] = {}
        for run in runs.tolist():
            groups.setdefault(self.values["method"][run], []).append(run)
        if any(
            len({self.values["seed"][run] for run in group}) < len(group)
            for group in groups.values()
        ):
            method = self.values["method"][runs[0]]
            raise DpfairError(
                f"a published cell fits several settings of {method}: pin its parameters"
            )
        default = self.values["published_method"][runs[0]]
        in_order = sorted(groups, key=lambda method: method != default)
        return [self._variant(method, groups[method], metric) for method in in_order]

    def _variant(self, method: str, runs: Sequence[int], metric: str) -> Line:
        first = {name: values[runs[0]] for name, values in self.values.items()}
        scores = self._scores(metric)[list(runs)]
        line = {"method": method, "algorithm": first["algorithm"]}
        line |= {key: first[key] for key in self.keys if key in first and pd.notna(first[key])}
        settings = {name: first[name] for name in self.parameters if pd.notna(first[name])}
        line |= {"mean": mean(scores), "std": deviation(scores), "runs": len(runs)}
        return line | {"settings": settings, "members": tuple(self.runs.index[list(runs)])}

    def _spread(self, line: Line) -> float:
        """The largest standard deviation over seeds that the artefact shows of a score, NaN if it
        shows none.

        For a method with two seeds it is that of all methods in the same place; for one seed that
        of every place, where a score that is no rate is taken in parts of its mean, and of the
        smaller of the means that are compared.
        """
        metric = line["metric"]
        if line["runs"] >= FEWEST:
            return float("nan")  # it has its own
        place = (
            {key: line[key] for key in ("dataset", *self.keys) if key in line}
            if line["runs"] > 1
            else {}
        )
        known = (metric, *place.items())
        if known not in self.deviations:
            self.deviations[known] = self._largest_deviations(metric, place)
        absolute, relative = self.deviations[known]
        if line["runs"] > 1 or metric not in self.spec.task.study.unbounded:
            return absolute
        return relative * float(min(abs(line["mean"]), abs(line["published_mean"])))

    def _largest_deviations(self, metric: str, place: Line) -> tuple[float, float]:
        """The largest standard deviation of a score at a place, as it is and in parts of the mean."""
        runs = self.runs[has_values(self.runs, place)] if place else self.runs
        groups = runs.groupby(["dataset", "method", *self.spec.layout.axes], dropna=False)[metric]
        deviations = groups.std()
        return float(deviations.max()), float((deviations / groups.mean().abs()).max())

    def _decided(self, variants: Sequence[Line]) -> list[Line]:
        """The variants of one published cell with their verdicts and the nearest of them."""
        known = [line | {"spread": self._spread(line)} for line in variants]
        found = [line | self._verdict(line) for line in known]
        nearest = (
            min(found, key=lambda line: line["difference"])["method"] if len(found) > 1 else ""
        )
        return [
            line | {"is_default": k == 0, "nearest_variant": nearest}
            for k, line in enumerate(found)
        ]

    def _verdict(self, line: Line) -> Line:
        """The numbers and words of a comparison."""
        found = comparison(line, self.spec)
        numbers = {"difference": found.difference, "noise": found.noise, "largest": found.largest}
        experiment = repr(
            [
                *(line[name] for name in IDENTIFYING),
                sorted(line["settings"].items()),
                self._point(line),
            ]
        )
        if line["metric"] in RECORD_COUNTS:
            return numbers | {"verdict": RECORD_COUNT, "experiment": experiment}
        return numbers | {
            "verdict": str(found.level),
            "remedy": found.remedy,
            "experiment": experiment,
        }

    def _point(self, line: Line) -> Any:
        """Where on the axis of the task's curves a cell stands, if they have one."""
        return line.get(self.spec.curve, "")
