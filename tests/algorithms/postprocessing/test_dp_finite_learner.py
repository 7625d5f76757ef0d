"""DP-oracle-learner for a finite class against Subroutine 2, a linear program and Theorem 4.4."""

from math import inf, log, sqrt

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_cli import catalog
from dpfair_cli.algorithms.postprocessing import dp_finite_learner
from dpfair_cli.auditing.audit import audit
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.models.postprocessing import fair_game


def fit(people, seed=0, **options):
    return dp_finite_learner.fit(people, rng=np.random.default_rng(seed), **options)


def crowd_of(groups, n=400, d=3, seed=0):
    """Records whose label is mostly that of a threshold on x0, which is higher in later groups."""
    rng = np.random.default_rng(seed)
    protected = rng.integers(0, groups, n)
    X = rng.random((n, d))
    X[:, 0] = np.clip(X[:, 0] + 0.2 * protected, 0, 1)
    y = (X[:, 0] > 0.55) ^ (rng.random(n) < 0.1)
    names = tuple(f"x{j}" for j in range(d))
    domain = Domain(
        names, {name: (j,) for j, name in enumerate(names)}, tuple(map(str, range(groups)))
    )
    return Records(X, y.astype(int), protected, domain)


def decisions(people, groups, aware, thresholds=9):
    """The decision of each rule about each record, from the definition of the class."""
    rows = []
    for j in range(people.X.shape[1]):
        cuts = [k / (thresholds + 1) for k in range(1, thresholds + 1)]
        rows += [people.X[:, j] > cut for cut in cuts]
    for j in range(people.X.shape[1]):
        rows += [people.X[:, j] < cut for cut in cuts]
    rows += [np.ones(len(people), dtype=bool), np.zeros(len(people), dtype=bool)]
    if aware:
        members = [people.protected == a for a in range(groups if groups > 2 else 1)]
        rows += [*members, *(~member for member in members)]
    return np.array(rows, dtype=float)


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("features", ["blind", "aware"])
def test_the_score_of_a_rule_is_its_cost_in_subroutine_2(groups, features):
    people = crowd_of(groups)
    with record() as tape:
        fit(people, rounds=3, features=features, epsilon=1e6, fairness_gap=0.5)
    counts, theta = np.maximum(tape[0].output, 1), np.zeros((2, groups - 1, 2))
    decided, eta = (
        decisions(people, groups, features == "aware"),
        0.5 * sqrt(log(4 * (groups - 1) + 1) / 3),
    )
    for t in range(3):
        weights = fair_game.auditor_weights(theta, 2.0)  # B = 1 / 0.5
        net, cost = weights[0] - weights[1], np.zeros(len(decided))
        for i in range(len(people)):
            a, y = people.protected[i], people.y[i]
            price = net[a - 1, y] if a else -net[:, y].sum()
            one = float(y != 1) + price * len(people) / counts[a, y]
            cost += np.where(decided[:, i] == 1, one, float(y != 0))
        chosen, gaps = tape[1 + 2 * t], tape[2 + 2 * t]
        np.testing.assert_allclose(chosen.value, -cost)
        rule = decided[chosen.output]
        rates = [
            [rule[(people.protected == a) & (people.y == y)].sum() / counts[a, y] for y in (0, 1)]
            for a in range(groups)
        ]
        np.testing.assert_allclose(gaps.value, np.array(rates)[1:] - np.array(rates)[0])
        theta = theta + eta / 2.0 * fair_game.violations(gaps.output, 0.5)


def test_the_model_averages_the_chosen_rules():
    people = crowd_of(2)
    for features in ("blind", "aware"):
        with record() as tape:
            model = fit(people, rounds=9, features=features)
        decided = decisions(people, 2, features == "aware")
        chosen = [entry.output for entry in tape if entry.mechanism == "exponential"]
        np.testing.assert_allclose(model.predict(people), decided[chosen].mean(axis=0))


@pytest.mark.parametrize(
    ("groups", "features", "rules"), [(2, "blind", 56), (2, "aware", 58), (3, "aware", 62)]
)
def test_the_class_has_the_stated_rules(groups, features, rules):
    """54 thresholds (9 of 3 features, both ways), 2 constants; 2 or 6 indicators of groups."""
    with record() as tape:
        fit(crowd_of(groups), rounds=1, features=features)
    assert len(tape[1].value) == rules


