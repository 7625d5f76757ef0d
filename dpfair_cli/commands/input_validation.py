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
        stray = artefact_names.hint_for_misnamed(name)  # it may be meant as a spec
        if stray:
            click.echo(f"ignored, because the file is no artefact: {stray}", err=True)
        own = [one for one in specs if one.paper == name]
        try:
            mistake = next(filter(None, _mistakes(paper_of(name), own)), "")
        except DpfairError as error:
            mistake = str(error)
        if mistake:
            raise Stopped(f"{name}/{mistake}", MISTAKEN)


def _mistakes(paper: papers.Paper, specs: Sequence[contracts.Spec]) -> Iterator[str]:
    """The messages about mistakes in the files of one paper; `specs` are its requested specs.

    A message is empty where there is no mistake.

    Raises:
        DpfairError: a file cannot be read, or a claim names what an artefact does not have.
    """
    for part in paper.claims:
        for word in ("quote", "place"):
            if not getattr(part.claim, word):
                yield f"claims.yaml, {part.id}: the claim must have a {word}"
    yield from _unknown_names(paper)  # before what looks up these names
    references.check_references(paper)
    for spec in specs:
        for cell in paper.cells_of(spec):
            yield _at_line("published.csv", cell, _outside_range(cell, spec))
        # values of the authors' program that no run of the artefact can have
        for cell in (one.cell for one in paper.authors if one.cell.artefact == spec.name):
            mistake = authors.unknown_name(cell, spec) or _outside_range(cell, spec)
            yield _at_line(authors.VALUES_FILE, cell, mistake)
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
    cells = [("published.csv", cell) for cell in paper.published]
    cells += [(authors.VALUES_FILE, one.cell) for one in paper.authors]
    named += [(f"{file}, line {one.line}", STRAY, one.artefact, artefacts) for file, one in cells]
    for place, what, name, known in named:
        if name.partition(": ")[0] not in known:
            yield f"{place}: {what} {name!r}: {nearest(name, known)}"


def _at_line(file: str, cell: published.PublishedCell, mistake: str) -> str:
    """A mistake with the line of its cell; empty without a mistake."""
    return mistake and f"{file}, line {cell.line}: {mistake}"


def _outside_range(cell: published.PublishedCell, spec: contracts.Spec) -> str:
    """The message about a value outside the range of its score; empty for a value in the range."""
    low, high = spec.task.score_ranges.get(cell.metric, (-math.inf, math.inf))
    if low <= cell.mean <= high:
        return ""
    hint = ": is this a percentage?" if high == 1 < cell.mean <= 100 else ""  # often it is
    return f"{cell.metric} {cell.mean:g} is not in {low:g} to {high:g}{hint}"
