"""DP-postprocessing against numbers by hand, brute force and an independent linear program."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_cli import catalog, data_access
from dpfair_cli.algorithms.postprocessing import dp_postprocessing
from dpfair_cli.auditing.audit import audit
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.estimator import DpfairClassifier
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.models.postprocessing.group_rule import (
    error,
    fair_rule,
    joint_table,
)
from dpfair_cli.tasks import guarantee, in_sample


def fit(people, seed=0, **options):
    return dp_postprocessing.fit(people, rng=np.random.default_rng(seed), **options)


def crowd_of(groups, n=900, seed=0):
    """More of x0, and more errors, in the later groups."""
    rng = np.random.default_rng(seed)
    protected = rng.integers(0, groups, n)
    X = np.clip(rng.random((n, 4)) + 0.1 * protected[:, None] * [1, 0, 0, 0], 0, 1)
    y = (X[:, 0] > X[:, 1]) ^ (rng.random(n) < 0.05 + 0.1 * protected)
    domain = Domain(
        tuple("wxyz"), {name: (j,) for j, name in enumerate("wxyz")}, tuple(map(str, range(groups)))
    )
    return Records(X, y.astype(int), protected, domain)


def random_table(groups, rng):
    return rng.dirichlet(np.ones(4 * groups)).reshape(2, groups, 2)


def by_vertices(table, gap):
    """The least error over all vertices of the polytope: every choice of four tight constraints."""
    rates = table / table.sum(axis=0)
    rows = [[rates[0, 0, y], -rates[0, 1, y], rates[1, 0, y], -rates[1, 1, y]] for y in (0, 1)]
    A = np.array([*rows, *(-np.array(rows)), *np.eye(4), *(-np.eye(4))])  # over p00, p01, p10, p11
    b = np.array([gap] * 4 + [1] * 4 + [0] * 4)
    best = np.inf
    for tight in combinations(range(12), 4):
        if abs(np.linalg.det(A[list(tight)])) > 1e-12:
            p = np.linalg.solve(A[list(tight)], b[list(tight)])
            if (A @ p <= b + 1e-9).all():
                best = min(best, error(table, p.reshape(2, 2)))
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gap", [0.0, 0.03, 0.3])
def test_the_rule_is_the_best_vertex_of_all_rules_that_are_fair(seed, gap):
    table = random_table(2, np.random.default_rng(seed))
    rule = fair_rule(table, np.full((1, 2), gap))
    rates = (table * rule[:, :, None]).sum(axis=0) / table.sum(axis=0)  # (groups, 2)
    assert np.abs(rates[1] - rates[0]).max() <= gap + 1e-9
    assert error(table, rule) == pytest.approx(by_vertices(table, gap), abs=1e-9)


@pytest.mark.parametrize("groups", [3, 5])
def test_more_than_two_groups_agree_with_a_program_over_rates(groups):
    """Another formulation: variables are the rule and the difference of rates of each pair."""
    table, gap = random_table(groups, np.random.default_rng(groups)), 0.02
    rates, n = table / table.sum(axis=0), 2 * groups
    equalities, cost = (
        [],
        np.concatenate([(table[:, :, 0] - table[:, :, 1]).ravel(), np.zeros(2 * (groups - 1))]),
    )
    for a in range(1, groups):
        for y in (0, 1):
            row = np.zeros(len(cost))
            row[[a, groups + a]] = rates[:, a, y]
            row[[0, groups]] -= rates[:, 0, y]
            row[n + 2 * (a - 1) + y] = -1
            equalities.append(row)
    bounds = [(0, 1)] * n + [(-gap, gap)] * (2 * (groups - 1))
    other = linprog(cost, A_eq=equalities, b_eq=np.zeros(len(equalities)), bounds=bounds)
    ours = error(table, fair_rule(table, np.full((groups - 1, 2), gap)))
    assert ours == pytest.approx(other.fun + table[:, :, 1].sum(), abs=1e-9)


def threshold_error(people, base):
    """The least error of fairlearn's rules with equal rates, by a grid search over rates."""
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Base(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.fitted_ = True
            return self

        def predict(self, X):
            return np.asarray(X)[:, 0]

    settings = {
        "constraints": "equalized_odds",
        "grid_size": 100_000,
        "prefit": True,
        "predict_method": "predict",
    }
    X, groups = base[:, None], {"sensitive_features": people.protected}
    rival = ThresholdOptimizer(estimator=Base().fit(X, people.y), **settings).fit(
        X, people.y, **groups
    )
    return np.mean(np.abs(rival._pmf_predict(X, **groups)[:, 1] - people.y))


def ours_and_fairlearns(people):
    """Errors at epsilon = infinity and gap 0, on the same base decisions."""
    ours = fit(people, epsilon=np.inf, fairness_gap=0.0)
    base = (people.X @ ours.weights + ours.intercept > 0).astype(float)
    return error(joint_table(base, people), ours.rule), threshold_error(people, base)


@pytest.mark.filterwarnings("ignore")
def test_at_infinity_it_is_as_good_as_fairlearn_on_the_same_base_decisions(crowd):
    ours, rival = ours_and_fairlearns(crowd(n=2000))
    assert ours == pytest.approx(rival, abs=1e-4)  # the grid costs fairlearn a little
    assert ours <= rival + 1e-9


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["adult", "adult_race", "communities"])
def test_at_infinity_it_is_as_good_as_fairlearn_on_the_papers_data(name, real_data):
    ours, rival = ours_and_fairlearns(
        data_access.load(data_access.locate(catalog.data_set(name), data_dir=real_data))
    )
    assert ours == pytest.approx(rival, abs=1e-4)
    assert ours <= rival + 1e-9


