"""Private records: the network of the coded columns, its sample as records, and a rule for it."""

from __future__ import annotations

import json
from math import inf

import numpy as np
import pytest

from dpfair_cli.algorithms.synthesis import tree_augmented_network, tree_augmented_records
from dpfair_cli.auditing.losses import privacy_loss
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.models.synthesis import tree_records
from dpfair_cli.models.synthesis.likeness import marginal_differences
from tests.algorithms.synthesis import made_tables

PEOPLE = made_tables.people(4000)


def fitted(records=PEOPLE, seed=0, **options):
    return tree_augmented_records.fit(records, **options, rng=np.random.default_rng(seed))


def test_records_become_levels_and_come_back():
    codes = tree_records.as_observations(PEOPLE)
    assert codes.names == tuple(made_tables.VALUES)
    assert codes.levels == (3, 3, 2, 2, 2)
    back = tree_records.as_records(codes, PEOPLE.domain)
    for name in ("X", "y", "protected"):
        np.testing.assert_array_equal(getattr(back, name), getattr(PEOPLE, name))


def test_the_network_is_that_of_the_levels_with_label_and_group_in_their_roles():
    codes = tree_records.as_observations(PEOPLE)
    known = Observations(codes.values, codes.names, codes.levels)
    network = tree_augmented_network.fit(
        known, epsilon=1.0, label="decision", protected="region", rng=np.random.default_rng(0)
    )
    ours = fitted(epsilon=1.0).network
    assert (ours.label, ours.root, ours.edges) == (4, 3, network.edges)
    np.testing.assert_array_equal(ours.joint, network.joint)
    for one, other in zip(ours.conditionals, network.conditionals, strict=True):
        np.testing.assert_array_equal(one, other)


def test_without_noise_the_sample_has_the_shares_of_the_records_and_the_rule_their_labels():
    model = fitted(epsilon=inf)
    made = model.sample(20_000, rng=np.random.default_rng(1))
    assert marginal_differences(made, PEOPLE).max() < 0.02  # three deviations of such a sample
    right = np.mean(model.predict(PEOPLE) == PEOPLE.y)
    assert right > max(PEOPLE.y.mean(), 1 - PEOPLE.y.mean()) + 0.05


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_whole_budget_is_spent_and_not_more(epsilon):
    with record() as tape:
        fitted(epsilon=epsilon)
    changes = [one.sensitivity for one in tape]
    assert privacy_loss(tape, changes, 0.0) == pytest.approx(epsilon)


def test_a_saved_model_draws_and_decides_as_before():
    model = fitted()
    again = tree_records.restore(json.loads(json.dumps(model.saved())))
    for name in ("X", "y", "protected"):
        np.testing.assert_array_equal(
            getattr(model.sample(50, rng=np.random.default_rng(2)), name),
            getattr(again.sample(50, rng=np.random.default_rng(2)), name),
        )
    np.testing.assert_array_equal(model.predict(PEOPLE), again.predict(PEOPLE))


def test_records_with_numbers_are_refused():
    numbers = made_tables.people(10)
    numbers = type(numbers)(
        numbers.X[:, :2], numbers.y, numbers.protected, made_tables.DOMAIN_OF_NUMBERS
    )
    with pytest.raises(ValueError, match="encoding=binned"):
        fitted(numbers)
