"""Which cells and claims each deviation covers, which are stale, and which lack their evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from dpfair_cli.contracts.errors import meaning
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.deviations.deviation import Deviation, DeviationKind
from dpfair_cli.verdicts.means import fits
from dpfair_cli.verdicts.verdicts import Verdicts

DIGITS = 6  # of a recorded mean; a margin is far larger
MOVED = (
    "our value is not the one that was recorded for the deviation {}: if its cause is still right, "
    "run `dpfair check PAPER --record`"
)
POSSIBLE_FAILURES = (ClaimVerdict.FAILS, ClaimVerdict.OTHER_PROTOCOL, ClaimVerdict.NOT_TESTED)


def explain_cells(
    cells: Iterable[JudgedCell], deviations: Sequence[Deviation]
) -> tuple[JudgedCell, ...]:
    """The cells, each with its deviation; a missing cell may get the verdict "not run"."""
    return tuple(_explained(cell, deviations) for cell in cells)


def _explained(cell: JudgedCell, deviations: Sequence[Deviation]) -> JudgedCell:
    """The cell with the last deviation that covers it, if the cell needs a deviation."""
    if cell.verdict.is_compared and (protocol := _other_protocol(cell, deviations)):
        return replace(cell, deviation=protocol, verdict=CellVerdict.OTHER_PROTOCOL)
    if not cell.verdict.needs_deviation:
        return cell
    is_missing = cell.verdict is CellVerdict.MISSING
    possible = [one for one in deviations if bool(one.not_run) == is_missing]
    found = [one for one in possible if covers(one, cell)]
    if not found:
        moved = [one for one in possible if names(one, cell) and has_moved(one, cell)]
        return replace(cell, hint=MOVED.format(moved[-1].id)) if moved else cell
    verdict = CellVerdict.NOT_RUN if is_missing else cell.verdict
    # the later entry applies, so that a special case can follow a general one
    return replace(cell, deviation=found[-1], verdict=verdict)


def _other_protocol(cell: JudgedCell, deviations: Sequence[Deviation]) -> Deviation | None:
    """The deviation by which the runs of a cell do not follow the paper's protocol; or None."""
    found = [one for one in deviations if one.kind is DeviationKind.PROTOCOL and names(one, cell)]
    return found[-1] if found else None


def explain_claims(
    claims: Iterable[JudgedClaim], deviations: Sequence[Deviation]
) -> tuple[JudgedClaim, ...]:
    """The claims; each claim that fails with the deviation that names the claim.

    A claim about a method whose runs do not follow the paper's protocol gets that deviation.
    """
    # the later entry applies, as for cells
    by_claim = {one.claim: one for one in deviations if one.claim}
    by_method = {
        method: one
        for one in reversed(deviations)  # the first one, which is general
        if one.kind is DeviationKind.PROTOCOL
        for method in one.covers.get("method", ())
    }
    return tuple(_explained_claim(claim, by_claim, by_method) for claim in claims)


def _explained_claim(
    claim: JudgedClaim, by_claim: Mapping[str, Deviation], by_method: Mapping[str, Deviation]
) -> JudgedClaim:
    asked = chain.from_iterable(one.statement.methods for one in claim.part.predicates)
    protocol = next((by_method[method] for method in asked if method in by_method), None)
    if protocol and claim.verdict is not ClaimVerdict.NOT_TESTED:
        return replace(claim, deviation=protocol)
    if claim.verdict is ClaimVerdict.FAILS:
        return replace(claim, deviation=by_claim.get(claim.part.id))
    return claim


def names(deviation: Deviation, cell: JudgedCell) -> bool:
    """Whether a deviation names a cell: method, data set, score and parameters fit.

    A parameter that the cell lacks always fits.
    """
    values = {**cell.published.named, **cell.parameters}
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
    # infinite: a cell that was not recorded has been seen by nobody
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


def stale_deviations(found: Verdicts) -> Iterator[str]:
    """Yields each deviation that no cell that differs and no claim that fails needs, and why.

    Cells that were not compared or not run do not make a deviation stale.
    """
    for deviation in found.deviations:
        if deviation.claim:
            why = _why_stale_of_claim(deviation, found.claims)
        else:
            why = _why_stale_of_cells(deviation, found.cells)
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
    if not any(cell.verdict.is_compared or cell.verdict.is_recomputed for cell in named):
        return ""
    differs = [cell for cell in named if cell.verdict.disagrees]
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


def record(
    cells: Iterable[JudgedCell], deviations: Sequence[Deviation]
) -> dict[str, dict[str, float]]:
    """Our means of the cells that differ or are recomputed with other digits, by deviation."""
    # without the earlier means, which would refuse the moved ones
    anew = [replace(one, seen=None) for one in deviations]
    found: dict[str, dict[str, float]] = {}
    for cell in explain_cells(cells, anew):
        if cell.deviation and cell.default and cell.verdict.disagrees:
            own = found.setdefault(cell.deviation.id, {})
            own[key_of(cell)] = round(cell.default.ours.mean, DIGITS)
    return found


