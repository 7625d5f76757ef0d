"""PrivPC*: its public self, and its sensitivity on neighbours."""

from math import inf

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery import pc, priv_pc_star
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record, replay


def linear(seed, n=400, p=6):
    """A linear Gaussian network."""
    rng = np.random.default_rng(seed)
    weights, values = np.triu(rng.uniform(0.3, 1, (p, p)) * (rng.random((p, p)) < 0.4), 1), rng.normal(size=(n, p))
    for j in range(p):
        values[:, j] += values @ weights[:, j]
    return Observations(values, tuple("abcdefgh"[:p]))


def fit(observations, seed=0, **options):
    return priv_pc_star.fit(observations, rng=np.random.default_rng(seed), **options)


@pytest.mark.parametrize("options", [{"bound": "published"}, {"clip": 100.0}], ids=str)
def test_without_noise_and_clipping_it_is_pc(options):
    for seed in range(10):
        observations = linear(seed)
        expected = pc.fit(observations, rng=np.random.default_rng(0))
        assert np.array_equal(fit(observations, epsilon=inf, **options).cpdag, expected.cpdag)


def test_what_is_released_of_two_records_by_hand():
    # clipped at 2 and halved: (1, -0.5) and (0, 0.5); means (0.5, 0), second moments 0.5, -0.25, 0.25
    observations = Observations(np.array([[5.0, -1.0], [0.0, 1.0]]), ("a", "b"))
    with record() as tape:
        fit(observations, epsilon=inf, clip=2.0)
    assert tape[0].value.tolist() == [0.5, 0.0, 0.5, -0.25, 0.25]
    assert tape[0].sensitivity == pytest.approx((3 + 2 + 2 / 6) / 2)


def released(left, right, **options):
    """The L1 move of the released query between neighbours, over its declared sensitivity."""
    with record() as tape:
        graph = fit(left, **options)
    with replay(tape) as again:
        other = fit(right, **options)
    assert np.array_equal(graph.cpdag, other.cpdag)
    return np.abs(tape[0].value - again[0].value).sum() / tape[0].sensitivity


@pytest.mark.parametrize("clip", [0.5, 3.0])
def test_no_record_moves_the_clipped_moments_further_than_declared(clip):
    rng, ratios = np.random.default_rng(0), []
    for k in range(150):
        n, p = (2, 5, 40)[k % 3], (2, 4)[k % 2]
        left = np.array(linear(k, n, p).values) * (1, 100)[k % 2]
        right = left.copy()
        left[0] = rng.choice([-1e6, 0.0, 1e6]) if k % 5 else 1e6
        right[0] = rng.choice([-1e6, 0.0, 1e6], p) if k % 5 else -clip / (p + 1)
        ratios.append(released(*(Observations(v, tuple("abcd"[:p])) for v in (left, right)), clip=clip))
    assert max(ratios) == pytest.approx(1)  # reached, and never exceeded


def test_the_published_sensitivity_holds_for_no_covariance_of_unbounded_records():
    left = np.array(linear(0).values)
    right = left.copy()
    right[0] = 50.0
    assert released(*(Observations(v, tuple("abcdef")) for v in (left, right)), bound="published") > 100


def test_more_budget_is_nearer_to_pc():
    observations = linear(1, n=5000)
    expected = pc.fit(observations, rng=np.random.default_rng(0)).skeleton
    wrong = [
        np.mean([(fit(observations, seed, epsilon=e, clip=5.0).skeleton != expected).sum() for seed in range(5)])
        for e in (0.1, 1000.0)
    ]
    assert wrong[1] < wrong[0]


@pytest.mark.parametrize("values", [np.zeros((9, 3)), np.ones((1, 3)), np.full((4, 3), 1e9)], ids=["0", "one", "far"])
@pytest.mark.parametrize("epsilon", [1.0, inf])
@pytest.mark.filterwarnings("error")
def test_it_survives_records_that_have_no_correlation(values, epsilon):
    assert fit(Observations(values, ("a", "b", "c")), epsilon=epsilon).skeleton.shape == (3, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bound": "nonsense"}, "bound must be one of clipped, published"),
        ({"clip": 0.0}, "clip must be positive"),
        ({"significance": 0.0}, "significance must lie in"),
        ({"epsilon": -1.0}, "epsilon must be positive"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(options, message):
    with pytest.raises(ValueError, match=message):
        fit(linear(0), **options)


def test_categories_are_refused():
    with pytest.raises(ValueError, match="needs numbers"):
        fit(Observations(np.zeros((3, 2), int), ("a", "b"), (2, 2)))
