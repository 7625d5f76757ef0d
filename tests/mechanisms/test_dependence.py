"""The sensitivities of counts and of dependence, on every small table and replaced record."""

from itertools import combinations

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity.counts import L1_REPLACED
from dpfair_cli.mechanisms.sensitivity.dependence import L1_DEPENDENCE
from dpfair_cli.models.synthesis.tree_records import dependence


def every_table(shape, n):
    """All tables of n records."""
    cells = int(np.prod(shape))
    for bars in combinations(range(n + cells - 1), cells - 1):
        yield (np.diff([-1, *bars, n + cells - 1]) - 1).reshape(shape).astype(float)


def neighbours(table):
    """All tables with one record replaced."""
    for left in zip(*np.nonzero(table), strict=True):
        for entered in np.ndindex(table.shape):
            other = table.copy()
            other[left] -= 1
            other[entered] += 1
            yield other


@pytest.mark.parametrize(
    ("shape", "n", "largest"),
    [((2, 2), 2, 2.0), ((2, 2), 6, 10 / 3), ((2, 3), 5, 3.2), ((3, 3), 3, 8 / 3)],
)
def test_a_replaced_record_keeps_both_sensitivities(shape, n, largest):
    """By 4 (1 - 1 / n) in small tables."""
    counts, moves = [], []
    for table in every_table(shape, n):
        for other in neighbours(table):
            counts.append(np.abs(table - other).sum())
            moves.append(abs(dependence(table) - dependence(other)))
    assert max(counts) == L1_REPLACED
    assert max(moves) == pytest.approx(largest)
    assert max(moves) < L1_DEPENDENCE


def test_marginals_and_their_product_move_by_two_and_at_most_four():
    """The steps of the proof, on random tables of all sizes."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(1, 30))
        table = rng.multinomial(n, rng.dirichlet(np.full(12, 0.3))).reshape(3, 4).astype(float)
        for other in neighbours(table):
            (a, b), (c, d) = ((t.sum(axis=1), t.sum(axis=0)) for t in (table, other))
            assert max(np.abs(a - c).sum(), np.abs(b - d).sum()) <= 2
            assert np.abs(np.outer(a, b) - np.outer(c, d)).sum() / n <= 4 + 1e-12
            assert abs(dependence(table) - dependence(other)) <= L1_DEPENDENCE
