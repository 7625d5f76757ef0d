"""What there is: every algorithm, data source, study and layout by its name, and which fit together.

`method`, `data_set` and `task` resolve a name into an object; `matching` compares objects.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

import numpy as np

from dpfair_cli.catalog.registry import (
    algorithm,
    algorithms,
    data_set,
    data_source,
    data_sources,
    layout,
    layouts,
    method,
    model,
    studies,
    study,
    task,
)
from dpfair_cli.contracts.declarations import Neighbours, Status

__all__ = [
    "algorithm", "algorithms", "data_set", "data_source", "data_sources", "layout", "layouts",
    "method", "model", "studies", "study", "task",
]  # fmt: skip

STATEMENTS = (
    "Source",
    "Privacy",
    "Neighbours",
    "Status",
    "Proof",
    "Differs",
)  # Proof: of a claim that is not refuted
NOT_PRIVATE = "not private"  # the standing of what claims nothing
BOUNDS_FROM_DATA = (
    "bounds from data"  # the condition that ranges and levels read from the private data break
)


@cache
def statement(name: str) -> dict[str, str]:
    """What an algorithm states in its docstring: Source, Privacy, Neighbours, Status, Differs."""
    text = inspect.cleandoc(algorithms.module(name).__doc__ or "")
    fields = re.findall(r"^(\w+):((?:.*)(?:\n[ \t]+.*)*)", text, flags=re.MULTILINE)
    return {key: " ".join(value.split()) for key, value in fields if key in STATEMENTS}


def why_unfinished(name: str) -> str:
    """What the module of an algorithm lacks that every one has: a statement or the argument `rng`;
    empty if nothing.
    """
    stated = statement(name)
    missing = next((key for key in STATEMENTS if key not in (*stated, "Proof")), "")
    if missing:
        return f"its docstring has no line `{missing}:`"
    if stated["Status"].rstrip(".") not in list(Status):
        return f"Status: {stated['Status']!r} is none of {', '.join(Status)}"
    return (
        ""
        if "rng" in inspect.signature(algorithm(name).fit).parameters
        else "fit has no keyword `rng`"
    )


def neighbours(name: str) -> Neighbours:
    """Which neighbours an algorithm's claim is about."""
    return Neighbours(re.split(r"[,;.]", statement(name)["Neighbours"])[0])


def is_private(name: str) -> bool:
    """Whether an algorithm takes an epsilon."""
    return algorithm(name).is_private


def privacy(name: str, params: Mapping[str, Any], broken: Collection[str] = ()) -> str:
    """The standing of an algorithm's claim; neighbours other than whole replaced records are said."""
    found = standing(name, params, broken)
    return found if found == NOT_PRIVATE else " ".join([found, *_other_neighbours(name)])


def standing(name: str, params: Mapping[str, Any], broken: Collection[str] = ()) -> str:
    """The status of a claim with these parameters, "not private" for one without a budget.

    A claim is void where conditions of it are `broken`; a refuted one has none. With bounds from
    the data nothing is private, whatever else holds.
    """
    if not is_private(name) or params.get("epsilon") == np.inf:
        return NOT_PRIVATE
    found = status(name, params)
    word = NOT_PRIVATE if BOUNDS_FROM_DATA in broken else "void"
    return f"{word}: {', '.join(broken)}" if broken and found is not Status.REFUTED else found


def status(name: str, params: Mapping[str, Any]) -> Status:
    """The status of an algorithm's claim: that of its docstring, but for a variant with its own."""
    declared = algorithm(name).statuses.items()
    own = [found for (parameter, value), found in declared if params.get(parameter) == value]
    return own[0] if own else Status(statement(name)["Status"])


def labelled(name: str) -> str:
    """An algorithm's name for an axis that it shares: what its epsilon protects, if that is not a
    replaced record.
    """
    return " ".join([name, *(_other_neighbours(name) if is_private(name) else [])])


def _other_neighbours(name: str) -> list[str]:
    return [] if neighbours(name) is Neighbours.REPLACE_ONE else [f"({neighbours(name)})"]
