"""Counts of distinct published cells and claims by verdict, over all artefacts.

If two tables print one number of one experiment, the cell of the first table is counted; equal
pairs of numbers are also counted once. Cells that print numbers of records are left out. Counts of
variants follow the same rules. Cells and claims on a substitute of the paper's data have lines of
their own.

A *paired comparison* says what each method loses against a reference method on the same data. If a
paper prints means of five random graphs, most of a printed deviation is that of the graphs, which
all methods share. A cell that is undecided alone can then be decided as a difference: ours is the
mean, over seeds, of the score of the method minus that of the reference method, and the published
one is the difference of both printed means. The paper does not print the deviation of its
differences, so that ours stands for it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, groupby, product
from operator import itemgetter

import numpy as np

from dpfair_cli.contracts.specs import PUBLISHED_IN, Spec
from dpfair_cli.verdicts.cells.comparison import (
    COMPARED,
    MARGIN,
    CellVerdict,
    Comparison,
    Decision,
    Outlook,
    Sample,
)
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict, worst
from dpfair_cli.verdicts.deviations.deviation import DeviationKind
from dpfair_cli.verdicts.means import fits, mean, standard_deviation
from dpfair_cli.verdicts.paper_rule import (
    distinct_cells,
    distinct_columns,
    distinct_compared,
    distinct_orders,
    levels_over,
    part_of,
)
from dpfair_cli.verdicts.trust import Pairing, PairingShare, share
from dpfair_cli.verdicts.verdicts import Verdicts

MARGINS = (0.01, MARGIN, 0.03)  # of rates; that of other scores changes by the same factor
NOT_DECIDED = "our runs neither confirm the sentence nor contradict it"
NOT_STATED, TO_BE_RUN = "not stated", "to be run"  # what is lacking for a comparison
OWN_DATA, SUBSTITUTE = "the paper's data", "a substitute"
CELL_ORDER = [
    f"{verdict} ({kind})" if kind else str(verdict)
    for verdict, kind in product(CellVerdict, ("", *Outlook, *DeviationKind))
]
CLAIM_ORDER = [str(verdict) for verdict in ClaimVerdict]

VARIANT_HEADINGS = ("method", "variant", "chosen by", *map(str, COMPARED), "nearest", "cells")


@dataclass(frozen=True)
class Tally:
    """The number of cells, orders, columns or claims of a part of a paper with each verdict."""

    part: str  # the paper, with a chapter if it has chapters
    data: str  # the paper's own, or a substitute
    verdicts: Counter[str] = field(default_factory=Counter)
    published: str = ""  # where the numbers stand, in words; only of cells


@dataclass(frozen=True)
class OnFile:
    """Published numbers that were not compared, of one part of a paper and with one reason."""

    part: str
    numbers: int
    state: str  # "not stated" or "to be run"
    reason: str


class StatementKind(StrEnum):
    """The kinds of claims that are counted apart; the first that applies."""

    MAIN = "main"  # one of the main sentences of its work
    THEOREM = "theorem"  # a theorem, or what a proof or arithmetic decides
    OTHER = "other"


@dataclass(frozen=True)
class JudgedStatement:
    """A claim of a paper with the verdict over all its parts, without our additions."""

    part: str  # the work that wrote the sentence, with a chapter if it has chapters
    data: str  # the paper's own, or a substitute
    id: str
    claim: str  # the sentence, in short
    verdict: ClaimVerdict  # the worst of its parts
    main: int = 0  # its place among the main sentences of its work, from 1; 0 for any other
    why: str = ""  # why it does not hold, or was not decided; empty if it holds
    kind: StatementKind = StatementKind.OTHER  # by which it is counted


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
    orders: list[Tally]  # of methods
    columns: list[Tally]
    on_file: list[OnFile]  # the numbers that were not compared
    fragile: int  # distinct cells that differ only if the published runs vary as little as ours
    agreeing: int  # distinct cells that agree
    chosen_agreeing: int  # those by which the default variant of their method was chosen
    margins: dict[float, Counter[CellVerdict]]  # of the distinct compared cells
    repeats: int  # cells that print a number of another table again
    record_counts: int  # cells that print a number of records


def score(artefacts: Sequence[Verdicts]) -> Scoreboard:
    """The scoreboard: counts of verdicts on the cells and claims of several artefacts."""
    distinct = list(distinct_cells(artefacts))
    statements = list(judged_statements(artefacts))
    agreeing = [(one.spec, cell.published) for one, cell in distinct if cell.verdict.agrees]
    cells = list(chain.from_iterable(one.cells for one in artefacts))
    wrong = list(_distinct((one.spec, one.wrong_pairings) for one in artefacts))
    variants = list(_distinct((one.spec, one.variant_pairings) for one in artefacts))
    return Scoreboard(
        cells=_cell_tallies(artefacts),
        claims=_claim_tallies(statements),
        statements=statements,
        variants=_variants(artefacts),
        wrong=share(wrong),
        wrong_far=share(one for one in wrong if one.is_far),
        variants_own=share(one for one in variants if one.is_own),
        variants_wrong=share(one for one in variants if not one.is_own),
        orders=_order_tallies(artefacts),
        columns=_column_tallies(artefacts),
        on_file=_on_file(distinct),
        fragile=sum(cell.is_fragile for _, cell in distinct),
        agreeing=len(agreeing),
        chosen_agreeing=sum(spec.chose_default(one.method, one.dataset) for spec, one in agreeing),
        margins=verdicts_by_margin(artefacts),
        repeats=len(cells) - len(distinct),
        record_counts=sum(cell.verdict is CellVerdict.RECORD_COUNT for cell in cells),
    )


def _on_file(cells: Iterable[tuple[Verdicts, JudgedCell]]) -> list[OnFile]:
    """The distinct cells without runs, by part of a paper and by the reason of their deviation."""
    found: Counter[tuple[str, str, str]] = Counter()
    for one, cell in cells:
        if cell.verdict in (CellVerdict.MISSING, CellVerdict.NOT_RUN):
            own = cell.deviation
            state = NOT_STATED if own and own.not_stated else TO_BE_RUN
            found[part_of(one.spec), state, own.not_run if own else "no entry says why"] += 1
    return [OnFile(part, count, *words) for (part, *words), count in sorted(found.items())]


def _order_tallies(artefacts: Sequence[Verdicts]) -> list[Tally]:
    """The count of each verdict on orders of methods for each part of a paper and kind of data."""
    return _tallies(
        (part_of(one.spec), data_of([order.higher.published.dataset], one), str(order.verdict))
        for one, order in distinct_orders(artefacts)
    )


def _column_tallies(artefacts: Sequence[Verdicts]) -> list[Tally]:
    """The count of each verdict on columns for each part of a paper and kind of data."""
    lines = []
    for one, column in distinct_columns(artefacts):
        data = data_of((cell.published.dataset for cell in column.cells), one)
        lines.append((part_of(one.spec), data, str(column.verdict)))
    return _tallies(lines)


def tallies(artefacts: Sequence[Verdicts]) -> tuple[list[Tally], list[Tally]]:
    """The verdicts on the cells and on the claims of a scoreboard, without its other parts."""
    return _cell_tallies(artefacts), _claim_tallies(judged_statements(artefacts))


def data_of(datasets: Iterable[str], verdicts: Verdicts) -> str:
    """The kind of data as a text: the paper's own, or a substitute if any data set is one."""
    return SUBSTITUTE if any(name in verdicts.standins for name in datasets) else OWN_DATA


