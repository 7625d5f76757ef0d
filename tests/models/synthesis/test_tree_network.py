"""The tree network: its parts by hand, and the probabilities of its sample."""

import numpy as np
import pytest

from dpfair_cli.models.synthesis.tree_records import TreeNetwork, dependence, shares


def test_dependence_by_hand():
    assert dependence(np.array([[25.0, 25], [25, 25]])) == 0
    assert dependence(np.array([[50.0, 0], [0, 50]])) == 4 * 25
    # 49 of 100 in row 1 and in column 1
    assert dependence(np.array([[49.0, 1], [0, 50]])) == pytest.approx(4 * 24.5)


def test_shares_are_equal_where_nothing_was_counted():
    found = shares(np.array([[1.0, 3.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(found, [[0.25, 0.75], [0.5, 0.5]])


def network():
    """Label b, root a, and the edges a -> c -> d."""
    rng = np.random.default_rng(0)
    shapes = ((2, 3, 2), (2, 2, 4))
    return TreeNetwork(
        names=("a", "b", "c", "d"),
        levels=(3, 2, 2, 4),
        label=1,
        root=0,
        edges=((2, 0), (3, 2)),
        joint=rng.dirichlet(np.ones(6)).reshape(2, 3),
        conditionals=tuple(rng.dirichlet(np.ones(shape[-1]), shape[:-1]) for shape in shapes),
    )


def test_a_sample_has_the_probabilities_of_the_network():
    """Every cell of the joint of four variables within 5 standard errors of 200,000 records."""
    law, n = network(), 200_000
    wanted = np.einsum("ba,bac,bcd->abcd", law.joint, *law.conditionals)
    drawn = law.sample(n, rng=np.random.default_rng(1))
    assert (drawn.names, drawn.levels) == (law.names, law.levels)
    cells = np.ravel_multi_index(tuple(drawn.values.T), law.levels)
    found = np.bincount(cells, minlength=wanted.size).reshape(law.levels) / n
    assert (np.abs(found - wanted) <= 5 * np.sqrt(wanted / n)).all()


def test_a_sample_of_zero_records_is_empty():
    assert len(network().sample(0, rng=np.random.default_rng(0))) == 0
