"""Counts of distinct published cells and claims by verdict, over all artefacts.

If two tables print one number of one experiment, the cell of the first table is counted; equal
pairs of numbers are also counted once. Cells that print numbers of records are left out. Counts of
variants follow the same rules. Cells and claims on a substitute of the paper's data have lines of
their own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product

from dpfair_cli.contracts.specs import PUBLISHED_IN, Spec
from dpfair_cli.verdicts.cells.comparison import MARGIN, Decision
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import COMPARED, CellVerdict
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict, worst
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.deviations.deviation import DeviationKind
from dpfair_cli.verdicts.paper_rule import Judged, levels_over, part_of, repeated_cells
from dpfair_cli.verdicts.score.pairings import Pairing, PairingShare, share
from dpfair_cli.verdicts.score.skill import JointTest, Skill

MARGINS = (0.01, MARGIN, 0.03)  # of rates; that of other scores changes by the same factor
OWN_DATA, SUBSTITUTE = "the paper's data", "a substitute"
CELL_ORDER = [
    f"{verdict} ({kind})" if kind else str(verdict)
    for verdict, kind in product(CellVerdict, ("", *DeviationKind))
]
CLAIM_ORDER = [str(verdict) for verdict in ClaimVerdict]

VARIANT_HEADINGS = ("method", "variant", "chosen by", *map(str, COMPARED), "nearest", "cells")

Decided = tuple[Spec, Verdicts]


@dataclass(frozen=True)
class Tally:
    """The number of cells or claims of a part of a paper with each verdict."""

    part: str  # the paper, with a chapter if it has chapters
    data: str  # the paper's own, or a substitute
    verdicts: Counter[str] = field(default_factory=Counter)
    published: str = ""  # where the numbers stand, in words; empty for claims


@dataclass(frozen=True)
class JudgedStatement:
    """A claim of a paper with the verdict over all its parts, without our additions."""

    part: str  # the work that wrote the sentence, with a chapter if it has chapters
    data: str  # the paper's own, or a substitute
    id: str
    claim: str  # the sentence, in short
    verdict: ClaimVerdict  # the worst of its parts


@dataclass
class VariantCount:
    """The number of a method's published cells with each verdict under one variant."""

    method: str
    variant: str  # empty for the default one
    chosen_by: str = ""  # reason for the choice of the default variant
    verdicts: Counter[CellVerdict] = field(default_factory=Counter)
    nearest: int = 0  # cells to which this variant is the nearest

    @property
    def cells(self) -> int:
        """The number of the method's published cells that were compared under the variant."""
        return self.verdicts.total()

    @property
    def texts(self) -> list[str]:
        """The texts of the count under the headings VARIANT_HEADINGS."""
        verdicts = [str(self.verdicts[verdict]) for verdict in COMPARED]
        named = [self.method, self.variant or "default", self.chosen_by]
        return [*named, *verdicts, str(self.nearest), str(self.cells)]


@dataclass(frozen=True)
class Scoreboard:
    """Counts of distinct cells and of claims, and the tests of the rule of the verdicts."""

    cells: list[Tally]
    claims: list[Tally]
    statements: list[JudgedStatement]
    variants: dict[str, list[VariantCount]]  # by part of a paper
    wrong: PairingShare  # our means that are reproduced next to another method's value
    wrong_far: PairingShare  # the same where the published values are more than FAR apart
    variants_own: PairingShare  # cells that differ and agree under the best variant
    variants_wrong: PairingShare  # the same next to another method's value
    skills: dict[str, Skill]  # by artefact, as the joint tests
    joint_tests: dict[str, list[JointTest]]
    agreeing: int  # distinct cells that agree
    chosen_agreeing: int  # those by which the default variant of their method was chosen
    margins: dict[float, Counter[CellVerdict]]  # of the distinct compared cells
    repeats: int  # cells that print a number of another table again
    record_counts: int  # cells that print a number of records


@dataclass(frozen=True)
class SignedDifference:
    """Our mean minus the published mean of one cell, under the default variant.

    All numbers are in units of the score. For a score that is not a rate, the unit is five times
    the published value, so that a tenth of the published value becomes 0.02.
    """

    cell: JudgedCell
    difference: float  # our mean minus the published mean
    half_width: float  # of the 90 % interval of the difference; NaN if unknown


