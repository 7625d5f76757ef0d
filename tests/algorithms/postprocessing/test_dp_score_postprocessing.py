"""DP score post-processing against numbers by hand, brute force and an independent program."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_cli import catalog
from dpfair_cli.algorithms.postprocessing import dp_postprocessing, dp_score_postprocessing
from dpfair_cli.auditing.audit import audit
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.metrics.classification import equalized_odds_difference, tabulate
from dpfair_cli.models.postprocessing.score_thresholds import (
    consistent,
    fair_chances,
    places,
    restore,
    score_edges,
)

SOLVER = 1e-6  # HiGHS satisfies constraints up to 1e-7


def fit(people, seed=0, **options):
    return dp_score_postprocessing.fit(people, rng=np.random.default_rng(seed), **options)


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


def error_on(people, model):
    return np.mean(np.abs(model.predict(people) - people.y))


def violation_on(people, model):
    groups = len(people.domain.groups)
    table = tabulate(model.predict(people), people.y, people.protected, groups=groups)
    return equalized_odds_difference(table)


def random_counts(groups, bins, seed):
    return np.random.default_rng(seed).integers(1, 30, (groups, 2, bins)).astype(float)


def error_of(counts, chances):
    """The expected number of wrong decisions, divided by the number of records."""
    wrong = counts[:, 0] * chances.T + counts[:, 1] * (1 - chances.T)
    return wrong.sum() / counts.sum()


def rates_of(counts, chances):
    """False and true positive rate of each group, (groups, 2)."""
    return (counts * chances.T[:, None]).sum(axis=2) / counts.sum(axis=2)


def inequalities(counts, gap):
    """A p <= b over the probabilities p (groups * bins): gaps of each pair, order of bins, box."""
    groups, _, bins = counts.shape
    rates = np.zeros((groups, 2, groups, bins))
    for group, label in np.ndindex(groups, 2):
        rates[group, label, group] = counts[group, label] / counts[group, label].sum()
    rows, bounds = [], []
    for one, other in combinations(range(groups), 2):
        for label in (0, 1):
            difference = (rates[one, label] - rates[other, label]).ravel()
            rows += [difference, -difference]
            bounds += [gap, gap]
    size = groups * bins
    for group, place in np.ndindex(groups, bins - 1):
        row = np.zeros(size)
        row[group * bins + place : group * bins + place + 2] = [1, -1]
        rows.append(row)
        bounds.append(0.0)
    A = np.concatenate([np.array(rows), np.eye(size), -np.eye(size)])
    return A, np.concatenate([bounds, np.ones(size), np.zeros(size)])


def by_vertices(counts, gap):
    """The least error over all vertices of the polytope of fair monotone rules of two groups."""
    A, b = inequalities(counts, gap)
    size = A.shape[1]
    tight = np.array(list(combinations(range(len(A)), size)))
    tight = tight[np.abs(np.linalg.det(A[tight])) > 1e-12]
    vertices = np.linalg.solve(A[tight], b[tight][..., None])[..., 0]
    feasible = vertices[(vertices @ A.T <= b + 1e-9).all(axis=1)]
    return min(error_of(counts, vertex.reshape(2, -1).T) for vertex in feasible)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gap", [0.0, 0.03, 0.3])
def test_the_rule_is_the_best_vertex_of_all_fair_monotone_rules(seed, gap):
    counts = random_counts(2, 2, seed)
    chances = fair_chances(counts, gap)
    rates = rates_of(counts, chances)
    assert np.abs(rates[1] - rates[0]).max() <= gap + SOLVER
    assert error_of(counts, chances) == pytest.approx(by_vertices(counts, gap), abs=SOLVER)


def test_three_bins_agree_with_all_vertices():
    counts = random_counts(2, 3, 9)
    ours = error_of(counts, fair_chances(counts, 0.05))
    assert ours == pytest.approx(by_vertices(counts, 0.05), abs=SOLVER)


@pytest.mark.parametrize(("groups", "bins"), [(1, 4), (3, 5), (5, 8)])
def test_more_groups_agree_with_a_program_over_probabilities(groups, bins):
    """Variables are the probabilities of decision 1, and each pair of groups has a constraint."""
    counts, gap = np.sort(random_counts(groups, bins, groups), axis=2), 0.02
    if groups > 1:
        A, b = inequalities(counts, gap)
    else:
        A, b = np.diff(-np.eye(bins), axis=0), np.zeros(bins - 1)
    cost = (counts[:, 0] - counts[:, 1]).ravel() / counts.sum()
    other = linprog(cost, A_ub=A, b_ub=b, bounds=(0, 1))
    chances = fair_chances(counts, gap)
    assert (np.diff(chances, axis=0) >= 0).all()
    ours = error_of(counts, chances)
    assert ours == pytest.approx(other.fun + counts[:, 1].sum() / counts.sum(), abs=SOLVER)


def test_a_rule_by_hand():
    """Group 0 is separated perfectly. Group 1 has rates (1/2, 1/2) above its threshold at best.

    Equal rates are those of one decision for all: any error is 1/2.
    """
    separated, alike = [[4.0, 0.0], [0.0, 4.0]], [[2.0, 2.0], [2.0, 2.0]]
    counts = np.array([separated, alike])
    assert error_of(counts, fair_chances(counts, 0.0)) == pytest.approx(0.5)
    np.testing.assert_allclose(fair_chances(counts, 1.0)[:, 0], [0.0, 1.0])
    assert error_of(counts, fair_chances(counts, 1.0)) == pytest.approx(0.25)


def test_a_group_without_a_label_has_no_constraint_for_it():
    counts = np.array([[[0.0, 0.0], [3.0, 5.0]], [[8.0, 1.0], [1.0, 8.0]]])
    chances = fair_chances(counts, 0.0)
    rates = (counts[:, 1] * chances.T).sum(axis=1) / counts[:, 1].sum(axis=1)
    assert rates[0] == pytest.approx(rates[1], abs=SOLVER)
    assert fair_chances(np.zeros((2, 2, 3)), 0.0).shape == (3, 2)


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_consistent_counts_are_the_nearest(groups):
    """No step to a vertex (all records of a cell in one group) leads nearer to the noisy counts."""
    rng = np.random.default_rng(groups)
    totals = rng.integers(0, 6, (2, 8)).astype(float)
    noisy = rng.normal(totals / groups, 4, (groups, 2, 8))
    found = consistent(noisy, totals)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=0), totals, atol=1e-12)
    for group in range(groups):
        vertex = np.zeros_like(noisy)
        vertex[group] = totals
        assert (((noisy - found) * (vertex - found)).sum(axis=0) <= 1e-9).all()


def test_exact_counts_stay_the_same():
    counts = random_counts(3, 7, 1)
    counts[1, 0, :3] = 0
    counts[:, 1, 4] = 0
    np.testing.assert_array_equal(consistent(counts, counts.sum(axis=0)), counts)


def test_edges_divide_the_scores_of_each_decision_evenly():
    scores = np.concatenate([-np.arange(80.0), np.arange(1.0, 41.0)])
    edges = score_edges(scores, 4)
    assert edges.tolist() == [-59.5, -39.5, -19.5, 0.0, 10.5, 20.5, 30.5]
    assert np.bincount(places(scores, edges)).tolist() == [20] * 4 + [10] * 4


def test_equal_scores_are_in_one_bin_and_no_scores_have_edges():
    edges = score_edges(np.array([1.0, 1.0, 1.0, 5.0]), 3)
    assert edges.tolist() == [0.0, 0.0, 0.0, 3.0, 3.0]
    assert places(np.array([-2.0, 1.0, 5.0]), edges).tolist() == [0, 3, 5]


def exact_counts(people, model):
    """Counts of group, label and bin, one record after the other."""
    counts = np.zeros((len(people.domain.groups), 2, len(model.edges) + 1))
    for x, label, group in zip(people.X, people.y, people.protected, strict=True):
        score = x @ model.weights + model.intercept
        counts[group, label, sum(edge < score for edge in model.edges)] += 1
    return counts


@pytest.mark.parametrize("groups", [2, 3])
def test_at_infinity_it_is_the_rule_of_the_exact_counts(groups):
    people = crowd_of(groups)
    model = fit(people, epsilon=np.inf, fairness_gap=0.02)
    counts = exact_counts(people, model)
    np.testing.assert_array_equal(model.chances, fair_chances(counts, 0.02))
    assert error_on(people, model) == pytest.approx(error_of(counts, model.chances))
    assert violation_on(people, model) <= 0.02 + SOLVER


@pytest.mark.parametrize(("groups", "sensitivity"), [(2, 1.0), (3, 2.0)])
def test_the_noise_is_laplace_on_the_counts(groups, sensitivity):
    people = crowd_of(groups)
    with record() as tape:
        model = fit(people, epsilon=0.5)
    assert [(entry.mechanism, entry.sensitivity, entry.scale) for entry in tape] == [
        ("laplace", sensitivity, pytest.approx(sensitivity / 0.5))
    ]
    counts = exact_counts(people, model)
    np.testing.assert_array_equal(tape[0].value, counts[1:] if groups == 2 else counts)


@pytest.mark.parametrize(("groups", "sensitivity"), [(2, 1.0), (3, 2.0)])
def test_a_changed_group_moves_the_query_by_its_sensitivity(groups, sensitivity):
    people, rng = crowd_of(groups, n=60), np.random.default_rng(0)
    relation = catalog.algorithm("dp_score_postprocessing").guarantee.neighbours
    moves = []
    for left, right in people.neighbours(relation, count=30, rng=rng):
        with record() as tape:
            one, other = fit(left), fit(right)
        moves.append(np.abs(tape[0].value - tape[1].value).sum())
        np.testing.assert_array_equal(one.edges, other.edges)
    assert max(moves) == sensitivity


@pytest.mark.parametrize("groups", [2, 5])
def test_the_guarantee_holds_on_neighbours(groups):
    params = catalog.algorithm("dp_score_postprocessing").complete({"epsilon": 0.7})
    found = audit("dp_score_postprocessing", crowd_of(groups), neighbours=60, params=params)
    assert found.holds
    assert found.found == pytest.approx(0.7)  # a changed group spends the whole budget
    assert found.largest_move == pytest.approx(1)


def test_a_group_that_vanishes_changes_nothing_but_the_query():
    people = crowd_of(2, n=40)
    nobody = Records(people.X, people.y, np.zeros(40, dtype=int), people.domain)
    one = Records(people.X, people.y, (np.arange(40) == 0).astype(int), people.domain)
    with record() as tape:
        left = fit(one, epsilon=0.5)
    with replay(tape) as again:
        right = fit(nobody, epsilon=0.5)
    assert np.abs(tape[0].value - again[0].value).sum() == 1
    for name, value in vars(left).items():
        np.testing.assert_array_equal(value, vars(right)[name])


def test_one_bin_for_a_decision_is_post_processing_of_decisions(crowd):
    """The base decisions of this crowd are better than chance in both groups."""
    people = crowd(n=2000)
    for gap in (0.0, 0.02, 0.1):
        decisions = dp_postprocessing.fit(
            people, epsilon=np.inf, fairness_gap=gap, rng=np.random.default_rng(0)
        )
        ours = fit(people, epsilon=np.inf, fairness_gap=gap, bins_per_decision=1)
        assert error_on(people, ours) == pytest.approx(error_on(people, decisions), abs=SOLVER)


@pytest.mark.parametrize("gap", [0.0, 0.05])
def test_twice_as_many_bins_have_no_larger_error_without_noise(crowd, gap):
    people = crowd(n=2000)
    errors = [
        error_on(people, fit(people, epsilon=np.inf, fairness_gap=gap, bins_per_decision=bins))
        for bins in (1, 2, 4, 8, 16)
    ]
    assert (np.diff(errors) <= SOLVER).all()
    assert errors[-1] < errors[0]


@pytest.mark.filterwarnings("ignore")
def test_at_infinity_with_fine_bins_it_is_as_good_as_fairlearn(crowd):
    """ThresholdOptimizer with the scores of the same base classifier, on a grid of rates."""
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn.base import BaseEstimator, ClassifierMixin

    people = crowd(n=2000)
    ours = fit(people, epsilon=np.inf, fairness_gap=0.0, bins_per_decision=1000)

    class Base(ClassifierMixin, BaseEstimator):
        fitted_ = True

        def fit(self, X, y):
            return self

        def predict(self, X):
            return X @ ours.weights + ours.intercept

    rival = ThresholdOptimizer(
        estimator=Base(),
        constraints="equalized_odds",
        grid_size=100_000,
        prefit=True,
        predict_method="predict",
    ).fit(people.X, people.y, sensitive_features=people.protected)
    decision = rival._pmf_predict(people.X, sensitive_features=people.protected)[:, 1]
    theirs = np.mean(np.abs(decision - people.y))
    assert error_on(people, ours) == pytest.approx(theirs, abs=1e-3)


def test_the_same_generator_gives_the_same_rule():
    people = crowd_of(2)
    np.testing.assert_array_equal(fit(people, 3).chances, fit(people, 3).chances)
    assert (fit(people, 3).chances != fit(people, 4).chances).any()


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 10.0])
def test_a_higher_score_never_has_a_smaller_chance(epsilon):
    chances = fit(crowd_of(3, n=60), epsilon=epsilon).chances
    assert (np.diff(chances, axis=0) >= 0).all()
    assert chances.min() >= 0
    assert chances.max() <= 1


def test_a_restored_rule_decides_alike():
    people = crowd_of(2)
    model = fit(people)
    np.testing.assert_array_equal(restore(model.saved()).predict(people), model.predict(people))


@pytest.mark.parametrize(
    "change",
    [{"weights": [[1.0]]}, {"edges": [0.0]}, {"chances": [0.5]}, {"edges": [[0.0]]}],
    ids=str,
)
def test_a_model_file_of_another_shape_is_refused(change):
    with pytest.raises(ValueError, match="in the model file"):
        restore(fit(crowd_of(2)).saved() | change)


@pytest.mark.parametrize(
    "options", [{"fairness_gap": -0.1}, {"bins_per_decision": 0}, {"l2": 0.0}], ids=str
)
def test_a_setting_outside_its_range_is_refused(options):
    with pytest.raises(ValueError, match=r"must"):
        fit(crowd_of(2), **options)
