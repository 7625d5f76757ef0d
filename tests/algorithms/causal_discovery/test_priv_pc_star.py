"""PrivPC*: epsilon = infinity, its release, and Theorem 6 on neighbours."""

import warnings
from itertools import product
from math import inf

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery import pc, priv_pc_star
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record, replay


def linear(seed, n=400, p=6):
    """A linear Gaussian network."""
    rng = np.random.default_rng(seed)
    weights, values = (
        np.triu(rng.uniform(0.3, 1, (p, p)) * (rng.random((p, p)) < 0.4), 1),
        rng.normal(size=(n, p)),
    )
    for j in range(p):
        values[:, j] += values @ weights[:, j]
    return Observations(values, tuple("abcdefgh"[:p]))


def fit(observations, seed=0, **options):
    return priv_pc_star.fit(observations, rng=np.random.default_rng(seed), **options)


def numbers(X):
    return Observations(np.asarray(X, dtype=float), tuple(f"v{j}" for j in range(np.shape(X)[1])))


def fit_values(X, seed=0, **options):
    return fit(numbers(X), seed, **options)


def covariance_query(X, **options):
    """The one release of a fit."""
    with record() as tape:
        fit_values(X, **options)
    (entry,) = tape
    assert entry.mechanism == "laplace"
    return entry


