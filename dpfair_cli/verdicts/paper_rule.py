"""What the verdicts on one artefact take from all artefacts of its paper.

Two things need the whole paper. The levels of the tests are lowered until the false discovery rate
over all cells of the paper, and over all its claims, is controlled. And a variant explains the
cells of an artefact only if it would have been chosen by the cells of the *other* artefacts of the
same part of the paper.

Both are computed when all artefacts of a paper are compared, and kept in results/<paper>/rule.json
for commands that compare only some.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.contracts.writing import write_text
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.judging import at_levels
from dpfair_cli.verdicts.cells.rule import UNCORRECTED, Levels
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.levels import Levels as ClaimLevels
from dpfair_cli.verdicts.claims.levels import levels_of
from dpfair_cli.verdicts.claims.p_values import PValues
from dpfair_cli.verdicts.false_discovery import controlled_level
from dpfair_cli.verdicts.score.distinct import part_of, repeated_cells

FILE = "rule.json"

Judged = tuple[Spec, Sequence[JudgedCell]]  # an artefact with its cells


@dataclass(frozen=True)
class PaperRule:
    """What the verdicts on one artefact take from all artefacts of its paper."""

    levels: Levels = UNCORRECTED
    """The significance levels of the tests of cells."""

    claim_levels: ClaimLevels = field(default_factory=ClaimLevels)
    """The largest p-values with which a claim holds, or fails."""

    chosen: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """Artefact -> published method -> the variants that the other artefacts would choose."""

    def variants_of(self, artefact: str) -> Mapping[str, Sequence[str]]:
        """The variants of each method that the artefacts other than `artefact` would choose."""
        return self.chosen.get(artefact, {})


def rule_of(judged: Sequence[Judged], claims: Iterable[JudgedClaim] = ()) -> PaperRule:
    """The rule of a paper, given all its artefacts with their cells, and its claims.

    Claims are judged at the levels of single tests; those that we added do not count.
    """
    levels = _levels(judged)
    decided = [(spec, [at_levels(cell, levels) for cell in cells]) for spec, cells in judged]
    chosen = {spec.name: _chosen(spec, cells, decided) for spec, cells in decided}
    return PaperRule(
        levels, _claim_levels(claims), {name: found for name, found in chosen.items() if found}
    )


def _claim_levels(claims: Iterable[JudgedClaim]) -> ClaimLevels:
    """The levels that control the false discovery rate over the claims of a paper."""
    parts: dict[str, list[PValues]] = {}
    for claim in claims:
        if claim.p_values and not claim.part.ours:
            parts.setdefault(claim.part.claim.id, []).append(claim.p_values)
    return levels_of(parts.values())


def _levels(judged: Sequence[Judged]) -> Levels:
    """The levels that control the false discovery rate over the distinct cells of a paper."""
    repeated = repeated_cells(judged)
    found = [
        cell.default.comparison
        for _, cells in judged
        for cell in cells
        if cell.default and cell.verdict.is_compared and cell not in repeated
    ]
    return Levels(
        controlled_level(one.p_equivalent for one in found),
        controlled_level(one.p_different for one in found),
    )


def _chosen(
    spec: Spec, own: Sequence[JudgedCell], decided: Sequence[Judged]
) -> dict[str, list[str]]:
    """The variants of each method that bring out most cells of the other artefacts of a part.

    A variant must bring out more cells than the default variant of the method. Only variants that
    the artefact itself has run are compared. Numbers that the artefact prints itself do not count.
    A variant of data, task or whole spec is applied to all methods alike, so that the cells of all
    methods count.
    """
    known = {cell.experiment for cell in own}
    gains: dict[str, Counter[str]] = {}
    shared: Counter[str] = Counter()
    for other, cell in _others(spec, decided):
        if cell.experiment not in known:
            known.add(cell.experiment)
            gain = gains.setdefault(cell.published.method, Counter())
            for variant in cell.others:
                count = shared if variant.name in other.shared_variants else gain
                count[variant.name] += variant.verdict.passes - cell.verdict.passes
    found = {}
    for method, run in _variants_run(own).items():
        gain = gains.get(method, Counter()) + shared
        found[method] = _best(Counter({name: gain[name] for name in run}))
    return {method: best for method, best in found.items() if best}


def _variants_run(own: Sequence[JudgedCell]) -> dict[str, set[str]]:
    """The names of the variants of each method of an artefact, by the name of the method."""
    run: dict[str, set[str]] = {}
    for cell in own:
        if cell.others:
            run.setdefault(cell.published.method, set()).update(one.name for one in cell.others)
    return dict(sorted(run.items()))


def _others(spec: Spec, decided: Sequence[Judged]) -> Iterable[tuple[Spec, JudgedCell]]:
    """Yields the compared cells of the other artefacts of the same part of a paper, with them."""
    for other, cells in decided:
        if other is not spec and part_of(other) == part_of(spec):
            yield from ((other, cell) for cell in cells if cell.verdict.is_compared)


def _best(gain: Counter[str]) -> list[str]:
    most = max(gain.values(), default=0)
    return sorted(name for name, count in gain.items() if count == most and most > 0)


def read_rule(file: Path) -> PaperRule:
    """The rule of a paper in a file rule.json; without the file, that of single tests."""
    if not file.is_file():
        return PaperRule()
    content = json.loads(file.read_text(encoding="utf-8"))
    return PaperRule(
        Levels(**content["levels"]), ClaimLevels(**content["claim_levels"]), content["chosen"]
    )


def write_rule(rule: PaperRule, file: Path) -> None:
    """Writes the rule of a paper to a file rule.json."""
    text = json.dumps(asdict(rule), indent=1)
    write_text(file, f"{text}\n")
