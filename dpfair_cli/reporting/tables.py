"""Makes the table of an artefact: our value, published value, verdict and privacy status."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations
from typing import Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.shown import PROGRAM, describe_program
from dpfair_cli.verdicts.authors import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.means import (
    STATISTICS,
    is_equal,
    key_columns,
    repeat_along_axes,
    shown_scores,
    summarise_scores,
    to_records,
    with_columns,
)
from dpfair_cli.verdicts.wording import (
    describe_average,
    describe_seeds,
    format_mean,
    format_number,
    heading,
    label,
)

PUBLISHED = ["published_mean", "published_std", "verdict", "kind"]  # columns next to our value
AUTHORS = ["authors_mean", "authors_std"]  # columns with the values of the authors' program
COLUMN = "than a constant"  # whose values are the two words of the next line
BETTER, NO_BETTER = "better", "no better"
ERRORS = 2.0  # the mean difference over seeds must exceed 0 by this many standard errors
NOT_MEASURABLE = "not measurable"

Place = tuple[Any, ...]  # a score of a table: the values of its line, and the name of the score


@dataclass(frozen=True)
class RunStatus:
    """The privacy status of a run, with what identifies the run in a table.

    Attributes:
        status: the status, as tables print it.
        method: the label of the method.
        dataset: the name of the data set.
        axes: the value of the run on each axis of the table that is a parameter of the run.
    """

    status: str
    method: str
    dataset: str
    axes: Mapping[str, Any] = field(default_factory=dict)

    def is_of(self, line: Mapping[str, Any]) -> bool:
        """Whether the run, whose method and data set are those of a line, belongs to the line."""
        return all(is_equal(line[axis], value) for axis, value in self.axes.items())


def make(
    rows: pd.DataFrame,
    spec: Spec,
    cells: Sequence[JudgedCell],
    *,
    notes: Sequence[str] = (),
    statuses: Sequence[RunStatus] = (),
    authors: Sequence[JudgedAuthorsValue] = (),
) -> Table:
    """The table of an artefact: our means, published values, verdicts and privacy statuses.

    `statuses` gives the privacy status of every run. A line of several runs whose statuses differ
    has all these statuses. `authors` are the values of the authors' program, if we ran it.
    """
    summary = summarise_scores(rows, spec)
    numbers = _numbers(summary, spec, cells, authors)
    own = spec.paper == "sweeps"  # of which every method has every score of the task
    keys = [name for name in key_columns(spec) if name in numbers]
    # before the baselines, so that the privacy stands next to the scores in the CSV file
    numbers["privacy"] = _statuses_of(to_records(numbers[keys]), statuses)
    baselines = ""
    if spec.layout.baselines and len(rows):
        compared = compare_with_baselines(rows, spec)
        numbers = numbers.merge(compared[[*keys, COLUMN]], on=keys, how="left")
        baselines = describe_baselines(compared)
    remarks = (
        *notes,
        *spec.remarks,
        baselines,
        f"{describe_average('Mean ± standard deviation', describe_seeds(rows))}.",
        describe_unmeasured(summary, spec) if own else "",
        describe_equal_methods(rows, spec) if own and len(rows) else "",
        describe_shared_parameters(spec),
        describe_program(authors),
    )
    shown = _formatted(numbers, spec, absent=NOT_MEASURABLE if own else "")
    return Table(heading(spec, notes), tuple(filter(None, remarks)), numbers, shown)


def _statuses_of(lines: Sequence[Mapping[str, Any]], statuses: Sequence[RunStatus]) -> list[str]:
    """The privacy statuses of the runs of each line, without repetitions."""
    # grouped first: a table of thousands of lines would ask each line for each run
    named: dict[tuple[str, str], list[RunStatus]] = {}
    for one in statuses:
        named.setdefault((one.method, one.dataset), []).append(one)
    found = []
    for line in lines:
        known = [one for one in named.get((line["method"], line["dataset"]), []) if one.is_of(line)]
        found.append("; ".join(dict.fromkeys(one.status for one in known)))
    return found


def _numbers(
    summary: pd.DataFrame,
    spec: Spec,
    cells: Sequence[JudgedCell],
    authors: Sequence[JudgedAuthorsValue],
) -> pd.DataFrame:
    """A table with one line per point and method: of every score our mean, std and runs, and more.

    The columns PUBLISHED and AUTHORS of a score stand next to ours. A column without a value is
    left out.
    """
    keys = key_columns(spec)
    known = _published_values(cells, spec)
    for place, values in _authors_values(authors, spec).items():
        # a place can have a published value, one of the program, or both
        known[place] = known.get(place, {}) | values
    lines = to_records(summary[[*keys, "metric"]])
    found = [known.get(_place(line, [*keys, "metric"]), {}) for line in lines]
    beside = {}
    for name in (*PUBLISHED, *AUTHORS):
        beside[name] = [values.get(name, math.nan) for values in found]
    whole, names = summary.assign(**beside), [*STATISTICS, *beside]
    parts: list[pd.DataFrame] = []
    for metric, own in whole.groupby("metric", sort=False):
        numbers = own.reset_index(drop=True)
        # the lines of all scores are the same, and in the same order
        parts = parts or [numbers[keys]]
        parts.append(numbers[names].add_prefix(f"{metric}_"))
    wide = pd.concat(parts or [summary[keys]], axis="columns")
    return wide.dropna(axis="columns", how="all")


def _place(values: Mapping[str, Any], keys: Sequence[str]) -> tuple[Any, ...]:
    """The values in some columns; None for a column without a value."""
    found = [values.get(name) for name in keys]
    # NaN is not equal to itself, and would be no key
    return tuple(None if value is None or value != value else value for value in found)


def _published_values(cells: Sequence[JudgedCell], spec: Spec) -> dict[Place, dict[str, Any]]:
    """The values of the columns PUBLISHED for each variant of each published cell."""
    keys = [*key_columns(spec), "metric"]
    found: dict[Place, dict[str, Any]] = {}
    for cell in cells:
        own = cell.published
        named = {"dataset": own.dataset, "metric": own.metric}
        # without runs, the cell stands under the name that the paper prints
        default = {"method": own.method, **own.parameters}
        if cell.default:
            default = {"method": cell.default.label, **cell.parameters}
        others = [({"method": one.label, **one.parameters}, one.verdict, "") for one in cell.others]
        for variant, verdict, kind in [(default, cell.verdict, cell.kind), *others]:
            # a deviation is about the default variant alone
            values = zip(PUBLISHED, (own.mean, own.std, str(verdict), kind), strict=True)
            found[_place(named | variant, keys)] = dict(values)
    return found


def _authors_values(
    authors: Sequence[JudgedAuthorsValue], spec: Spec
) -> dict[Place, dict[str, float]]:
    """The values of the columns AUTHORS for each value that is compared with our runs."""
    keys = [*key_columns(spec), "metric"]
    found: dict[Place, dict[str, float]] = {}
    for one in authors:
        if one.judged.default:
            named = {"dataset": one.cell.dataset, "metric": one.cell.metric}
            own = {"method": one.judged.default.label, **one.judged.parameters}
            values = zip(AUTHORS, (one.cell.mean, one.cell.std), strict=True)
            found[_place(named | own, keys)] = dict(values)
    return found


def _formatted(numbers: pd.DataFrame, spec: Spec, *, absent: str) -> pd.DataFrame:
    """The table `numbers` with every value as text, and with the labels of the spec.

    `absent` is the text for a score that no run of a line has.
    """
    keys = [name for name in key_columns(spec) if name in numbers]
    columns = {}
    for key in keys:
        write = partial(label, spec=spec) if key == "dataset" else format_number
        columns[label(key, spec)] = list(map(write, numbers[key]))
    runs = numbers[[column for column in map(str, numbers) if column.endswith("_runs")]]
    ran = list(map(any, (runs.to_numpy() > 0).tolist()))  # a method can lack a score
    for metric in shown_scores(spec):
        columns |= _score_columns(numbers, metric, label(metric, spec), ran, absent)
    baselines = {COLUMN: list(numbers[COLUMN].fillna(""))} if COLUMN in numbers else {}
    return pd.DataFrame(columns | baselines | {"privacy": list(numbers["privacy"])})


def _score_columns(
    numbers: pd.DataFrame, metric: str, name: str, ran: Sequence[bool], absent: str
) -> dict[str, list[str]]:
    """Our means, the published values and the verdicts of the score `metric`, as columns of text.

    In a line without runs (`ran`), the text is "no run", and for a score that no run has it is
    `absent`.
    """
    mean, std, published, published_std, authors, authors_std = (
        _values_of(f"{metric}_{statistic}", numbers)
        for statistic in ("mean", "std", *PUBLISHED[:2], *AUTHORS)
    )
    # decided for the whole column, so that no line of a count has decimals
    whole = are_counts([*mean, *std, *published, *published_std])

    def texts(means: Sequence[float], deviations: Sequence[float]) -> list[str]:
        pairs = zip(means, deviations, strict=True)
        return [format_mean(*pair, whole=whole) for pair in pairs]

    ours = zip(texts(mean, std), ran, strict=True)
    columns = {name: [(value or absent) if had else "no run" for value, had in ours]}
    is_published = not all(map(math.isnan, published))
    if is_published:
        columns[f"{name} published"] = texts(published, published_std)
    if not all(map(math.isnan, authors)):
        columns[f"{name} {PROGRAM}"] = texts(authors, authors_std)
    if is_published:
        verdicts, kinds = (numbers[f"{metric}_{one}"].fillna("") for one in ("verdict", "kind"))
        pairs = zip(verdicts, kinds, strict=True)
        columns[f"{name} verdict"] = [f"{word} ({kind})" if kind else word for word, kind in pairs]
    return columns


def _values_of(column: str, numbers: pd.DataFrame) -> list[float]:
    """The numbers in a column of a table; all NaN if the table lacks the column."""
    return numbers[column].tolist() if column in numbers else [math.nan] * len(numbers)


def are_counts(numbers: Sequence[float]) -> bool:
    """Whether the numbers are counts: integers that are not all 0 or 1; NaN is no number."""
    known = [number for number in numbers if not math.isnan(number)]
    return all(map(float.is_integer, map(float, known))) and any(number > 1 for number in known)


def describe_shared_parameters(spec: Spec) -> str:
    """The parameters with an equal value in all methods of a spec that have them, as a sentence."""
    values: dict[str, set[Any]] = {}
    for part in spec.methods:
        for name, value in part.params.items():
            values.setdefault(name, set()).add(value)
    words = []
    for name, found in values.items():
        if len(found) == 1 and name not in spec.layout.axes:
            (value,) = found
            words.append(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
    return f"Parameters, where a method has them: {', '.join(words)}." if words else ""


def compare_with_baselines(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The lines of a table, each with whether a score is clearly above its constant baseline.

    A score is clearly above if the mean of score minus baseline over the runs is more than two
    standard errors above 0; for one run, if the difference is above 0.
    """
    keys = key_columns(spec)
    scores = chain.from_iterable(spec.layout.baselines.items())
    whole = repeat_along_axes(with_columns(rows, spec, scores), spec)
    lines = []
    for key, group in whole.groupby(keys, dropna=False, sort=False):
        word = BETTER if _exceeds(group, spec) else NO_BETTER
        lines.append({**dict(zip(keys, key, strict=True)), COLUMN: word})
    return pd.DataFrame(lines, columns=[*keys, COLUMN])


