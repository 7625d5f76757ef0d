"""Numbers of rows without a spec, such as those of a sweep or of another project's journal.

A number is named by the options that distinguish its runs, without seeds, data and versions. An
option with a single value on each side, different on the two sides, counts as a cause of changes
and is not part of the name.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dpfair_cli.diff.results import ComparedNumber, Results
from dpfair_cli.diff.runs import FinishedRun, settings_of
from dpfair_cli.running.rows import SettingFields
from dpfair_cli.verdicts.wording import describe_parameters

PARTS = ("options", "protocol", "params")  # parts of a row that hold options
Group = tuple[str, str]  # data set and algorithm


def results_of_rows(
    before: Sequence[FinishedRun], after: Sequence[FinishedRun]
) -> tuple[Results, Results]:
    """The means of the scores of runs before and after, with equal names for equal settings."""
    naming = _naming_options(before, after)
    return _results(before, naming), _results(after, naming)


def _naming_options(
    before: Sequence[FinishedRun], after: Sequence[FinishedRun]
) -> dict[Group, list[str]]:
    """The options that take several values before or after, by data set and algorithm."""
    found: dict[Group, list[str]] = {}
    sides = [_values(settings_of(runs)) for runs in (before, after)]
    for group in {*sides[0], *sides[1]}:
        names = dict.fromkeys(name for side in sides for name in side.get(group, {}))
        found[group] = []
        for name in names:
            if max(len(side.get(group, {}).get(name, ())) for side in sides) > 1:
                found[group].append(name)
    return found


def _values(settings: Iterable[SettingFields]) -> dict[Group, dict[str, set[str]]]:
    """The values of every option in settings of runs, by data set and algorithm."""
    found: dict[Group, dict[str, set[str]]] = {}
    for setting in settings:
        values = found.setdefault(_group(setting), {})
        for name, value in _options(setting):
            values.setdefault(name, set()).add(str(value))
    return found


def _group(setting: SettingFields) -> Group:
    return setting.values["dataset"], setting.values["algorithm"]


def _options(setting: SettingFields) -> Iterator[tuple[str, Any]]:
    return ((name, value) for part in PARTS for name, value in setting.values[part].items())


def _results(runs: Sequence[FinishedRun], naming: dict[Group, list[str]]) -> Results:
    words = {setting: _words(setting, naming[_group(setting)]) for setting in settings_of(runs)}
    groups: dict[str, list[FinishedRun]] = {}
    for run in runs:
        groups.setdefault(words[run.setting], []).append(run)
    numbers = {
        f"{name}, {score}": number
        for name, members in groups.items()
        for score in members[0].row["scores"]
        for number in _number(score, tuple(members))
    }
    return Results(numbers=numbers, runs=tuple(runs))


def _words(setting: SettingFields, naming: Iterable[str]) -> str:
    """The name of a setting of runs: data set, algorithm, and the options in `naming`."""
    own = dict(_options(setting))
    values = describe_parameters({name: _plain(own[name]) for name in naming if name in own})
    return ", ".join(filter(None, (*_group(setting), values)))


def _plain(value: Any) -> Any:
    """A value of an option in a form that can be written as one word."""
    return (
        value
        if isinstance(value, float | int | str) and not isinstance(value, bool)
        else str(value)
    )


def _number(score: str, runs: tuple[FinishedRun, ...]) -> Iterator[ComparedNumber]:
    """Yields the mean of a score over the runs, if any run has the score."""
    scores = [run.row["scores"].get(score, math.nan) for run in runs]
    values = [value for value in scores if not math.isnan(value)]
    if values:
        std = statistics.stdev(values) if len(values) > 1 else math.nan
        dataset, method = _group(runs[0].setting)
        mean = statistics.fmean(values)
        yield ComparedNumber(mean, std, len(values), runs, dataset=dataset, method=method)