def score(decided: Sequence[Decided]) -> Scoreboard:
    """The scoreboard: counts of verdicts on the cells and claims of several artefacts."""
    judged = [(spec, found.cells) for spec, found in decided]
    distinct = list(_distinct_cells(decided))
    statements = list(_statements(decided))
    agreeing = [(spec, cell.published) for spec, _, cell in distinct if cell.verdict.agrees]
    cells = list(chain.from_iterable(found for _, found in judged))
    wrong = list(_distinct((spec, found.wrong_pairings) for spec, found in decided))
    variants = list(_distinct((spec, found.variant_pairings) for spec, found in decided))
    return Scoreboard(
        cells=_cell_tallies(decided),
        claims=_tallies((one.part, one.data, str(one.verdict)) for one in statements),
        statements=statements,
        variants=_variants(decided),
        wrong=share(wrong),
        wrong_far=share(one for one in wrong if one.is_far),
        variants_own=share(one for one in variants if one.is_own),
        variants_wrong=share(one for one in variants if not one.is_own),
        skills={spec.artefact: found.skill for spec, found in decided if found.skill},
        joint_tests={
            spec.artefact: found.joint_tests for spec, found in decided if found.joint_tests
        },
        agreeing=len(agreeing),
        chosen_agreeing=sum(spec.chose_default(one.method, one.dataset) for spec, one in agreeing),
        margins=verdicts_by_margin(judged),
        repeats=len(cells) - len(distinct),
        record_counts=sum(cell.verdict is CellVerdict.RECORD_COUNT for cell in cells),
    )


def _distinct_cells(decided: Sequence[Decided]) -> Iterator[tuple[Spec, Verdicts, JudgedCell]]:
    """Yields the cells of all artefacts that print no number of another cell again."""
    repeated = repeated_cells((spec, found.cells) for spec, found in decided)
    for spec, found in decided:
        yield from ((spec, found, cell) for cell in found.cells if cell not in repeated)


def data_of(datasets: Iterable[str], verdicts: Verdicts) -> str:
    """The kind of data as a text: the paper's own, or a substitute if any data set is one."""
    return SUBSTITUTE if any(name in verdicts.standins for name in datasets) else OWN_DATA


def _cell_tallies(decided: Sequence[Decided]) -> list[Tally]:
    """The count of each verdict for each part of a paper and kind of data."""
    lines, places = [], {part_of(spec): set[str]() for spec, _ in decided}
    for spec, found in decided:
        if any(cell.verdict.is_scored for cell in found.cells):
            places[part_of(spec)].update(spec.published_in)
    for spec, found, cell in _distinct_cells(decided):
        if cell.verdict.is_scored:
            data = data_of([cell.published.dataset], found)
            lines.append((part_of(spec), data, cell.full_verdict))
    tallies = []
    for tally in _tallies(lines):
        where = (text for word, text in PUBLISHED_IN.items() if word in places[tally.part])
        tallies.append(replace(tally, published="; ".join(where)))
    return tallies


def _tallies(lines: Iterable[tuple[str, str, str]]) -> list[Tally]:
    """The count of each verdict for each part of a paper and kind of data.

    `lines` are (part, kind of data, verdict).
    """
    found: dict[tuple[str, str], Tally] = {}
    for part, data, verdict in lines:
        found.setdefault((part, data), Tally(part, data)).verdicts[verdict] += 1
    return [found[key] for key in sorted(found)]


def _distinct(pairings: Iterable[tuple[Spec, Sequence[Pairing]]]) -> Iterator[Pairing]:
    """Yields the pairings of all artefacts; a pair of the same two numbers is yielded only once."""
    seen = set()
    for spec, found in pairings:
        for pairing in found:
            key = part_of(spec), pairing.pair
            if key not in seen:
                seen.add(key)
                yield pairing


def _statements(decided: Sequence[Decided]) -> Iterator[JudgedStatement]:
    """Yields each claim with the verdict over all its parts, except parts that we added."""
    groups: dict[tuple[str, str], list[tuple[JudgedClaim, str]]] = {}
    for spec, found in decided:
        for claim in found.claims:
            # our additions say nothing about the sentence of the paper
            if not claim.part.ours:
                key = claim.part.claim.by or part_of(spec), claim.part.claim.id
                groups.setdefault(key, []).append((claim, data_of(claim.datasets, found)))
    for (part, name), members in groups.items():
        data = "; ".join(sorted({data for _, data in members}))
        verdict = worst(claim.verdict for claim, _ in members)
        yield JudgedStatement(part, data, name, members[0][0].part.claim.claim, verdict)


def _variants(decided: Sequence[Decided]) -> dict[str, list[VariantCount]]:
    """The counts of verdicts under each variant, by part of a paper, without repeated numbers."""
    parts: dict[str, list[VariantCount]] = {}
    repeated = repeated_cells((spec, found.cells) for spec, found in decided)
    for spec, found in decided:
        distinct = (cell for cell in found.cells if cell not in repeated)
        parts.setdefault(part_of(spec), []).extend(count_variants(distinct, spec))
    return {part: add_up(counts) for part, counts in parts.items()}


