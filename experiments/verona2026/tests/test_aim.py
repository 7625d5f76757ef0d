"""The private records of AIM: sums of a joint table, the cost of all releases, and the sample."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, rdp
from scipy.stats import norm

from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.papers.verona2026.methods import aim
from dpfair_cli.papers.verona2026.models.concentrated_budget import zero_concentrated
from dpfair_cli.papers.verona2026.models.joint_table import NoisyTables, Sums, counts

SHAPE = (3, 2, 4, 2)
PAIRS = tuple(combinations(range(4), 2))
LEVELS = (3, 2, 2, 2)  # of the records: town, work, group and label
EPSILONS = 0.5, 2.0, 10.0


def domain(towns=3, works=2):
    values = {
        "town": tuple(f"t{k}" for k in range(towns)),
        "work": tuple(f"w{k}" for k in range(works)),
        "group": ("a", "b"),
        "label": ("0", "1"),
    }
    columns = (*values["town"], *values["work"])
    places = {"town": tuple(range(towns)), "work": tuple(range(towns, towns + works))}
    return Domain(columns, places, ("a", "b"), values=values)


def people(n=300, seed=0):
    """Records whose work depends on the town, and whose label depends on work and group."""
    rng = np.random.default_rng(seed)
    town, group = rng.choice(3, size=n, p=[0.6, 0.3, 0.1]), rng.integers(2, size=n)
    work = (rng.random(n) < 0.2 + 0.3 * town).astype(int)
    y = (rng.random(n) < 0.1 + 0.4 * work + 0.3 * group).astype(int)
    return Records(np.hstack([np.eye(3)[town], np.eye(2)[work]]), y, group, domain())


def table_of(records):
    """The counts of all cells, with the shape LEVELS."""
    town, work = records.X[:, :3].argmax(axis=1), records.X[:, 3:].argmax(axis=1)
    found = np.zeros(LEVELS)
    np.add.at(found, (town, work, records.protected, records.y), 1)
    return found


def pair_of(joint, axes):
    return joint.sum(axis=tuple(set(range(joint.ndim)) - set(axes)))


@cache
def taped(epsilon, seed=0, n=300, delta=1e-9):
    """(the model, what was released)."""
    with record() as tape:
        model = aim.fit(people(n), epsilon=epsilon, delta=delta, rng=np.random.default_rng(seed))
    return model, tape


def cost(entry):
    """The rho of a release: that of Gaussian noise, or that of a choice (Cesar and Rogers 2021)."""
    if entry.mechanism == "gaussian":
        return (entry.sensitivity / entry.scale) ** 2 / 2
    assert entry.mechanism == "exponential"
    return (2 * entry.sensitivity / entry.scale) ** 2 / 8


@pytest.mark.parametrize("tables", [PAIRS, ((0,), (1,), (2,), (3,), *PAIRS), ((2,), (0, 3))])
def test_sums_are_those_of_numpy(tables):
    joint = np.random.default_rng(0).random(SHAPE)
    found = Sums(SHAPE, tables).down(joint)
    assert tuple(found) == tables
    for axes in tables:
        np.testing.assert_allclose(found[axes], pair_of(joint, axes), rtol=1e-12)


@pytest.mark.parametrize("tables", [PAIRS, ((0,), (1, 3), (0, 2)), ((2,),)])
def test_spreading_is_the_adjoint_of_summing(tables):
    rng = np.random.default_rng(1)
    joint, sums = rng.standard_normal(SHAPE), Sums(SHAPE, tables)
    spread = {axes: rng.standard_normal([SHAPE[axis] for axis in axes]) for axes in tables}
    down = sums.down(joint)
    inner = sum((spread[axes] * down[axes]).sum() for axes in tables)
    up = sums.up(spread)
    assert up.shape == SHAPE
    assert (up * joint).sum() == pytest.approx(inner, abs=1e-10)


def test_exact_tables_of_a_distribution_are_recovered():
    joint = np.random.default_rng(2).dirichlet(np.ones(48)).reshape(SHAPE)
    model = NoisyTables(SHAPE, PAIRS)
    for axes in PAIRS:
        model.add(axes, 1000 * pair_of(joint, axes), precision=1.0)
    far = [np.abs(pair_of(joint, axes) - 1 / pair_of(joint, axes).size).max() for axes in PAIRS]
    assert min(far) > 0.03  # of the equal shares from which the descent starts
    model.fit(2000)
    assert model.total == pytest.approx(1000, rel=1e-12)
    assert model.probabilities.sum() == pytest.approx(1, abs=1e-12)
    for axes, table in model.tables().items():
        np.testing.assert_allclose(table, 1000 * pair_of(joint, axes), atol=1)
        np.testing.assert_allclose(1000 * pair_of(model.probabilities, axes), table, atol=1e-9)


def test_of_two_tables_the_more_precise_one_counts_more():
    """(10 + 3 * 20) / 4 and (2 + 3 * 2) / 4 records."""
    model = NoisyTables((2,), ((0,),))
    model.add((0,), np.array([10.0, 2.0]), precision=1.0)
    model.add((0,), np.array([20.0, 2.0]), precision=3.0)
    assert model.total == pytest.approx(19.5, rel=1e-12)
    model.fit(200)
    np.testing.assert_allclose(model.tables()[0,], [17.5, 2.0], atol=1e-6)


def test_the_total_is_the_mean_of_sums_by_their_variances():
    """Sums of 2 and of 4 cells of variances 1 and 1/3: precisions 1/2 and 3/4."""
    model = NoisyTables((2, 2), ((0,), (0, 1)))
    model.add((0,), np.array([6.0, 4.0]), precision=1.0)
    model.add((0, 1), np.array([[5.0, 5.0], [5.0, 5.0]]), precision=3.0)
    assert model.total == pytest.approx((10 * 0.5 + 20 * 0.75) / 1.25, rel=1e-12)


def test_the_total_is_at_least_one_record():
    model = NoisyTables((2,), ((0,),))
    model.add((0,), np.array([-3.0, 1.0]), precision=1.0)
    assert model.total == 1.0


def test_counts_by_hand():
    values = np.array([[0, 1, 1], [2, 1, 0], [0, 1, 0]])
    found = counts(values, (0, 1), (3, 2, 2))
    np.testing.assert_array_equal(found, [[0, 2], [0, 0], [0, 1]])


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 1e-2])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_rho_costs_epsilon_by_dp_accounting(epsilon, delta):
    rho = zero_concentrated(epsilon, delta)
    multiplier = 1 / math.sqrt(2 * rho)
    accountant = rdp.RdpAccountant(orders=1 + np.geomspace(1e-2, 1e4, 40_000))
    accountant.compose(GaussianDpEvent(multiplier))
    # the orders are 3.5e-4 apart, and the best one has a slope of 0
    assert accountant.get_epsilon(delta) == pytest.approx(epsilon, rel=1e-6)
    # the exact delta of Gaussian noise (Balle and Wang 2018, Theorem 8)
    half = 1 / (2 * multiplier)
    exact = norm.cdf(half - epsilon * multiplier)
    exact -= math.exp(epsilon + norm.logcdf(-half - epsilon * multiplier))
    assert 0 < exact <= delta


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_all_releases_cost_rho(epsilon):
    _, tape = taped(epsilon)
    kinds = [entry.mechanism for entry in tape]
    rounds = len(kinds) // 2 - 2
    # a table of each variable, and then a choice and a table in each round
    assert kinds == ["gaussian"] * 4 + ["exponential", "gaussian"] * rounds
    rho = zero_concentrated(epsilon, 1e-9)
    assert math.fsum(map(cost, tape)) == pytest.approx(rho, rel=1e-9)
    # one of 16 * 4 equal parts of the budget, of which 0.9 are for the table
    assert cost(tape[0]) == pytest.approx(0.9 * rho / 64, rel=1e-9)
    for choice, table in zip(tape[4::2], tape[5::2], strict=True):
        assert cost(choice) == pytest.approx(cost(table) / 9, rel=1e-9)


def test_a_table_that_brings_less_than_its_noise_is_followed_by_less_noise():
    costs = [cost(entry) for entry in taped(2.0)[1][3::2]]
    # the last round gets what is left
    factors = {round(after / before, 6) for before, after in pairwise(costs[:-1])}
    assert factors == {1.0, 4.0}


def test_a_table_is_one_of_the_records_with_its_declared_noise():
    model, tape = taped(10.0)
    real = table_of(people())
    noise = []
    for choice, entry in zip(tape[4::2], tape[5::2], strict=True):
        axes = [(0,), (1,), (2,), (3,), *PAIRS][int(choice.output)]
        np.testing.assert_array_equal(entry.value, pair_of(real, axes))
        noise.append(np.ravel(entry.output - entry.value) / entry.scale)
    noise = np.concatenate(noise)
    assert noise.mean() == pytest.approx(0, abs=4 / math.sqrt(len(noise)))
    assert noise.std() == pytest.approx(1, abs=4 / math.sqrt(2 * len(noise)))
    assert model.source.probabilities.shape == LEVELS


@pytest.mark.parametrize("row", [0, 7, 150])
def test_a_record_changes_queries_by_their_sensitivities(row):
    _, tape = taped(2.0)
    with replay(tape) as again, absent(row):
        aim.fit(people(), epsilon=2.0, rng=np.random.default_rng(1))
    reached = 0.0
    for before, after in zip(tape, again, strict=True):
        change = np.abs(np.asarray(before.value) - np.asarray(after.value))
        if before.mechanism == "gaussian":
            assert change.sum() == before.sensitivity == 1.0
        else:
            reached = max(reached, change.max() / before.sensitivity)
    assert reached == pytest.approx(1, abs=1e-9)


def test_nothing_but_the_releases_depends_on_the_records():
    model, tape = taped(2.0)
    with replay(tape) as again:
        other = aim.fit(people(200, seed=5), epsilon=2.0, rng=np.random.default_rng(1))
    for before, after in zip(tape, again, strict=True):
        assert (before.scale, before.sensitivity) == (after.scale, after.sensitivity)
    np.testing.assert_array_equal(model.source.probabilities, other.source.probabilities)


def test_the_choice_prefers_pairs_by_the_variables_that_others_share_with_them():
    """A pair shares 2 variables with itself and 1 with four others, a variable 1 with three."""
    first = taped(2.0)[1][4]
    assert first.sensitivity == 6.0
    _, again = taped(math.inf)
    real = table_of(people())
    # without noise: the distances from the product of the distributions of the variables
    sides = [pair_of(real, (k,)) / 300 for k in range(4)]
    wanted = [0.0] * 4 + [
        6 * np.abs(pair_of(real, (i, j)) - 300 * np.outer(sides[i], sides[j])).sum()
        for i, j in PAIRS
    ]
    np.testing.assert_allclose(again[4].value, wanted, atol=0.5)
    assert again[4].output == np.argmax(wanted)


def test_without_privacy_the_pairs_are_those_of_the_records():
    model, tape = taped(math.inf)
    assert {entry.scale for entry in tape} == {0.0}
    real = table_of(people()) / 300
    for axes in PAIRS:
        found = pair_of(model.source.probabilities, axes)
        np.testing.assert_allclose(found, pair_of(real, axes), atol=2e-3)


def test_too_many_cells_are_refused():
    town, work = np.zeros(2, dtype=int), np.array([0, 1])
    X = np.hstack([np.eye(1000)[town], np.eye(126)[work]])
    many = Records(X, np.array([0, 1]), np.array([1, 0]), domain(1000, 126))
    with pytest.raises(ValueError, match="has 504,000 cells, and may have at most 500,000: leave"):
        aim.fit(many, rng=np.random.default_rng(0))


def test_a_sample_has_the_columns_and_the_shares_of_the_model():
    model, _ = taped(10.0)
    made = model.source.sample(40_000, rng=np.random.default_rng(3))
    assert made.domain == domain()
    assert len(made) == 40_000
    assert (made.X[:, :3].sum(axis=1) == 1).all()
    assert (made.X[:, 3:].sum(axis=1) == 1).all()
    # 4 standard deviations of a share are at most 4 * 0.5 / 200
    np.testing.assert_allclose(table_of(made) / 40_000, model.source.probabilities, atol=0.01)


def test_the_model_carries_the_intervention():
    found = aim.fit(people(50), intervention="reject option", rng=np.random.default_rng(0))
    assert found.intervention == "reject option"
