"""deviations.yaml: what is known to differ from a paper, each with the cause and what was measured to find it.

    - {artefact: table8.2, dataset: adult, method: PFLR, epsilon: [0.1, 1], metric: accuracy, cause: ..., measured: ...}
    - {artefact: table8.1, claim: xu2021-8-a, cause: ..., measured: ...}
    - {artefact: table9.2, dataset: [mnist], not_run: why not, cause: ..., measured: ...}

An entry covers the cells that have all the values it names (a list: one of them), or one claim. With `not_run` it
covers cells without runs, and the data sets that it names need not have any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.verdicts.summary import matches

Entry = Mapping[str, Any]
TOLD = {"artefact", "cause", "measured"}
NOT_RUN = "not_run"
DECIDED = ["agrees", "differs", "explained"]


def entries(file: Path) -> list[dict[str, Any]]:
    """The list in a YAML file; no file, no entries."""
    return (yaml.safe_load(file.read_text(encoding="utf-8")) or []) if file.exists() else []


def of(artefact: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that name an artefact, alone or in a list."""
    named = [(entry, entry.get("artefact")) for entry in entries]
    return [entry for entry, where in named if artefact in (where if isinstance(where, list) else [where])]


def door(entries: Sequence[Entry], columns: set[str]) -> None:
    """Every entry has a cause that was measured, and names columns that there are."""
    for entry in entries:
        empty = [word for word in sorted(TOLD) if not entry.get(word)]
        unknown = sorted(set(entry) - TOLD - {"claim", NOT_RUN} - columns)
        if empty:
            raise DpfairError(f"deviations.yaml: no {' and no '.join(empty)} in {dict(entry)}")
        if unknown:
            raise DpfairError(f"deviations.yaml: unknown {unknown[0]!r}, {nearest(unknown[0], columns)}")


def covers(entry: Entry, cells: pd.DataFrame) -> pd.Series[bool]:
    """The cells that an entry names, by their published method."""
    named = {key: value for key, value in entry.items() if key not in TOLD | {NOT_RUN}}
    return matches(cells.assign(method=cells["reads"]), named) & ("claim" not in entry)


def explain(cells: pd.DataFrame, entries: Sequence[Entry]) -> pd.DataFrame:
    """The cells, those that differ (or were not run) and are named by an entry now `explained`, with its cause."""
    cells = cells.copy()
    for entry in entries:
        old, new = ("missing", "not run") if NOT_RUN in entry else ("differs", "explained")
        hit = covers(entry, cells) & cells["default"].astype(bool) & (cells["verdict"] == old)
        cells.loc[hit, ["verdict", "cause"]] = [new, entry["cause"]]
    return cells


def not_run(artefact: str, entries: Sequence[Entry]) -> dict[str, str]:
    """The data sets that an artefact need not have been run on, and why."""
    named = [(entry["dataset"], entry[NOT_RUN]) for entry in of(artefact, entries) if NOT_RUN in entry]
    return {name: why for names, why in named for name in (names if isinstance(names, list) else [names])}


def excuse(claims: pd.DataFrame, entries: Sequence[Entry]) -> pd.DataFrame:
    """The claims, those that fail and are named by an entry with its cause."""
    causes = {entry["claim"]: entry["cause"] for entry in entries if "claim" in entry}
    pairs = zip(claims["id"], claims["verdict"], strict=True)
    return claims.assign(cause=[causes.get(name, "") if verdict == "fails" else "" for name, verdict in pairs])


def stale(entries: Sequence[Entry], cells: pd.DataFrame, claims: pd.DataFrame) -> tuple[str, ...]:
    """The entries that nobody needs: what they name agrees, holds, or is not there. Cells not compared say nothing."""
    return tuple(name(entry) for entry in entries if not needed(entry, cells, claims))


def needed(entry: Entry, cells: pd.DataFrame, claims: pd.DataFrame) -> bool:
    """Whether an entry explains something, or could if what it names had been run."""
    if "claim" in entry:
        return bool((claims.loc[claims["id"] == entry["claim"], "verdict"] != "holds").any())
    found = set(cells.loc[covers(entry, cells) & cells["default"].astype(bool), "verdict"])
    return "explained" in found or (bool(found) and not found & set(DECIDED))


def name(entry: Entry) -> str:
    """An entry in words."""
    return ", ".join(f"{key} {value}" for key, value in entry.items() if key not in ("cause", "measured"))
