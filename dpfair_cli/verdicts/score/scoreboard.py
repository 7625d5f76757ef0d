"""Counts of distinct published cells and claims by verdict, over all artefacts.

If two tables print one number of one experiment, the cell of the first table is counted; equal
pairs of numbers are also counted once. Cells that print numbers of records are left out. Counts of
variants follow the same rules. Cells and claims on a substitute of the paper's data have lines of
their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product

from dpfair_cli.contracts.specs import PUBLISHED_IN, Spec
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict, worst
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.deviations.deviation import DeviationKind
from dpfair_cli.verdicts.score.distinct import part_of, repeated_cells
from dpfair_cli.verdicts.score.joint import JointTest
from dpfair_cli.verdicts.score.margins import verdicts_by_margin
from dpfair_cli.verdicts.score.pairings import Pairing, PairingShare, share
from dpfair_cli.verdicts.score.signed_differences import SignedDifference, signed_differences
from dpfair_cli.verdicts.score.skill import Skill
from dpfair_cli.verdicts.score.variant_counts import VariantCount, add_up, count_variants

OWN_DATA, SUBSTITUTE = "the paper's data", "a substitute"
CELL_ORDER = [
    f"{verdict} ({kind})" if kind else str(verdict)
    for verdict, kind in product(CellVerdict, ("", *DeviationKind))
]
CLAIM_ORDER = [str(verdict) for verdict in ClaimVerdict]

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
class PlacedDifference:
    """A signed difference of a cell, with the part of the paper and the kind of data."""

    part: str  # the paper, with a chapter if it has chapters
    data: str  # the paper's own, or a substitute
    signed: SignedDifference


def score(decided: Sequence[Decided]) -> Scoreboard:
    """The scoreboard: counts of verdicts on the cells and claims of several artefacts."""
    repeated = repeated_cells((spec, found.cells) for spec, found in decided)
    statements = list(_statements(decided))
    agreeing = []
    for spec, found in decided:
        own = [cell for cell in found.cells if cell.verdict.agrees and cell not in repeated]
        agreeing += [(spec, cell) for cell in own]
    cells = list(chain.from_iterable(found.cells for _, found in decided))
    wrong = list(_distinct((spec, found.wrong_pairings) for spec, found in decided))
    variants = list(_distinct((spec, found.variant_pairings) for spec, found in decided))
    return Scoreboard(
        cells=_cell_tallies(decided, repeated),
        claims=_tallies((one.part, one.data, str(one.verdict)) for one in statements),
        statements=statements,
        variants=_variants(decided, repeated),
        wrong=share(wrong),
        wrong_far=share(one for one in wrong if one.is_far),
        variants_own=share(one for one in variants if one.is_own),
        variants_wrong=share(one for one in variants if not one.is_own),
        skills={spec.artefact: found.skill for spec, found in decided if found.skill},
        joint_tests={
            spec.artefact: found.joint_tests for spec, found in decided if found.joint_tests
        },
        agreeing=len(agreeing),
        chosen_agreeing=sum(
            spec.chose_default(cell.published.method, cell.published.dataset)
            for spec, cell in agreeing
        ),
        margins=verdicts_by_margin([(spec, found.cells) for spec, found in decided]),
        repeats=len(repeated),
        record_counts=sum(cell.verdict is CellVerdict.RECORD_COUNT for cell in cells),
    )


def data_of(datasets: Iterable[str], verdicts: Verdicts) -> str:
    """The kind of data as a text: the paper's own, or a substitute if any data set is one."""
    return SUBSTITUTE if any(name in verdicts.standins for name in datasets) else OWN_DATA


def _scored_cells(
    decided: Sequence[Decided], repeated: set[JudgedCell]
) -> Iterator[tuple[str, str, str]]:
    """Yields (part of the paper, kind of data, verdict) for each cell that is counted."""
    for spec, found in decided:
        for cell in found.cells:
            if cell.verdict.is_scored and cell not in repeated:
                data = data_of([cell.published.dataset], found)
                yield part_of(spec), data, cell.full_verdict


def _cell_tallies(decided: Sequence[Decided], repeated: set[JudgedCell]) -> list[Tally]:
    """The count of each verdict for each part of a paper and kind of data."""
    places: dict[str, list[str]] = {}
    for spec, found in decided:
        if any(cell.verdict.is_scored for cell in found.cells):
            places.setdefault(part_of(spec), []).extend(spec.published_in)
    tallies = _tallies(_scored_cells(decided, repeated))
    return [replace(one, published=_where_published(places[one.part])) for one in tallies]


def _where_published(words: Collection[str]) -> str:
    """Where the published numbers of a part of a paper stand, in words."""
    return "; ".join(text for word, text in PUBLISHED_IN.items() if word in words)


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
            if not claim.part.ours:
                key = claim.part.claim.by or part_of(spec), claim.part.claim.id
                groups.setdefault(key, []).append((claim, data_of(claim.datasets, found)))
    for (part, name), members in groups.items():
        data = "; ".join(sorted({data for _, data in members}))
        verdict = worst(claim.verdict for claim, _ in members)
        yield JudgedStatement(part, data, name, members[0][0].part.claim.claim, verdict)


def _variants(
    decided: Sequence[Decided], repeated: set[JudgedCell]
) -> dict[str, list[VariantCount]]:
    """The counts of verdicts under each variant, by part of a paper, without repeated numbers."""
    parts: dict[str, list[VariantCount]] = {}
    for spec, found in decided:
        distinct = [cell for cell in found.cells if cell not in repeated]
        parts.setdefault(part_of(spec), []).extend(count_variants(distinct, spec))
    return {part: add_up(counts) for part, counts in parts.items()}


def distinct_differences(decided: Sequence[Decided]) -> list[PlacedDifference]:
    """The signed differences of all artefacts, each number once, sorted in each part of a paper.

    Differences on a substitute of the data come after the others.
    """
    repeated = repeated_cells((spec, found.cells) for spec, found in decided)
    placed = []
    for spec, found in decided:
        for one in signed_differences(found):
            if one.cell not in repeated:
                data = data_of([one.cell.published.dataset], found)
                placed.append(PlacedDifference(part_of(spec), data, one))
    by_size = sorted(placed, key=lambda one: (one.signed.difference, one.signed.cell.description))
    by_data = sorted(by_size, key=lambda one: one.data, reverse=True)
    return sorted(by_data, key=lambda one: one.part)
