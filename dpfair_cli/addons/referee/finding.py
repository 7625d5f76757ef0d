"""Finds the published cell or the claim at an address; an unknown name gets a hint."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from dpfair_cli.addons.referee.entry import FILE, Address, ClaimAddress, Entry
from dpfair_cli.addons.referee.evidence import Evidence
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.verdicts.cells.published import PublishedCell, parameter_names
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.means import is_equal

NAMED = {"artefact": "artefact", "dataset": "data set", "method": "method", "metric": "score"}


def find_cell(address: Address, evidence: Evidence, entry: Entry) -> PublishedCell:
    """The published cell at an address.

    Raises:
        DpfairError: no cell, or several cells, have the values; the message names the entry.
    """
    require_work(address.work, evidence, entry)
    found = list(evidence.published(address.work))
    for name, noun in NAMED.items():
        wanted = getattr(address, name)
        known = {getattr(cell, name) for cell in found}
        if wanted not in known:
            said = f"{address.work} prints no cell with the {noun} {wanted!r}"
            raise mistake(entry, f"{said}: {nearest(wanted, known)}")
        found = [cell for cell in found if getattr(cell, name) == wanted]
    for name, value in address.parameters.items():
        found = _with_value(found, name, value, address, entry)
    if len(found) > 1:
        hint = f"give a value of {' or '.join(_varying(found))}"
        raise mistake(entry, f"{len(found)} cells of {address.work} fit: {hint}")
    return found[0]


def find_claims(address: ClaimAddress, evidence: Evidence, entry: Entry) -> tuple[JudgedClaim, ...]:
    """The parts of the claim at an address, with their verdicts.

    Raises:
        DpfairError: the work has no such claim.
    """
    require_work(address.work, evidence, entry)
    every = evidence.claims(address.work)
    found = tuple(one for one in every if one.part.claim.id == address.id)
    if not found:
        known = {one.part.claim.id for one in every}
        raise mistake(
            entry, f"{address.work} has no claim {address.id!r}: {nearest(address.id, known)}"
        )
    if not address.part:
        return found
    chosen = tuple(one for one in found if one.part.part == address.part)
    if not chosen:
        hint = nearest(address.part, {one.part.part for one in found})
        raise mistake(entry, f"the claim {address.id} has no part {address.part!r}: {hint}")
    return chosen


def require_work(work: str, evidence: Evidence, entry: Entry) -> None:
    """Raises an error for a work without a folder in experiments.

    Raises:
        DpfairError: the work is not known; the message has the nearest name.
    """
    if work not in evidence.works:
        raise mistake(entry, f"unknown work {work!r}: {nearest(work, evidence.works)}")


def mistake(entry: Entry, words: str) -> DpfairError:
    """The error for a mistake in an entry of contradictions.yaml."""
    return DpfairError(f"{FILE}, {entry.id}: {words}")


def _with_value(
    cells: Sequence[PublishedCell], name: str, value: object, address: Address, entry: Entry
) -> list[PublishedCell]:
    """The cells with a value of a parameter.

    Raises:
        DpfairError: no cell has the parameter, or none has this value; the message has a hint.
    """
    having = [cell for cell in cells if name in cell.parameters]
    if not having:
        known = parameter_names(cells)
        raise mistake(
            entry, f"{address.work} has no parameter {name!r} there: {nearest(name, known)}"
        )
    found = [cell for cell in having if is_equal(cell.parameters[name], value)]
    if not found:
        values = ", ".join(dict.fromkeys(str(cell.parameters[name]) for cell in having))
        raise mistake(
            entry, f"{address.work} prints no cell with {name} {value} there: there are {values}"
        )
    return found


def _varying(cells: Sequence[PublishedCell]) -> list[str]:
    """The parameters in which cells differ."""
    found: dict[str, set[str]] = {}
    for name, cell in product(parameter_names(cells), cells):
        found.setdefault(name, set()).add(str(cell.parameters.get(name)))
    return [name for name, values in found.items() if len(values) > 1]
