"""The rounds of PrivPC: scores by Equations 4.1 to 4.4, computed exhaustively, and costs."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery import priv_pc
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record
from tests.algorithms.causal_discovery.samples import observed, small_samples
from tests.oracles.causal import every_distance
from tests.oracles.releases import scripted

LEVEL = 0.05


def fit(observations, seed=0, **options):
    return priv_pc.fit(observations, rng=np.random.default_rng(seed), **options)


def fit_values(values, levels, seed=0, **options):
    return fit(observed(values, levels), seed, **options)


def exact_distances(values, levels, node):
    """Distance of order 0 to every other node, positive for independent ones, by exhaustion."""
    found = []
    for other in (j for j in range(len(levels)) if j != node):
        tables, _p, d = every_distance((levels[node], levels[other], 1), len(values), LEVEL)
        counts = np.zeros((levels[node], levels[other]), dtype=np.int64)
        np.add.at(counts, (values[:, node], values[:, other]), 1)
        found.append(-d[(tables == counts.ravel()).all(axis=1)][0])
    return np.array(found)


def exact_q2(distances):
    """Equations 4.2 to 4.4 with positive distances for independent pairs."""
    d = sorted(distances, reverse=True)
    scores = [-d[0] - 1 if d[0] < 0 else -d[0]]
    for before, after in pairwise(d):
        scores.append(
            min(before, -after) - 1 if before > 0 > after else -after if before > 0 else before
        )
    return [*scores, d[-1] - 1 if d[-1] > 0 else d[-1]]


@pytest.mark.parametrize(("levels", "n"), [((2, 2, 2), 8), ((2, 2, 2), 14), ((2, 3, 2), 7)])
def test_first_choices_by_exact_distances_have_the_papers_scores(levels, n):
    for values in small_samples(levels, n, 25):
        distances = exact_distances(values, levels, 0)
        with scripted([2]) as first:  # both neighbours of node 0 are to be removed
            fit_values(values, levels, significance=LEVEL, epsilon=1.0, score="exact")
        np.testing.assert_allclose(first[0].value, exact_q2(distances))
        np.testing.assert_allclose(
            first[1].value, distances - np.sign(distances) / 2
        )  # the jump at 0 closed


def test_two_variables_at_a_fair_coin_of_probability_by_hand():
    """One edge of certified score s: the number 0 or 1 is drawn with scores -s - 1/2 and s - 1/2,
    at epsilon / 8.

    Each of the 2 orders x 2 nodes has a round of epsilon / 4, half of it for the number; the edge
    falls in the first round with probability 1 / (1 + exp(-2 s epsilon / 16)), else in the second;
    order 1 finds no further neighbour.
    """
    values = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [3, 2, 2, 3], axis=0)
    observations = Observations(values, ("a", "b"), (2, 2))
    with record() as tape:
        fit(observations, epsilon=8.0)
    score = -tape[0].value[0] - 0.5
    assert tape[0].value.tolist() == [-score - 0.5, score - 0.5]
    assert tape[0].scale == 2  # 2 sensitivity / (epsilon / 8)
    kept = 1 / (1 + np.exp(score))  # in one round
    graphs = Counter(
        bool(fit(observations, seed, epsilon=8.0).skeleton.any()) for seed in range(3000)
    )
    assert abs(graphs[True] / 3000 - kept**2) < 4 * np.sqrt(kept**2 * (1 - kept**2) / 3000)


def test_a_round_without_removal_costs_half():
    """Four noisy copies of something hidden, which nothing separates: seven rounds cost 1/8 each.

    An eighth might remove an edge and then cost 2/8, which are not left.
    """
    rng = np.random.default_rng(0)
    values = (rng.integers(0, 2, 3000)[:, None] ^ (rng.random((3000, 4)) < 0.1)).astype(int)
    with record() as tape:
        graph = fit(Observations(values, tuple("abcd"), (2,) * 4), epsilon=1e4, orders=1)
    assert graph.skeleton.sum() == 12
    assert [2 * entry.sensitivity / entry.scale for entry in tape] == pytest.approx([1e4 / 8] * 7)
