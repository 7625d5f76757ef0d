"""The numbers that deviations refer to, filled in from the journals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd

from dpfair_cli.reporting.references import measured_text
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.running.spec import load
from dpfair_cli.verdicts.means import as_list
from dpfair_cli.verdicts.published import Paper
from dpfair_cli.verdicts.references import Numbers, measured_references

NOT_COMPLETE = "not filled in: these runs are not complete"


def fill_in(paper: Paper, artefact: Artefact, rows: pd.DataFrame) -> Paper:
    """The paper with the numbers that the deviations of an artefact refer to as text.

    `rows` are those of the artefact.

    Raises:
        DpfairError: all runs are here, and a reference leads to no number.
    """
    deviations = [
        {**entry, "measured": _text(entry, paper, artefact, rows)}
        if "measured" in entry and artefact.spec.name in as_list(entry.get("artefact"))
        else entry
        for entry in paper.deviations
    ]
    return replace(paper, deviations=deviations)


def _text(entry: Mapping[str, Any], paper: Paper, artefact: Artefact, rows: pd.DataFrame) -> str:
    """What a deviation has measured; runs that are quick or incomplete do not say it."""
    items = measured_references(entry["measured"], entry)
    names = {reference.artefact for item in items for reference in item}
    found = {name: _other(name, artefact) for name in names}
    if artefact.options.quick or any(one.missing_runs for one in found.values()):
        return NOT_COMPLETE

    @cache
    def numbers(name: str) -> Numbers:
        own = rows if found[name] is artefact else found[name].rows()
        return Numbers(found[name].spec, own, paper.published)

    return measured_text(items, artefact.spec.name, numbers)


def _other(name: str, artefact: Artefact) -> Artefact:
    """Another artefact of the same paper with the same options; the artefact itself if it is meant."""
    if name == artefact.spec.name:
        return artefact
    spec = load(f"{artefact.spec.paper}/{name}", quick=artefact.options.quick)
    return Artefact(spec, artefact.options)
