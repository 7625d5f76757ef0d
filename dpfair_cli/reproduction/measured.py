"""The numbers that deviations refer to, filled in from the journals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.reporting.references import measured_text
from dpfair_cli.verdicts.means import as_list
from dpfair_cli.verdicts.published import Paper
from dpfair_cli.verdicts.references import Lookup, measured_references

NOT_FILLED_IN = "not filled in: these runs are not complete"


class NotCompleteError(DpfairError):
    """The runs of an artefact that a deviation refers to are quick or not all here."""


def fill_in(paper: Paper, artefact: str, lookup: Lookup) -> Paper:
    """The paper with the numbers that the deviations of an artefact refer to as text.

    `lookup` raises NotCompleteError where runs are missing; the text then says so.

    Raises:
        DpfairError: all runs are here, and a reference leads to no number.
    """
    numbers = cache(lookup)
    deviations = [
        {**entry, "measured": _text(entry, artefact, numbers)}
        if "measured" in entry and artefact in as_list(entry.get("artefact"))
        else entry
        for entry in paper.deviations
    ]
    return replace(paper, deviations=deviations)


def _text(entry: Mapping[str, Any], artefact: str, lookup: Lookup) -> str:
    items = measured_references(entry["measured"], entry)
    try:
        return measured_text(items, artefact, lookup)
    except NotCompleteError:
        return NOT_FILLED_IN
