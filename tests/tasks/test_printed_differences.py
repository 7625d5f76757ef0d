"""The scores of decisions about printed values, on three comparisons by hand."""

import numpy as np
import pytest

from dpfair_cli.algorithms.printed import sign_test
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons, PrintedSide
from dpfair_cli.tasks.printed_differences import SCORES, TASK

MISSING = np.full(3, np.nan)
FIRST = PrintedSide(np.array([0.1, 0.2, 0.9]), MISSING, np.ones(3, dtype=np.int64))
SECOND = PrintedSide(np.array([0.3, 0.1, 0.9]), MISSING.copy(), np.ones(3, dtype=np.int64))
GIVEN = PrintedComparisons(("one", "two", "three"), ("gap", "gap", "auc"), FIRST, SECOND)


def outcome(**protocol):
    case = TASK.split(GIVEN, **protocol, rng=np.random.default_rng(0))
    fit = BoundFit("sign_test", sign_test.ALGORITHM, {"alternative": "two-sided"})
    return TASK.study(fit, case, rng=np.random.default_rng(0))


def test_counts_and_differences_are_those_of_three_comparisons():
    scores = outcome().scores
    counts = [scores[name] for name in ("comparisons", "lower", "higher", "equivalent")]
    assert counts == [3, 1, 1, 1]
    assert scores["undecided"] == 0
    assert scores["lower_share"] == pytest.approx(1 / 3)
    assert scores["mean_difference"] == pytest.approx(0.1 / 3)
    assert scores["largest_difference"] == pytest.approx(0.2)
    assert scores["sign_p"] == 1
    assert np.isnan(scores["power"])


def test_only_the_named_scores_are_counted():
    found = outcome(counted=("gap",))
    assert found.scores["comparisons"] == 2
    assert found.curves["comparison"] == ["one", "two"]
    np.testing.assert_allclose(found.curves["difference"], [0.2, -0.1])


def test_every_score_of_the_task_is_computed():
    found = outcome()
    assert {*found.scores, *found.curves} == set(SCORES)


def test_a_score_that_no_comparison_has_is_refused():
    with pytest.raises(ValueError, match="no comparison"):
        outcome(counted=("accuracy",))
