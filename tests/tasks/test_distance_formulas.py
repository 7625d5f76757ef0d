"""Formulas for chi2: the first is the score of causal_fairness on the same seed."""

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.metrics.generated_data import pearson_distance, sampled_pearson_distance
from dpfair_cli.tasks import causal_fairness, distance_formulas
from tests.tasks.test_causal_fairness import DATA


def scores(task, name, params):
    fit = BoundFit(name, catalog.algorithm(name), params)
    case = task.TASK.split(DATA, rng=np.random.default_rng(0))
    return task.TASK.study(fit, case, rng=np.random.default_rng(10)).scores


@pytest.mark.parametrize("shuffled", ["nothing", "protected"])
def test_chi2_is_that_of_the_study_of_chapter_7(shuffled):
    params = {"shuffled": shuffled}
    ours = scores(distance_formulas, "copied_data", params)
    assert ours["chi2"] == scores(causal_fairness, "copied_data", params)["chi2"]


def test_every_formula_without_a_sample_is_zero_for_the_records_themselves():
    found = scores(distance_formulas, "copied_data", {"shuffled": "nothing"})
    assert set(found) == set(distance_formulas.TASK.scores)
    samples = [found.pop(name) for name in ("chi2_sample", "chi2_half_sample")]
    assert set(found.values()) == {0.0}
    assert min(samples) > 0


def test_the_statistic_of_samples_has_the_mean_that_follows_from_its_formula():
    """The sum of (n p - n q)^2 / (n q) plus that of the variances n p (1 - p) over n q."""
    p, q, n = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.4, 0.2]), 50
    rng = np.random.default_rng(0)
    drawn = [sampled_pearson_distance(p, q, n, rng=rng) for _ in range(4000)]
    expected = pearson_distance(p, q, n) + np.sum(p * (1 - p) / q)
    assert np.mean(drawn) == pytest.approx(expected, abs=4 * np.std(drawn) / np.sqrt(4000))


def test_the_third_formula_is_half_of_the_second():
    found = scores(distance_formulas, "copied_data", {"shuffled": "protected"})
    assert found["chi2_pearson"] > 0
    assert found["chi2_half_pearson"] == pytest.approx(found["chi2_pearson"] / 2)
