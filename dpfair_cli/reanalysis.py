"""Re-analysis: printed values of a work are compared with each other by a rule, and nothing is run.

A spec with the key `reanalysis` says which values of the work's published.csv are compared
(`comparisons`), by which statistical rules (`rules`), and of which scores the comparisons are
counted (`counted`; all by default). Tables show a kind of comparison in the place of a data set,
and a rule in the place of a method. A difference is the second value minus the first. A rule's
correction for several tests is over all comparisons; the scores are about those that are counted:

    comparisons         number of comparisons
    lower_means         number of comparisons with a negative difference
    higher_means        number of comparisons with a positive difference
    lower, higher       number of second values that the rule decides to be lower, higher
    equivalent          number of values that the rule decides to be equal up to its margin
    undecided           number of comparisons about which the rule decides nothing
    lower_share         lower divided by comparisons; the same for the other decisions
    sign_p              p-value of the exact two-sided sign test of all counted differences
    smallest_p          smallest p-value of the rule
    mean_difference     mean of the differences
    largest_difference  the difference with the largest absolute value
    power               mean probability of the decision "equivalent" if the true difference is 0
    power_reached       number of comparisons in which this probability is at least 0.8
    runs_needed         median number of runs of each side for which this probability is 0.8

The comparisons are the lines of a data frame: `name`, such as "adult, accuracy"; `metric`, the
score; `mean_first`, `std_first`, `mean` and `std` of the first and of the second value, NaN where
no deviation is printed; `runs`, the number of runs behind each mean. A rule adds `lower`, `higher`
and `equivalent`, its decisions; `p`, before a correction; `difference` and half of the width of its
interval, `half_width`; `power` and `runs_needed` of one comparison. A comparison can be lower (or
higher) and equivalent: a difference can be certain and small.

The curves over the comparisons are the difference and the ends of its interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd
import scipy  # which imports `scipy.stats` when it is used

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.declarations import Algorithm, DataSource, Declaration, Study
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.parameters import Count, Fraction, Positive, checked
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.contracts.specs import Run

FILE = "published.csv"
# the beginnings of the names of the artefacts under which the printed values of a work stand
ARTEFACTS = ("table-not-run", "table-recomputed")
# every other column of published.csv is a parameter, whose cells are empty where it has no value
NOT_SETTINGS = (
    *("artefact", "dataset", "method", "metric", "mean", "std", "printed", "place"),
    *("mean_first", "std_first", "mean_of_gap"),
)
SEED = "random_seed"  # the column with the seed of a printed run

AXIS = "comparison"
INTERVAL = ("difference", "interval_low", "interval_high")
Known = TypeVar("Known", bound=Declaration)
DECISIONS = ("lower", "higher", "equivalent", "undecided")
SHARES = tuple(f"{name}_share" for name in DECISIONS)
COUNTS = ("comparisons", "lower_means", "higher_means", *DECISIONS)
PLANNED = ("power_reached", "runs_needed")
DIFFERENCES = ("mean_difference", "largest_difference")
PROBABILITIES = ("sign_p", "smallest_p", "power")

WANTED_POWER = 0.8  # the usual power of a planned study
MOST_RUNS = 100_000  # beyond this number a search for the number of runs ends


# ---- the printed values and their comparisons


@dataclass(frozen=True)
class Selection:
    """The printed values that are compared.

    Attributes:
        metrics: the scores of the values; all scores if empty.
        only_setting: a parameter that all values have; any parameters if empty.
        only_value: the printed value of this parameter.
        signs: whether the absolute values of the printed values are compared ("dropped").
    """

    metrics: tuple[str, ...] = ()
    only_setting: str = ""
    only_value: str = ""
    signs: Literal["kept", "dropped"] = "kept"


ALL_VALUES = Selection()


def _read(folder: Path, selection: Selection) -> pd.DataFrame:
    """The selected values in the file published.csv of `folder`, in the order of the file.

    Means and deviations are numbers, NaN where no deviation is printed; all other cells are texts.
    """
    file = folder / FILE
    if not file.is_file():
        raise DpfairError(f"{file} does not exist: write the printed values of the work into it")
    rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    rows = rows[rows["artefact"].str.startswith(ARTEFACTS)]
    if selection.metrics:
        rows = rows[rows["metric"].isin(selection.metrics)]
    if selection.only_setting:
        rows = rows[_setting(rows, selection.only_setting) == selection.only_value]
    if rows.empty:
        raise DpfairError(f"{file} has no value with {selection}: check the names")
    # `float` of each text, since the parser of pandas may round the last digit
    mean = rows["mean"].map(float)
    std = rows["std"].map(lambda text: float(text or "nan"))
    return rows.assign(mean=mean.abs() if selection.signs == "dropped" else mean, std=std)


def _settings(values: pd.DataFrame) -> list[str]:
    """The names of the parameters of printed values."""
    return [str(name) for name in values if name not in NOT_SETTINGS]


def _setting(values: pd.DataFrame, name: str) -> pd.Series:
    """The cells of a parameter; empty texts if no value has the parameter."""
    empty: pd.Series = pd.Series("", values.index, dtype=object)
    return values.get(name, empty)


def _paired(first: pd.DataFrame, second: pd.DataFrame, on: list[str]) -> pd.DataFrame:
    """The second values, each with the mean and the deviation of the first value like it.

    A value is like another if both have equal cells in the columns `on`; second values without a
    first one are left out.
    """
    if first.duplicated(on).any():
        raise DpfairError("two printed values have the same place: choose one score")
    pairs = second.merge(first[[*on, "mean", "std"]], on=on, suffixes=("", "_first"))
    if pairs.empty:
        raise DpfairError("no two printed values belong together: check the names of the methods")
    return pairs


def _compared(pairs: pd.DataFrame, *, runs: int = 1) -> pd.DataFrame:
    """The comparisons of pairs, whose means are over `runs` runs."""
    named = pairs[["dataset", "metric", *_settings(pairs)]].to_dict("records")
    return pairs.assign(name=[_name(one) for one in named], runs=runs)


def _name(value: Mapping[Any, str]) -> str:
    """The name of a comparison: data set, score and parameters of the second value."""
    dataset, metric, *others = value.items()
    return ", ".join([dataset[1], metric[1], *(f"{name} {text}" for name, text in others if text)])


@checked
def compare_methods(
    folder: Path,
    *,
    selection: Selection = ALL_VALUES,
    first: str,
    second: str,
    runs: Count = 1,
) -> pd.DataFrame:
    """The method `second` against `first`, at each data set, score and parameter.

    Each value is a mean over `runs` runs.
    """
    values = _read(folder, selection)
    one, two = (values[values["method"] == name] for name in (first, second))
    pairs = _paired(one, two, ["dataset", "metric", *_settings(values)])
    return _compared(pairs, runs=runs)


@checked
def compare_settings(
    folder: Path,
    *,
    selection: Selection = ALL_VALUES,
    of: str,
    along: str = "epsilon",
    reference: str = "0.1",
) -> pd.DataFrame:
    """The method `of` against itself where the parameter `along` has the value `reference`."""
    values = _read(folder, selection)
    values = values[values["method"] == of]
    first = _setting(values, along) == reference
    others = [name for name in _settings(values) if name != along]
    return _compared(_paired(values[first], values[~first], ["dataset", "metric", *others]))


@checked
def compare_with_limit(
    folder: Path, *, selection: Selection = ALL_VALUES, limit: float = 1.0
) -> pd.DataFrame:
    """Each value against a `limit`: what a rule decides to be higher is impossible."""
    values = _read(folder, selection)
    return _compared(values.assign(mean_first=limit, std_first=values["std"]))


@checked
def compare_tradeoffs(
    folder: Path,
    *,
    selection: Selection = ALL_VALUES,
    gap: str,
    first: tuple[str, ...],
    second: tuple[str, ...],
) -> pd.DataFrame:
    """The best trade-off among the methods `second` against `first`, at each seed and parameter.

    The trade-off of a method is sqrt((1 - accuracy)^2 / 2 + gap^2 / 2), as in Angelozzi and
    Arcolezi 2026: the smaller, the better. `gap` is the score of the fairness gap.
    """
    values = _read(folder, selection)
    values = values[_setting(values, SEED) != ""]
    place = ["dataset", *_settings(values)]
    scored = _tradeoffs(values, gap, ["method", *place])
    one, two = (_best(scored[scored["method"].isin(stage)], place) for stage in (first, second))
    pairs = _paired(one, two, place)
    return _compared(pairs).assign(name=[f"seed {seed}" for seed in pairs[SEED]])


def _tradeoffs(values: pd.DataFrame, gap: str, on: list[str]) -> pd.DataFrame:
    """The trade-off of each method in the place of its accuracy."""
    accuracies, gaps = values[values["metric"] == "accuracy"], values[values["metric"] == gap]
    both = accuracies.merge(gaps[[*on, "mean"]], on=on, suffixes=("", "_of_gap"))
    if len(both) < len(accuracies):
        raise DpfairError(f"an accuracy has no value of {gap!r} in its place: check the score")
    pairs = zip(both["mean"], both["mean_of_gap"], strict=True)
    scores = [math.hypot(1 - accuracy, gap) / math.sqrt(2) for accuracy, gap in pairs]
    return both.assign(mean=scores)


def _best(tradeoffs: pd.DataFrame, place: list[str]) -> pd.DataFrame:
    """The smallest trade-off at every place, in the order of the file."""
    return tradeoffs.loc[tradeoffs.groupby(place, sort=False)["mean"].idxmin()]


# ---- the rules


@checked
def sign_test(
    values: pd.DataFrame,
    *,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
) -> pd.DataFrame:
    """The exact sign test of all comparisons together, which needs no standard deviation.

    Two values are equal only if all their printed digits are. Equal values do not count in the
    test. Source: Arbuthnott 1710.

    Args:
        values: The comparisons.
        alternative: Whether the p-value is two-sided, or one-sided for second values that are lower
            ("less") or higher ("greater").
    """
    difference = values["mean"] - values["mean_first"]
    return values.assign(
        lower=difference < 0,
        higher=difference > 0,
        equivalent=difference == 0,
        p=_sign_p(difference.to_numpy(), alternative),
        difference=difference,
        half_width=0.0,
        power=np.nan,
        runs_needed=np.nan,
    )


def _sign_p(difference: Floats, alternative: str = "two-sided") -> float:
    """The p-value of the number of positive differences; 1 if no value differs."""
    lower, higher = int((difference < 0).sum()), int((difference > 0).sum())
    if not lower + higher:
        return 1.0
    return float(scipy.stats.binomtest(higher, lower + higher, alternative=alternative).pvalue)


@checked
def welch_test(
    values: pd.DataFrame,
    *,
    level: Fraction = 0.05,
    correction: Literal["none", "holm"] = "none",
    margin: Positive = 0.05,
) -> pd.DataFrame:
    """Welch's test of each difference, with two one-sided tests of its equivalence to zero.

    A difference is significant if the two-sided p-value is below `level`. Two values are equivalent
    if the interval of the difference with confidence 1 - 2 `level` is inside the margin. The power
    treats the standard error as known. A comparison whose two deviations are 0 stays undecided,
    because equal runs are no estimate of a deviation. Source: Welch 1947; Holm 1979; Schuirmann
    1987.

    Args:
        values: The comparisons.
        level: The level of each test.
        correction: Whether the levels of the tests of a difference are Holm's, over all
            comparisons ("holm"), or `level` ("none").
        margin: The largest difference that counts as none.

    Raises:
        ValueError: a standard deviation is not printed, or a value is from a single run.
    """
    std, runs = values[["std_first", "std"]].to_numpy().T, int(values["runs"].min())  # (2, n)
    if np.isnan(std).any() or runs < 2:
        raise ValueError(
            "Welch's test needs a printed standard deviation and at least 2 runs of every value: "
            "use the sign test for single values"
        )
    difference = (values["mean"] - values["mean_first"]).to_numpy()  # (n,)
    error, degrees = _standard_error(std, runs)  # (n,), (n,)
    known = error > 0
    ratio = np.divide(np.abs(difference), error, out=np.zeros_like(error), where=known)
    p = np.where(known, 2 * scipy.stats.t.sf(ratio, degrees), 1.0)
    significant = p < level if correction == "none" else _holm(p, level)
    equivalence_width = scipy.stats.t.ppf(1 - level, degrees) * error
    return values.assign(
        lower=significant & (difference < 0),
        higher=significant & (difference > 0),
        equivalent=known & (np.abs(difference) + equivalence_width < margin),
        p=p,
        difference=difference,
        half_width=scipy.stats.t.ppf(1 - level / 2, degrees) * error,
        power=np.where(known, _power(margin, error, degrees, level), np.nan),
        runs_needed=_runs_needed(std, margin, level),
    )


def _standard_error(std: Floats, runs: int) -> tuple[Floats, Floats]:
    """The standard errors of the differences, and Welch's degrees of freedom, (n,) and (n,).

    `std` are the standard deviations of both sides, (2, n).
    """
    parts = std**2 / runs  # (2, n)
    variance = parts.sum(axis=0)
    below = (parts**2).sum(axis=0) / (runs - 1)
    smallest = np.full_like(variance, runs - 1)
    degrees = np.divide(variance**2, below, out=smallest, where=below > 0)
    return np.sqrt(variance), degrees


def _holm(p: Floats, level: float) -> Mask:
    """Whether each of n p-values is significant by Holm's rule, (n,)."""
    order = np.argsort(p, kind="stable")
    passed = p[order] < level / np.arange(len(p), 0, -1)
    significant = np.zeros(len(p), dtype=bool)
    # the first p-value that is too large ends the list: a later one cannot be significant
    significant[order] = np.logical_and.accumulate(passed)
    return significant


