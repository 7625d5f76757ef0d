"""What the verdicts on one artefact take from all artefacts of its paper.

Two things need the whole paper. The levels of the tests are lowered until the false discovery rate
over all cells of the paper is controlled, and likewise over all orders, columns and claims. And a
variant explains the cells of an artefact only if it would have been chosen by the cells of the
*other* artefacts of the same part of the paper.

Both are computed when all artefacts of a paper are compared, and kept in results/<paper>/rule.json
for commands that compare only some.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, permutations
from pathlib import Path
from typing import TypeVar

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import UNCORRECTED, Comparison, Levels
from dpfair_cli.verdicts.cells.judging import Experiment, JudgedCell, at_levels
from dpfair_cli.verdicts.claims.verdict import ClaimLevels, PValues, controlled_level, levels_of
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.whole_tables import JudgedColumn, JudgedOrder

T = TypeVar("T")

FILE = "rule.json"
CHAPTER = re.compile(r"(?:table|figure|section)(\d+)\.")  # table8.2 is in chapter 8


@dataclass(frozen=True)
class PaperRule:
    """What the verdicts on one artefact take from all artefacts of its paper."""

    levels: Levels = UNCORRECTED  # of the tests of cells
    claim_levels: ClaimLevels = field(default_factory=ClaimLevels)
    order_levels: ClaimLevels = field(default_factory=ClaimLevels)
    column_levels: ClaimLevels = field(default_factory=ClaimLevels)
    # artefact -> published method -> the variants that the other artefacts would choose
    chosen: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)

    def variants_of(self, artefact: str) -> Mapping[str, Sequence[str]]:
        """The variants of each method that the artefacts other than `artefact` would choose."""
        return self.chosen.get(artefact, {})


def rule_of(artefacts: Sequence[Verdicts]) -> PaperRule:
    """The rule of a paper, given all its artefacts at the levels of single tests."""
    levels = levels_over(cell.variants[0].comparison for _, cell in distinct_compared(artefacts))
    # at these levels, because a variant is chosen by the verdicts of the paper
    decided = [_cells_at_levels(one, levels) for one in artefacts]
    chosen = {one.spec.name: _chosen(one, decided) for one in decided}
    return PaperRule(
        levels,
        _claim_levels(artefacts),
        levels_of([order.p_values] for _, order in distinct_orders(artefacts)),
        levels_of([column.p_values] for _, column in distinct_columns(artefacts)),
        {name: found for name, found in chosen.items() if found},
    )


def _cells_at_levels(judged: Verdicts, levels: Levels) -> Verdicts:
    """The artefact with its cells at other levels."""
    return replace(judged, cells=tuple(at_levels(cell, levels) for cell in judged.cells))


def _claim_levels(artefacts: Iterable[Verdicts]) -> ClaimLevels:
    """The levels that control the false discovery rate over the claims of a paper.

    Parts of claims that we added do not count.
    """
    parts: dict[str, list[PValues]] = {}
    for claim in chain.from_iterable(one.claims for one in artefacts):
        if claim.p_values and not claim.part.ours:
            parts.setdefault(claim.part.claim.id, []).append(claim.p_values)
    return levels_of(parts.values())


def part_of(spec: Spec) -> str:
    """The paper of an artefact, with a chapter if its number has one: "xu2021, chapter 8"."""
    chapter = CHAPTER.match(spec.name)
    return f"{spec.paper}, chapter {chapter[1]}" if chapter else spec.paper


def distinct_cells(artefacts: Iterable[Verdicts]) -> Iterator[tuple[Verdicts, JudgedCell]]:
    """Yields each cell that prints no number of an earlier cell of the same part of a paper again.

    Cells that were not compared are all distinct.
    """
    seen: set[tuple[str, Experiment]] = set()
    for one in artefacts:
        for cell in one.cells:
            if cell.experiment and cell.verdict.is_compared:
                key = part_of(one.spec), cell.experiment
                if key in seen:
                    continue
                seen.add(key)
            yield one, cell


def distinct_compared(artefacts: Iterable[Verdicts]) -> Iterator[tuple[Verdicts, JudgedCell]]:
    """Yields the distinct cells that were compared."""
    return (pair for pair in distinct_cells(artefacts) if pair[1].verdict.is_compared)


def distinct_orders(artefacts: Iterable[Verdicts]) -> Iterator[tuple[Verdicts, JudgedOrder]]:
    """Yields each order of two numbers that no earlier table of the same part prints, too."""
    return _distinct((one, order, order.pair) for one in artefacts for order in one.orders)


def distinct_columns(artefacts: Iterable[Verdicts]) -> Iterator[tuple[Verdicts, JudgedColumn]]:
    """Yields each column of numbers that no earlier table of the same part prints, too."""
    return _distinct((one, own, own.numbers) for one in artefacts for own in one.columns)


def _distinct(found: Iterable[tuple[Verdicts, T, Hashable]]) -> Iterator[tuple[Verdicts, T]]:
    """Yields each artefact with what is judged, unless its part had equal numbers before.

    `found` has the artefact, what is judged, and its numbers.
    """
    seen = set()
    for one, judged, numbers in found:
        key = part_of(one.spec), numbers
        if key not in seen:
            seen.add(key)
            yield one, judged


def levels_over(comparisons: Iterable[Comparison]) -> Levels:
    """The levels that control the false discovery rate over comparisons, for each of both tests."""
    found = list(comparisons)
    return Levels(
        controlled_level(one.p_equivalent for one in found),
        controlled_level(one.p_different for one in found),
    )


def _chosen(own: Verdicts, decided: Sequence[Verdicts]) -> dict[str, list[str]]:
    """The variants of each method under which most cells of the other artefacts of a part agree.

    More cells must agree under a variant than under the default variant of the method, and two
    variants are compared over the cells that both were run for. Only variants that the artefact
    itself has run are compared. Numbers that the artefact prints itself do not count, and a variant
    that was chosen because it comes near to published cells of the part is left out.
    """
    variants: dict[str, set[str]] = {}
    for cell in own.cells:
        if cell.others:
            run = variants.setdefault(cell.published.method, set())
            run.update(one.name for one in cell.others)
    # a chapter has its own protocol, so that another one says nothing about a variant
    same_part = [other for other in decided if part_of(other.spec) == part_of(own.spec)]
    for one in chain.from_iterable(other.spec.chosen_by_cells for other in same_part):
        # it was fitted to cells of this part, which therefore cannot confirm it
        variants.get(one.method, set()).discard(one.variant)
    others = [other for other in same_part if other is not own]
    votes = list(_votes(own, others)) if variants else []
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


def _votes(own: Verdicts, others: Iterable[Verdicts]) -> Iterator[_Vote]:
    """Yields each distinct cell of the other artefacts of the part that `own` does not print."""
    known = {cell.experiment for cell in own.cells}
    for other in others:
        for cell in other.compared:
            if cell.experiment not in known:
                known.add(cell.experiment)  # a number that two tables print votes once
                agrees = {"": cell.verdict.agrees}
                agrees |= {variant.name: variant.verdict.agrees for variant in cell.others}
                yield _Vote(cell.published.method, agrees, other.spec.shared_variants)


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

    # of two that make equally many cells agree, both are chosen
    beaten = {one for one, other in permutations(found, 2) if is_better(other, one)}
    return sorted({*found} - beaten)


def _gain(variant: str, other: str, votes: Iterable[_Vote]) -> int:
    """How many more cells agree under a variant than under another one."""
    return sum(vote.agrees[variant] - vote.agrees[other] for vote in votes)


def read_rule(file: Path) -> PaperRule:
    """The rule of a paper in a file rule.json; without the file, that of single tests.

    Raises:
        DpfairError: the file is damaged.
    """
    if not file.is_file():  # of a sweep, or of a paper that was never rendered as a whole
        return PaperRule()
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return PaperRule(
            Levels(**content["levels"]),
            ClaimLevels(**content["claim_levels"]),
            ClaimLevels(**content["order_levels"]),
            ClaimLevels(**content["column_levels"]),
            content["chosen"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DpfairError(
            f"{file} is damaged, or of another version: delete the file; `dpfair reproduce "
            "--collect` makes it again for a whole paper, and a sweep needs none"
        ) from error


def write_rule(rule: PaperRule, file: Path) -> None:
    """Writes the rule of a paper to a file rule.json."""
    text = json.dumps(asdict(rule), indent=1)
    write_text(file, f"{text}\n")
