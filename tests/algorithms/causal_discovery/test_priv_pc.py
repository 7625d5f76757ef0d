"""PrivPC: its public self, more budget, data without a graph, and what it refuses."""

import warnings
from itertools import product
from math import inf

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery import priv_pc
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.records_g2 import g2
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton
from tests.algorithms.causal_discovery.samples import networked, observed


def fit(observations, seed=0, **options):
    return priv_pc.fit(observations, rng=np.random.default_rng(seed), **options)


def fit_values(values, levels, seed=0, **options):
    return fit(observed(values, levels), seed, **options)


VARIANTS = [{"separators": word} for word in ("released", "none", "read")] + [
    {"score": "published"}
]


def skeleton_of_pc(observations, significance=0.01):
    p = len(observations.names)
    return find_skeleton(p, g2(observations), significance=significance).adjacent


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_without_noise_it_finds_the_skeleton_of_pc(options):
    for seed in range(12):
        observations = networked(seed)
        for significance in (0.01, 0.2):
            found = fit(observations, epsilon=inf, significance=significance, **options).skeleton
            assert np.array_equal(found, skeleton_of_pc(observations, significance))


def test_updated_adjacency_without_noise_can_differ_from_pc():
    """Algorithm 3 as printed: the text says that it makes the exact same decisions."""
    same = []
    for o in map(networked, range(12)):
        found = fit(o, epsilon=inf, adjacency="updated").skeleton
        same.append(np.array_equal(found, skeleton_of_pc(o)))
    assert 0 < sum(same) < len(same)


def test_no_arrow_is_drawn_without_separators():
    graphs = [fit(networked(seed), epsilon=inf, separators="none") for seed in range(6)]
    assert all(np.array_equal(graph.cpdag, graph.skeleton) for graph in graphs)
    assert any(
        not np.array_equal(g.cpdag, g.skeleton)
        for g in (fit(networked(s), epsilon=inf) for s in range(6))
    )


def test_more_budget_gives_the_skeleton_of_pc():
    observations = networked(3, n=2000)
    agree = [
        (fit(observations, epsilon=e).skeleton == skeleton_of_pc(observations)).mean()
        for e in (0.1, 10_000.0)
    ]
    assert agree[0] < agree[1] == 1


@pytest.mark.parametrize("epsilon", [0.5, np.inf])
@pytest.mark.parametrize(
    "values",
    [
        np.zeros((30, 3)),
        np.repeat(np.arange(2), 15)[:, None] * np.ones(3),
        np.ones((1, 3)),
        np.empty((0, 3)),
    ],
    ids=["constant", "copies", "one record", "no record"],
)
def test_degenerate_data_give_a_graph_without_a_warning(values, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = fit_values(values, (2, 2, 2), epsilon=epsilon)
    assert graph.skeleton.shape == (3, 3)
    assert not graph.skeleton.diagonal().any()


def test_two_columns_and_one_column_work():
    rng = np.random.default_rng(0)
    for p, epsilon in product((1, 2), (0.5, np.inf)):
        assert fit_values(
            rng.integers(0, 2, (50, p)), (2,) * p, epsilon=epsilon
        ).skeleton.shape == (p, p)


def test_numbers_are_refused_in_one_line():
    with pytest.raises(ValueError, match="priv_pc must be fitted to categorical variables"):
        priv_pc.fit(Observations(np.zeros((5, 2)), ("a", "b")), rng=np.random.default_rng(0))