def unsupported_deviations(
    found: Verdicts,
    other_data: Collection[str],
    folder: Path,
    chosen: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """Yields each deviation without the evidence that its kind requires, with the reason.

    Args:
        found: The cells and claims of the artefact at the levels of the paper.
        other_data: The data sets that are not the paper's own.
        folder: The folder of the paper, to which links are relative.
        chosen: The variants of each method that the other artefacts would choose.
    """
    evidence = _Evidence(found, other_data, folder, chosen)
    for deviation in found.deviations:
        why = next(evidence.reasons(deviation), "")
        if why:
            yield f"{deviation}: {why}"


@dataclass(frozen=True)
class _Evidence:
    """The facts that can serve as evidence for the deviations of an artefact."""

    found: Verdicts
    other_data: Collection[str]
    folder: Path
    chosen: Mapping[str, Sequence[str]]

    def reasons(self, deviation: Deviation) -> Iterator[str]:
        """Yields the reasons why a deviation lacks evidence."""
        match deviation.kind:
            case DeviationKind.VARIANT if deviation.claim:
                under = self.found.under_variants.get((deviation.claim, deviation.variant), ())
                if [claim.verdict for claim in under] != [ClaimVerdict.HOLDS]:
                    yield f"the claim does not hold under the variant {deviation.variant!r}"
            case DeviationKind.VARIANT:
                yield from self._check_variant(deviation)
            case DeviationKind.DATA:
                yield from self._check_data(deviation)
            case DeviationKind.IMPOSSIBLE:
                yield from self._check_proof(deviation)
        yield from self._several_causes(deviation)

    def _differing(self, deviation: Deviation) -> list[JudgedCell]:
        """The cells that a deviation names and that differ."""
        named = [cell for cell in self.found.cells if names(deviation, cell)]
        return [cell for cell in named if cell.verdict is CellVerdict.DIFFERS]

    def _several_causes(self, deviation: Deviation) -> Iterator[str]:
        """Yields a reason if a deviation covers several methods or scores without `same_cause`."""
        own = [cell.published for cell in self.found.cells if cell.deviation is deviation]
        covered = {(cell.method, cell.metric) for cell in own if not deviation.not_run}
        if len(covered) > 1 and not deviation.same_cause:
            yield (
                f"covers {len(covered)} pairs of a method and a score: write in `same_cause` why "
                "the cause is the same for all of them, or write an entry for each"
            )

    def _check_variant(self, deviation: Deviation) -> Iterator[str]:
        """Yields the reasons why a variant does not explain cells better than the default."""
        methods = deviation.covers["method"]
        if self._differing(deviation):
            known = dict.fromkeys(cell.published.method for cell in self.found.cells)
            yield from (f"{name}: no published cell" for name in methods if name not in known)
            for name in (name for name in known if name in methods):
                yield from self._without_gain(deviation, name)
        for other in self.found.deviations:
            if other.kind is DeviationKind.VARIANT and other is not deviation and not other.claim:
                for name in (name for name in other.covers["method"] if name in methods):
                    yield f"{name} has another deviation of the kind variant: keep only one"

    def _without_gain(self, deviation: Deviation, method: str) -> Iterator[str]:
        """Yields a reason if a variant makes no more cells of a method agree than the default."""
        variant = deviation.variant
        is_shared = variant in self.found.spec.shared_variants
        alike = [cell for cell in self.found.cells if is_shared or cell.published.method == method]
        run = [cell for cell in alike if cell.variant(variant)]
        found = sum(agrees_under(deviation, cell) for cell in run)
        before = sum(cell.verdict.agrees for cell in run)
        if not run:
            yield f"{method}: there is no variant {variant!r}"
        elif found <= before:
            under = f"of {len(run)} cells {found} agree under {variant!r}"
            yield f"{method}: {under}, not more than the {before} by default"
        elif variant not in self.chosen.get(method, ()):
            yield (
                f"{method}: the other artefacts of the chapter would not choose the variant "
                f"{variant!r}, so this artefact cannot either"
            )

    def _check_data(self, deviation: Deviation) -> Iterator[str]:
        """Yields a reason if a deviation of the kind data covers cells on the paper's own data."""
        about = {cell.published.dataset for cell in self._differing(deviation)}
        for claim in self.found.claims:
            about |= {*claim.datasets} if claim.part.id == deviation.claim else set()
        own = sorted(about - set(self.other_data))
        if own:
            yield f"{', '.join(own)}: the paper's own data, so the kind cannot be `data`"

    def _check_proof(self, deviation: Deviation) -> Iterator[str]:
        """Yields the reason why the link "FILE#heading" in a deviation's `proof` has no target."""
        name, _, anchor = deviation.proof.partition("#")
        file = self.folder / name
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        # anchors as GitHub makes them
        headings = re.findall(r"^#+ +(.*)$", text, flags=re.MULTILINE)
        plain = (re.sub(r"[^\w\- ]", "", heading) for heading in headings)
        if anchor not in {heading.lower().replace(" ", "-") for heading in plain}:
            yield (
                f"no heading is at {deviation.proof}: write FILE#heading, in the folder of the "
                "paper"
            )
