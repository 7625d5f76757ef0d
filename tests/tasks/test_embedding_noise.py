"""The share of noise in an embedding of a whole graph."""

import numpy as np
import pytest

from dpfair_cli.algorithms.embedding import dpne_public_context
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.tasks import embedding_noise
from tests.models.embedding.graphs import two_triangles


def scores(epsilon):
    case = embedding_noise.split(two_triangles(), rng=np.random.default_rng(0))
    fit = BoundFit(
        "dpne_public_context", dpne_public_context.ALGORITHM, {"dimension": 2, "epsilon": epsilon}
    )
    return embedding_noise.study(fit, case, rng=np.random.default_rng(1)).scores


def test_the_root_mean_square_of_the_norms_of_two_rows_by_hand():
    assert embedding_noise.mean_norm(np.array([[3.0, 4.0], [0.0, 5.0**0.5]])) == pytest.approx(
        15**0.5
    )


def test_infinite_epsilon_leaves_no_noise():
    assert scores(np.inf)["noise_norm"] == 0
    assert scores(np.inf)["noise_to_signal"] == 0


def test_ten_times_the_epsilon_is_a_tenth_of_the_noise_on_the_same_signal():
    strong, weak = scores(0.5), scores(5.0)
    assert strong["signal_norm"] == weak["signal_norm"] > 0
    assert strong["noise_norm"] == pytest.approx(10 * weak["noise_norm"])
    assert strong["noise_to_signal"] == pytest.approx(strong["noise_norm"] / strong["signal_norm"])


def test_nothing_of_the_graph_is_held_out_and_its_classes_are_not_seen():
    case = embedding_noise.split(two_triangles(), rng=np.random.default_rng(0))
    np.testing.assert_array_equal(case.train.edges, two_triangles().edges)
    assert len(case.train.labels) == 0
