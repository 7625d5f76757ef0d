"""False-match rate, and how many cells agree under a variant by chance.

The false-match rate is how often the rule of the verdicts calls our mean reproduced next to the
value that is published for another method. For variants, two shares are compared: how many cells of
a method that differ agree under its best variant with their own published values, and how many with
the published values of another method. With more variants, both shares are larger.

A *paired comparison* says what each method loses against a reference method on the same data. If a
paper prints means of five random graphs, most of a printed deviation is that of the graphs, which
all methods share. A cell that is undecided alone can then be decided as a difference: ours is the
mean, over seeds, of the score of the method minus that of the reference method, and the published
one is the difference of both printed means. The paper does not print the deviation of its
differences, so that ours stands for it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from dpfair_cli.verdicts.cells.comparison import DIGITS, Comparison, Decision, Sample
from dpfair_cli.verdicts.cells.judged import Experiment, JudgedCell, JudgedVariant
from dpfair_cli.verdicts.cells.judging import rivals
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.means import deviation, fits, mean
from dpfair_cli.verdicts.paper_rule import Judged, repeated_cells

FAR = 0.05  # published rates further apart than this are easy to tell apart

Pair = tuple[Experiment | str | None, Experiment | str | None]


class PairingShare(NamedTuple):
    """The number of pairings that match, and the number of all pairings."""

    matched: int  # pairings in which our mean matches the published value
    pairings: int
    agreeing: int = 0  # distinct cells of the pairings that agree with their own value

    @property
    def percent(self) -> str:
        """The share in percent, such as "5"; empty without pairings."""
        return f"{100 * self.matched / self.pairings:.0f}" if self.pairings else ""

    @property
    def per_agreeing_cell(self) -> str:
        """The matches divided by the cells that agree, such as "0.21"; empty without such cells."""
        return f"{self.matched / self.agreeing:.2f}" if self.agreeing else ""


@dataclass(frozen=True)
class Pairing:
    """A pair of our mean for a cell and a published value of the same data set and score."""

    cell: str  # its description
    method: str  # of the published value
    pair: Pair  # equal if two tables pair the same numbers
    matches: bool  # our mean is reproduced or, of a variant, agrees
    is_far: bool = False  # the two published values are more than FAR apart
    is_own: bool = False  # the published value is that of the cell itself
    agrees: bool = False  # the cell agrees with its own published value by default


def share(pairings: Iterable[Pairing]) -> PairingShare:
    """The number of pairings that match, of all pairings, and of cells that agree."""
    found = list(pairings)
    agreeing = {pairing.pair[0] or pairing.cell for pairing in found if pairing.agrees}
    return PairingShare(sum(pairing.matches for pairing in found), len(found), len(agreeing))


def wrong_pairings(cells: Sequence[JudgedCell]) -> list[Pairing]:
    """Each compared cell, paired with every other method's published value in its place.

    A place is a data set, a score and the values of the parameters.
    """
    found = []
    for ours, others in _places(cells):
        if ours.default and ours.verdict.is_compared:
            found += [_pairing(ours, ours.default, other) for other in others]
    return found


def variant_pairings(cells: Sequence[JudgedCell]) -> list[Pairing]:
    """Each cell of a method with variants, paired with each published value that differs from it.

    A cell without another method in its place is left out, so that right and wrong pairings come
    from the same cells. A pairing matches if the cell agrees under the best variant: the one
    variant under which most cells agree with the values of the other method.
    """
    pairs: dict[tuple[str, str], list[_Outcome]] = {}
    for ours, others in _places(cells):
        if others and ours.others and ours.verdict.is_compared:
            for other in (ours, *others):
                methods = ours.published.method, other.published.method
                default, *rest = (_next_to(other, variant).verdict for variant in ours.variants)
                labels = (variant.label for variant in ours.others)
                agrees = dict(zip(labels, (one.agrees for one in rest), strict=True))
                outcome = _Outcome(ours, _pair(ours, other), default, agrees)
                pairs.setdefault(methods, []).append(outcome)
    found = []
    for (method, wrong), outcomes in pairs.items():
        agreeing = _agreeing(outcomes)
        for one in outcomes:
            if one.verdict is CellVerdict.DIFFERS:
                words, matches = one.cell.description, one.cell in agreeing
                found.append(Pairing(words, wrong, one.pair, matches, is_own=method == wrong))
    return found


class _Outcome(NamedTuple):
    """A cell compared with a published value: default verdict, and whether each variant agrees."""

    cell: JudgedCell
    pair: Pair
    verdict: CellVerdict
    agrees: dict[str, bool]


def _agreeing(outcomes: Sequence[_Outcome]) -> set[JudgedCell]:
    """The cells that differ by default and agree under the best variant.

    The best variant must agree with more cells than the default variant.
    """
    best: set[JudgedCell] = set()
    for variant in dict.fromkeys(chain.from_iterable(one.agrees for one in outcomes)):
        run = [one for one in outcomes if variant in one.agrees]
        differs = [one for one in run if one.verdict is CellVerdict.DIFFERS]
        found = {one.cell for one in differs if one.agrees[variant]}
        if sum(one.agrees[variant] for one in run) > sum(one.verdict.agrees for one in run):
            best = max(best, found, key=len)
    return best


def _places(cells: Iterable[JudgedCell]) -> Iterator[tuple[JudgedCell, list[JudgedCell]]]:
    """Yields each cell with the cells of other methods in its place."""
    judged = {cell.published: cell for cell in cells}
    for published, others in rivals(judged).items():
        yield judged[published], [judged[other] for other in others]


def _pairing(ours: JudgedCell, variant: JudgedVariant, other: JudgedCell) -> Pairing:
    """Our mean under a variant, paired with the published value of another cell."""
    right, wrong = variant.comparison, _next_to(other, variant)
    apart = round(abs(right.published.mean - wrong.comparison.published.mean), DIGITS)
    return Pairing(
        ours.description,
        other.published.method,
        _pair(ours, other),
        matches=wrong.verdict is CellVerdict.REPRODUCED,
        is_far=apart > FAR * min(right.scale, wrong.comparison.scale),
        agrees=ours.verdict.agrees,
    )


def _next_to(other: JudgedCell, variant: JudgedVariant) -> Decision:
    """What the rule says of a variant and the published value of another cell."""
    # with the rivals of the other cell, so that the pairing is judged as that cell would be
    comparison = replace(variant.comparison, published=other.sample)
    return replace(variant.decision, comparison=comparison, rivals=other.rivals)


def _pair(ours: JudgedCell, other: JudgedCell) -> Pair:
    """The experiments of two cells; for a cell without runs, its description."""
    return ours.experiment, other.experiment or other.description


@dataclass(frozen=True)
class PairedCount:
    """The undecided cells of one method and one score, each compared as a difference."""

    method: str
    metric: str
    undecided: int  # one by one
    equal: int  # of these, those whose difference to the reference is the published one
    other: int  # of these, those whose difference is another one


def paired_counts(artefacts: Sequence[Judged], reference: str) -> list[PairedCount]:
    """The undecided cells of each method and score, compared as differences to a reference method.

    A number that two of the artefacts print counts once. Cells without a cell of the reference
    method in the same place do not count.
    """
    repeated = repeated_cells(artefacts)
    found: dict[tuple[str, str], Counter[CellVerdict]] = {}
    for _, cells in artefacts:
        for cell in cells:
            baseline = _in_place(cell, reference, cells)
            if cell.verdict is CellVerdict.UNDECIDED and cell not in repeated and baseline:
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
    pairs = zip(one.scores, other.scores, strict=False)  # both by seed
    apart = np.array([own - theirs for own, theirs in pairs])  # (seeds,)
    ours = Sample(mean(apart), deviation(apart), len(apart))
    printed = Sample(cell.sample.mean - reference.sample.mean, math.nan, cell.sample.runs)
    compared = Comparison(ours, printed, relative=one.comparison.relative)
    return Decision(compared, levels=one.decision.levels)