def _power(margin: float, error: Floats, degrees: Floats, level: float) -> Floats:
    """The probability that a true difference of zero is decided to be equivalent, (n,).

    The difference is normal with the standard deviation `error`, which the test knows.
    """
    scaled = np.divide(margin, error, out=np.full_like(error, np.inf), where=error > 0)
    room = scaled - scipy.stats.t.ppf(1 - level, degrees)
    return np.asarray(np.maximum(0.0, 2 * scipy.stats.norm.cdf(room) - 1))


def _runs_needed(std: Floats, margin: float, level: float) -> Floats:
    """The smallest numbers of runs of each side with the wanted power, NaN if unknown, (n,)."""
    needed = np.full(std.shape[1], np.nan)
    possible = std.any(axis=0)  # else no number of runs gives an estimate of a deviation
    runs = 2
    while runs <= MOST_RUNS and np.isnan(needed[possible]).any():
        error, degrees = _standard_error(std, runs)
        reached = possible & (_power(margin, error, degrees, level) >= WANTED_POWER)
        needed[reached & np.isnan(needed)] = runs
        runs += 1
    return needed


# ---- what a table shows


def of_scores(decided: pd.DataFrame, *, counted: tuple[str, ...] = ()) -> pd.DataFrame:
    """The comparisons whose score is in `counted`; all if it is empty.

    Raises:
        ValueError: no comparison has a score in `counted`.
    """
    chosen = decided[decided["metric"].isin(counted)] if counted else decided
    if chosen.empty:
        raise ValueError(f"no comparison has a score in `counted`, got {counted}")
    return chosen