def gaussian(n, p, seed=0):
    """A chain v0 -> v1 -> ... with weight 0.8 and unit errors."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    for j in range(1, p):
        X[:, j] += 0.8 * X[:, j - 1]
    return X


@pytest.mark.parametrize("options", [{"bound": "published"}, {"clip": 100.0}], ids=str)
def test_without_noise_and_clipping_it_is_pc(options):
    for seed in range(10):
        observations = linear(seed)
        expected = pc.fit(observations, rng=np.random.default_rng(0))
        assert np.array_equal(fit(observations, epsilon=inf, **options).cpdag, expected.cpdag)


def test_without_noise_it_is_pc_on_numbers_inside_the_bounds():
    for seed in range(3):
        X = gaussian(500, 5, seed)
        X = np.clip((X - X.mean(axis=0)) / X.std(axis=0), -2, 2)  # inside every reasonable bound
        private, public = (
            fit_values(X, epsilon=np.inf),
            pc.fit(numbers(X), rng=np.random.default_rng(0)),
        )
        np.testing.assert_array_equal(private.skeleton, public.skeleton)


def test_the_order_of_the_columns_does_not_matter_without_noise():
    X, order = gaussian(400, 5), [3, 0, 4, 1, 2]
    moved = fit_values(X[:, order], epsilon=np.inf).cpdag
    np.testing.assert_array_equal(moved, fit_values(X, epsilon=np.inf).cpdag[np.ix_(order, order)])


def test_more_budget_is_nearer_to_pc():
    observations = linear(1, n=5000)
    expected = pc.fit(observations, rng=np.random.default_rng(0)).skeleton
    wrong = [
        np.mean(
            [
                (fit(observations, seed, epsilon=e, clip=5.0).skeleton != expected).sum()
                for seed in range(5)
            ]
        )
        for e in (0.1, 1000.0)
    ]
    assert wrong[1] < wrong[0]


def test_what_is_released_of_two_records_by_hand():
    # clipped at 2 and halved: (1, -0.5) and (0, 0.5); means (0.5, 0), second moments 0.5, -0.25,
    # 0.25
    observations = Observations(np.array([[5.0, -1.0], [0.0, 1.0]]), ("a", "b"))
    with record() as tape:
        fit(observations, epsilon=inf, clip=2.0)
    assert tape[0].value.tolist() == [0.5, 0.0, 0.5, -0.25, 0.25]
    assert tape[0].sensitivity == pytest.approx((3 + 2 + 2 / 6) / 2)


def test_the_scale_is_the_sensitivity_over_epsilon_in_both_variants():
    for epsilon, bound in product((0.1, 1.0, 10.0), ("clipped", "published")):
        entry = covariance_query(gaussian(100, 4), epsilon=epsilon, bound=bound)
        assert entry.scale == pytest.approx(entry.sensitivity / epsilon)


def test_the_published_query_is_the_sample_covariance():
    X = gaussian(100, 4)
    entry = covariance_query(X, bound="published")
    assert entry.sensitivity == pytest.approx(4 * 5 / (2 * 99))
    wanted = np.cov(X, rowvar=False)
    np.testing.assert_allclose(np.sort(np.ravel(entry.value)), np.sort(wanted[np.tril_indices(4)]))


def test_half_of_the_noise_is_that_of_twice_the_epsilon():
    X = gaussian(100, 4)
    half = covariance_query(X, bound="half", epsilon=1.0)
    twice = covariance_query(X, bound="published", epsilon=2.0)
    assert half.scale == twice.scale == pytest.approx(4 * 5 / (2 * 99) / 2)
    np.testing.assert_array_equal(half.value, twice.value)
    np.testing.assert_array_equal(
        fit_values(X, bound="half").cpdag, fit_values(X, bound="published", epsilon=2.0).cpdag
    )


def extreme_pairs(p, n, seed):
    """(other records, x, x') with all records at corners or outside of them."""
    rng = np.random.default_rng(seed)
    ones, half = np.ones(p), np.where(np.arange(p) < p / 2, 1.0, -1.0)
    far = 1e9
    for rest in (ones, -ones, 0 * ones, half):
        for x, y in [
            (-ones, ones),
            (half, ones),
            (ones, 0 * ones),
            (half, -half),
            (half[::-1], half),
        ]:
            yield np.tile(far * rest, (n - 1, 1)), far * x, far * y
    for _ in range(60):
        corners = rng.choice([-far, 0, far], size=(n + 1, p))
        yield corners[2:], corners[0], corners[1]


@pytest.mark.parametrize(("n", "p"), [(2, 3), (5, 4), (50, 3)])
def test_the_declared_sensitivity_bounds_the_change_of_a_record(n, p):
    worst = 0.0
    for rest, x, y in extreme_pairs(p, n, seed=n):
        old, new = (covariance_query(np.vstack([z, rest])) for z in (x, y))
        assert (old.sensitivity, old.scale) == (new.sensitivity, new.scale)
        worst = max(worst, np.abs(old.value - new.value).sum() / old.sensitivity)
    assert worst <= 1 + 1e-9


def test_the_declared_sensitivity_of_the_clipped_moments_is_reached():
    # in units of the clip: one record of ones against one of -1 / (p + 1); by hand for p = 1: the
    # mean moves by 3 / 2 and the second moment by 3 / 4 of 1 / n, which is (1 + 1 + 1 / 4) / n
    for p, n in [(1, 10), (3, 10), (6, 40)]:
        rest = np.zeros((n - 1, p))
        one, other = 2.0 * np.ones(p), -2.0 * np.ones(p) / (p + 1)
        old, new = (covariance_query(np.vstack([rest, z]), clip=2.0) for z in (one, other))
        change = np.abs(old.value - new.value).sum()
        assert change == pytest.approx(old.sensitivity)
        if p == 1:
            assert change * n == pytest.approx(2.25)


def test_random_records_inside_the_bounds_never_move_it_further():
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, p = int(rng.integers(2, 6)), int(rng.integers(1, 6))
        rest = rng.uniform(-4, 4, (n - 1, p))
        x, y = (rng.uniform(-4, 4, p) * rng.choice([0.1, 1, 10]) for _ in range(2))
        old, new = (covariance_query(np.vstack([rest, z])) for z in (x, y))
        assert np.abs(old.value - new.value).sum() <= old.sensitivity * (1 + 1e-9)


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
        ratios.append(
            released(*(Observations(v, tuple("abcd"[:p])) for v in (left, right)), clip=clip)
        )
    assert max(ratios) == pytest.approx(1)  # reached, and never exceeded


def test_the_published_sensitivity_fails_for_unbounded_records():
    left = np.array(linear(0).values)
    right = left.copy()
    right[0] = 50.0
    assert (
        released(*(Observations(v, tuple("abcdef")) for v in (left, right)), bound="published")
        > 100
    )


def test_clipped_records_reach_four_times_the_published_sensitivity():
    """All others at one corner: 2 p (p + 1) / n; for p = 2 each of 3 entries moves by 4 / n."""
    corner = np.ones((49, 2))
    old, new = (
        covariance_query(np.vstack([corner, z]), bound="published")
        for z in (-np.ones(2), np.ones(2))
    )
    assert np.abs(old.value - new.value).sum() == pytest.approx(3 * 4 / 50)
    assert old.sensitivity == pytest.approx(3 / 49)


def test_given_its_release_the_graph_does_not_depend_on_the_data():
    X = gaussian(100, 4)
    with record() as tape:
        graph = fit_values(X, epsilon=5.0)
    for other in (0 * X, X[::-1] ** 3, 1e6 * X):
        with replay(tape):
            np.testing.assert_array_equal(fit_values(other, epsilon=5.0).cpdag, graph.cpdag)


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 1.0, np.inf])
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((20, 3)),
        np.arange(20.0)[:, None] * np.ones(3),
        np.random.default_rng(0).normal(size=(3, 6)),
        np.ones((1, 3)),
        np.random.default_rng(0).normal(size=(2, 3)),
        np.full((4, 3), 1e9),
    ],
    ids=["constant", "copies", "fewer records than columns", "one record", "two records", "far"],
)
def test_degenerate_data_give_a_graph_without_a_warning(X, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = fit_values(X, epsilon=epsilon)
    assert graph.skeleton.shape == (X.shape[1],) * 2
    assert not graph.skeleton.diagonal().any()


@pytest.mark.parametrize("epsilon", [1.0, np.inf])
def test_the_published_variant_survives_degenerate_data_too(epsilon):
    for X in (np.zeros((20, 3)), np.arange(20.0)[:, None] * np.ones(3), np.ones((2, 3))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert fit_values(X, epsilon=epsilon, bound="published").skeleton.shape == (3, 3)


def test_noise_beyond_reason_still_gives_a_graph():
    for seed in range(20):
        graph = fit_values(gaussian(30, 6, seed), seed, epsilon=1e-3)
        assert (graph.skeleton == graph.skeleton.T).all()


def test_categories_are_refused_in_one_line():
    codes = Observations(np.zeros((5, 2), dtype=np.int64), ("a", "b"), (2, 2))
    with pytest.raises(ValueError, match="priv_pc_star must be fitted to numerical variables"):
        priv_pc_star.fit(codes, rng=np.random.default_rng(0))
