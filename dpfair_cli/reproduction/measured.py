"""Fills the numbers that deviations refer to into the deviations, from the journals."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reporting.references import measured_text
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.references import Lookup, measured_references

NOT_FILLED_IN = "not filled in: these runs are not complete"


class NotCompleteError(DpfairError):
    """The error for an artefact that lacks some of its full (not quick) runs."""


def fill_in(paper: Paper, artefact: str, lookup: Lookup) -> Paper:
    """The paper with our numbers filled into the deviations of an artefact.

    A number is filled in where the `measured` of a deviation refers to it.

    `lookup` raises NotCompleteError if runs are missing; the text then says that runs are missing.

    Raises:
        DpfairError: no run is missing, and a reference still matches no number.
    """
    numbers = cache(lookup)
    own = paper.deviations_of(artefact)
    filled = [
        _filled(one, artefact, numbers) if one in own and one.measured else one
        for one in paper.deviations
    ]
    return replace(paper, deviations=filled)


def _filled(deviation: Deviation, artefact: str, lookup: Lookup) -> Deviation:
    items = measured_references(deviation, artefact)
    try:
        text = measured_text(items, artefact, lookup)
    except NotCompleteError:
        text = NOT_FILLED_IN
    return replace(deviation, findings=text)