def summary(decided: pd.DataFrame) -> Outcome:
    """The scores of the decisions about comparisons, and the differences as curves."""
    difference, half_width = (decided[name].to_numpy() for name in ("difference", "half_width"))
    curves = {
        AXIS: decided["name"].to_list(),
        "difference": difference.tolist(),
        "interval_low": (difference - half_width).tolist(),
        "interval_high": (difference + half_width).tolist(),
    }
    power, n = decided["power"].to_numpy(), float(len(decided))
    has_power = not np.isnan(power).all()  # a rule may have none
    scores = {
        "comparisons": n,
        "lower_means": float((difference < 0).sum()),
        "higher_means": float((difference > 0).sum()),
        "sign_p": _sign_p(difference),
        "smallest_p": float(decided["p"].min()),
        "mean_difference": float(difference.mean()),
        "largest_difference": float(difference[np.argmax(np.abs(difference))]),
        "power": float(np.nanmean(power)) if has_power else math.nan,
        "power_reached": float((power >= WANTED_POWER).sum()) if has_power else math.nan,
        "runs_needed": float(np.nanmedian(decided["runs_needed"])) if has_power else math.nan,
    }
    is_decided = decided["lower"] | decided["higher"] | decided["equivalent"]
    decisions = decided.assign(undecided=~is_decided)
    for name in DECISIONS:
        scores[name] = float(decisions[name].sum())
        scores[f"{name}_share"] = scores[name] / n
    return Outcome(decided, scores, curves=curves)


