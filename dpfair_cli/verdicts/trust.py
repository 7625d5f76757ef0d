"""How far the verdicts on cells can be trusted: false matches, and those of variants.

The false-match rate is how often the rule of the verdicts calls our mean reproduced next to the
value that is published for another method. For variants, two shares are compared: how many cells of
a method that differ agree under its best variant with their own published values, and how many with
the published values of another method. With more variants, both shares are larger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from dpfair_cli.verdicts.cells.comparison import DIGITS, CellVerdict, Decision
from dpfair_cli.verdicts.cells.judging import Experiment, JudgedCell, JudgedVariant, rivals

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
    for ours, others in _with_others(cells):
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
    for ours, others in _with_others(cells):
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


def _with_others(cells: Iterable[JudgedCell]) -> Iterator[tuple[JudgedCell, list[JudgedCell]]]:
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