def _cell_tallies(artefacts: Sequence[Verdicts]) -> list[Tally]:
    """The count of each verdict for each part of a paper and kind of data."""
    places: dict[str, set[str]] = {}
    for one in artefacts:
        if any(cell.verdict.is_scored for cell in one.cells):
            places.setdefault(part_of(one.spec), set()).update(one.spec.published_in)
    lines = [
        (part_of(one.spec), data_of([cell.published.dataset], one), cell.full_verdict)
        for one, cell in distinct_cells(artefacts)
        if cell.verdict.is_scored
    ]
    tallies = []
    for tally in _tallies(lines):
        where = (text for word, text in PUBLISHED_IN.items() if word in places[tally.part])
        tallies.append(replace(tally, published="; ".join(where)))
    return tallies


def _claim_tallies(statements: Iterable[JudgedStatement]) -> list[Tally]:
    """The count of each verdict on claims for each part of a paper and kind of data."""
    return _tallies((one.part, one.data, str(one.verdict)) for one in statements)


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


def judged_statements(artefacts: Sequence[Verdicts]) -> Iterator[JudgedStatement]:
    """Yields each claim with the verdict over all its parts, except parts that we added."""
    groups: dict[tuple[str, str], list[tuple[JudgedClaim, str]]] = {}
    theorems = set()
    for one in artefacts:
        theorems |= {claim.part.claim.id for claim in one.claims if claim.part.is_theorem}
        for claim in one.claims:
            # our additions say nothing about the sentence of the paper
            if not claim.part.ours:
                key = claim.part.claim.by or part_of(one.spec), claim.part.claim.id
                groups.setdefault(key, []).append((claim, data_of(claim.datasets, one)))
    for (part, name), members in groups.items():
        data = "; ".join(sorted({data for _, data in members}))
        verdict = worst(claim.verdict for claim, _ in members)
        own = members[0][0].part.claim
        why = next((_why(claim) for claim, _ in members if claim.verdict is verdict), "")
        kind = StatementKind.THEOREM if name in theorems else StatementKind.OTHER
        kind = StatementKind.MAIN if own.main else kind
        yield JudgedStatement(part, data, name, own.claim, verdict, own.main, why, kind)