def count_variants(cells: Iterable[JudgedCell], spec: Spec) -> list[VariantCount]:
    """The counts of verdicts on `cells`, for each variant of each method with several variants."""
    chosen = {method: part.chosen_by for method, part in spec.methods_by_label.items()}
    found: dict[tuple[str, str], VariantCount] = {}
    for cell in cells:
        nearest = cell.nearest
        for variant in cell.variants if nearest else ():
            if variant.verdict.is_compared:
                key = cell.published.method, variant.name
                reasons = [] if variant.name else [chosen.get(variant.label), spec.task_chosen_by]
                why = "; ".join(filter(None, reasons))
                count = found.setdefault(key, VariantCount(*key, why))
                count.verdicts[variant.verdict] += 1
                count.nearest += variant is nearest
    return list(found.values())


def add_up(counts: Iterable[VariantCount]) -> list[VariantCount]:
    """The counts of verdicts of several artefacts, added up for each method and variant."""
    methods: dict[str, dict[str, VariantCount]] = {}
    for one in counts:
        variants = methods.setdefault(one.method, {})
        total = variants.setdefault(one.variant, VariantCount(one.method, one.variant))
        total.verdicts += one.verdicts
        total.nearest += one.nearest
        reasons = [*filter(None, total.chosen_by.split("; ")), *filter(None, [one.chosen_by])]
        total.chosen_by = "; ".join(dict.fromkeys(reasons))
    return list(chain.from_iterable(variants.values() for variants in methods.values()))


def verdicts_by_margin(artefacts: Sequence[Judged]) -> dict[float, Counter[CellVerdict]]:
    """Margin -> the number of distinct compared cells with each verdict.

    The levels are computed anew for each margin, over all cells of a paper.
    """
    repeated = repeated_cells(artefacts)
    papers: dict[str, list[Decision]] = {}
    for spec, cells in artefacts:
        papers.setdefault(spec.paper, []).extend(
            cell.default.decision
            for cell in cells
            if cell.default and cell.verdict.is_compared and cell not in repeated
        )
    return {margin: _counts_at(papers, margin / MARGIN) for margin in MARGINS}


def _counts_at(papers: Mapping[str, Iterable[Decision]], factor: float) -> Counter[CellVerdict]:
    """The number of cells with each verdict if all margins are multiplied by a factor."""
    counts: Counter[CellVerdict] = Counter()
    for decisions in papers.values():
        changed = [
            replace(one, comparison=replace(one.comparison, margin_factor=factor))
            for one in decisions
        ]
        # anew: a wider margin makes more cells significant, which changes the levels
        levels = levels_over(one.comparison for one in changed)
        counts.update(replace(one, levels=levels).verdict for one in changed)
    return counts


def signed_differences(verdicts: Verdicts) -> list[SignedDifference]:
    """Our mean minus the published mean of each compared cell of an artefact."""
    found = [(cell, cell.default.comparison) for cell in verdicts.compared if cell.default]
    return [
        SignedDifference(
            cell,
            _in_parts(one.signed, one.scale),
            _in_parts(one.half_width, one.scale),
        )
        for cell, one in found
    ]


def _in_parts(number: float, scale: float) -> float:
    """A difference divided by a scale; infinite with its sign if the scale is 0, NaN if unknown."""
    if math.isnan(number):
        return number
    if scale:  # 0 only for a published 0 that is no rate
        return number / scale
    return math.copysign(math.inf, number) if number else 0.0


def distinct_differences(
    decided: Sequence[Decided],
) -> dict[tuple[str, str], list[SignedDifference]]:
    """The signed differences of all artefacts by part of a paper and kind of data, sorted by size.

    Each number is there once. Differences on a substitute of the data come after the others.
    """
    distinct = {cell for _, _, cell in _distinct_cells(decided)}
    places: dict[tuple[str, str], list[SignedDifference]] = {}
    for spec, found in decided:
        for one in signed_differences(found):
            if one.cell in distinct:
                data = data_of([one.cell.published.dataset], found)
                places.setdefault((part_of(spec), data), []).append(one)
    # in the alphabet, a substitute comes before the paper's data
    order = sorted(sorted(places, key=lambda place: place[1], reverse=True), key=lambda p: p[0])
    return {
        place: sorted(places[place], key=lambda one: (one.difference, one.cell.description))
        for place in order
    }