def _exceeds(group: pd.DataFrame, spec: Spec) -> bool:
    """Whether a score of some runs is clearly above its baseline."""
    for score, baseline in spec.layout.baselines.items():
        difference = (group[score] - group[baseline]).dropna()
        error = difference.std() / math.sqrt(len(difference)) if len(difference) > 1 else 0.0
        if difference.mean() > ERRORS * error:
            return True
    return False


def describe_baselines(compared: pd.DataFrame) -> str:
    """A sentence that counts the lines no better than a constant baseline; empty without any."""
    worse = int((compared[COLUMN] == NO_BETTER).sum())
    words = "at most two standard errors above the majority class on the same records"
    lines = f"{worse} of {len(compared)} lines are no better than a constant"
    return f"{lines}: {words}." if worse else ""


def describe_equal_methods(rows: pd.DataFrame, spec: Spec) -> str:
    """A sentence that names methods with equal scores in every run; empty if there are none.

    Runs are compared at the same data set, point and seed. `rows` has a row for each run.
    """
    whole = repeat_along_axes(with_columns(rows, spec, shown_scores(spec)), spec)
    scores = [score for score in shown_scores(spec) if score in whole]
    places = ["dataset", "seed", *spec.layout.axes]
    by_method = {
        str(method): own.set_index(places)[scores].sort_index()
        for method, own in whole.groupby("method", sort=False)
    }
    pairs = [
        f"{one} and {other}"
        for one, other in combinations(by_method, 2)
        if by_method[one].equals(by_method[other])
    ]
    return f"The same scores in every run: {'; '.join(pairs)}." if pairs else ""


def describe_unmeasured(summary: pd.DataFrame, spec: Spec) -> str:
    """A sentence with the numbers of runs that measured a score; empty if all runs measured all.

    `summary` has a line for each point, method and score, with the number of runs that have the
    score (see `means.summarise_scores`).
    """
    made = summary.groupby(key_columns(spec), dropna=False, sort=False)["runs"].transform("max")
    lacking = summary[summary["runs"] < made].assign(made=made)
    parts = []
    for metric, lines in lacking.groupby("metric", sort=False):
        least, most = int(lines["runs"].min()), int(lines["runs"].max())
        found = f"{least}" if least == most else f"{least} to {most}"
        parts.append(f"{label(str(metric), spec)} in {found} of {int(lines['made'].max())} runs")
    if not parts:
        return ""
    why = "in the others a group has no record that the score needs"
    return f"Measured: {', '.join(parts)}; {why}."
