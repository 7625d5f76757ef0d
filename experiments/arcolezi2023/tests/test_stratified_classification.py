"""The split with the seeds of other programs, and the scores of a constant decision."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from dpfair_cli.models.regression.constant import ConstantClassifier
from dpfair_cli.papers.arcolezi2023.tasks.stratified_classification import TASK, score, split
from tests.kinds.test_local_records import people


def rng_of_run(seed):
    return np.random.default_rng(seed).spawn(2)[0]


@pytest.mark.parametrize("seed", [0, 7, 19])
def test_a_numbered_split_is_that_of_scikit_learn_with_this_seed(seed):
    records = people(200)
    case = split(records, splits="numbered", rng=rng_of_run(seed))
    rows = np.arange(200)
    train, test = train_test_split(rows, test_size=0.2, random_state=seed, stratify=records.y)
    np.testing.assert_array_equal(case.train.X, records.X[train])
    np.testing.assert_array_equal(case.test.X, records.X[test])


@pytest.mark.parametrize("splits", ["numbered", "drawn"])
def test_both_parts_have_the_same_share_of_each_label(splits):
    records = people(500)
    case = split(records, splits=splits, rng=rng_of_run(3))
    assert (len(case.train), len(case.test)) == (400, 100)
    assert case.test.y.sum() == pytest.approx(records.y.sum() / 5, abs=1)


def test_drawn_splits_differ_between_generators_and_repeat_with_one():
    records = people(100)
    first, again, other = (split(records, rng=rng_of_run(seed)).test.X for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_constant_decision_has_no_gap_and_half_the_area():
    case = split(people(200), rng=rng_of_run(0))
    found = score(ConstantClassifier(1), case)
    assert (found["selection_gap"], found["opportunity_gap"]) == (0.0, 0.0)
    assert (found["disparate_impact"], found["auc_hard_labels"]) == (1.0, 0.5)
    assert found["accuracy"] == case.test.y.mean()
    assert set(found) == set(TASK.scores)


def test_a_label_with_one_record_is_refused():
    records = people(50)
    lonely = np.zeros(50, dtype=np.int64)
    lonely[0] = 1
    with pytest.raises(ValueError, match="least populated class"):
        split(replace(records, y=lonely), rng=rng_of_run(0))
