"""Validates the files of papers before anything is run or decided."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import click

from dpfair_cli import catalog
from dpfair_cli.commands import MISTAKEN, Stopped
from dpfair_cli.contracts import guarantees
from dpfair_cli.contracts import specs as contracts
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.running import artefact_names
from dpfair_cli.verdicts import authors, references
from dpfair_cli.verdicts import paper as papers
from dpfair_cli.verdicts.cells import published
from dpfair_cli.verdicts.claims import claim

STRAY = "unknown artefact"


def check_premises(
    specs: Sequence[contracts.Spec], paper_of: Callable[[str], papers.Paper]
) -> None:
    """Validates the files of the papers that `specs` belong to, before anything is run.

    `paper_of` reads a paper, given its key.

    Refuses unknown names, impossible published values, and YAML files whose names keep them from
    being read as specs.

    Raises:
        Stopped: a file has a mistake; the message names the paper, the file, the line or the claim,
            and the nearest name.
    """
    for name in dict.fromkeys(one.paper for one in specs):
        stray = artefact_names.hint_for_misnamed(name)
        if stray:
            click.echo(f"ignored, because the file is no artefact: {stray}", err=True)
        own = [one for one in specs if one.paper == name]
        try:
            mistake = next(_mistakes(paper_of(name), own), "")
        except DpfairError as error:
            mistake = str(error)
        if mistake:
            raise Stopped(f"{name}/{mistake}", MISTAKEN)


def _mistakes(paper: papers.Paper, specs: Sequence[contracts.Spec]) -> Iterator[str]:
    """The messages about mistakes in the files of one paper; `specs` are its requested specs.

    Raises:
        DpfairError: a file cannot be read, or a claim names what an artefact does not have.
    """
    for part in paper.claims:
        for word in ("quote", "place"):
            if not getattr(part.claim, word):
                yield f"claims.yaml, {part.id}: the claim must have a {word}"
    yield from _unknown_names(paper)
    references.check_references(paper)
    for spec in specs:
        yield from _impossible_values(paper, spec)
        yield from _mistakes_of_authors_values(paper, spec)
        claim.check_names(paper.claims_of(spec.name), spec)


def _unknown_names(paper: papers.Paper) -> Iterator[str]:
    """The messages about artefacts without a spec, and about claims and theorems that do not exist.

    The evidence of a theorem is a method or a computation, before a colon.
    """
    claims = {part.id for part in paper.claims}
    artefacts = {one.split("/")[1] for one in artefact_names.artefacts(paper.folder.name)}
    evidence = {*catalog.algorithms.names, *guarantees.COMPUTED}
    # the place of a name, what is wrong if it is not known, the name, and the known ones
    named: list[tuple[str, str, str, set[str]]] = []
    for deviation in paper.deviations:
        place = f"deviations.yaml, {deviation}"
        if deviation.claim and not deviation.artefact:
            named.append((place, "no claim", deviation.claim, claims))
        named += [(place, STRAY, artefact, artefacts) for artefact in deviation.artefact]
    for part in paper.claims:
        place = f"claims.yaml, {part.id}"
        named += [(place, "unknown theorem", name, evidence) for name in part.theorem]
        named.append((place, STRAY, part.artefact, artefacts))
    for cell in paper.published:
        named.append((f"published.csv, line {cell.line}", STRAY, cell.artefact, artefacts))
    named += [(_place(one), STRAY, one.cell.artefact, artefacts) for one in paper.authors]
    for place, what, name, known in named:
        own = name.partition(": ")[0] if what == "unknown theorem" else name
        if own not in known:
            yield f"{place}: {what} {name!r}: {nearest(name, known)}"


def _impossible_values(paper: papers.Paper, spec: contracts.Spec) -> Iterator[str]:
    """The messages about published values of an artefact outside the range of their score."""
    for cell in paper.cells_of(spec):
        mistake = _outside_range(cell, spec)
        if mistake:
            yield f"published.csv, line {cell.line}: {mistake}"


def _outside_range(cell: published.PublishedCell, spec: contracts.Spec) -> str:
    """The message about a value outside the range of its score; empty for a value in the range."""
    low, high = spec.task.score_ranges.get(cell.metric, (-math.inf, math.inf))
    if low <= cell.mean <= high:
        return ""
    hint = ": is this a percentage?" if high == 1 < cell.mean <= 100 else ""
    return f"{cell.metric} {cell.mean:g} is not in {low:g} to {high:g}{hint}"


def _mistakes_of_authors_values(paper: papers.Paper, spec: contracts.Spec) -> Iterator[str]:
    """The messages about values of the authors' program that no run of an artefact can have."""
    for one in paper.authors:
        if one.cell.artefact == spec.name:
            mistake = authors.unknown_name(one.cell, spec) or _outside_range(one.cell, spec)
            if mistake:
                yield f"{_place(one)}: {mistake}"


def _place(value: authors.AuthorsValue) -> str:
    """The line of a value of the authors' program, for a message."""
    return f"{authors.VALUES_FILE}, line {value.cell.line}"
