"""Before anything runs on a user's own table: what was understood of it, and which methods cannot
run and why.

A method is tried on data that do not exist, in the domain of the table: no value of a record
decides what is said of it, and what a fit refuses is known from the fit itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.contracts.specs import Part
from dpfair_cli.formats.table_profile import TableProfile
from dpfair_cli.kinds import Data
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.running.sweeps import describe_refusals

TITLE = "before anything runs (exact counts of your table, for your eyes: not private)"
SHORT = {"epochs": 1, "pretraining_epochs": 1}


@dataclass(frozen=True)
class Preview:
    """Facts by name, questions, and why parts of a plan cannot run."""

    facts: Mapping[str, str]
    questions: tuple[str, ...]
    refusals: Mapping[Part, str]

    def lines(self) -> list[str]:
        """All of it as text: one line for each reason, whatever the number of methods and epsilons."""
        cannot = (
            {"cannot run": describe_refusals(self.refusals).removeprefix("Cannot run: ")}
            if self.refusals
            else {}
        )
        facts = {**self.facts, **cannot}
        width = max(map(len, facts))
        stated = [f"  {name:{width}}  {text}" for name, text in facts.items()]
        return [TITLE, *stated, *(f"  ? {text}" for text in self.questions)]


def preview(dataset: str, options: Mapping[str, Any], parts: Iterable[Part]) -> Preview | None:
    """What there is to say of a user's own table and of methods on it; None for other data.

    Raises:
        DpfairError: the table cannot be read.
    """
    profile_of = catalog.dataset(dataset).profile
    if profile_of is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # said when the data are loaded
        profile = profile_of(**catalog.complete("datasets", dataset, options))
    return Preview(profile.facts, profile.questions, _refusals(dataset, parts, profile))


def _refusals(dataset: str, parts: Iterable[Part], profile: TableProfile) -> dict[Part, str]:
    """The parts that cannot run, and why; a method for another kind of data is refused by name,
    elsewhere.
    """
    data, short = profile.stand_in(np.random.default_rng(0)), {**SHORT, **profile.short}
    tried: dict[str, str] = {}  # several epsilons may come to the same
    found: dict[Part, str] = {}
    for part in parts:
        if catalog.fits_data(part.name, dataset):
            params = dict(part.params) | {
                name: value for name, value in short.items() if name in part.params
            }
            what = repr((part.name, params))
            if what not in tried:
                tried[what] = _refusal(part.name, params, data)
            found[part] = tried[what]
    return {part: reason for part, reason in found.items() if reason}


def _refusal(method: str, params: Mapping[str, Any], data: Data) -> str:
    """Why a method cannot run on such data; empty if it can."""
    try:
        with record():  # what is released of data that do not exist is of nobody's concern
            catalog.algorithm(method).fit(data, **params, rng=np.random.default_rng(0))
    except (ValueError, DpfairError) as error:
        return str(error)
    return ""
