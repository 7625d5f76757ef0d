"""How far the verdicts on a table can be trusted: false matches, skill, and joint tests.

The false-match rate is how often the rule of the verdicts calls our mean reproduced next to the
value that is published for another method. For variants, two shares are compared: how many cells of
a method that differ agree under its best variant with their own published values, and how many with
the published values of another method. With more variants, both shares are larger.

A table can have many cells that agree because all methods have nearly the same value. Its *skill*
compares our means with the published values of the right methods and with those of shuffled
methods: 1 if all our means equal the published values, 0 if they are as near as to the values of
methods drawn at random in the same place.

Papers often print means of five runs, and a single cell is then undecided whatever we run. All
cells of a method and a score together can decide, by a *joint test*: if the method is ours, the
published means are means of a few runs like ours. The test draws such means from our runs and
counts how often they are at least as far from our means as the published ones. Runs with one seed
share their data (a graph, a split), so that they are drawn together. A distance is divided by the
standard deviation of our runs, and a drawn one by that of the drawn runs, because ours is itself an
estimate from few runs (the "bootstrap-t" of Efron and Tibshirani 1993, Chapter 12.5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.verdicts.cells.comparison import DIGITS, CellVerdict, Decision
from dpfair_cli.verdicts.cells.judging import Experiment, JudgedCell, JudgedVariant, rivals
from dpfair_cli.verdicts.means import fits

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


CAP = 10  # margins: a larger distance counts as so much, so that one cell does not decide
SHUFFLES = 10_000
DRAWS = 2_000
FEWEST_CELLS = 3  # of a group whose joint test is made
FEWEST_RUNS = 5  # of ours, from which means are drawn
SEED = 0  # of shuffles and draws, so that a page has the same p-values each time
SIGNIFICANT = 0.05  # the largest p-value with which a table counts as told apart
ROUNDING = 1e-9


@dataclass(frozen=True)
class Place:
    """The compared cells of several methods with one data set, score and setting."""

    methods: tuple[str, ...]
    ours: Floats  # our means, (methods,)
    published: Floats  # (methods,)
    margins: Floats  # of equivalence, (methods,)

    @property
    def distances(self) -> Floats:
        """The distance of each of our means to each published one, in margins, at most CAP."""
        apart = np.abs(self.ours[:, None] - self.published[None, :])  # (methods, methods)
        # a margin of 0, of a published 0 that is no rate, makes every distance the largest
        largest = np.full_like(apart, CAP)
        has_margin = self.margins[:, None] > 0
        scaled = np.divide(apart, self.margins[:, None], out=largest, where=has_margin)
        return np.asarray(np.minimum(scaled, CAP))


@dataclass(frozen=True)
class Skill:
    """The skill of a table, and the test whether the table tells its methods apart."""

    value: float  # 1 - A / B: A is the sum of our distances, B its mean over shuffles
    p_value: float  # share of shuffles whose sum of distances is at most ours
    cells: int  # in places with several methods
    near: int  # our means at most a margin from their published values
    near_without_runs: int  # the same if we printed the mean of the other methods' values
    exchange: str = ""  # "A and B", which exchanged are nearer; empty if none are

    @property
    def is_told_apart(self) -> bool:
        """Whether our means are nearer than by chance to the values of the right methods."""
        return self.p_value <= SIGNIFICANT


def skill(cells: Sequence[JudgedCell]) -> Skill | None:
    """The skill of the compared cells of a table; None without a place with several methods.

    The names of the methods are shuffled in each place independently; a baseline without epsilon
    takes part at each epsilon.
    """
    places = _places(cells)
    tables = [place.distances for place in places]
    if not tables:
        return None
    ours = sum(float(np.trace(table)) for table in tables)
    mixed = sum(float(table.mean(axis=1).sum()) for table in tables)
    return Skill(
        value=1 - ours / mixed if mixed else 0.0,
        p_value=_share_as_near(tables, ours),
        cells=sum(map(len, tables)),
        near=sum(int((np.diag(table) <= 1 + ROUNDING).sum()) for table in tables),
        near_without_runs=sum(map(_near_without_runs, places)),
        exchange=_best_exchange(places, ours),
    )


def _places(cells: Iterable[JudgedCell]) -> list[Place]:
    """The places of a table that have several methods.

    A setting is one that no other setting of the same data set and score refines. A method with
    several cells that fit a setting, which differ in parameters that the setting does not name, is
    left out of this place, so that each method occurs once.
    """
    groups: dict[tuple[str, str], list[JudgedCell]] = {}
    for cell in cells:
        if cell.default and cell.verdict.is_compared:
            groups.setdefault((cell.published.dataset, cell.published.metric), []).append(cell)
    places = []
    for group in groups.values():
        for setting in finest_settings(
            frozenset(cell.published.parameters.items()) for cell in group
        ):
            here = [cell for cell in group if fits(dict(setting), cell.published.parameters)]
            named = Counter(cell.published.method for cell in here)
            # a method twice in a place would be compared with itself
            own = [cell for cell in here if named[cell.published.method] == 1]
            if len(own) > 1:
                places.append(_place(own))
    return places


def finest_settings(
    settings: Iterable[frozenset[tuple[str, object]]],
) -> list[frozenset[tuple[str, object]]]:
    """The settings that no other setting refines, in an order that does not depend on hashes."""
    known = set(settings)
    refined = {one for one, other in permutations(known, 2) if one < other}
    return sorted(known - refined, key=lambda one: sorted(map(repr, one)))


def _place(cells: Sequence[JudgedCell]) -> Place:
    compared = [cell.variants[0].comparison for cell in cells]
    return Place(
        tuple(cell.published.method for cell in cells),
        np.array([one.ours.mean for one in compared]),
        np.array([one.published.mean for one in compared]),
        np.array([one.margin for one in compared]),
    )


def _share_as_near(tables: Sequence[Floats], ours: float) -> float:
    """The share of SHUFFLES, and of the right order, whose distances add up to at most `ours`."""
    rng = np.random.default_rng(SEED)
    sums = np.zeros(SHUFFLES)
    for table in tables:
        # rows are permuted independently of each other: one shuffle each, (SHUFFLES, methods)
        order = rng.permuted(np.tile(np.arange(len(table)), (SHUFFLES, 1)), axis=1)
        sums += table[np.arange(len(table)), order].sum(axis=1)
    as_near = int(np.count_nonzero(sums <= ours + ROUNDING))
    # the right order counts as a shuffle, so that no p-value is 0
    return (as_near + 1) / (SHUFFLES + 1)


def _near_without_runs(place: Place) -> int:
    """The number of published values near the mean of the other methods' values in a place."""
    # leave-one-out means, (methods,)
    others = (place.published.sum() - place.published) / (len(place.methods) - 1)
    return int((np.abs(others - place.published) <= place.margins + ROUNDING).sum())


