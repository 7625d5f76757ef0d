"""GRR with LightGBM: its public self, equal trees of equal reports, and what is missing."""

from __future__ import annotations

import sys
from math import inf

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.papers.arcolezi2023.methods import gradient_boosting, grr
from tests.kinds.test_local_records import people

pytestmark = pytest.mark.deep
pytest.importorskip("lightgbm", reason="lightgbm is not here: pip install lightgbm")
SETTINGS = {"trees": 10, "depth": 4}


def fit(records, seed=0, **options):
    return grr.fit(records, **{**SETTINGS, **options}, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("budget_split", ["k_based", "uniform"])
def test_without_noise_the_trees_are_those_of_gradient_boosting(budget_split):
    records = people(400)
    public = gradient_boosting.fit(records, **SETTINGS, rng=np.random.default_rng(0))
    assert fit(records, epsilon=inf, budget_split=budget_split) == public
    assert fit(records, epsilon=0.5, budget_split=budget_split) != public


def test_equal_reports_of_neighbours_give_equal_trees():
    """What the releases do not hide: with the same reports, nothing of the record is left."""
    from dpfair_cli.contracts.guarantees import Neighbours
    from dpfair_cli.mechanisms.ledger import replay

    relation = Neighbours.RANDOMISED_ATTRIBUTES
    rng = np.random.default_rng(0)
    for left, right in people(60).neighbours(relation, count=6, rng=rng):
        with record() as tape:
            first = fit(left)
        with replay(tape):
            assert fit(right, seed=1) == first


def test_trees_are_the_same_in_every_fit_and_decide_with_zero_or_one():
    records = people(300)
    first, again = fit(records), fit(records)
    assert first.text == again.text
    decision = first.predict(records)
    assert set(decision.tolist()) <= {0.0, 1.0}
    np.testing.assert_array_equal(decision, again.predict(records))


def test_the_settings_reach_the_trees():
    text = fit(people(400), trees=7, depth=1, learning_rate=0.5).text
    assert text.count("\nTree=") == 7
    assert text.count("num_leaves=2\n") == 7
    assert "[learning_rate: 0.5]" in text


def test_without_lightgbm_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(DpfairError, match=r"^boosted trees need LightGBM: pip install lightgbm$"):
        fit(people(50))


def test_trees_are_not_saved():
    with pytest.raises(DpfairError, match="cannot be saved"):
        fit(people(50)).saved()
