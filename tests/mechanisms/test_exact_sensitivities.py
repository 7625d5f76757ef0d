"""Every small input, in exact rational numbers, against the sensitivities that are proved in prose.

Records have coordinates on a grid of [0, 1] or [-1, 1]; n and d are at most 4. "Reached" means that
a pair of neighbours on the grid attains the proved bound exactly.
"""

from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import erf, inf

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity import (
    counts,
    dependence,
    group_counts,
    group_histogram,
    kendall_statistic,
    moments,
    objective,
    rates,
    record_rates,
    second_moment,
)

SLACK = Fraction(1, 10**12)  # of a bound that is a double


def at_most(move, bound):
    """Whether an exact change is at most a sensitivity, which is a double."""
    return move <= Fraction(bound) * (1 + SLACK)


def equal(move, bound):
    return abs(move - Fraction(bound)) <= SLACK * Fraction(bound)


def tables(cells, n):
    """All contingency tables of n records in so many cells."""
    for chosen in combinations_with_replacement(range(cells), n):
        yield tuple(chosen.count(cell) for cell in range(cells))


def replaced(table):
    """All tables with one record in another cell."""
    for away, into in product(range(len(table)), repeat=2):
        if table[away] and away != into:
            moved = list(table)
            moved[away] -= 1
            moved[into] += 1
            yield tuple(moved)


def l1(one, other):
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_counts_shares_and_histograms_move_by_their_sensitivity(n):
    moves = {l1(table, other) for table in tables(4, n) for other in replaced(table)}
    assert moves == {counts.L1_REPLACED}
    assert equal(Fraction(2, n), counts.l1_shares(n))
    assert equal(Fraction(2, n), group_histogram.l1_group_histogram(n))


@pytest.mark.parametrize(("groups", "n"), [(2, 4), (3, 4)])
def test_counts_with_public_totals_move_by_their_sensitivity(groups, n):
    """A record changes its group and keeps its cell, of two; of two groups one is released."""
    largest = 0
    for table in tables(2 * groups, n):
        for away, into in product(range(groups), repeat=2):
            for cell in range(2):
                if table[2 * away + cell] and away != into:
                    moved = list(table)
                    moved[2 * away + cell] -= 1
                    moved[2 * into + cell] += 1
                    released = slice(2) if groups == 2 else slice(None)
                    largest = max(largest, l1(table[released], moved[released]))
    assert largest == group_counts.l1_counts_with_totals(groups)