def _best_exchange(places: Sequence[Place], ours: float) -> str:
    """The two methods whose exchange in all places reduces the sum of distances `ours` most."""
    sums: dict[str, float] = {}
    for place in places:
        table, at = place.distances, {method: k for k, method in enumerate(place.methods)}
        # sorted, so that a pair has one name in all places
        for one, other in combinations(sorted(at), 2):
            i, j = at[one], at[other]
            gain = table[i, i] + table[j, j] - table[i, j] - table[j, i]
            name = f"{one} and {other}"
            sums[name] = sums.get(name, 0.0) + float(gain)
    best = max(sums, key=lambda name: sums[name], default="")
    return best if best and sums[best] > ROUNDING * max(ours, 1.0) else ""


@dataclass(frozen=True)
class JointTest:
    """The test of all compared cells of one method and one score."""

    method: str
    metric: str
    cells: int
    undecided: int  # one by one
    p_value: float  # share of draws that are at least as far from ours as the published means


@dataclass(frozen=True)
class _Column:
    """A cell with its runs: the scores by position, and the place that names the shared draw."""

    published: float
    runs: int
    scores: Floats
    place: tuple[object, ...]


def joint_tests(cells: Sequence[JudgedCell]) -> list[JointTest]:
    """The joint test of each method and score that has several cells in an artefact.

    Groups are tested whether or not their cells are decided one by one: a selection by the verdicts
    would make small p-values more frequent than they should be.
    """
    groups: dict[tuple[str, str], list[JudgedCell]] = {}
    for cell in cells:
        if cell.default and cell.verdict.is_compared and cell.default.ours.runs >= FEWEST_RUNS:
            groups.setdefault((cell.published.method, cell.published.metric), []).append(cell)
    found = []
    for (method, metric), own in groups.items():
        undecided = sum(cell.verdict is CellVerdict.UNDECIDED for cell in own)
        columns = list(map(_column, own))
        # without deviation there is no unit in which a distance could be measured
        varying = [column for column in columns if np.ptp(column.scores) > 0]
        if len(own) >= FEWEST_CELLS and varying:
            p_value = _p_value(varying)
            found.append(JointTest(method, metric, len(own), undecided, p_value))
    return found


def _column(cell: JudgedCell) -> _Column:
    # runs with one seed share their data at every epsilon
    named = {name: value for name, value in cell.published.parameters.items() if name != "epsilon"}
    place = (cell.published.dataset, *sorted(named.items()))
    scores = np.array([*cell.variants[0].scores.values()])  # (seeds,)
    return _Column(cell.sample.mean, cell.sample.runs, scores, place)


def _p_value(columns: Sequence[_Column]) -> float:
    """The share of draws, and of the published means, that are at least as far from our means."""
    rng = np.random.default_rng(SEED)
    observed, drawn = 0.0, np.zeros(DRAWS)
    shared: dict[tuple[object, ...], tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
    for column in columns:
        n = len(column.scores)
        key = (*column.place, n, column.runs)
        # columns of one place take the same positions, because a position is a seed
        if key not in shared:
            theirs = rng.integers(n, size=(DRAWS, column.runs))
            shared[key] = theirs, rng.integers(n, size=(DRAWS, n))
        theirs, ours = shared[key]
        deviation = column.scores.std(ddof=1)
        observed += ((column.published - column.scores.mean()) / deviation) ** 2
        runs = column.scores[ours]  # (DRAWS, n)
        apart = column.scores[theirs].mean(axis=1) - runs.mean(axis=1)
        deviations = runs.std(axis=1, ddof=1)
        largest = np.full(DRAWS, np.inf)  # of equal runs, which have no deviation
        drawn += np.divide(apart, deviations, out=largest, where=deviations > 0) ** 2
    # >=, because equal distances are no evidence against the method
    as_far = int(np.count_nonzero(drawn >= observed))
    # the published means count as a draw, so that no p-value is 0
    return (as_far + 1) / (DRAWS + 1)