def test_the_noise_is_laplace_of_two_over_m_epsilon_on_the_whole_table(crowd):
    people = crowd()
    with record() as tape:
        fit(people, epsilon=0.5)
    assert [(entry.mechanism, entry.sensitivity, entry.scale) for entry in tape] == [
        ("laplace", 2 / 600, pytest.approx(2 / (600 * 0.5)))
    ]
    assert tape[0].value.shape == (2, 2, 2)
    assert tape[0].value.sum() == pytest.approx(1)


def test_the_slack_of_the_relaxed_program_by_hand():
    """4 ln(4 * 2 / 0.05) / (0.1 * 1000 * 2) with shares 0.1 of the smaller group: 0.1015."""
    shares = np.array([[0.4, 0.2], [0.1, 0.3]])
    slack = dp_postprocessing._relaxation(shares, 1000 * 2.0, 0.05)
    np.testing.assert_allclose(slack, [[4 * np.log(160) / 200, 4 * np.log(160) / 400]])
    np.testing.assert_array_equal(
        dp_postprocessing._relaxation(shares, np.inf, 0.05), np.zeros((1, 2))
    )
    assert np.isinf(
        dp_postprocessing._relaxation(np.array([[0.4, -0.1], [0.1, 0.3]]), 10.0, 0.05)[0, 1]
    )


def test_a_noisy_share_that_is_not_positive_is_counted_and_never_dropped(crowd):
    people = crowd(n=30)
    models = [fit(people, seed, epsilon=0.05) for seed in range(40)]
    assert 0 < np.mean([model.fallback for model in models]) <= 1
    constant = [fit(people, seed, epsilon=0.05, fallback="constant") for seed in range(40)]
    assert [model.fallback for model in constant] == [model.fallback for model in models]
    fair = [len(np.unique(model.rule)) == 1 for model in constant if model.fallback]
    assert all(fair)


@pytest.mark.parametrize("groups", [2, 5])
def test_the_guarantee_holds_on_neighbours(groups):
    params = catalog.algorithm("dp_postprocessing").complete({"epsilon": 0.7})
    found = audit("dp_postprocessing", crowd_of(groups), neighbours=60, params=params)
    assert found.holds
    assert found.found == pytest.approx(0.7)  # a changed group spends the whole budget
    assert found.largest_move == pytest.approx(1)


def test_theorem_3_1_holds_in_all_of_a_hundred_draws(crowd):
    case = in_sample.split(crowd(n=3000), rng=np.random.default_rng(0))
    rows = [guarantee.score(fit(case.train, seed, epsilon=2.0), case) for seed in range(100)]
    assert np.mean([row["within_bounds"] for row in rows]) >= 0.95
    assert rows[0]["vacuous"] == 0


def test_the_bounds_of_theorem_3_1_by_hand(crowd):
    people = crowd(n=3000)
    model = fit(people, epsilon=2.0, fairness_gap=0.05)
    error_bound, gap_bounds = model.guarantee(people)
    shares = np.bincount(2 * people.protected + people.y).reshape(2, 2) / 3000
    L = np.log(4 * 2 / 0.05)
    smaller = shares.min(axis=0)
    np.testing.assert_allclose(gap_bounds[0], 0.05 + 8 * L / (smaller * 3000 * 2 - 4 * L))
    public = fit(people, epsilon=np.inf, fairness_gap=0.05)
    best = np.mean(np.abs(public.predict(people) - people.y))
    assert error_bound == pytest.approx(best + 24 * 2 * L / (3000 * 2))


def test_no_bound_where_the_assumption_fails(crowd):
    assert np.isnan(fit(crowd(n=60), epsilon=0.1).guarantee(crowd(n=60))[0])


@pytest.mark.parametrize(
    "options", [{"fairness_gap": -0.1}, {"beta": 0.0}, {"beta": 1.0}, {"l2": 0.0}], ids=str
)
def test_a_setting_outside_its_range_is_refused(crowd, options):
    with pytest.raises(ValueError, match=r"must"):
        fit(crowd(), **options)


def test_a_rule_that_needs_the_group_is_not_used_without_it(crowd):
    people = crowd()
    estimator = DpfairClassifier("dp_postprocessing").fit(people.X, people.y, people.protected)
    with pytest.raises(DpfairError, match="needs the protected attribute to predict"):
        estimator.predict(people.X)
