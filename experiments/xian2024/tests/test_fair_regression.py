"""The split, the seeds and the scores of the post-processing of scores."""

from functools import partial

import numpy as np
import pytest

from dpfair_cli.papers.xian2024.methods import binned_scores, fair_score_moves, given_scores
from dpfair_cli.papers.xian2024.models.group_scores import GroupScores
from dpfair_cli.papers.xian2024.tasks import fair_regression as task


def crowd(n=101):
    scores = np.arange(n) / n
    return GroupScores(scores, scores.copy(), np.arange(n) % 2, ("a", "b"), 0.0, 1.0)


@pytest.mark.parametrize(("n", "run"), [(101, 0), (20, 0), (57, 3)])
def test_a_numbered_split_is_that_of_the_authors(n, run):
    case = task.split(crowd(n), seeds="numbered", first_seed=33, rng=np.random.default_rng(run))
    order, tested = np.random.RandomState(33 + run).permutation(n), -(-3 * n // 10)
    np.testing.assert_array_equal(case.test.scores, order[:tested] / n)
    np.testing.assert_array_equal(case.train.scores, order[tested:] / n)
    assert case.seeds == (33 + run,)


def test_a_drawn_split_has_all_scores_once_and_no_seed():
    case = task.split(crowd(), rng=np.random.default_rng(0))
    both = np.sort([*case.train.scores, *case.test.scores])
    np.testing.assert_array_equal(both, crowd().scores)
    assert (len(case.test), case.seeds) == (31, ())


def test_a_part_without_scores_is_refused():
    with pytest.raises(ValueError, match="must leave scores"):
        task.split(crowd(1), rng=np.random.default_rng(0))


def test_numbered_runs_of_several_methods_use_the_same_numbers():
    case = task.split(crowd(), seeds="numbered", rng=np.random.default_rng(5))
    fit = partial(fair_score_moves.fit, epsilon=1.0)
    first = task.study(fit, case, rng=np.random.default_rng(0)).scores
    task.study(given_scores.fit, case, rng=np.random.default_rng(0))
    assert task.study(fit, case, rng=np.random.default_rng(9)).scores == first


def test_scores_are_those_worked_by_hand():
    scores = np.array([0.0, 0.25, 0.75, 1.0])
    data = GroupScores(scores, scores.copy(), np.array([0, 0, 1, 1]), ("a", "b"), 0.0, 1.0)
    case = task.ScoreSplit(data, data)
    found = task.study(partial(binned_scores.fit, bins=2), case, rng=np.random.default_rng(0))
    # 0 becomes 0.25 and 1 becomes 0.75: two of four errors are 1/16
    assert found.scores == {"mean_squared_error": 1 / 32, "ks_distance": 1.0}
