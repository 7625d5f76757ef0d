"""Private methods with three groups, and at settings other than their defaults.

Each is fitted to two neighbours, and the second fit gets the releases of the first: queries change
within their sensitivity, sensitivities cost epsilon, and nothing else differs.
"""

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing.losses import privacy_loss, query_change
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.accounting.composition import step_epsilon
from dpfair_cli.mechanisms.ledger import record, replay
from tests.algorithms import mixed_people

N = 60
NAMES = ("a", "b", "c")


def records(groups=2, last_group=6):
    """Records with features at the ends of the box, and `last_group` records of the last group."""
    rng = np.random.default_rng(0)
    protected = rng.integers(0, groups - 1, N) if groups > 2 else np.zeros(N, dtype=int)
    protected[:last_group] = groups - 1
    domain = Domain(NAMES, {name: (j,) for j, name in enumerate(NAMES)}, NAMES[:groups])
    return Records(rng.integers(0, 2, (N, 3)).astype(float), np.arange(N) % 2, protected, domain)


def with_first(data, **values):
    """The records with other values of the first one."""
    columns = {"X": data.X.copy(), "y": data.y.copy(), "protected": data.protected.copy()}
    for name, value in values.items():
        columns[name][0] = value
    return Records(columns["X"], columns["y"], columns["protected"], data.domain)


def replaced(data):
    return with_first(data, X=1 - data.X[0], y=1 - data.y[0], protected=0)


def numbers(model):
    """The arrays and numbers of a fitted model, by name."""
    return {name: np.asarray(value) for name, value in vars(model).items()}


def check(method, left, right, **params):
    """The releases of the fit to the data `left`, after all checks with the neighbour `right`."""
    algorithm = catalog.algorithm(method)
    params = algorithm.complete(params)
    with record() as tape:
        one = algorithm.fit(left, **params, rng=np.random.default_rng(0))
    with replay(tape) as again:
        other = algorithm.fit(right, **params, rng=np.random.default_rng(0))
    for before, after in zip(tape, again, strict=True):
        assert (before.sensitivity, before.scale) == (after.sensitivity, after.scale)
        assert query_change(before, after) <= before.sensitivity * (1 + 1e-9)
    for name, array in numbers(one).items():
        np.testing.assert_array_equal(array, numbers(other)[name])
    delta = algorithm.guarantee.stated_delta(params, N) if "delta" in params else 0.0
    cost = privacy_loss(tape, [entry.sensitivity for entry in tape], delta)
    assert cost <= params["epsilon"] * (1 + 1e-6)
    return tape


GAME = {"rounds": 8, "fairness_gap": 0.2}
OF_GROUPS = {  # one record leaves the last group
    "a table of shares": ("dp_postprocessing", {"epsilon": 30.0, "beta": 0.5}),
    "a small budget": ("dp_postprocessing", {"epsilon": 0.5}),
    "a constant fallback": ("dp_postprocessing", {"epsilon": 5.0, "fallback": "constant"}),
    "a game": ("dp_oracle_learner", GAME),
    "a game of one rate": ("dp_oracle_learner", GAME | {"parity": "false_positive"}),
    "a game with groups": ("dp_oracle_learner", GAME | {"features": "aware"}),
    "a published game": (
        "dp_oracle_learner",
        {"fairness_gap": 1.0, "epsilon": 50.0, "schedule": "published", "rounds": 1},
    ),
}


@pytest.mark.parametrize("last_group", [1, 6])
@pytest.mark.parametrize(("method", "params"), OF_GROUPS.values(), ids=OF_GROUPS)
def test_a_record_leaves_the_last_of_three_groups(method, params, last_group):
    people = records(groups=3, last_group=last_group)
    tape = check(method, people, with_first(people, protected=0), **params)
    assert params.get("schedule") != "published" or len(tape) > 2 * params["rounds"] + 1


OF_RECORDS = {
    "a share of the objective": ("pflr_star", {"objective_share": 0.2}),
    "tight sensitivities": ("pflr_star", {"sensitivity": "tight", "bound": "ball"}),
    "a shift": ("pflr", {"fairness": "shift", "alpha": 3.0}),
    "a projection": ("output_perturbation", {"projection": "ball", "epsilon": 0.3}),
    "a part of the records": ("output_perturbation", {"train_size": 40}),
}


@pytest.mark.parametrize(("method", "params"), OF_RECORDS.values(), ids=OF_RECORDS)
def test_a_record_is_replaced(method, params):
    people = records()
    check(method, people, replaced(people), **params)


