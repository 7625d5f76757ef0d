"""What a user should see of their own table of variables before a graph is looked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from dpfair_cli.contracts.schemas import Categorical, Kind
from dpfair_cli.formats.domain_draft import SOME_LEVELS, questions_of_texts
from dpfair_cli.formats.own_table import TableForm, describe_form, nameless
from dpfair_cli.formats.table_profile import (
    BOUNDS,
    TableProfile,
    in_short,
    not_used,
    questions_of_identifiers,
)
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.made_up_observations import made_up_observations

QUICK = {
    "epsilon": math.inf
}  # of independent variables few tests are made, but for those that noise asks for


def variables_profile(
    observations: Observations,
    kinds: Mapping[str, Kind],
    frame: pd.DataFrame,
    heading: Sequence[str],
    form: TableForm,
) -> TableProfile:
    """The profile of a user's own table; `frame` has its cells as text."""
    questions = (*_questions(kinds), *_identifiers(observations, frame, nameless(heading, form)))
    unused = [name for name in heading if name not in kinds]
    facts = {
        "file": f"{len(observations):,} rows, none left out; {describe_form(form)}",
        "variables": f"{_words(observations, kinds)}{not_used(unused)}",
        "bounds": BOUNDS[observations.bounds],
    }
    enough = len(observations) > len(observations.names)
    stand_in = partial(made_up_observations, observations.names, observations.levels, enough=enough)
    return TableProfile(facts, questions, lambda rng: stand_in(rng=rng), QUICK)


def _words(observations: Observations, kinds: Mapping[str, Kind]) -> str:
    """How many variables there are, with their levels or ranges."""
    what = "categories (levels)" if observations.categorical else "numbers"
    return f"{len(kinds)} {what}: {in_short([_one(name, kind) for name, kind in kinds.items()])}"


def _one(name: str, kind: Kind) -> str:
    if isinstance(kind, Categorical):
        return f"{name} ({len(kind.levels)})"
    if kind.spread:
        return f"{name} (mean {kind.centre:.4g}, deviation {kind.spread:.4g})"
    return f"{name} ({kind.low:g} to {kind.high:g})"


def _questions(kinds: Mapping[str, Kind]) -> Iterator[str]:
    for name, kind in kinds.items():
        if isinstance(kind, Categorical):
            yield from questions_of_texts(name, kind.levels)
            if len(kind.levels) > SOME_LEVELS:
                yield f"{name} has {len(kind.levels)} levels: tests of it have few records for each, merge some?"


def _identifiers(
    observations: Observations, frame: pd.DataFrame, unnamed: set[str]
) -> Iterator[str]:
    """What names rows in a table whose columns nobody has chosen."""
    if observations.bounds == "data":
        yield from questions_of_identifiers(
            {str(name): frame[name].tolist() for name in frame}, unnamed
        )
