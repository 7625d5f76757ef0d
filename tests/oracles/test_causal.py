"""The oracles of the causal tests against counts of the literature, numbers by hand, each other."""

from itertools import combinations
from math import log

import numpy as np
import pytest

from tests.oracles.causal import (
    all_tables,
    cpdag,
    d_separated,
    equivalence_classes,
    every_dag,
    every_distance,
    g_squared,
    look_up,
    p_value,
    q2,
    replace_one,
    table_of,
)


def test_the_numbers_of_dags_and_classes_are_those_of_the_literature():
    assert [sum(1 for _ in every_dag(p)) for p in (1, 2, 3, 4)] == [1, 3, 25, 543]
    assert [len(equivalence_classes(p)) for p in (1, 2, 3, 4)] == [1, 2, 11, 185]


def test_two_dags_are_in_one_class_exactly_if_they_separate_the_same_nodes():
    def separations(arcs):
        return frozenset(
            (i, j, given)
            for i, j in combinations(range(4), 2)
            for size in range(3)
            for given in combinations(sorted({0, 1, 2, 3} - {i, j}), size)
            if d_separated(arcs, i, j, given)
        )

    found = [{separations(arcs) for arcs in dags} for dags in equivalence_classes(4).values()]
    assert all(len(statements) == 1 for statements in found)
    assert len(frozenset().union(*found)) == 185


def test_a_collider_is_opened_by_itself_and_by_its_descendant():
    arcs = frozenset({(0, 2), (1, 2), (2, 3)})
    assert d_separated(arcs, 0, 1, ())
    assert not d_separated(arcs, 0, 1, (2,))
    assert not d_separated(arcs, 0, 1, (3,))
    assert d_separated(arcs, 0, 3, (2,))


def test_a_chain_keeps_both_directions_and_a_collider_keeps_one():
    assert cpdag(frozenset({(0, 1), (1, 2)}), 3) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert cpdag(frozenset({(0, 1), (2, 1)}), 3) == {(0, 1), (2, 1)}


def test_g_squared_of_a_two_by_two_table_by_hand():
    # all ten records on the diagonal, five each: 2 * 10 * ln(5 / 2.5) = 20 ln 2
    assert g_squared([[[5], [0]], [[0], [5]]]) == pytest.approx(20 * log(2))
    assert p_value([[[3], [3]], [[2], [2]]]) == pytest.approx(1)


def test_there_are_binomially_many_tables_and_each_has_n_records():
    tables = all_tables(4, 5)
    assert tables.shape == (56, 4)  # 8 choose 3
    assert (tables.sum(axis=1) == 5).all()
    assert len(np.unique(tables, axis=0)) == 56


def test_the_distances_of_four_records_by_hand():
    # level 0.05, so rejected above 3.84: G^2 is 5.55 on (2 0 / 0 2), 4.50 on (3 0 / 0 1) and (1 0 /
    # 0 3), as on the other diagonal; with three or four cells in use, or one row, or one column, it
    # is at most 1.73
    by_hand = look_up((2, 2, 1), 4, 0.05)
    assert by_hand[np.array([2, 0, 0, 2]).tobytes()] == 1
    assert by_hand[np.array([0, 3, 1, 0]).tobytes()] == 1
    assert by_hand[np.array([4, 0, 0, 0]).tobytes()] == -1
    assert by_hand[np.array([1, 1, 1, 1]).tobytes()] == -2
    assert sum(value > 0 for value in by_hand.values()) == 6


def test_what_no_table_reaches_is_infinitely_far():
    assert set(look_up((2, 2, 1), 4, 0.01).values()) == {-np.inf}  # 5.55 is below 6.63


