"""Tree-augmented network: epsilon = infinity, budget, roles, and unusual data."""

from itertools import product
from math import inf

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.algorithms.synthesis import tree_augmented_network
from dpfair_cli.auditing.losses import privacy_loss
from dpfair_cli.catalog import matching
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record, replay

NAMES, LEVELS = ("a", "b", "c", "group", "label"), (3, 2, 4, 2, 2)


def chain(n=4000, seed=0):
    """Records in which a mostly copies group, b a, and c b; the label depends on the group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)

    def keeps(before, levels):
        return np.where(rng.random(n) < 0.8, before % levels, rng.integers(levels, size=n))

    a = keeps(group, 3)
    b = keeps(a, 2)
    c = keeps(b, 4)
    return Observations(np.column_stack([a, b, c, group, keeps(group, 2)]), NAMES, LEVELS)


def fitted(data, **options):
    return tree_augmented_network.fit(data, **options, rng=np.random.default_rng(0))


def test_without_noise_the_tree_of_four_records_is_the_one_by_hand():
    """u copies the group and scores |T - a b'/4| = 4 * 1 = 4; v is independent and scores 0."""
    values = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 1], [1, 1, 1, 0]])
    network = fitted(Observations(values, ("u", "v", "group", "label"), (2,) * 4), epsilon=inf)
    assert (network.label, network.root) == (3, 2)
    assert network.edges[0] == (0, 2)
    np.testing.assert_array_equal(
        network.joint, [[0.5, 0.25], [0, 0.25]]
    )  # label 0 or 1, group 0 or 1
    np.testing.assert_array_equal(
        network.conditionals[0][0], [[1, 0], [0, 1]]
    )  # label 0: u is the group
    np.testing.assert_array_equal(
        network.conditionals[0][1], [[0.5, 0.5], [0, 1]]
    )  # label 1, group 0: no record


def test_infinite_epsilon_gives_the_public_tree_and_its_shares_exactly():
    """Without noise: the maximum spanning tree of L1 dependences, and counted frequencies."""
    data = chain()
    network = fitted(data, epsilon=inf)
    assert sorted(network.edges) == [(0, 3), (1, 0), (2, 1)]  # group -> a -> b -> c
    for (child, parent), table in zip(network.edges, network.conditionals, strict=True):
        for label, above, level in product(range(2), range(LEVELS[parent]), range(LEVELS[child])):
            like = data.values[
                (data.values[:, 4] == label) & (data.values[:, parent] == above), child
            ]
            assert table[label, above, level] == pytest.approx(np.mean(like == level), abs=1e-15)


@pytest.mark.parametrize("variables", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_the_releases_spend_the_whole_budget_and_no_more(variables, epsilon):
    data = Observations(
        chain().values[:, -variables:].copy(), NAMES[-variables:], LEVELS[-variables:]
    )
    with record() as tape:
        fitted(data, epsilon=epsilon)
    assert privacy_loss(tape, [entry.sensitivity for entry in tape], 0.0) == pytest.approx(epsilon)
    assert [entry.mechanism for entry in tape] == ["exponential"] * (variables - 2) + [
        "laplace"
    ] * (variables - 1)


def test_given_its_releases_the_network_does_not_depend_on_the_records():
    """Neither do the cells that were empty, nor the edges that were strongest."""
    data = chain(n=50)
    with record() as tape:
        network = fitted(data, epsilon=2.0)
    for values in (0 * data.values, data.values[::-1] // 2, np.array(LEVELS) - 1 - data.values):
        with replay(tape):
            other = fitted(Observations(values, NAMES, LEVELS), epsilon=2.0)
        assert other.edges == network.edges
        np.testing.assert_array_equal(other.joint, network.joint)
        for one, two in zip(other.conditionals, network.conditionals, strict=True):
            np.testing.assert_array_equal(one, two)


def test_a_named_label_and_protected_variable_take_their_roles():
    network = fitted(chain(), label="a", protected="c")
    assert (network.label, network.root) == (0, 2)
    assert {child for child, _ in network.edges} == {1, 3, 4}
    assert fitted(chain(), label="group").root == 4  # the last variable that is not the label


def test_with_a_large_budget_the_sample_keeps_the_group_difference():
    data = chain()
    drawn = fitted(data, epsilon=50.0).sample(20_000, rng=np.random.default_rng(1))
    gaps = [
        np.diff([part.values[part.values[:, 3] == g, 4].mean() for g in (0, 1)])[0]
        for part in (data, drawn)
    ]
    assert gaps[1] == pytest.approx(gaps[0], abs=0.05)


@pytest.mark.parametrize(
    "values", [[[0, 0, 0, 0, 0]], [[2, 1, 3, 1, 1]] * 3], ids=["one record", "equal records"]
)
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, inf])
def test_any_data_give_probabilities(values, epsilon):
    network = fitted(Observations(np.array(values), NAMES, LEVELS), epsilon=epsilon)
    for table in (network.joint.ravel(), *network.conditionals):
        assert (table >= 0).all()
        np.testing.assert_allclose(table.sum(axis=-1), 1, rtol=1e-12)
    assert len(network.sample(5, rng=np.random.default_rng(1))) == 5


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (
            chain(),
            {"label": "labell"},
            "no variable 'labell', which was given as label: did you mean 'label'",
        ),
        (
            chain(),
            {"label": "a", "protected": "a"},
            "`label` and `protected` must be two different variables, got 'a'",
        ),
        (chain(0), {}, "one record"),
        (Observations(np.zeros((3, 1), int), ("a",), (2,)), {}, "two variables"),
        (Observations(np.zeros((3, 2)), ("a", "b")), {}, "numerical"),
    ],
)
def test_roles_that_are_not_there_and_data_without_categories_are_refused(data, options, message):
    with pytest.raises(ValueError, match=message):
        fitted(data, **options)


def test_it_is_offered_in_no_task_of_causal_discovery():
    network = catalog.algorithm("tree_augmented_network")
    assert matching.can_fit(network, catalog.data_source("asia"))
    assert network not in matching.algorithms_for(catalog.data_source("asia"))
    assert not any(
        matching.can_score(catalog.study(task), network) for task in catalog.studies.names
    )
