"""Classifiers scored on their training records: against fairlearn and by hand."""

import numpy as np
import pytest
from fairlearn import metrics as fairlearn
from sklearn.metrics import accuracy_score

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.tasks import real_data_classification as task
from tests.algorithms.synthesis.made_tables import people

NAMED = (
    "accuracy",
    "demographic_parity_difference",
    "equal_opportunity_difference",
    "false_positive_rate_difference",
    "majority_accuracy",
    "selection_rate",
)
DATA = people(2000)


def outcome(method):
    fit = BoundFit(method, catalog.algorithm(method), catalog.algorithm(method).complete({}))
    case = task.split(DATA, rng=np.random.default_rng(0))
    return task.TASK.study(fit, case, rng=np.random.default_rng(1))


def test_every_score_is_declared_and_those_of_table_6_2_are_among_them():
    found = outcome("logistic_regression").scores
    assert set(NAMED) <= set(found) <= set(task.TASK.scores)


def test_a_fit_sees_all_records():
    case = task.split(DATA, rng=np.random.default_rng(0))
    assert len(case.train) == len(DATA)
    assert case.train.y.sum() == DATA.y.sum()
    assert case.train.protected.sum() == DATA.protected.sum()


@pytest.mark.parametrize("method", ["logistic_regression", "copied_data"])
def test_the_scores_are_those_of_fairlearn_on_all_records(method):
    found = outcome(method)
    decision, groups = found.model.predict(DATA), {"sensitive_features": DATA.protected}
    rates = fairlearn.MetricFrame(
        metrics=fairlearn.false_positive_rate, y_true=DATA.y, y_pred=decision, **groups
    ).difference()
    expected = {
        "accuracy": accuracy_score(DATA.y, decision),
        "demographic_parity_difference": fairlearn.demographic_parity_difference(
            DATA.y, decision, **groups
        ),
        "equal_opportunity_difference": fairlearn.equal_opportunity_difference(
            DATA.y, decision, **groups
        ),
        "false_positive_rate_difference": rates,
        "majority_accuracy": max(DATA.y.mean(), 1 - DATA.y.mean()),
        "selection_rate": decision.mean(),
    }
    assert {name: found.scores[name] for name in NAMED} == pytest.approx(expected)
    assert expected["demographic_parity_difference"] > 0.1


def test_the_majority_class_is_fair_and_has_the_majority_accuracy():
    found = outcome("majority_class").scores
    assert found["accuracy"] == pytest.approx(found["majority_accuracy"])
    for name in NAMED[1:4]:
        assert found[name] == 0, name
    assert found["selection_rate"] in (0, 1)


def test_a_copy_of_the_data_predicts_as_logistic_regression_on_it_does():
    """C1-Real in Table 6.2, computed in two ways."""
    one, other = (outcome(method).scores for method in ("copied_data", "logistic_regression"))
    for name in NAMED:
        assert one[name] == pytest.approx(other[name], abs=0.02), name
