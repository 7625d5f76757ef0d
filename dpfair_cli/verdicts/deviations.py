"""deviations.yaml: what is known to differ from a paper, each with the cause and what was measured to find it.

    - {artefact: table8.2, dataset: adult, method: PFLR, epsilon: [0.1, 1], metric: accuracy, cause: ..., measured: ...}
    - {artefact: table8.1, claim: xu2021-8-a, cause: ..., measured: ...}
    - {artefact: table9.2, dataset: [mnist], not_run: why not, cause: ..., measured: ...}

An entry covers the published cells that have all the values it names (of a list: one of them), or one claim. With
`not_run` it covers cells without runs, and the data sets that it names need not have any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.verdicts.means import as_list, has_values

Entry = Mapping[str, Any]
REQUIRED = {"artefact", "cause", "measured"}
NOT_RUN = "not_run"
DECIDED = {"agrees", "differs", "explained"}


def entries_of_artefact(artefact: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that name an artefact, alone or in a list."""
    return [entry for entry in entries if artefact in as_list(entry.get("artefact"))]


def check_entries(entries: Sequence[Entry], columns: set[str]) -> None:
    """Refuse an entry without a measured cause, or with a key that is no column of the compared cells.

    Raises:
        DpfairError: names what is missing, or the column nearest to the unknown key.
    """
    for entry in entries:
        empty = [word for word in sorted(REQUIRED) if not entry.get(word)]
        unknown = sorted(set(entry) - REQUIRED - {"claim", NOT_RUN} - columns)
        if empty:
            raise DpfairError(f"deviations.yaml: no {' and no '.join(empty)} in {dict(entry)}")
        if unknown:
            raise DpfairError(f"deviations.yaml: unknown {unknown[0]!r}, {nearest(unknown[0], columns)}")


def attach_causes_to_cells(cells: pd.DataFrame, entries: Sequence[Entry]) -> pd.DataFrame:
    """The cells with causes: one that differs and is covered by an entry is `explained`, a missing one `not run`."""
    cells = cells.copy()
    for entry in entries:
        old, new = ("missing", "not run") if NOT_RUN in entry else ("differs", "explained")
        covered = _covered_cells(entry, cells) & (cells["verdict"] == old)
        cells.loc[covered, ["verdict", "cause"]] = [new, entry["cause"]]
    return cells


def attach_causes_to_claims(claims: pd.DataFrame, entries: Sequence[Entry]) -> pd.DataFrame:
    """The claims with a column `cause`: that of the entry which names the claim, if the claim fails."""
    causes = {entry["claim"]: entry["cause"] for entry in entries if "claim" in entry}
    pairs = zip(claims["id"], claims["verdict"], strict=True)
    return claims.assign(cause=[causes.get(claim, "") if verdict == "fails" else "" for claim, verdict in pairs])


def stale_entries(entries: Sequence[Entry], cells: pd.DataFrame, claims: pd.DataFrame) -> tuple[str, ...]:
    """The entries, in words, whose cells all agree or are not there, or whose claim holds or is not there.

    Cells that were not compared or not run do not make an entry stale.
    """
    stale = [entry for entry in entries if not _is_needed(entry, cells, claims)]
    return tuple(_describe(entry) for entry in stale)


def datasets_not_run(artefact: str, entries: Sequence[Entry]) -> dict[str, str]:
    """The data sets that an artefact need not have been run on, and why."""
    declared = [entry for entry in entries_of_artefact(artefact, entries) if NOT_RUN in entry]
    return {dataset: entry[NOT_RUN] for entry in declared for dataset in as_list(entry["dataset"])}


def _covered_cells(entry: Entry, cells: pd.DataFrame) -> pd.Series[bool]:
    """Whether an entry covers each cell; `method` in an entry is the published one, and only default readings count."""
    values = {key: value for key, value in entry.items() if key not in REQUIRED | {NOT_RUN}}
    covered = has_values(cells.assign(method=cells["published_method"]), values)
    return covered & cells["is_default"].astype(bool) & ("claim" not in entry)


def _is_needed(entry: Entry, cells: pd.DataFrame, claims: pd.DataFrame) -> bool:
    """Whether an entry explains something, or could if what it names had been run."""
    if "claim" in entry:
        return bool((claims.loc[claims["id"] == entry["claim"], "verdict"] != "holds").any())
    verdicts = set(cells.loc[_covered_cells(entry, cells), "verdict"])
    return "explained" in verdicts or (bool(verdicts) and not verdicts & DECIDED)


def _describe(entry: Entry) -> str:
    """What an entry covers, such as "artefact table8.2, method PFLR"."""
    return ", ".join(f"{key} {value}" for key, value in entry.items() if key not in ("cause", "measured"))
