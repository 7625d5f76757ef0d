"""deviations.yaml: what is known to differ from a paper, each entry with its kind and what that
kind must show.

    - {artefact: table8.2, method: PFLR, kind: variant, variant: one draw a monomial, cause: ...}
    - {artefact: table1, dataset: us, kind: data, cause: ...}
    - {artefact: table8.1, claim: xu2021-8-a, kind: impossible, proof: "chapter8.md#noise-scales",
    cause: ...}
    - {artefact: table9.2, method: DPSGD-F, kind: hypothesis, cause: ..., measured: [{metric: ...}]}
    - {artefact: table9.3, method: DPSGD, kind: open, cause: ...}
    - {artefact: table9.2, dataset: [mnist], not_run: why not, kind: open, cause: ...}

An entry covers the published cells that have all the values it names (of a list: one of them), or
one claim. What a kind must show, so that it explains:

    variant      a committed variant, one for all cells of a method in the artefact, brings out more
    of those that it
                 was run for than the default one (or makes the claim hold); it covers those that
                 differ and come out
    data         the data sets are stand-ins, or what they are made from was not published
    impossible   a proof or computation, linked, that the published value cannot come from the
    stated method
    hypothesis   nothing: an idea, tested in part or not at all; it does not explain
    open         nothing: the cause is not known; it does not explain

The `measured` of a hypothesis is a list of references to numbers of the journals (references.py).
With `not_run` an entry covers cells without runs, and the data sets that it names need not have any.

That a variant is one for a whole artefact, and brings out more than the default one, came when rows
existed: before, an entry could take one variant for a cell and another for the next. 28 of 74 cells
that were explained became hypotheses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError, meaning, nearest
from dpfair_cli.verdicts.levels import Level, passing
from dpfair_cli.verdicts.means import as_list, has_values

Entry = Mapping[str, Any]


class Kind(StrEnum):
    """What an entry knows of a difference."""

    VARIANT = "variant"
    DATA = "data"
    IMPOSSIBLE = "impossible"
    HYPOTHESIS = "hypothesis"
    OPEN = "open"

    @property
    def explains(self) -> bool:
        """Whether a difference of this kind counts as explained."""
        return self not in (Kind.HYPOTHESIS, Kind.OPEN)


REQUIRED = {"artefact", "kind", "cause"}
EVIDENCE = {
    Kind.VARIANT: "variant",
    Kind.IMPOSSIBLE: "proof",
    Kind.HYPOTHESIS: "measured",
}  # the key of each
NOT_RUN = "not_run"
WORDS = {*REQUIRED, *EVIDENCE.values(), NOT_RUN, "claim"}  # keys that name no cells
MEASURED = re.compile(r"\d\.\d\d")  # a number that somebody measured, in prose


def entries_of_artefact(artefact: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that name an artefact, alone or in a list."""
    return [entry for entry in entries if artefact in as_list(entry.get("artefact"))]


def check_forms(entries: Sequence[Entry]) -> None:
    """Refuse an entry that lacks what its kind needs, or has what only another kind may.

    Raises:
        DpfairError: names what is missing.
    """
    for entry in entries:
        _refuse(entry, next(_mistakes(entry), ""))


def check_entries(entries: Sequence[Entry], columns: set[str]) -> None:
    """Refuse an entry that `check_forms` refuses, or that names no column.

    Raises:
        DpfairError: names what is missing, or the word nearest to the unknown one.
    """
    check_forms(entries)
    for entry in entries:
        unknown = sorted(set(entry) - WORDS - columns)
        _refuse(entry, f"unknown {unknown[0]!r}, {nearest(unknown[0], columns)}" if unknown else "")


def _refuse(entry: Entry, mistake: str) -> None:
    """Refuse an entry with a mistake."""
    if mistake:
        raise DpfairError(f"deviations.yaml: {mistake}: {describe_entry(entry)}")


def _mistakes(entry: Entry) -> Iterator[str]:
    """What is wrong with the form of an entry, the first thing first."""
    lacking = [f"no {word}" for word in sorted(REQUIRED) if not entry.get(word)]
    if lacking:
        yield ", ".join(lacking)
    if entry["kind"] not in list(Kind):
        yield f"kind {entry['kind']!r}, {nearest(str(entry['kind']), list(map(str, Kind)))}"
    kind = Kind(entry["kind"])
    wanted = EVIDENCE.get(kind, "")
    if wanted and not entry.get(wanted):
        yield f"the kind {kind} needs `{wanted}`"
    yield from (
        f"the kind {kind} has no `{word}`"
        for word in sorted({*EVIDENCE.values()} - {wanted})
        if word in entry
    )
    if kind is Kind.VARIANT and "claim" not in entry:
        if not entry.get("method"):
            yield "the kind variant needs `method`"
        more = sorted(set(entry) - WORDS - {"method"})
        yield from (f"a variant is one for all cells of a method: no `{word}`" for word in more)
    if kind.explains and MEASURED.search(str(entry["cause"])):
        yield "numbers of runs belong to `measured` of a hypothesis"


def attach_causes_to_cells(cells: pd.DataFrame, entries: Sequence[Entry]) -> pd.DataFrame:
    """The cells with kind and cause of the entry that covers them; a missing one that is declared
    is `not run`.
    """
    cells = cells.copy()
    verdict = cells["verdict"].copy()
    for entry in (entry for entry in entries if "claim" not in entry):
        chosen = covered_cells(entry, cells) & (
            verdict == ("missing" if NOT_RUN in entry else Level.DIFFERS)
        )
        cells.loc[chosen, ["kind", "cause"]] = [entry["kind"], entry["cause"]]
        if NOT_RUN in entry:
            cells.loc[chosen, "verdict"] = "not run"
    return cells


