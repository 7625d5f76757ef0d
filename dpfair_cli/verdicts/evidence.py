"""Whether the evidence of a deviation bears its kind: a variant brings out more, data are others, a
link leads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dpfair_cli.verdicts.deviations import Entry, Kind, brought_out, describe_entry, named_cells
from dpfair_cli.verdicts.levels import Level, passing
from dpfair_cli.verdicts.means import as_list


@dataclass(frozen=True)
class Evidence:
    """What entries may stand on.

    `other_data` are data sets of the artefact that are not the paper's own, `folder` is where links
    begin, and `holds_under(claim, variant)` says whether a claim holds with the runs of a variant
    in place of the default ones.
    """

    other_data: Collection[str]
    folder: Path
    holds_under: Callable[[str, str], bool]


def unsupported_entries(
    entries: Sequence[Entry], cells: pd.DataFrame, claims: pd.DataFrame, evidence: Evidence
) -> tuple[str, ...]:
    """The entries, in words, whose kind their evidence does not bear."""
    found = [
        (entry, _unsupported(entry, cells, claims, evidence) or _second(entry, entries))
        for entry in entries
    ]
    return tuple(f"{describe_entry(entry)}: {why}" for entry, why in found if why)


def _unsupported(
    entry: Entry, cells: pd.DataFrame, claims: pd.DataFrame, evidence: Evidence
) -> str:
    """Why the evidence of an entry does not bear its kind; empty if it does."""
    kind = Kind(entry["kind"])
    differing = cells[named_cells(entry, cells) & (cells["verdict"] == Level.DIFFERS)]
    if kind is Kind.VARIANT and "claim" in entry:
        return (
            ""
            if evidence.holds_under(entry["claim"], entry["variant"])
            else "does not hold under it"
        )
    if kind is Kind.VARIANT:
        return next(_unread(entry, cells), "") if len(differing) else ""
    if kind is Kind.DATA:
        about = claims.loc[claims["id"] == entry.get("claim"), "datasets"].explode()
        own = sorted({*differing["dataset"], *about} - set(evidence.other_data))
        return f"{', '.join(own)}: the paper's own data" if own else ""
    if kind is Kind.IMPOSSIBLE:
        return (
            ""
            if _is_linked(str(entry["proof"]), evidence.folder)
            else f"no heading is at {entry['proof']}"
        )
    return ""


def _unread(entry: Entry, cells: pd.DataFrame) -> Iterator[str]:
    """The methods of which a variant brings out no more cells than the default one, in words."""
    out = brought_out(entry, cells)
    known = {*cells["published_method"]}
    yield from (
        f"{name}: no published cell" for name in as_list(entry["method"]) if name not in known
    )
    for name, group in cells[named_cells(entry, cells)].groupby("published_method", sort=False):
        run = group[
            group["cell"].isin(cells.loc[cells["method"] == f"{name}, {entry['variant']}", "cell"])
        ]
        found, before = int(run["cell"].isin(out).sum()), int(passing(run["verdict"]).sum())
        if not len(run):
            yield f"{name}: there is no variant {entry['variant']!r}"
        elif found <= before:
            yield f"{name}: of {len(run)} cells {found} come out under {entry['variant']!r}, {before} by default"


def _second(entry: Entry, entries: Sequence[Entry]) -> str:
    """That a method of an entry has another variant in another entry, in words; empty if it has
    not.
    """
    if entry["kind"] != Kind.VARIANT or "claim" in entry:
        return ""
    rest = (
        one
        for one in entries
        if one["kind"] == Kind.VARIANT and "claim" not in one and one is not entry
    )
    both = (
        name for one in rest for name in as_list(one["method"]) if name in as_list(entry["method"])
    )
    return next((f"{name} has another entry with a variant, and may have one" for name in both), "")


def _is_linked(link: str, folder: Path) -> bool:
    """Whether a link "FILE#heading" leads somewhere; headings as in a Markdown file, words joined
    by "-".
    """
    name, _, anchor = link.partition("#")
    file = folder / name
    if not file.is_file():
        return False
    headings = re.findall(r"^#+ +(.*)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return anchor in {
        re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings
    }
