"""What must be right in the files of a paper before anything is run or decided: else it would
vanish without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import MISTAKEN, Stopped

if TYPE_CHECKING:
    from pathlib import Path

    from dpfair_cli.contracts.specs import Spec
    from dpfair_cli.verdicts.published import Paper


def check_premises(specs: Sequence[Spec]) -> None:
    """Refuse files of the papers of `specs` that name what there is not, or a published value that
    no run can have.

    A YAML file that is no artefact for its name alone is said.

    Raises:
        Stopped: names the paper, the file, the line or the claim, and the nearest name.
    """
    from dpfair_cli import paths
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.running import artefact_names

    for name in dict.fromkeys(one.paper for one in specs):
        stray = artefact_names.hint_for_misnamed(name)
        if stray:
            click.echo(f"left alone, no artefact: {stray}", err=True)
        own = [one for one in specs if one.paper == name]
        try:
            mistake = next(_mistakes(paths.folder("experiments") / name, own), "")
        except DpfairError as error:
            mistake = str(error)
        if mistake:
            raise Stopped(f"{name}/{mistake}", MISTAKEN)


def _mistakes(folder: Path, specs: Sequence[Spec]) -> Iterator[str]:
    """What is wrong with the files of a paper, of which `specs` are asked for.

    Raises:
        DpfairError: so it is where a reader of these files finds it.
    """
    from dpfair_cli.verdicts.claims import check_names
    from dpfair_cli.verdicts.deviations import check_forms
    from dpfair_cli.verdicts.published import read_paper
    from dpfair_cli.verdicts.references import check_references

    paper = read_paper(folder)
    lacking = (
        (claim["id"], word)
        for claim in paper.claims
        for word in ("quote", "place")
        if not claim[word]
    )
    yield from (
        f"claims.yaml, {name}: no {word}: a claim is quoted with its place"
        for name, word in lacking
    )
    yield from _unknown_claims(paper)
    check_forms(paper.deviations)
    check_references(paper.deviations)
    yield from _unknown_artefacts(paper, folder.name)
    for spec in specs:
        yield from _impossible_values(paper, spec)
        check_names(paper.claims_of(spec.name), spec)


def _unknown_claims(paper: Paper) -> Iterator[str]:
    """The deviations about a claim that there is not, and name no artefact either."""
    from dpfair_cli.contracts.errors import nearest
    from dpfair_cli.verdicts.deviations import describe_entry

    for entry in paper.deviations:
        if "claim" in entry and not entry.get("artefact"):
            known = {claim["id"] for claim in paper.claims}
            why = f"no claim {entry['claim']!r}: {nearest(str(entry['claim']), known)}"
            yield f"deviations.yaml, {describe_entry(entry)}: {why}"


def _unknown_artefacts(paper: Paper, name: str) -> Iterator[str]:
    """The published cells, claims and deviations of an artefact that has no spec in the folder
    `name`.
    """
    from dpfair_cli.contracts.errors import nearest
    from dpfair_cli.running import artefact_names

    known = {one.split("/")[1] for one in artefact_names.artefacts(name)}
    for place, artefact in _named_artefacts(paper):
        if artefact not in known:
            yield f"{place}: no artefact {artefact!r}: {nearest(str(artefact), known)}"


def _named_artefacts(paper: Paper) -> Iterator[tuple[str, Any]]:
    """Every artefact that the files of a paper name, with the place."""
    from dpfair_cli.verdicts.deviations import describe_entry
    from dpfair_cli.verdicts.means import as_list
    from dpfair_cli.verdicts.published import LINE

    for cell in paper.published[["artefact", LINE]].to_dict("records"):
        yield f"published.csv, line {cell[LINE]}", cell["artefact"]
    for claim in paper.claims:
        yield f"claims.yaml, {claim['id']}", claim["artefact"]
    for entry in paper.deviations:
        yield from (
            (f"deviations.yaml, {describe_entry(entry)}", name)
            for name in as_list(entry.get("artefact", []))
        )


def _impossible_values(paper: Paper, spec: Spec) -> Iterator[str]:
    """The published values of an artefact that are outside the range of their score."""
    from dpfair_cli.verdicts.published import LINE

    cells = paper.published[paper.published["artefact"] == spec.name]
    for cell in cells.to_dict("records"):
        low, high = spec.task.score_ranges.get(cell["metric"], (-float("inf"), float("inf")))
        if not low <= cell["mean"] <= high:
            hint = ": a percentage?" if high == 1 < cell["mean"] <= 100 else ""
            value = f"{cell['metric']} {cell['mean']:g} is not in {low:g} to {high:g}{hint}"
            yield f"published.csv, line {cell[LINE]}: {value}"
