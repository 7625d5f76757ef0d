"""Previews of users' tables: the interpretation of a table, questions, and unusable methods.

To find out whether a method can run, the method is fitted to made-up data in the domain of the
table. The outcome therefore depends on no value of a record, and the reason for a refusal comes
from the fit itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.declarations import DataSet, Method, Study
from dpfair_cli.contracts.errors import DataWarning, DpfairError
from dpfair_cli.contracts.guarantees import Status
from dpfair_cli.formats.profiles import TableProfile
from dpfair_cli.kinds import Data
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.release.default_delta import with_default_delta
from dpfair_cli.running.sweeps import describe_refusals

TITLE = "before anything runs (exact counts of your table, for your eyes: not private)"
SOUND = (Status.PROVED, Status.AS_PUBLISHED, Status.CONDITIONAL)  # of a guarantee
SHORT = {"epochs": 1, "pretraining_epochs": 1}


@dataclass(frozen=True)
class Preview:
    """The interpretation of a user's table, and the methods that cannot run on the table.

    Attributes:
        methods: the methods, each with the delta that it has on the table.
        facts: facts about the table, by name.
        questions: the questions that the user should answer.
        refusals: the methods that cannot run, each with the reason.
    """

    methods: tuple[Method, ...]
    facts: Mapping[str, str]
    questions: tuple[str, ...]
    refusals: Mapping[Method, str]

    def lines(self) -> list[str]:
        """The lines of the preview: facts about the table, and methods that cannot run on it."""
        facts = dict(self.facts)
        if self.refusals:
            facts["cannot run"] = describe_refusals(self.refusals).removeprefix("Cannot run: ")
        width = max(map(len, facts))
        stated = [f"  {name:{width}}  {text}" for name, text in facts.items()]
        return [TITLE, *stated, *(f"  ? {text}" for text in self.questions)]


def preview(dataset: DataSet, methods: Iterable[Method], *, delta: float | None) -> Preview:
    """The interpretation of a user's table, with the methods that cannot run on the table.

    `delta` is the one that the user gave, if any. Otherwise methods get a delta that is small
    enough for the number of records. Public data have nothing to show.

    Raises:
        DpfairError: the table cannot be read.
    """
    wanted = list(methods)  # which may be a generator
    if dataset.source.profile is None:
        return Preview(tuple(wanted), {}, (), {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # shown later, when the data are loaded
        profile = dataset.source.profile(**dataset.options)
    if delta is None:
        wanted = [with_default_delta(method, profile.records) for method in wanted]
    questions = (*profile.questions, *_questions_of_delta(wanted, profile.records))
    return Preview(tuple(wanted), profile.facts, questions, _refusals(dataset, wanted, profile))


def private_methods_that_run(dataset: DataSet, study: Study) -> list[str]:
    """The names of the methods with a sound guarantee that a study can run on a user's table."""
    methods = [catalog.method(name, {}) for name in catalog.algorithms.names]
    fitting = [
        method
        for method in methods
        if method.algorithm.guarantee.status_with(method.params) in SOUND
        and matching.can_fit(method.algorithm, dataset.source)
        and matching.can_score(study, method.algorithm)
    ]
    found = preview(dataset, fitting, delta=None)
    return [method.name for method in found.methods if method not in found.refusals]


def _questions_of_delta(methods: Iterable[Method], records: int) -> list[str]:
    """Questions about methods whose delta is more than 1 / the number of records.

    With such a delta, publishing one record of the table could count as private.
    """
    deltas = {
        method.name: method.algorithm.guarantee.stated_delta(method.params, records)
        for method in methods
        if records and method.is_private
    }
    return [
        f"{name} has delta {delta:g}, more than 1 / {records:,} records: give a smaller --delta"
        for name, delta in deltas.items()
        if delta > 1 / records
    ]


def _refusals(
    dataset: DataSet, methods: Iterable[Method], profile: TableProfile
) -> dict[Method, str]:
    """The methods that cannot run on a user's table, each with the reason.

    Methods for other types of data are refused elsewhere.
    """
    # a fixed seed: the answer is the same each time
    data, short = profile.stand_in(np.random.default_rng(0)), {**SHORT, **profile.short}
    tried: dict[str, str] = {}  # different epsilons can give equal parameters
    found: dict[Method, str] = {}
    for method in methods:
        # the others are refused before, by their type
        if matching.can_fit(method.algorithm, dataset.source):
            shortened = {name: short.get(name, value) for name, value in method.params.items()}
            what = repr((method.name, shortened))
            if what not in tried:
                tried[what] = _refusal(method, shortened, data)
            found[method] = tried[what]
    return {method: reason for method, reason in found.items() if reason}


def _refusal(method: Method, params: Mapping[str, Any], data: Data) -> str:
    """The reason why a method with `params` cannot run on the data; empty if the method can run."""
    try:
        with record():  # releases of made-up data cost no budget
            method.algorithm.fit(data, **params, rng=np.random.default_rng(0))
    except (ValueError, DpfairError) as error:
        return str(error)
    return ""
