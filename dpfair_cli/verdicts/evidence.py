"""Whether the evidence of a deviation bears its kind: a reading brings out the cells, data are others, a link leads."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dpfair_cli.verdicts.deviations import Entry, Kind, covered_cells, describe_entry
from dpfair_cli.verdicts.levels import Level


@dataclass(frozen=True)
class Evidence:
    """What entries may stand on.

    `other_data` are data sets of the artefact that are not the paper's own, `folder` is where links begin, and
    `holds_under(claim, reading)` says whether a claim holds with the runs of a reading in place of the default ones.
    """

    other_data: Collection[str]
    folder: Path
    holds_under: Callable[[str, str], bool]


def unsupported_entries(
    entries: Sequence[Entry], cells: pd.DataFrame, claims: pd.DataFrame, evidence: Evidence
) -> tuple[str, ...]:
    """The entries, in words, whose kind their evidence does not bear."""
    found = [(entry, _unsupported(entry, cells, claims, evidence)) for entry in entries]
    return tuple(f"{describe_entry(entry)}: {why}" for entry, why in found if why)


def _unsupported(entry: Entry, cells: pd.DataFrame, claims: pd.DataFrame, evidence: Evidence) -> str:
    """Why the evidence of an entry does not bear its kind; empty if it does."""
    kind = Kind(entry["kind"])
    differing = cells[covered_cells(entry, cells) & (cells["verdict"] == Level.DIFFERS)]
    if kind is Kind.READING and "claim" in entry:
        return "" if evidence.holds_under(entry["claim"], entry["reading"]) else "does not hold under it"
    if kind is Kind.READING:
        return _unread(differing, cells, str(entry["reading"]))
    if kind is Kind.DATA:
        about = claims.loc[claims["id"] == entry.get("claim"), "datasets"].explode()
        own = sorted({*differing["dataset"], *about} - set(evidence.other_data))
        return f"{', '.join(own)}: the paper's own data" if own else ""
    if kind is Kind.IMPOSSIBLE:
        return "" if _is_linked(str(entry["proof"]), evidence.folder) else f"no heading is at {entry['proof']}"
    return ""


def _unread(differing: pd.DataFrame, cells: pd.DataFrame, reading: str) -> str:
    """The cells that a reading does not bring out either, in words; empty if there is none."""
    names = differing["published_method"] + f", {reading}"
    for cell, method in zip(differing["cell"], names, strict=True):
        found = cells[(cells["cell"] == cell) & (cells["method"] == method)]
        if not len(found):
            return f"{cell}: there is no reading {reading!r}"
        if not Level(found["verdict"].iloc[0]).passes:
            return f"{cell}: {found['verdict'].iloc[0]} under {reading!r} too"
    return ""


def _is_linked(link: str, folder: Path) -> bool:
    """Whether a link "FILE#heading" leads somewhere; headings as in a Markdown file, words joined by "-"."""
    name, _, anchor = link.partition("#")
    file = folder / name
    if not file.is_file():
        return False
    headings = re.findall(r"^#+ +(.*)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return anchor in {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
