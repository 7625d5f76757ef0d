"""Checks that each deviation has the evidence that its kind requires."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.deviations.coverage import agrees_under, names
from dpfair_cli.verdicts.deviations.deviation import Deviation, DeviationKind


@dataclass(frozen=True)
class DeviationEvidence:
    """The facts that can serve as evidence for the deviations of an artefact."""

    cells: Sequence[JudgedCell]
    claims: Sequence[JudgedClaim]
    deviations: Sequence[Deviation]
    other_data: Collection[str]  # data sets that are not the paper's own
    folder: Path  # to which links are relative
    holds_under: Callable[[str, str], bool]  # whether a claim holds with the runs of a variant
    chosen: Mapping[str, Sequence[str]]  # method -> variants that other artefacts would choose
    shared_variants: Collection[str]  # which are applied to all methods alike


def unsupported_deviations(evidence: DeviationEvidence) -> Iterator[str]:
    """Yields each deviation without the evidence that its kind requires, with the reason."""
    for deviation in evidence.deviations:
        why = next(_reasons(deviation, evidence), "")
        if why:
            yield f"{deviation}: {why}"


def _reasons(deviation: Deviation, evidence: DeviationEvidence) -> Iterator[str]:
    """Yields the reasons why a deviation lacks evidence."""
    check = CHECKS.get(deviation.kind)
    if check:
        yield from check(deviation, evidence)
    yield from _several_causes(deviation, evidence)


def _several_causes(deviation: Deviation, evidence: DeviationEvidence) -> Iterator[str]:
    """Yields a reason if a deviation covers several methods or scores without `same_cause`."""
    covered = {
        (cell.published.method, cell.published.metric)
        for cell in evidence.cells
        if cell.deviation is deviation and not deviation.not_run
    }
    if len(covered) > 1 and not deviation.same_cause:
        yield (
            f"covers {len(covered)} pairs of a method and a score: write in `same_cause` why the "
            "cause is the same for all of them, or write an entry for each"
        )


def _check_variant(deviation: Deviation, evidence: DeviationEvidence) -> Iterator[str]:
    """Yields the reasons why a deviation of the kind variant lacks evidence.

    The variant must make the claim hold, or must explain more cells than the default.
    """
    if deviation.claim:
        if not evidence.holds_under(deviation.claim, deviation.variant):
            yield f"the claim does not hold under the variant {deviation.variant!r}"
        return
    if any(cell.verdict is CellVerdict.DIFFERS for cell in _named(deviation, evidence)):
        yield from _without_gain(deviation, evidence)
    yield from _other_variants(deviation, evidence)


def _without_gain(deviation: Deviation, evidence: DeviationEvidence) -> Iterator[str]:
    """Yields a reason for each method of which a variant makes no more cells agree."""
    methods = deviation.covers["method"]
    known = dict.fromkeys(cell.published.method for cell in evidence.cells)
    yield from (f"{name}: no published cell" for name in methods if name not in known)
    is_shared = deviation.variant in evidence.shared_variants
    for name in (name for name in known if name in methods):
        alike = [cell for cell in evidence.cells if is_shared or cell.published.method == name]
        run = [cell for cell in alike if cell.variant(deviation.variant)]
        found = sum(agrees_under(deviation, cell) for cell in run)
        before = sum(cell.verdict.agrees for cell in run)
        if not run:
            yield f"{name}: there is no variant {deviation.variant!r}"
        elif found <= before:
            under = f"of {len(run)} cells {found} agree under {deviation.variant!r}"
            yield f"{name}: {under}, not more than the {before} by default"
        elif deviation.variant not in evidence.chosen.get(name, ()):
            yield (
                f"{name}: the other artefacts of the chapter would not choose the variant "
                f"{deviation.variant!r}, so this artefact cannot either"
            )


def _other_variants(deviation: Deviation, evidence: DeviationEvidence) -> Iterator[str]:
    """Yields a reason for each method that has two deviations of the kind variant."""
    for other in evidence.deviations:
        if other.kind is DeviationKind.VARIANT and other is not deviation and not other.claim:
            for name in other.covers["method"]:
                if name in deviation.covers["method"]:
                    yield f"{name} has another deviation of the kind variant: keep only one"


def _check_data(deviation: Deviation, evidence: DeviationEvidence) -> Iterator[str]:
    """Yields a reason if a deviation of the kind data covers cells on the paper's own data."""
    differing = [
        cell for cell in _named(deviation, evidence) if cell.verdict is CellVerdict.DIFFERS
    ]
    about = {cell.published.dataset for cell in differing}
    for claim in evidence.claims:
        about |= {*claim.datasets} if claim.part.id == deviation.claim else set()
    own = sorted(about - set(evidence.other_data))
    if own:
        yield f"{', '.join(own)}: the paper's own data, so the kind cannot be `data`"


def _check_proof(deviation: Deviation, evidence: DeviationEvidence) -> Iterator[str]:
    """Yields the reason why the link "FILE#heading" in a deviation's `proof` has no target."""
    name, _, anchor = deviation.proof.partition("#")
    file = evidence.folder / name
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    headings = re.findall(r"^#+ +(.*)$", text, flags=re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading) for heading in headings)
    if anchor not in {heading.lower().replace(" ", "-") for heading in plain}:
        yield f"no heading is at {deviation.proof}: write FILE#heading, in the folder of the paper"


CHECKS = {
    DeviationKind.VARIANT: _check_variant,
    DeviationKind.DATA: _check_data,
    DeviationKind.IMPOSSIBLE: _check_proof,
}


def _named(deviation: Deviation, evidence: DeviationEvidence) -> list[JudgedCell]:
    """The cells that a deviation names."""
    return [cell for cell in evidence.cells if names(deviation, cell)]