def attach_causes_to_claims(claims: pd.DataFrame, entries: Sequence[Entry]) -> pd.DataFrame:
    """The claims with kind and cause of the entry that names them, where they fail."""
    claims = claims.copy()
    for entry in (entry for entry in entries if "claim" in entry):
        named = (claims["id"] == entry["claim"]) & (claims["verdict"] == "fails")
        claims.loc[named, ["kind", "cause"]] = [entry["kind"], entry["cause"]]
    return claims


def tabulate_entries(
    entries: Sequence[Entry], cells: pd.DataFrame, claims: pd.DataFrame
) -> pd.DataFrame:
    """One line for each entry: what it covers, its kind, evidence and cause, and how many cells or
    claims have them.
    """
    lines = [
        {
            "covers": _covers(entry),
            "kind": entry["kind"],
            "evidence": _evidence(entry),
            "cause": entry["cause"],
            "measured": entry.get("measured", ""),
            "count": int((covered_cells(entry, cells) & (cells["cause"] == entry["cause"])).sum())
            + int(
                ((claims["id"] == entry.get("claim")) & (claims["cause"] == entry["cause"])).sum()
            ),
        }
        for entry in entries
    ]
    return pd.DataFrame(lines, columns=["covers", "kind", "evidence", "cause", "measured", "count"])


def _evidence(entry: Entry) -> str:
    """What an entry shows beside its cause: the variant or the proof that it names, or why there
    are no runs.
    """
    named = "" if entry["kind"] == Kind.HYPOTHESIS else EVIDENCE.get(Kind(entry["kind"]), "")
    return "; ".join(str(entry[word]) for word in (named, NOT_RUN) if word in entry)


def stale_entries(
    entries: Sequence[Entry], cells: pd.DataFrame, claims: pd.DataFrame
) -> tuple[str, ...]:
    """The entries, in words, of which no cell differs, or whose claim does not fail, each with
    which of these it is.

    Cells that were not compared or not run do not make an entry stale.
    """
    stale = [entry for entry in entries if not _is_needed(entry, cells, claims)]
    return tuple(f"{describe_entry(entry)}: {_why_stale(entry, cells, claims)}" for entry in stale)


def _why_stale(entry: Entry, cells: pd.DataFrame, claims: pd.DataFrame) -> str:
    """Why an entry explains nothing: what it names is not there at all, or it comes out."""
    if "claim" in entry:
        known = set(claims["id"])
        if entry["claim"] in known:
            return "the claim does not fail"
        return ": ".join(
            filter(
                None, (f"there is no claim {entry['claim']!r}", meaning(str(entry["claim"]), known))
            )
        )
    if named_cells(entry, cells).any():
        return "matches no cell that differs"
    hints = (
        meaning(str(word), cells[column].astype(str).unique())
        for key, column in (
            ("dataset", "dataset"),
            ("method", "published_method"),
            ("metric", "metric"),
        )
        for word in as_list(entry.get(key, []))
        if word not in set(cells[column])
    )
    return ": ".join(["matches no published cell", *list(filter(None, hints))[:1]])


def datasets_not_run(artefact: str, entries: Sequence[Entry]) -> dict[str, str]:
    """The data sets that an artefact need not have been run on, and why."""
    declared = [entry for entry in entries_of_artefact(artefact, entries) if NOT_RUN in entry]
    return {dataset: entry[NOT_RUN] for entry in declared for dataset in as_list(entry["dataset"])}


def covered_cells(entry: Entry, cells: pd.DataFrame) -> pd.Series[bool]:
    """Whether an entry covers each cell: it names it, and a variant brings it out."""
    named = named_cells(entry, cells)
    return (
        named & cells["cell"].isin(brought_out(entry, cells))
        if entry["kind"] == Kind.VARIANT
        else named
    )


def brought_out(entry: Entry, cells: pd.DataFrame) -> pd.Series[str]:
    """The cells that pass under the variant that an entry names."""
    under = cells["method"] == cells["published_method"] + f", {entry['variant']}"
    return cells.loc[under & passing(cells["verdict"]), "cell"]


def named_cells(entry: Entry, cells: pd.DataFrame) -> pd.Series[bool]:
    """Whether an entry names each cell; `method` in an entry is the published one, and only default
    variants count.
    """
    values = {key: value for key, value in entry.items() if key not in WORDS}
    covered = has_values(cells.assign(method=cells["published_method"]), values)
    return covered & cells["is_default"].astype(bool) & ("claim" not in entry)


def _is_needed(entry: Entry, cells: pd.DataFrame, claims: pd.DataFrame) -> bool:
    """Whether an entry explains something, or could if what it names had been run."""
    if "claim" in entry:
        return bool(
            (
                claims.loc[claims["id"] == entry["claim"], "verdict"].isin(["fails", "not tested"])
            ).any()
        )
    verdicts = set(cells.loc[named_cells(entry, cells), "verdict"])
    if verdicts.isdisjoint(Level):
        return bool(verdicts)
    return Level.DIFFERS in set(cells.loc[covered_cells(entry, cells), "verdict"])


def describe_entry(entry: Entry) -> str:
    """An entry in words, such as "artefact table8.2, method PFLR, kind open"."""
    return ", ".join(
        f"{key} {value}"
        for key, value in entry.items()
        if key not in ("cause", "measured", "proof")
    )


def _covers(entry: Entry) -> str:
    """What an entry covers within its artefact, such as "method PFLR, epsilon 0.1"; all of it, if
    it names nothing.
    """
    named = {key: value for key, value in entry.items() if key == "claim" or key not in WORDS}
    words = (f"{key} {', '.join(map(str, as_list(value)))}" for key, value in named.items())
    return "; ".join(words) or "all cells"
