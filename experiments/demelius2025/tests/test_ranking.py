"""Areas under the ROC curve: by hand, by scikit-learn, and the three parts of the records."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from dpfair_cli.models.regression.constant import ConstantClassifier
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.papers.demelius2025.tasks import ranking
from tests.example_data import people


def parts(**protocol):
    rng = np.random.default_rng(5)
    return ranking.split(people(200), **protocol, rng=rng)


def test_the_area_of_four_records_is_three_quarters():
    """Of the four pairs of a record with label 1 and one with label 0, three are in order."""
    assert ranking.auc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1])) == 0.75


def test_a_tie_counts_as_a_half():
    assert ranking.auc(np.zeros(4), np.array([0, 1, 1, 0])) == 0.5


def test_one_label_has_no_area():
    assert np.isnan(ranking.auc(np.arange(3.0), np.ones(3, dtype=np.int64)))


def test_the_areas_are_those_of_scikit_learn():
    case = parts()
    model = LinearClassifier(np.linspace(-1, 1, 14), 0.1)
    margin, y = case.scored.X @ model.weights, case.scored.y
    found = ranking.score(model, case)
    areas = [
        roc_auc_score(y[case.scored.protected == k], margin[case.scored.protected == k])
        for k in (0, 1)
    ]
    assert found["auc"] == pytest.approx(roc_auc_score(y, margin))
    assert found["auc_difference"] == pytest.approx(abs(areas[0] - areas[1]))


def test_the_three_parts_share_no_record():
    validation, test = parts(part="validation"), parts(part="test")
    rows = np.concatenate([validation.train.X, validation.scored.X, test.scored.X])
    assert len(rows) == len(np.unique(rows, axis=0)) == 200
    np.testing.assert_array_equal(validation.train.X, test.train.X)


def test_a_constant_classifier_has_the_area_of_ties():
    found = ranking.score(ConstantClassifier(0), parts())
    assert found["auc"] == 0.5
    assert found["auc_difference"] == 0
    assert np.isnan(found["precision_difference"])
    assert found["selection_rate"] == 0
