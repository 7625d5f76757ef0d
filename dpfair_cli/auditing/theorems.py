"""Evidence for theorems of the papers about sensitivities and noise, computed by brute force.

Each computation tries all small cases of a theorem and compares the largest value that it finds
with the bound of the theorem. A larger value is a counterexample. Otherwise the theorem holds if
there is a proof. The theorems about the privacy of a whole method are decided by the audit instead
(survey_rows.py). Nothing here uses the code of a method, so that a mistake is not repeated. The
skipped steps and the price of the noisy counts are no theorems but numbers of the text that follow
from others; both are exact, and need no proof. Formulas of xu2021 are in stated_formulas.py.

**ding2020, Theorem 2: the extended calibration is private for every epsilon.** Let L be the
logarithm of sqrt(2 / pi) / delta, which must not be negative. The stated sigma is the sensitivity
divided by m = sqrt(2) (sqrt(L + epsilon) - sqrt(L)). The privacy loss is normal with mean m^2 / 2
and variance m^2, and exceeds epsilon if a standard normal variable exceeds epsilon / m - m / 2,
which is sqrt(2 L). The probability is at most exp(-L) / 2 = 0.63 delta.

**ding2020, Theorem 3: epsilon_s / d + epsilon_n (d - 1) / d is the privacy loss of PDFC at most.**
A record changes each linear coefficient by at most 1, the fairness term of each coordinate by at
most 2 and each entry of the quadratic term by at most 1/8 (objective.py). The coefficients with w_s
change by at most 3 + (2 d - 1) / 8, which is at most Delta / d, for Delta = d^2 / 4 + 3 d. The
other coefficients change by at most (d - 1)(3 + (d - 1) / 8), at most Delta (d - 1) / d. Divided by
Delta and multiplied by epsilon_s and epsilon_n, the sum is the stated epsilon.

**xu2021, Lemma 1: |M' - M| <= sqrt(2) in the Frobenius norm, for M = (P + P^2) / 2.** The proof of
the dissertation takes the empty graph as the worst case. Here is a proof for all graphs, in the
notation of mechanisms/sensitivity/walks.py. The rows of M are distributions, or 0 for a node
without an edge. A difference of two distributions with L1 norm l has a squared L2 norm of at most
l^2 / 2. First case, p, q >= 2: row r changes by at most 2 / p in L1, and the row of each of its p -
1 other neighbours i by at most 1 / (d_i p), which is 1 / p; the rows around s likewise. For the row
of a common neighbour, (a + b)^2 <= 2 a^2 + 2 b^2 with d_i >= 2 gives no more than the two parts
together. The squares add up to at most 2 / p^2 + (p - 1) / (2 p^2) and the same in q, which is 5/4
at p = q = 2 and less otherwise. Second case, s has no edge before: row s becomes a distribution, of
squared norm at most 1. The other rows change by at most 1 together in L1, hence by at most 1/2 in
squares. Third case: four entries of 1/2, hence 1. Each sum is below 2.

**xu2021, Corollary 2: the score of the number of removed edges has sensitivity 1.** Let e = d - 1/2
for a positive and e = d + 1/2 for a negative distance d of Equation 4.1. Then e changes by at most
1 between neighbours, and so does each of the sorted values (verdict_distance.py). Equations 4.2 and
4.3 are min(e_t, -e_(t+1)) - 1/2 in each of their cases, where the term that does not exist at t = 0
and at the last t is left out. A minimum changes by at most the largest change of its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations, pairwise, product
from math import ceil, sqrt
from typing import Any

import numpy as np
from scipy.special import chdtri, xlogy

from dpfair_cli.auditing import stated_formulas as formulas
from dpfair_cli.auditing.computation import Computation, Excess, worst
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.guarantees import TheoremEvidence
from dpfair_cli.mechanisms.accounting.renyi import INTEGER_ORDERS, renyi_divergences
from dpfair_cli.mechanisms.gaussian import extended_sigma, gaussian_delta

HERE, FORMULAS = "auditing/theorems.py", "auditing/stated_formulas.py"
OBJECTIVE = "mechanisms/sensitivity/objective.py"
DIMENSIONS = (1, 2, 3)  # features of the records that are tried
EPSILONS = np.logspace(-3, 2, 51)
DELTAS = np.logspace(-9, -1, 9)
SIGNIFICANCE = 0.01  # tau of xu2021, Section 4.6
RECORDS = 6  # records of the tables that are tried

Table = tuple[int, ...]  # counts of a contingency table


# the functional mechanism: ding2020, Lemmas 1 to 4 and Theorems 3 and 5; xu2021, Section 8.3
def _points(d: int) -> Floats:
    """All corners of [0, 1]^d, (2^d, d)."""
    return np.array(list(product((0.0, 1.0), repeat=d)))


def _coefficients(points: Floats, labels: Floats) -> Floats:
    """The coefficients of the truncated logistic loss of each record, (records, monomials)."""
    pairs = list(combinations(range(points.shape[1]), 2))
    products = [points[:, [i]] * points[:, [j]] / 4 for i, j in pairs]
    return np.hstack([(1 / 2 - labels[:, None]) * points, points**2 / 8, *products])


def _changes(points: Floats, *, fair: bool) -> Floats:
    """The changes of the coefficients between neighbours that replace one record, (pairs, k).

    The records have the given features, with each label and group. With `fair`, the term
    |s_i - mean s| x_i, or (s_i - mean s) x_i, is added to the linear coefficients (xu2021,
    Algorithm 5 and Section 8.3.2); all records but the replaced one are then equal.
    """
    records = product(points, (0.0, 1.0), (0.0, 1.0))
    features, labels, groups = map(np.array, zip(*records, strict=True))
    own = _coefficients(features, labels)  # (records, k)
    sums = [own]
    if fair:
        sums = []
        for others, size in product((1, 49), (np.abs, np.positive)):
            mean = (groups[:, None] + others * groups) / (1 + others)  # (record, other records)
            terms = size(groups[:, None] - mean)[..., None] * features[:, None]
            terms = terms + others * size(groups - mean)[..., None] * features
            both = np.repeat(own[:, None], len(own), axis=1)
            both[..., : points.shape[1]] += terms
            sums.append(both)
    return np.concatenate([(one[:, None] - one[None]).reshape(-1, own.shape[1]) for one in sums])


def _sensitivity(order: int, bound: Callable[[int], float], *, fair: bool) -> Excess:
    """The largest norm of a change of the coefficients divided by a bound, over all dimensions."""
    ratios = {}
    for d in DIMENSIONS:
        changes = _changes(_points(d), fair=fair)
        ratios[f"d = {d}"] = np.linalg.norm(changes, ord=order, axis=1).max() / bound(d)
    return worst(ratios)


def _is_own(d: int) -> Floats:
    """Whether each monomial contains the first weight, as 0 or 1, (monomials,)."""
    pairs = [1.0 if i == 0 else 0.0 for i, _ in combinations(range(d), 2)]
    first = [1.0] + [0.0] * (d - 1)
    return np.array([*first, *first, *pairs])


def _laplace_split() -> Excess:
    """The largest privacy loss of Algorithm 1 divided by the epsilon of Theorem 3."""
    ratios = {}
    for d, share in product(DIMENSIONS[1:], (0.0, 0.01, 0.1, 1.0, 10.0, 100.0)):
        # (monomials,), (pairs, monomials)
        own, changes = _is_own(d), np.abs(_changes(_points(d), fair=True))
        per_coefficient = np.where(own, share, 1.0) / (d**2 / 4 + 3 * d)
        loss = (changes @ per_coefficient).max()
        ratios[f"d = {d}, epsilon_s = {share:g} epsilon_n"] = loss / (share / d + (d - 1) / d)
    return worst(ratios)


def _gaussian_split(d: int) -> Excess:
    """The largest delta of Algorithm 3 divided by the delta of Theorem 5, for d features.

    The records lie in the unit ball, as the paper assumes, and epsilon_s is at most epsilon_n.
    """
    ratios = {}
    corners = np.vstack([np.zeros(d), np.eye(d), np.full(d, d**-0.5)])
    changes = _changes(corners, fair=True)
    shares, epsilons = (0.001, 0.01, 0.1, 1.0), (0.1, 1.0, 10.0, 100.0)
    for share, epsilon_n, step_delta in product(shares, epsilons, (1e-3, 1e-5, 1e-7)):
        budgets = [share * epsilon_n, epsilon_n]
        sigmas = [extended_sigma(sqrt(d**2 / 16 + 9 * d), one, step_delta) for one in budgets]
        scale = np.where(_is_own(d), *sigmas)
        shift = float(np.linalg.norm(changes / scale, axis=1).max())
        epsilon = share * epsilon_n / d + epsilon_n * (d - 1) / d
        words = f"d = {d}, epsilon_n = {epsilon_n:g}, epsilon_s = {share:g} epsilon_n"
        delta = 1 - (1 - step_delta) ** 2
        ratios[f"{words}, delta_s = delta_n = {step_delta:g}"] = (
            gaussian_delta(epsilon, 1 / shift) / delta
        )
    return worst(ratios)


def _gaussian_split_in_each_reading() -> Excess:
    """As `_gaussian_split`, for neighbours whose change no reading of the fairness term moves.

    One record has x_s = 1 and other attributes 0, and changes label and group; all other records
    have the attributes 0 and the group 0. Then the linear coefficient of x_s changes by 2, and
    nothing else: (1/2 - y) x by 1, and (z - mean z) x as well as |z - mean z| x by 1.
    """
    change, epsilon_s, epsilon_n, step_delta = 2.0, 10.0, 0.01, 1e-7
    ratios = {}
    for d in (2, 5, 13, 40):
        sigma = extended_sigma(sqrt(d**2 / 16 + 9 * d), epsilon_s, step_delta)
        epsilon = epsilon_s / d + epsilon_n * (d - 1) / d
        words = f"d = {d}, epsilon_s = {epsilon_s:g}, epsilon_n = {epsilon_n:g}"
        ratios[f"{words}, delta_s = delta_n = {step_delta:g}"] = gaussian_delta(
            epsilon, sigma / change
        ) / (1 - (1 - step_delta) ** 2)
    return worst(ratios)


# the Gaussian mechanism: ding2020, Theorem 2; mangold2023, output perturbation
def _calibration(sigma: Callable[[float, float], float]) -> Excess:
    """The largest exact delta of a calibration divided by the stated delta.

    `sigma(epsilon, delta)` is the calibrated standard deviation for the sensitivity 1.
    """
    ratios = {}
    for epsilon, delta in product(map(float, EPSILONS), map(float, DELTAS)):
        case = f"epsilon {epsilon:.3g} and delta {delta:.3g}"
        ratios[case] = gaussian_delta(epsilon, sigma(epsilon, delta)) / delta
    return worst(ratios)


def _classical(epsilon: float, delta: float) -> float:
    return sqrt(2 * np.log(1.25 / delta)) / epsilon


# random walks: xu2021, Lemma 1
def _walks(adjacency: Floats) -> Floats:
    """The matrix M = (P + P^2) / 2 of a graph, (nodes, nodes)."""
    degrees = adjacency.sum(axis=1, keepdims=True)
    steps = np.divide(adjacency, degrees, out=np.zeros_like(adjacency), where=degrees > 0)
    return np.asarray((steps + steps @ steps) / 2)


def _frobenius() -> Excess:
    """The largest change of M in the Frobenius norm divided by sqrt(2)."""
    ratios = {}
    for nodes in (2, 3, 4, 5):
        edges = list(combinations(range(nodes), 2))
        known = {}
        for chosen in product((0, 1), repeat=len(edges)):
            adjacency = np.zeros((nodes, nodes))
            adjacency[tuple(np.transpose(edges))] = chosen  # above the diagonal
            known[chosen] = _walks(adjacency + adjacency.T)
        changes = [
            np.linalg.norm(known[(*chosen[:k], 1, *chosen[k + 1 :])] - known[chosen])
            for chosen, k in product(known, range(len(edges)))
        ]
        ratios[f"{nodes} nodes"] = max(changes) / sqrt(2)
    return worst(ratios)


# distance scores: xu2021, Corollaries 1 and 2
@cache
def _tables(cells: int) -> list[Table]:
    """All tables with `cells` counts of RECORDS records."""
    bars = combinations(range(RECORDS + cells - 1), cells - 1)
    ends = np.array([(-1, *one, RECORDS + cells - 1) for one in bars])
    return list(map(tuple, (np.diff(ends) - 1).tolist()))


def _replaced(table: Table) -> Iterator[Table]:
    """Yields each table that differs from `table` in one replaced record."""
    for source, target in product(range(len(table)), repeat=2):
        if source != target and table[source]:
            counts = list(table)
            counts[source], counts[target] = counts[source] - 1, counts[target] + 1
            yield tuple(counts)


def _largest_change(scores: Mapping[Table, Any]) -> float:
    """The largest change of a score, or of one of several, if a record is replaced."""
    changes = []
    for table, own in scores.items():
        changes += [np.abs(np.subtract(own, scores[other])).max() for other in _replaced(table)]
    return float(max(changes))


@cache
def _distances() -> dict[Table, int]:
    """The distance d of Equation 4.1 for each 2 x 2 table, positive below the threshold."""
    critical = float(chdtri(1, SIGNIFICANCE))  # one degree of freedom in a 2 x 2 table
    dependent = {table: _g_squared(table) >= critical for table in _tables(4)}
    found = {}
    for table, is_dependent in dependent.items():
        others = np.array([other for other, word in dependent.items() if word != is_dependent])
        # a replaced record changes two counts by 1
        apart = int(np.abs(others - table).sum(axis=1).min()) // 2
        found[table] = apart if is_dependent else -apart
    return found


def _g_squared(table: Table) -> float:
    """The statistic G^2 of a 2 x 2 table, given as (n00, n01, n10, n11)."""
    observed = np.array(table, dtype=float).reshape(2, 2)
    expected = observed.sum(axis=1, keepdims=True) * observed.sum(axis=0) / RECORDS
    return float(2 * (xlogy(observed, observed) - xlogy(observed, expected)).sum())


def _node_score() -> Excess:
    """The largest change of the distance of Equation 4.1; the bound is 1."""
    return _largest_change(_distances()), f"two binary variables and {RECORDS} records"


def _number_scores(distances: list[int]) -> list[int]:
    """The scores of Equations 4.2 and 4.3 for each number of removed edges."""
    d = sorted(distances, reverse=True)  # below the threshold means positive
    scores = [-d[0] if d[0] > 0 else -d[0] - 1]
    for one, following in pairwise(d):
        if one > 0 > following:
            scores.append(min(one, -following) - 1)
        else:
            scores.append(-following if one > 0 else one)
    return [*scores, d[-1] - 1 if d[-1] > 0 else d[-1]]


def _number_score() -> Excess:
    """The largest change of the scores of the number of removed edges; the bound is 1."""
    known = _distances()
    scores = {}
    for table in _tables(8):  # counts of three binary variables V, A and B
        counts = np.array(table).reshape(2, 2, 2)
        pairs = (counts.sum(axis=2), counts.sum(axis=1))  # V with A, and V with B
        scores[table] = _number_scores([known[tuple(pair.ravel().tolist())] for pair in pairs])
    return _largest_change(scores), f"a node with two neighbours and {RECORDS} records"


# covariance: xu2021, Theorem 6
def _covariance() -> Excess:
    """The largest change of a covariance matrix divided by p (p + 1) / (2 (n - 1)).

    One record of n = 100 standard normal records is replaced by a record that lies five standard
    deviations from the mean in each of the p variables, as normal records may.
    """
    rng, n = np.random.default_rng(0), 100
    ratios = {}
    for p in (2, 5, 10):
        records = rng.standard_normal((n, p))
        # the order of records does not matter
        moved = np.vstack([records[1:], np.full((1, p), 5.0)])
        change = np.abs(np.cov(records.T) - np.cov(moved.T))
        words = f"p = {p}, n = {n} and a record of five standard deviations"
        ratios[words] = change[np.tril_indices(p)].sum() * 2 * (n - 1) / (p * (p + 1))
    return worst(ratios)


# accounting: xu2021, Section 9.5.1.3
@dataclass(frozen=True)
class _Training:
    """A setting of xu2021, chapter 9, with the number of steps that the text says are skipped."""

    name: str
    records: int
    epochs: int
    sigma: float
    skipped: int

    @property
    def steps(self) -> int:
        return ceil(self.epochs * self.records / BATCH)


TRAININGS = (
    _Training("balanced MNIST", 60000, 60, 0.8, 22),
    _Training("unbalanced MNIST", 54649, 60, 0.8, 19),
    _Training("balanced Adult", 22400, 20, 1.0, 5),
    _Training("Adult", 36177, 20, 1.0, 11),
    _Training("Dutch", 48336, 20, 1.0, 17),
    _Training("unbalanced Dutch", 32000, 20, 1.0, 9),
)
BATCH, TRAINING_DELTA = 256, 1e-6  # of all settings
COUNTS_SCALE = 10  # sigma_1 / sigma_2
ADDED_BY_COUNTS = 0.015  # the stated privacy loss of the noisy counts


def _budgets(training: _Training) -> tuple[Floats, Floats, Floats]:
    """The moments of a step with and without noisy counts, and the price of delta, by order."""
    rate, orders = BATCH / training.records, np.array(INTEGER_ORDERS)
    gradients = renyi_divergences(training.sigma, rate, INTEGER_ORDERS)
    counts = renyi_divergences(COUNTS_SCALE * training.sigma, rate, INTEGER_ORDERS)
    return gradients, gradients + counts, -np.log(TRAINING_DELTA) / (orders - 1)


def _skipped_steps() -> Excess:
    """The largest ratio of the steps that must be skipped and the stated number, in either way."""
    ratios = {}
    for training in TRAININGS:
        alone, both, price = _budgets(training)
        epsilon = (training.steps * alone + price).min()
        skipped = training.steps - int(((epsilon - price) / both).max())
        ratio = max(skipped / training.skipped, training.skipped / skipped)
        ratios[f"{training.name}: {skipped} steps, stated {training.skipped}"] = ratio
    return worst(ratios)


def _price_of_counts() -> Excess:
    """The largest privacy loss that the noisy counts add, divided by the stated one."""
    ratios = {}
    for training in TRAININGS:
        alone, both, price = _budgets(training)
        extra = (training.steps * both + price).min() - (training.steps * alone + price).min()
        ratios[f"{training.name}: {extra:.4f}"] = extra / ADDED_BY_COUNTS
    return worst(ratios)


CORNERS = "all pairs of neighbours at corners of the cube, with up to three features"
GRID = "the exact delta for epsilon from 0.001 to 100 and delta from 1e-9 to 0.1"
TABLES = "all tables and all neighbours"
MOMENTS = "moments at integer orders"
GRAPHS = "all graphs without cycles, and right tests"
SIZES = "the numbers of features of Table 8.1"
BATCHES = "batches of two and three numbers"
OF_PFLR = "times the variance of PFLR"
COMPUTATIONS = {
    "L1 sensitivity of the objective": Computation(
        lambda: _sensitivity(1, lambda d: d**2 / 4 + d, fair=False), CORNERS, OBJECTIVE
    ),
    "L1 sensitivity of the fair objective": Computation(
        lambda: _sensitivity(1, lambda d: d**2 / 4 + 3 * d, fair=True), CORNERS, OBJECTIVE
    ),
    "L2 sensitivity of the objective": Computation(
        lambda: _sensitivity(2, lambda d: sqrt(d**2 / 16 + d), fair=False), CORNERS, OBJECTIVE
    ),
    "L2 sensitivity of the fair objective": Computation(
        lambda: _sensitivity(2, lambda d: sqrt(d**2 / 16 + 9 * d), fair=True), CORNERS, OBJECTIVE
    ),
    "Laplace noise of two sizes": Computation(_laplace_split, CORNERS, HERE),
    "Gaussian noise of two sizes": Computation(
        partial(_gaussian_split, 2), "neighbours in the unit ball with two features"
    ),
    "Gaussian noise of two sizes, one coefficient": Computation(
        _gaussian_split_in_each_reading, "one pair of neighbours in 2 to 40 features"
    ),
    "extended calibration of Gaussian noise": Computation(
        partial(_calibration, partial(extended_sigma, 1.0)), GRID, HERE
    ),
    "classical calibration of Gaussian noise": Computation(partial(_calibration, _classical), GRID),
    "Frobenius norm of the walk matrix": Computation(
        _frobenius, "all graphs of up to five nodes", HERE
    ),
    "score of a node": Computation(_node_score, TABLES),
    "score of the number of nodes": Computation(_number_score, TABLES, HERE),
    "sensitivity of a covariance": Computation(_covariance, "normal records"),
    "skipped steps": Computation(_skipped_steps, MOMENTS, HERE),
    "price of the noisy counts": Computation(_price_of_counts, MOMENTS, HERE),
    "skeleton by selection": Computation(formulas.skeletons, GRAPHS, FORMULAS),
    "sum of the tests of PC": Computation(
        formulas.sum_of_tests, "the numbers of nodes of Table 4.4", FORMULAS
    ),
    "largest number of tests of PC": Computation(formulas.tests_of_a_chain, "a chain of nodes"),
    "rounds of selection": Computation(formulas.rounds, GRAPHS, FORMULAS),
    "variance of a coefficient of PFLR*": Computation(formulas.variance_of_a_coefficient, SIZES),
    "noise of PFLR* at the threshold": Computation(
        formulas.noise_at_the_threshold, SIZES, measure=OF_PFLR
    ),
    "noise of PFLR* at one half": Computation(formulas.noise_at_one_half, SIZES, measure=OF_PFLR),
    "percentages of PrivLR": Computation(
        formulas.percentages, "the cells of Table 8.1, subtracted", FORMULAS
    ),
    "error of a clipped mean": Computation(formulas.error_above, BATCHES, FORMULAS),
    "lower bound of the error": Computation(partial(formulas.error_below, signed=True), BATCHES),
    "lower bound of the error, one sign": Computation(
        partial(formulas.error_below, signed=False), f"{BATCHES} of one sign", FORMULAS
    ),
    "best clipping bound": Computation(
        formulas.best_clipping_bound, BATCHES, FORMULAS, "times the smallest bound"
    ),
    "privacy loss of a group": Computation(
        formulas.loss_of_a_group, "pairs of clipping bounds", FORMULAS
    ),
}


@cache
def computed(name: str) -> TheoremEvidence:
    """The evidence of one of COMPUTATIONS, computed once."""
    return COMPUTATIONS[name].evidence()
