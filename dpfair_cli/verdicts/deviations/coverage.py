"""Which cells and claims each deviation covers, and which deviations are stale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from dpfair_cli.contracts.errors import meaning
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.means import fits

POSSIBLE_FAILURES = (ClaimVerdict.FAILS, ClaimVerdict.NOT_TESTED)


def explain_cells(
    cells: Iterable[JudgedCell], deviations: Sequence[Deviation]
) -> tuple[JudgedCell, ...]:
    """The cells, each with its deviation; a missing cell may get the verdict "not run"."""
    return tuple(_explained(cell, deviations) for cell in cells)


def _explained(cell: JudgedCell, deviations: Sequence[Deviation]) -> JudgedCell:
    """The cell with the last deviation that covers it, if the cell needs a deviation."""
    if not cell.verdict.needs_deviation:
        return cell
    is_missing = cell.verdict is CellVerdict.MISSING
    possible = [one for one in deviations if bool(one.not_run) == is_missing]
    found = [one for one in possible if covers(one, cell)]
    if not found:
        moved = [one.id for one in possible if names(one, cell) and has_moved(one, cell)]
        return replace(cell, hint=_moved(moved[-1])) if moved else cell
    verdict = CellVerdict.NOT_RUN if is_missing else cell.verdict
    return replace(cell, deviation=found[-1], verdict=verdict)


def _moved(deviation: str) -> str:
    return (
        f"our value is not the one that was recorded for the deviation {deviation}: if its cause "
        "is still right, run `dpfair check PAPER --record`"
    )


def explain_claims(
    claims: Iterable[JudgedClaim], deviations: Sequence[Deviation]
) -> tuple[JudgedClaim, ...]:
    """The claims; each claim that fails with the deviation that names the claim."""
    by_claim = {one.claim: one for one in deviations if one.claim}
    return tuple(
        replace(claim, deviation=by_claim.get(claim.part.id))
        if claim.verdict is ClaimVerdict.FAILS
        else claim
        for claim in claims
    )


def names(deviation: Deviation, cell: JudgedCell) -> bool:
    """Whether a deviation names a cell: method, data set, score and parameters fit.

    A parameter that the cell lacks always fits.
    """
    own = cell.published
    values = {"dataset": own.dataset, "method": own.method, "metric": own.metric}
    values |= cell.parameters
    return not deviation.claim and fits(deviation.covers, values)


def covers(deviation: Deviation, cell: JudgedCell) -> bool:
    """Whether a deviation covers a cell.

    The deviation must name the cell, and our mean must be the one that was recorded for the cell.
    Under the variant of a deviation of the kind variant, our mean must also agree with the cell.
    """
    is_named = names(deviation, cell) and not has_moved(deviation, cell)
    return is_named and (not deviation.variant or agrees_under(deviation, cell))


def has_moved(deviation: Deviation, cell: JudgedCell) -> bool:
    """Whether our mean is another one than the mean recorded for a deviation and a cell.

    It is another one if both are further apart than the margin of equivalence, or if no mean was
    recorded for the cell.
    """
    if deviation.seen is None or not cell.default:
        return False
    recorded = deviation.seen.get(key_of(cell), math.inf)
    comparison = cell.default.comparison
    return abs(comparison.ours.mean - recorded) > comparison.margin


def key_of(cell: JudgedCell) -> str:
    """The name of a cell within its paper: artefact and description."""
    return f"{cell.published.artefact}: {cell.description}"


def agrees_under(deviation: Deviation, cell: JudgedCell) -> bool:
    """Whether our mean agrees with a published cell under the variant that a deviation names."""
    variant = cell.variant(deviation.variant)
    return variant is not None and variant.verdict.agrees


def stale_deviations(
    deviations: Iterable[Deviation], cells: Sequence[JudgedCell], claims: Sequence[JudgedClaim]
) -> Iterator[str]:
    """Yields each deviation that no cell that differs and no claim that fails needs, and why.

    Cells that were not compared or not run do not make a deviation stale.
    """
    for deviation in deviations:
        if deviation.claim:
            why = _why_stale_of_claim(deviation, claims)
        else:
            why = _why_stale_of_cells(deviation, cells)
        if why:
            yield f"{deviation}: {why}"


def _why_stale_of_claim(deviation: Deviation, claims: Sequence[JudgedClaim]) -> str:
    """The reason why the claim that a deviation explains needs no explanation; empty if it does."""
    known = {claim.part.id: claim.verdict for claim in claims}
    if deviation.claim in known:
        possible = known[deviation.claim] in POSSIBLE_FAILURES
        return "" if possible else "the claim does not fail"
    hint = meaning(deviation.claim, known)
    return ": ".join(filter(None, (f"there is no claim {deviation.claim!r}", hint)))


def _why_stale_of_cells(deviation: Deviation, cells: Sequence[JudgedCell]) -> str:
    """The reason why no cell needs the deviation; empty if a cell needs it."""
    named = [cell for cell in cells if names(deviation, cell)]
    if not named:
        return ": ".join(["matches no published cell", *_misspelt(deviation, cells)])
    if not any(cell.verdict.is_compared for cell in named):
        return ""
    differs = [cell for cell in named if cell.verdict is CellVerdict.DIFFERS]
    needed = any(covers(deviation, cell) for cell in differs)
    return "" if needed else "matches no cell that differs"


def _misspelt(deviation: Deviation, cells: Sequence[JudgedCell]) -> list[str]:
    """A hint for the first unknown name in a deviation, with the nearest name; empty without one.

    A name is unknown if no published cell has this data set, method or score.
    """
    hints = []
    for key in ("dataset", "method", "metric"):
        known = {getattr(cell.published, key) for cell in cells}
        unknown = [str(word) for word in deviation.covers.get(key, ()) if word not in known]
        hints += [meaning(word, known) for word in unknown]
    return [hint for hint in hints if hint][:1]
