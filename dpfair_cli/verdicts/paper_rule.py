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
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import UNCORRECTED, Comparison, Levels
from dpfair_cli.verdicts.cells.judged import Experiment, JudgedCell
from dpfair_cli.verdicts.cells.judging import at_levels
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimLevels, PValues, controlled_level, levels_of

FILE = "rule.json"
CHAPTER = re.compile(r"(?:table|figure|section)(\d+)\.")  # table8.2 is in chapter 8

Judged = tuple[Spec, Sequence[JudgedCell]]  # an artefact with its cells


@dataclass(frozen=True)
class PaperRule:
    """What the verdicts on one artefact take from all artefacts of its paper."""

    levels: Levels = UNCORRECTED  # of the tests of cells
    claim_levels: ClaimLevels = field(default_factory=ClaimLevels)
    # artefact -> published method -> the variants that the other artefacts would choose
    chosen: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)

    def variants_of(self, artefact: str) -> Mapping[str, Sequence[str]]:
        """The variants of each method that the artefacts other than `artefact` would choose."""
        return self.chosen.get(artefact, {})


def rule_of(judged: Sequence[Judged], claims: Iterable[JudgedClaim] = ()) -> PaperRule:
    """The rule of a paper, given all its artefacts with their cells, and its tested claims.

    Parts of claims that we added do not count.
    """
    levels = _levels(judged)  # first, because a variant is chosen by verdicts at these levels
    decided = []
    for spec, cells in judged:
        decided.append((spec, [at_levels(cell, levels) for cell in cells]))
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
    cells = chain.from_iterable(cells for _, cells in judged)
    return levels_over(
        cell.default.comparison
        for cell in cells
        if cell.default and cell.verdict.is_compared and cell not in repeated
    )


def part_of(spec: Spec) -> str:
    """The paper of an artefact, with a chapter if its number has one: "xu2021, chapter 8"."""
    chapter = CHAPTER.match(spec.name)
    return f"{spec.paper}, chapter {chapter[1]}" if chapter else spec.paper


def repeated_cells(artefacts: Iterable[Judged]) -> set[JudgedCell]:
    """The cells that print the same number as an earlier cell of the same part of a paper."""
    seen: set[tuple[str, Experiment]] = set()
    repeated = set()
    for spec, cells in artefacts:
        for cell in cells:
            if cell.experiment and cell.verdict.is_compared:
                key = part_of(spec), cell.experiment
                if key in seen:
                    repeated.add(cell)
                seen.add(key)
    return repeated


def levels_over(comparisons: Iterable[Comparison]) -> Levels:
    """The levels that control the false discovery rate over comparisons, for each of both tests."""
    found = list(comparisons)
    return Levels(
        controlled_level(one.p_equivalent for one in found),
        controlled_level(one.p_different for one in found),
    )


def _chosen(
    spec: Spec, own: Sequence[JudgedCell], decided: Sequence[Judged]
) -> dict[str, list[str]]:
    """The variants of each method under which most cells of the other artefacts of a part agree.

    More cells must agree under a variant than under the default variant of the method, and two
    variants are compared over the cells that both were run for. Only variants that the artefact
    itself has run are compared. Numbers that the artefact prints itself do not count, and a variant
    that was chosen because it comes near to published cells of the part is left out.
    """
    variants: dict[str, set[str]] = {}
    for cell in own:
        if cell.others:
            run = variants.setdefault(cell.published.method, set())
            run.update(one.name for one in cell.others)
    same_part = [other for other, _ in decided if part_of(other) == part_of(spec)]
    fitted = chain.from_iterable(other.chosen_by_cells for other in same_part)
    for one in fitted:
        # it was fitted to cells of this part, which therefore cannot confirm it
        variants.get(one.method, set()).discard(one.variant)
    votes = list(_votes(spec, own, decided)) if variants else []
    found = {method: _best(method, variants[method], votes) for method in sorted(variants)}
    return {method: best for method, best in found.items() if best}


@dataclass(frozen=True, eq=False)
class _Vote:
    """A cell of another artefact, and whether it agrees under each variant of its method."""

    method: str
    agrees: Mapping[str, bool]  # by the name of the variant; empty for the default variant
    shared: frozenset[str]  # variants that all methods share

    def counts(self, variant: str, method: str) -> bool:
        """Whether the cell counts for a variant of a method.

        A variant of data, task or whole spec is applied to all methods alike, so that the cells of
        all methods count.
        """
        return variant in self.agrees and (method == self.method or variant in self.shared)


def _votes(spec: Spec, own: Sequence[JudgedCell], decided: Sequence[Judged]) -> Iterable[_Vote]:
    """Yields each distinct cell of the other artefacts of the part that `own` does not print."""
    known = {cell.experiment for cell in own}
    for other, cells in decided:
        if other is not spec and part_of(other) == part_of(spec):
            for cell in cells:
                if cell.verdict.is_compared and cell.experiment not in known:
                    known.add(cell.experiment)
                    agrees = {"": cell.verdict.agrees}
                    agrees |= {variant.name: variant.verdict.agrees for variant in cell.others}
                    yield _Vote(cell.published.method, agrees, other.shared_variants)


def _best(method: str, variants: Iterable[str], votes: Sequence[_Vote]) -> list[str]:
    """The variants of a method that are better than its default, and than which none is better."""
    counted = {}
    for name in variants:
        counted[name] = [vote for vote in votes if vote.counts(name, method)]
    found = [name for name in counted if _gain(name, "", counted[name]) > 0]

    def is_better(one: str, other: str) -> bool:
        """Whether more cells agree, over the cells of both variants; if equal, over all cells."""
        both = [vote for vote in counted[one] if vote in counted[other]]
        gain = _gain(one, other, both)  # over these, since each may have cells of its own
        if gain or not both:
            return gain > 0
        return _gain(one, "", counted[one]) > _gain(other, "", counted[other])

    def is_beaten(one: str) -> bool:
        return any(is_better(other, one) for other in found)

    return sorted(name for name in found if not is_beaten(name))


def _gain(variant: str, other: str, votes: Iterable[_Vote]) -> int:
    """How many more cells agree under a variant than under another one."""
    return sum(vote.agrees[variant] - vote.agrees[other] for vote in votes)


def read_rule(file: Path) -> PaperRule:
    """The rule of a paper in a file rule.json; without the file, that of single tests.

    Raises:
        DpfairError: the file is damaged.
    """
    if not file.is_file():
        return PaperRule()
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return PaperRule(
            Levels(**content["levels"]), ClaimLevels(**content["claim_levels"]), content["chosen"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DpfairError(
            f"{file} is damaged: delete the file; `dpfair reproduce --collect` makes it again for "
            "a whole paper, and a sweep needs none"
        ) from error


def write_rule(rule: PaperRule, file: Path) -> None:
    """Writes the rule of a paper to a file rule.json."""
    text = json.dumps(asdict(rule), indent=1)
    write_text(file, f"{text}\n")