def test_one_record_changes_the_distance_by_two_at_the_threshold():
    # Corollary 1 of xu2021 says at most one: Equation 4.1 is never zero, so it leaps from 1 to -1
    for shape, n, level in [((2, 2, 1), 10, 0.05), ((2, 3, 1), 7, 0.05), ((2, 2, 2), 6, 0.05)]:
        tables, p, distance = every_distance(shape, n, level)
        leaps = set()
        for rows, others in replace_one(tables):
            same = (p[rows] <= level) == (p[others] <= level)
            assert np.abs(distance[rows] - distance[others])[same].max() == 1
            leaps |= set(np.abs(distance[rows] - distance[others])[~same])
        assert leaps == {2}


def test_one_record_moves_q2_by_one_as_corollary_2_says():
    # node 0 and its neighbours 1, 2, all binary, order 0: every table of eight records, every
    # neighbour of it
    one_test = {
        t.astype(np.int64).tobytes(): (p, d)
        for t, p, d in zip(*every_distance((2, 2, 1), 8, 0.05), strict=True)
    }
    tables = all_tables(8, 8)
    scores = []
    for table in tables.reshape(-1, 2, 2, 2):
        tests = [one_test[table.sum(axis=axis).astype(np.int64).tobytes()] for axis in (2, 1)]
        scores.append(q2([d for _, d in tests], [p for p, _ in tests], 0.05))
    scores = np.array(scores)
    assert (
        max(np.abs(scores[rows] - scores[others]).max() for rows, others in replace_one(tables))
        == 1
    )


def test_a_table_of_records_lists_i_then_j_then_the_strata():
    counts = table_of(np.array([[0, 1, 1], [0, 1, 1], [1, 0, 0]]), (0, 1, 2), [2, 2, 2])
    assert counts[0, 1, 1] == 2
    assert counts[1, 0, 0] == 1
    assert counts.sum() == 3


def test_q2_of_three_neighbours_by_hand():
    # two rejected (d = 5, 2), one not (d = -3), the paper's sign: q2(0) = -d1 = -5, q2(1) = -d2 =
    # -2, q2(2) = min(2, 3) - 1 = 1, q2(3) = d3 = -3
    assert q2([2, -3, 5], [0.001, 0.5, 0.0001], 0.01) == [-5, -2, 1, -3]
    assert q2([-4], [0.9], 0.01) == [3, -4]
    assert q2([4], [0.001], 0.01) == [-4, 3]


RECORDS = """
    0101 1100 0000 1001 1010 0000 1001 1010 1001 0000 1001 1110 1110 1001 1010 1001 1010 0000 1001
    1001 1100 1110 1100 0000 1110 1010 1001 1001 1001 1010 1001 1100 1001 1100 1001 1010 0000 1001
    1001 1110
"""


def test_one_record_moves_the_score_of_the_largest_p_value_by_three():
    """Line 3 of Algorithm 4 takes the k of the largest p-value, which one change can exchange."""
    before = np.array([[int(digit) for digit in record] for record in RECORDS.split()])
    after = before.copy()
    after[0] = [0, 1, 1, 0]
    old, new = (
        [table_of(values, (0, 1, k), [2] * 4) for k in (2, 3)] for values in (before, after)
    )
    assert np.argmax([p_value(table) for table in old]) == 0
    assert np.argmax([p_value(table) for table in new]) == 1
    assert p_value(old[0]) > 0.01
    assert p_value(new[1]) > 0.01
    assert not flips_within(old[0].ravel(), (2, 2, 2), 3, 0.01)  # d <= -4
    assert flips_within(new[1].ravel(), (2, 2, 2), 1, 0.01)  # d = -1


def flips_within(table, shape, radius, level):
    """Whether a table at most `radius` changed records away has another verdict."""
    ball = table[None]
    steps = np.array(
        [b - a for a in np.eye(8, dtype=int) for b in np.eye(8, dtype=int) if (a != b).any()]
    )
    for _ in range(radius):
        ball = np.unique(np.concatenate([ball, (ball[:, None] + steps).reshape(-1, 8)]), axis=0)
        ball = ball[(ball >= 0).all(axis=1)]
    verdicts = {p_value(other.reshape(shape)) <= level for other in ball}
    return len(verdicts) == 2
