"""Rows without a spec -> their numbers: those of a sweep, of another project's journal, or of a spec that is gone.

A number is then named by all that identifies its runs but seeds, data and versions. An option that has one value on
each side and another on each is taken as changed, and no longer names anything.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dpfair_cli.changes.results import Results, State
from dpfair_cli.running.journal import Row
from dpfair_cli.verdicts.wording import describe_parameters

PARTS = ("options", "protocol", "params")  # of a row that hold options
Group = tuple[str, str]  # data set and algorithm


def results_of_rows(before: Sequence[Row], after: Sequence[Row]) -> tuple[Results, Results]:
    """What the rows of two sides say, the numbers of both under the same names."""
    naming = _naming_options(before, after)
    return _results(before, naming), _results(after, naming)


def _naming_options(before: Sequence[Row], after: Sequence[Row]) -> dict[Group, list[str]]:
    """The options that tell the runs of an algorithm on a data set apart on at least one side."""
    found: dict[Group, list[str]] = {}
    sides = [_values(rows) for rows in (before, after)]
    for group in {*sides[0], *sides[1]}:
        names = dict.fromkeys(name for side in sides for name in side.get(group, {}))
        found[group] = [name for name in names if any(len(side.get(group, {}).get(name, ())) > 1 for side in sides)]
    return found


def _values(rows: Iterable[Row]) -> dict[Group, dict[str, set[str]]]:
    """The values of every option, by data set and algorithm."""
    found: dict[Group, dict[str, set[str]]] = {}
    for row in rows:
        values = found.setdefault((row["dataset"], row["algorithm"]), {})
        for name, value in _options(row):
            values.setdefault(name, set()).add(str(value))
    return found


def _options(row: Row) -> Iterator[tuple[str, Any]]:
    return ((name, value) for part in PARTS for name, value in row[part].items())


def _results(rows: Sequence[Row], naming: dict[Group, list[str]]) -> Results:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        own = dict(_options(row))
        names = [name for name in naming[row["dataset"], row["algorithm"]] if name in own]
        words = describe_parameters({name: _plain(own[name]) for name in names})
        groups.setdefault(", ".join(filter(None, (row["dataset"], row["algorithm"], words))), []).append(row)
    numbers = {
        f"{name}, {score}": state
        for name, members in groups.items()
        for score in members[0]["scores"]
        for state in _state(score, members)
    }
    return Results(numbers=numbers, rows=rows)


def _plain(value: Any) -> Any:
    """A value that can be written as one word."""
    return value if isinstance(value, float | int | str) and not isinstance(value, bool) else str(value)


def _state(score: str, rows: Sequence[Row]) -> Iterator[State]:
    """The mean of a score, if a row has it."""
    values = [row["scores"][score] for row in rows if not math.isnan(row["scores"].get(score, math.nan))]
    if values:
        std = statistics.stdev(values) if len(values) > 1 else math.nan
        yield State(statistics.fmean(values), std, len(values), rows=tuple(rows))
