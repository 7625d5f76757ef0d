"""The profile of a user's table for causal discovery, shown before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from dpfair_cli.contracts.schemas import Categorical, ColumnType
from dpfair_cli.formats.domain_draft import SOME_LEVELS, questions_of_texts
from dpfair_cli.formats.table_profile import (
    BOUNDS,
    TableProfile,
    in_short,
    not_used,
    questions_of_identifiers,
)
from dpfair_cli.formats.user_table import TableForm, describe_form, nameless
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.made_up_observations import made_up_observations

QUICK = {"epsilon": math.inf}  # without noise there are fewer edges and therefore fewer tests


def variables_profile(
    observations: Observations,
    column_types: Mapping[str, ColumnType],
    cells: pd.DataFrame,
    heading: Sequence[str],
    form: TableForm,
) -> TableProfile:
    """The profile of a user's table of variables, whose cells are given as text.

    `heading` are the names of all columns of the file, and `column_types` are the types of the
    columns that are used.
    """
    questions = list(_questions(column_types))
    if observations.bounds == "data":
        columns = {str(name): cells[name].tolist() for name in cells}
        questions += questions_of_identifiers(columns, nameless(heading, form))
    unused = [name for name in heading if name not in column_types]
    facts = {
        "file": f"{len(observations):,} rows, none left out; {describe_form(form)}",
        "variables": f"{_words(observations, column_types)}{not_used(unused)}",
        "bounds": BOUNDS[observations.bounds],
    }
    enough = len(observations) > len(observations.names)
    stand_in = partial(made_up_observations, observations.names, observations.levels, enough=enough)
    return TableProfile(facts, tuple(questions), lambda rng: stand_in(rng=rng), QUICK)


def _words(observations: Observations, column_types: Mapping[str, ColumnType]) -> str:
    """The number of variables, and each variable with its levels or its range, as text."""
    what = "categories (levels)" if observations.categorical else "numbers"
    variables = [_variable(name, column) for name, column in column_types.items()]
    return f"{len(variables)} {what}: {in_short(variables)}"


def _variable(name: str, column: ColumnType) -> str:
    """A variable as text, with the number of its levels, its mean and deviation, or its range."""
    if isinstance(column, Categorical):
        return f"{name} ({len(column.levels)})"
    if column.spread:
        return f"{name} (mean {column.centre:.4g}, deviation {column.spread:.4g})"
    return f"{name} ({column.low:g} to {column.high:g})"


def _questions(column_types: Mapping[str, ColumnType]) -> Iterator[str]:
    """Yields questions about levels that differ only in capitals, or that are numerous."""
    for name, column in column_types.items():
        if isinstance(column, Categorical):
            yield from questions_of_texts(name, column.levels)
            if len(column.levels) > SOME_LEVELS:
                cure = "tests of it have few records for each, merge some?"
                yield f"{name} has {len(column.levels)} levels: {cure}"
