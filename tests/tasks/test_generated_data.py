"""The study of generated data on generators with known scores: the records, shuffled."""

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.metrics import generated_data as metrics
from dpfair_cli.tasks import generated_data
from tests.algorithms.synthesis.made_tables import people

NAMED = (
    "data_demographic_parity_difference",
    "balanced_error_rate",
    "dist_xy",
    "dist_xys",
    "largest_marginal_difference",
)
DATA = people(2000)


def scores(shuffled="nothing", seed=0):
    return outcome(shuffled, seed).scores


def outcome(shuffled="nothing", seed=0):
    fit = BoundFit("copied_data", catalog.algorithm("copied_data"), {"shuffled": shuffled})
    case = generated_data.split(DATA, rng=np.random.default_rng(seed))
    return generated_data.TASK.study(fit, case, rng=np.random.default_rng(seed + 10))


def risk_difference():
    return abs(DATA.y[DATA.protected == 1].mean() - DATA.y[DATA.protected == 0].mean())


def test_every_score_is_declared_and_those_of_table_6_1_are_among_them():
    found = scores()
    assert set(found) <= set(generated_data.TASK.scores)
    assert set(NAMED) <= set(found)
    assert all(np.isfinite(found[name]) for name in NAMED)


def test_the_generator_learns_from_all_records():
    """The dissertation holds out no record: its samples are as large as the data."""
    case = generated_data.split(DATA, rng=np.random.default_rng(0))
    assert sorted(map(tuple, case.train.X.tolist())) == sorted(map(tuple, DATA.X.tolist()))
    assert case.train.y.sum() == DATA.y.sum()


def test_a_copy_of_the_data_has_their_scores_and_no_distance_from_them():
    """D1-Real in Table 6.1."""
    found = scores("nothing")
    assert found["data_demographic_parity_difference"] == pytest.approx(risk_difference())
    assert found["balanced_error_rate"] == pytest.approx(
        metrics.balanced_error_rate(DATA.X, DATA.protected), abs=0.01
    )
    for name in ("dist_xy", "dist_xys", "largest_marginal_difference"):
        assert found[name] == pytest.approx(0, abs=1e-12), name


def test_a_copy_with_shuffled_groups_is_fair_and_near_without_the_group():
    found = scores("protected")
    assert risk_difference() > 0.25
    assert found["data_demographic_parity_difference"] < 0.1
    assert found["balanced_error_rate"] > 0.42
    assert found["dist_xy"] == pytest.approx(0, abs=1e-12)
    assert found["dist_xys"] > 0.01


def test_labels_shuffled_within_groups_keep_the_risk_difference():
    found = scores("label within groups")
    assert found["data_demographic_parity_difference"] == pytest.approx(risk_difference())
    assert found["dist_xy"] > 0.01
    assert found["dist_xys"] > 0.01


def test_labels_shuffled_within_cells_are_far_only_with_the_group():
    found = scores("label within cells")
    assert found["data_demographic_parity_difference"] < risk_difference() - 0.05
    assert found["dist_xy"] == pytest.approx(0, abs=1e-12)
    assert found["dist_xys"] > 0.005


def test_no_shuffling_moves_the_share_of_a_level():
    for shuffled in ("protected", "label within groups", "label within cells"):
        assert scores(shuffled)["largest_marginal_difference"] == pytest.approx(0, abs=1e-12), (
            shuffled
        )


def test_the_same_seed_gives_the_same_scores_and_another_one_others():
    assert scores("protected", 1) == scores("protected", 1)
    assert scores("protected", 1)["dist_xys"] != scores("protected", 2)["dist_xys"]


def test_the_outcome_holds_the_generator():
    drawn = outcome().model.sample(5, rng=np.random.default_rng(0))
    assert len(drawn) == 5


def test_the_generators_are_offered_for_it_and_a_linear_rule_is_not():
    assert matching.can_score(catalog.study("generated_data"), catalog.algorithm("copied_data"))
    assert not matching.can_score(
        catalog.study("generated_data"), catalog.algorithm("logistic_regression")
    )