def test_the_printed_budget_of_a_step_by_hand():
    """epsilon / (4 sqrt(T ln(1 / delta))), for 2 T + 1 steps."""
    with record() as tape:
        fit(crowd_of(2), epsilon=2.0, rounds=16, split="published")
    step = 2.0 / (4 * sqrt(16 * log(1e7)))
    assert len(tape) == 33
    assert tape[0].scale == pytest.approx(2 / step)
    for entry in tape[1:]:
        times = 2 if entry.mechanism == "exponential" else 1
        assert entry.scale == pytest.approx(times * entry.sensitivity / step)


def test_a_printed_budget_that_does_not_compose_is_refused():
    with pytest.raises(ValueError, match="set `split` to 'composed'"):
        fit(crowd_of(2), epsilon=200.0, split="published")
    for epsilon, least in ((0.1, 1.9), (100.0, 1.05)):
        scales = []
        for split in ("published", "composed"):
            with record() as tape:
                fit(crowd_of(2), epsilon=epsilon, rounds=5, split=split)
            scales.append(tape[0].scale)
        assert scales[0] / scales[1] > least  # noise of the printed budget


@pytest.mark.parametrize("features", ["blind", "aware"])
def test_without_noise_it_is_within_theorem_4_4_of_the_best_fair_mixture(features):
    """nu is 2 B sqrt(ln 5 / T): the regret of the auditor; that of the learner is 0."""
    people, gamma, T = crowd_of(2, n=600), 0.1, 4000
    decided = decisions(people, 2, features == "aware")
    error = np.abs(decided - people.y).mean(axis=1)
    gaps = np.array(
        [
            [
                np.subtract(
                    *(row[(people.protected == a) & (people.y == y)].mean() for a in (1, 0))
                )
                for y in (0, 1)
            ]
            for row in decided
        ]
    )
    best = linprog(
        error,
        A_ub=np.vstack([gaps.T, -gaps.T]),
        b_ub=np.full(4, gamma),
        A_eq=np.ones((1, len(error))),
        b_eq=[1],
    )
    model = fit(
        people, epsilon=inf, fairness_gap=gamma, dual_scale=0.2, rounds=T, features=features
    )
    nu = 2 * 2.0 * sqrt(log(5) / T)
    share = model.predict(people)
    assert np.abs(share - people.y).mean() <= best.fun + 2 * nu
    for y in (0, 1):
        rates = [share[(people.protected == a) & (people.y == y)].mean() for a in (1, 0)]
        assert abs(rates[0] - rates[1]) <= gamma + (1 + 2 * nu) / 2


def test_the_bounds_have_the_logarithm_of_the_size_of_the_class():
    people = crowd_of(2, n=800)
    least = np.bincount(2 * people.protected + people.y).min()
    bound, _ = fit(people, epsilon=2.0, fairness_gap=0.1, rounds=25).guarantee(people)
    noise = 8 * sqrt(25 * log(1e7)) / ((least - 1) * 2)
    learner = (2 * 2 * 10 + 1) * noise * (log(56) + log(2 * 25 / 0.05))
    auditor = 2 * 10 * sqrt(log(5) / 25) + 2 * 10 * 2 * noise * log(8 * 25 * 2 / 0.05)
    assert bound == pytest.approx(2 * (learner + auditor))


@pytest.mark.parametrize("groups", [2, 4])
@pytest.mark.parametrize(
    "options",
    [{}, {"features": "aware"}, {"parity": "false_positive"}, {"split": "published"}],
    ids=str,
)
def test_the_guarantee_holds_on_neighbours(groups, options):
    given = {"epsilon": 0.8, "rounds": 5, **options}
    params = catalog.algorithm("dp_finite_learner").complete(given)
    found = audit("dp_finite_learner", crowd_of(groups), params=params, neighbours=30)
    assert found.holds
    assert found.largest_move > 0.9


def test_more_budget_finds_a_better_rule():
    people = crowd_of(2)
    errors = [
        np.mean(
            [np.abs(fit(people, s, epsilon=e).predict(people) - people.y).mean() for s in range(3)]
        )
        for e in (0.01, inf)
    ]
    assert errors[1] < 0.25 < errors[0]