def gaps(ones, sizes, labels):
    """The differences of rates from group 0, of labels below `labels`; cells are (group, label)."""
    rate = [Fraction(one, size) for one, size in zip(ones, sizes, strict=True)]
    return [
        rate[2 * group + label] - rate[label]
        for group in range(1, len(sizes) // 2)
        for label in range(labels)
    ]


@pytest.mark.parametrize(("groups", "labels"), [(2, 1), (2, 2), (3, 1), (3, 2)])
def test_gaps_of_rates_move_by_their_sensitivities(groups, labels):
    """A record of decision 1 leaves one cell and enters another one; public sizes divide."""
    cells = 2 * groups
    for sizes in product((1, 2, 3), repeat=cells):
        public = np.array(sizes, dtype=float).reshape(groups, 2)
        before = [1] * cells
        of_group = of_record = Fraction(0)
        for away, into in product(range(cells), repeat=2):
            after = list(before)
            after[away] -= 1
            after[into] += 1
            move = l1(gaps(before, sizes, labels), gaps(after, sizes, labels))
            of_record = max(of_record, move)
            if away % 2 == into % 2:  # the label stays
                of_group = max(of_group, move)
        assert equal(of_group, rates.l1_rate_gaps(public, labels))
        assert equal(of_record, record_rates.l1_record_gaps(public, labels))


def test_costs_move_by_their_sensitivities():
    """All costs of two groups and labels from a grid, and records with two features."""
    values = (Fraction(-1), Fraction(0), Fraction(1, 2))
    features = list(product((Fraction(0), Fraction(1, 2), Fraction(1)), repeat=2))
    for cost in product(values, repeat=4):  # of (group, label)
        floats = np.array(cost, dtype=float).reshape(2, 2)
        moves = [abs(cost[2 + label] - cost[label]) * max(map(sum, features)) for label in (0, 1)]
        assert equal(max(moves), rates.l1_cost_sum(floats, np.array([2.0, 2.0])))
        totals = [abs(cost[2 + label]) + abs(cost[label]) for label in (0, 1)]
        assert equal(max(totals), rates.l1_cost_totals(floats))
        # a rule decides 0 or 1 for each of two records, of any group and label
        paid = [Fraction(0), Fraction(1)] + [
            1 - label + cost[2 * g + label] for g in (0, 1) for label in (0, 1)
        ]
        assert equal(max(paid) - min(paid), record_rates.rule_cost(floats))
    assert equal(2 * max(map(sum, features)), rates.l1_feature_sums(np.array([2.0, 1.0])))


def triangle(y):
    return [y[i] * y[j] for i in range(len(y)) for j in range(i + 1)]


@pytest.mark.parametrize("p", [1, 2, 3])
def test_moments_move_by_their_sensitivity(p):
    """Values in [-1, 1], with the one at which the proof is attained."""
    grid = (Fraction(-1), Fraction(-1, p + 1), Fraction(0), Fraction(1, 2), Fraction(1))
    records = [(y, [*y, *triangle(y)]) for y in product(grid, repeat=p)]
    largest = max(l1(one, other) for _, one in records for _, other in records)
    assert equal(largest / 4, moments.l1_moments(p, 4))
    # the published formula, for second moments with n in place of n - 1
    second = max(l1(one[p:], other[p:]) for _, one in records for _, other in records)
    assert equal(second / 4, moments.l1_covariance_published(p, 5))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_second_moment_moves_by_its_sensitivity(d):
    """A number, an indicator of one of two levels for each further attribute."""
    choices = [
        [(Fraction(0),), (Fraction(1, 3),), (Fraction(1),)],
        *[[(Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]]
        * (d - 1),
    ]
    squares = [
        sum(value**2 for value in triangle([one for part in parts for one in part]))
        for parts in product(*choices)
    ]
    assert equal(max(squares), second_moment.l2_second_moment(d) ** 2)


@pytest.mark.parametrize(("levels", "n"), [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (3, 4)])
def test_dependence_moves_by_at_most_its_sensitivity(levels, n):
    def distance(table):
        rows = [sum(table[levels * i : levels * (i + 1)]) for i in range(levels)]
        columns = [sum(table[i::levels]) for i in range(levels)]
        return sum(
            abs(table[levels * i + j] - Fraction(rows[i] * columns[j], n))
            for i, j in product(range(levels), repeat=2)
        )

    known = {table: distance(table) for table in tables(levels**2, n)}
    largest = max(abs(known[one] - known[other]) for one in known for other in replaced(one))
    assert at_most(largest, dependence.L1_DEPENDENCE)
    if levels == 2:
        assert largest <= 4 * (1 - Fraction(1, n))


def coefficients(record):
    *x, y = record
    return [(Fraction(1, 2) - y) * one for one in x], [Fraction(a * b, 8) for a in x for b in x]


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_truncated_loss_moves_by_at_most_its_sensitivities(d):
    """Features on a grid of [0, 1], or its corners where the grid is too large, and both labels."""
    grid = (Fraction(0), Fraction(1, 2), Fraction(1)) if d < 4 else (Fraction(0), Fraction(1))
    records = [coefficients((*x, y)) for x in product(grid, repeat=d) for y in (0, 1)]
    scales = [Fraction(scale) for scale in objective.l1_degrees(d)]
    first = second = joint = Fraction(0)
    for (one, pairs), (other, others) in product(records, repeat=2):
        linear, quadratic = l1(one, other), l1(pairs, others)
        first = max(first, linear + quadratic)
        second = max(
            second,
            sum((a - b) ** 2 for a, b in zip([*one, *pairs], [*other, *others], strict=True)),
        )
        joint = max(joint, linear / scales[0] + quadratic / scales[1])
    tight = {"sensitivity": "tight", "bound": "box"}
    assert equal(first, objective.l1_objective(d, **tight))
    assert at_most(first, objective.l1_objective(d, sensitivity="published", bound="box"))
    assert at_most(second, objective.l2_objective(d, **tight, layout="entries") ** 2)
    assert at_most(joint, objective.DEGREES_LOSS)
    if d % 2 == 0:
        assert joint == Fraction(9, 8)


@pytest.mark.parametrize(("n", "d"), [(2, 1), (3, 1), (2, 2), (3, 2)])
def test_a_fairness_term_moves_by_at_most_its_sensitivity(n, d):
    """g = sum (s_i - s_bar) x_i, for all data of n records with features in {0, 1}."""

    def g(records):
        mean = Fraction(sum(s for *_, s in records), n)
        return [sum((s - mean) * x[j] for *x, s in records) for j in range(d)]

    kinds = list(product((0, 1), repeat=d + 1))
    largest = Fraction(0)
    for others in combinations_with_replacement(kinds, n - 1):
        for one, other in product(kinds, repeat=2):
            move = [abs(a - b) for a, b in zip(g((*others, one)), g((*others, other)), strict=True)]
            largest = max(largest, *move)
            published = objective.l1_covariance(
                d, sensitivity="published", bound="box", fairness="shift"
            )
            assert at_most(sum(move), published)
    assert largest <= 1  # of a coordinate, from which the tight bounds follow


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("strata", [1, 2])
def test_kendalls_statistic_moves_by_at_most_its_sensitivity(n, strata):
    """All ranks of n records in the strata; z^2 is rational, and z has the sign of T."""

    def statistic(records):
        total, weight = Fraction(0), Fraction(0)
        for stratum in range(strata):
            own = [(a, b) for a, b, k in records if k == stratum]
            m = len(own)
            concordant = sum(
                np.sign(a[0] - b[0]) * np.sign(a[1] - b[1])
                for i, a in enumerate(own)
                for b in own[:i]
            )
            total += Fraction(9 * int(concordant), 2 * m + 5)
            weight += Fraction(9 * m * (m - 1), 4 * m + 10)
        return float(total) / float(weight) ** 0.5 if weight else 0.0

    kinds = list(product(range(2), range(2), range(strata)))
    allowed = kendall_statistic.kendall_sensitivity(n, strata)
    assert allowed == inf or 0 < kendall_statistic.p_value_sensitivity(allowed) <= 1
    for others in combinations_with_replacement(kinds, n - 1):
        values = [statistic((*others, one)) for one in kinds]
        assert max(values) - min(values) <= allowed
    assert kendall_statistic.p_value_sensitivity(2.0) == pytest.approx(erf(2**0.5))