def _why(claim: JudgedClaim) -> str:
    """The first sentence of the reason why a part of a claim does not hold; empty if it does."""
    if claim.verdict is ClaimVerdict.HOLDS:
        return ""
    told = claim.cause or claim.part.undecided or claim.part.not_testable or NOT_DECIDED
    return re.split(r"(?<=[.]) ", told, maxsplit=1)[0].rstrip(".")


def _variants(artefacts: Sequence[Verdicts]) -> dict[str, list[VariantCount]]:
    """The counts of verdicts under each variant, by part of a paper, without repeated numbers."""
    # the parts in the order of all artefacts, also of those without cells
    parts: dict[str, list[VariantCount]] = {part_of(one.spec): [] for one in artefacts}
    for one, own in groupby(distinct_cells(artefacts), key=itemgetter(0)):
        parts[part_of(one.spec)] += count_variants((cell for _, cell in own), one.spec)
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


def verdicts_by_margin(artefacts: Sequence[Verdicts]) -> dict[float, Counter[CellVerdict]]:
    """Margin -> the number of distinct compared cells with each verdict.

    The levels are computed anew for each margin, over all cells of a paper.
    """
    papers: dict[str, list[Decision]] = {}
    for one, cell in distinct_compared(artefacts):
        papers.setdefault(one.spec.paper, []).append(cell.variants[0].decision)
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


def cells_by_difference(
    artefacts: Sequence[Verdicts],
) -> dict[tuple[str, str], list[JudgedCell]]:
    """The distinct compared cells by part of a paper and kind of data, sorted by ours less theirs.

    Cells on a substitute of the data come after the others.
    """
    places: dict[tuple[str, str], list[JudgedCell]] = {}
    for one, cell in distinct_compared(artefacts):
        place = part_of(one.spec), data_of([cell.published.dataset], one)
        places.setdefault(place, []).append(cell)
    for cells in places.values():
        cells.sort(key=lambda cell: (cell.variants[0].comparison.signed_scaled, cell.description))
    # in the alphabet, a substitute comes before the paper's data
    order = sorted(sorted(places, key=lambda place: place[1], reverse=True), key=lambda p: p[0])
    return {place: places[place] for place in order}


@dataclass(frozen=True)
class PairedCount:
    """The undecided cells of one method and one score, each compared as a difference."""

    method: str
    metric: str
    undecided: int  # one by one
    equal: int  # of these, those whose difference to the reference is the published one
    other: int  # of these, those whose difference is another one


def paired_counts(artefacts: Sequence[Verdicts], reference: str) -> list[PairedCount]:
    """The undecided cells of each method and score, compared as differences to a reference method.

    A number that two of the artefacts print counts once. Cells without a cell of the reference
    method in the same place do not count.
    """
    found: dict[tuple[str, str], Counter[CellVerdict]] = {}
    for one, cell in distinct_compared(artefacts):
        baseline = _in_place(cell, reference, one.cells)
        if cell.verdict is CellVerdict.UNDECIDED and baseline:
            key = cell.published.method, cell.published.metric
            found.setdefault(key, Counter())[_paired(cell, baseline).verdict] += 1
    lines = []
    for (method, metric), counts in found.items():
        equal, other = counts[CellVerdict.REPRODUCED], counts[CellVerdict.DIFFERS]
        lines.append(PairedCount(method, metric, counts.total(), equal, other))
    return lines


def _in_place(cell: JudgedCell, reference: str, cells: Iterable[JudgedCell]) -> JudgedCell | None:
    """The cell of a reference method in the place of a cell of another method; None without one.

    Both cells have the same data set, score and common parameters, and have runs.
    """
    own = cell.published
    if own.method == reference or not cell.default:
        return None
    wanted = {**own.named, "method": reference}
    here = (other for other in cells if other.default and fits(wanted, other.published.named))
    return next(here, None)


def _paired(cell: JudgedCell, reference: JudgedCell) -> Decision:
    """What the rule says of the difference between a cell and one of a reference method.

    Both cells are in the same place, and have runs. Seeds that only one of both has do not count.
    """
    one, other = cell.variants[0], reference.variants[0]
    common = [seed for seed in one.scores if seed in other.scores]
    apart = np.array([one.scores[seed] - other.scores[seed] for seed in common])  # (seeds,)
    ours = Sample(mean(apart), standard_deviation(apart), len(apart))
    printed = Sample(cell.sample.mean - reference.sample.mean, math.nan, cell.sample.runs)
    compared = Comparison(ours, printed, relative=one.comparison.relative)
    return Decision(compared, levels=one.decision.levels)
