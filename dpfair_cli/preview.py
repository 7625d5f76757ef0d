"""Before anything runs on a user's own table: what was understood of it, and which methods cannot run and why.

A method is tried on people who do not exist, in the domain of the table: no value of a record decides what is said of
it, and what a fit refuses is known from the fit itself.
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
from dpfair_cli.kinds.people import Records
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.models.tabular.made_up_people import made_up_people
from dpfair_cli.running.sweeps import describe_refusals

TITLE = "before anything runs (exact counts of your table, for your eyes: not private)"
MOST_PEOPLE = 1000
SHORT = {"epochs": 1, "pretraining_epochs": 1}


@dataclass(frozen=True)
class Preview:
    """Facts by name, questions, and why parts of a plan cannot run."""

    facts: Mapping[str, str]
    questions: tuple[str, ...]
    refusals: Mapping[Part, str]

    def lines(self) -> list[str]:
        """All of it as text: one line for each reason, whatever the number of methods and epsilons."""
        cannot = {"cannot run": describe_refusals(self.refusals).removeprefix("Cannot run: ")} if self.refusals else {}
        facts = {**self.facts, **cannot}
        width = max(map(len, facts))
        stated = [f"  {name:{width}}  {text}" for name, text in facts.items()]
        return [TITLE, *stated, *(f"  ? {text}" for text in self.questions)]


def preview(dataset: str, options: Mapping[str, Any], parts: Iterable[Part]) -> Preview | None:
    """What there is to say of a user's own table and of methods on it; None for other data.

    Raises:
        DpfairError: the table cannot be read.
    """
    sheet_of = catalog.dataset(dataset).sheet
    if sheet_of is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # said when the data are loaded
        sheet = sheet_of(**catalog.complete("datasets", dataset, options))
    people = made_up_people(sheet.records.domain, min(len(sheet.records), MOST_PEOPLE), rng=np.random.default_rng(0))
    found = {part: _refusal(part, people) for part in parts}
    return Preview(sheet.facts, sheet.questions, {part: reason for part, reason in found.items() if reason})


def _refusal(part: Part, people: Records) -> str:
    """Why a method cannot run on such people; empty if it can."""
    algorithm = catalog.algorithm(part.name)
    short = {name: value for name, value in SHORT.items() if name in part.params}
    try:
        with record():  # what is released of people who do not exist is of nobody's concern
            algorithm.fit(people, **{**part.params, **short}, rng=np.random.default_rng(0))
    except (ValueError, DpfairError) as error:
        return str(error)
    return ""