# ---- how a spec names all this; a table has a comparison as a data set, and a rule as a method

DATASET = {
    "printed_methods": DataSource(compare_methods, note="printed values of two methods"),
    "printed_settings": DataSource(compare_settings, note="printed values at several settings"),
    "printed_ranges": DataSource(compare_with_limit, note="printed values and their limit"),
    "printed_tradeoffs": DataSource(compare_tradeoffs, note="printed trade-offs of two stages"),
}
ALGORITHM = {
    "sign_test": Algorithm(sign_test, source="Arbuthnott 1710"),
    "welch_test": Algorithm(welch_test, source="Welch 1947; Holm 1979; Schuirmann 1987"),
}
TASK = {
    "reanalysis": Study(
        split=of_scores,
        study=summary,
        scores=(AXIS, *INTERVAL, *COUNTS, *SHARES, *DIFFERENCES, *PROBABILITIES, *PLANNED),
        unbounded=(*COUNTS, *PLANNED),
        ranges={
            **dict.fromkeys((*COUNTS, *PLANNED), (0.0, math.inf)),
            **dict.fromkeys((*SHARES, *PROBABILITIES), (0.0, 1.0)),
            **dict.fromkeys((*DIFFERENCES, *INTERVAL), (-math.inf, math.inf)),
        },
        axis=AXIS,
        exact=True,
    )
}


def data_source(name: str) -> DataSource:
    """The way to compare printed values that a spec names; errors as `algorithm`."""
    return _named(name, DATASET, "comparison")


def algorithm(name: str) -> Algorithm:
    """The rule that a spec names.

    Raises:
        DpfairError: there is none; the message proposes the nearest name.
    """
    return _named(name, ALGORITHM, "rule")


def study(name: str) -> Study:
    """The study of printed values, which is named "reanalysis"."""
    return _named(name, TASK, "task")


def _named(name: str, known: Mapping[str, Known], noun: str) -> Known:
    """The declaration with a name; it is registered, so that it can be pickled by reference."""
    if name not in known:
        raise DpfairError(f"unknown {noun} {name!r}: {nearest(name, known)}")
    return known[name].registered(name, __name__)


def compare(run: Run, folder: Path) -> Outcome:
    """The scores of the comparisons of one pairing by one rule, of the work in `folder`."""
    values = run.dataset.source.load(folder, **run.dataset.options)
    # a rule's correction is over all comparisons, also those that are not counted
    decided = run.method.algorithm.fit(values, **run.method.params)
    return summary(of_scores(decided, **run.task.protocol))