def test_a_record_that_is_not_fitted_to_changes_nothing():
    people = records()
    order = np.r_[N - 1, 1 : N - 1, 0]  # the first record is the last
    people, other = people.take(order), replaced(people).take(order)
    tape = check("output_perturbation", people, other, train_size=40)
    assert len(tape) == 1


@pytest.mark.parametrize(("clip_norm", "mu"), [(7.0, 1.0), (3.0, 0.05), (0.5, 4.0)])
def test_output_noise_is_for_the_clipping_bound_and_the_penalty(clip_norm, mu):
    """The minimiser moves by at most 2 C / (mu n)."""
    people = records()
    tape = check("output_perturbation", people, replaced(people), clip_norm=clip_norm, mu=mu)
    assert tape[0].sensitivity == pytest.approx(2 * clip_norm / (mu * N))


@pytest.mark.parametrize("clip", [0.5, 9.0])
def test_numbers_are_clipped_at_other_bounds(clip):
    values = np.full((N, 4), 2 * clip)
    other = values.copy()
    other[0] = [-2 * clip, 2 * clip, -2 * clip, 2 * clip]
    check("priv_pc_star", Observations(values, "abcd"), Observations(other, "abcd"), clip=clip)


@pytest.fixture(scope="module")
def levels():
    """Six variables of three levels, each a noisy copy of the one before, (N, 6)."""
    values = np.cumsum(np.random.default_rng(0).standard_normal((N, 6)), axis=1)
    return Observations(np.digitize(values, [-1.0, 1.0]), tuple("abcdef"), (3,) * 6)


@pytest.mark.parametrize("orders", [1, 5])
def test_every_order_of_priv_pc_has_its_share_of_the_budget(levels, orders):
    """A round at one of 6 nodes, half of it for the number of edges."""
    algorithm = catalog.algorithm("priv_pc")
    with record() as tape:
        algorithm.fit(levels, orders=orders, rng=np.random.default_rng(0))
    number = tape[0]
    assert 2 * number.sensitivity / number.scale == pytest.approx(1 / (orders * 6) / 2)


@pytest.mark.parametrize(("hits", "steps"), [(0.3, 10), (5.0, 150)])
def test_every_sieve_that_may_pass_has_its_share_of_the_budget(levels, hits, steps):
    """15 pairs of variables: 4.5 sieves, rounded up, or 75, and as many examinations."""
    algorithm = catalog.algorithm("sieve_pc")
    with record() as tape:
        algorithm.fit(levels, hits_per_pair=hits, rng=np.random.default_rng(0))
    share = step_epsilon(1.0, 1e-5, steps)
    assert tape[0].sensitivity / tape[0].scale == pytest.approx(share)


def test_a_count_of_edges_may_have_half_of_the_budget():
    edges = np.array([[0, 1], [0, 5], [1, 2], [2, 3]])
    tape = check("top_m_filter", Graph(edges, 6), Graph(edges[1:], 6), count_share=0.5, dimension=2)
    assert [entry.sensitivity / entry.scale for entry in tape] == pytest.approx([0.5, 0.5])


PULLED = {"inputs": "linear", "multiplier_rate": 50.0, "multiplier_bound": 50.0}
WITH_LONG_GRADIENTS = {
    "dp_whitened_descent": {"inputs": "linear"},
    "dp_fair_descent": PULLED,
    "raco_dp": PULLED | {"epochs": 20, "batch_size": 200},
}


@pytest.mark.parametrize("clip_norm", [0.3, 3.0, 5.0])
@pytest.mark.parametrize(("method", "params"), WITH_LONG_GRADIENTS.items())
def test_a_long_gradient_moves_a_step_by_the_clipping_bound(method, params, clip_norm):
    """The record has a level of its own, which whitening makes long, or is pulled far."""
    people = mixed_people.mixed(400)
    X = people.X * (np.arange(6) != 4)
    others = Records(X, people.y, people.protected, people.domain)
    people = mixed_people.replaced(others, 7, np.array([1.0, 0, 0, 1, 1, 1]), y=0)
    options = params | {"clip_norm": clip_norm, "epsilon": 1e3}
    moves = mixed_people.check_that_releases_are_all(
        catalog.algorithm(method), people, 7, **options
    )
    assert max(moves[-1::-2]) == pytest.approx(1)  # of gradients
