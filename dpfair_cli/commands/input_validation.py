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
    yield from _unknown_artefacts(paper)
    for spec in specs:
        yield from _impossible_values(paper, spec)
        yield from _mistakes_of_authors_values(paper, spec)
        claim.check_names(paper.claims_of(spec.name), spec)


def _unknown_names(paper: papers.Paper) -> Iterator[str]:
    """The messages about claims of deviations, and theorems of claims, that do not exist.

    The evidence of a theorem is a method or a computation, before a colon.
    """
    claims = {part.id for part in paper.claims}
    for deviation in paper.deviations:
        if deviation.claim and not deviation.artefact and deviation.claim not in claims:
            why = f"no claim {deviation.claim!r}: {nearest(deviation.claim, claims)}"
            yield f"deviations.yaml, {deviation}: {why}"
    evidence = {*catalog.algorithms.names, *guarantees.COMPUTED}
    for part in paper.claims:
        for name in part.theorem:
            if name.partition(": ")[0] not in evidence:
                hint = nearest(name, evidence)
                yield f"claims.yaml, {part.id}: unknown theorem {name!r}: {hint}"


def _unknown_artefacts(paper: papers.Paper) -> Iterator[str]:
    """The messages about published cells, claims and deviations of artefacts without a spec."""
    known = {one.split("/")[1] for one in artefact_names.artefacts(paper.folder.name)}
    named = [(f"published.csv, line {cell.line}", cell.artefact) for cell in paper.published]
    named += [(_place(one), one.cell.artefact) for one in paper.authors]
    named += [(f"claims.yaml, {part.id}", part.artefact) for part in paper.claims]
    for deviation in paper.deviations:
        named += [(f"deviations.yaml, {deviation}", artefact) for artefact in deviation.artefact]
    for place, artefact in named:
        if artefact not in known:
            yield f"{place}: unknown artefact {artefact!r}: {nearest(artefact, known)}"


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
