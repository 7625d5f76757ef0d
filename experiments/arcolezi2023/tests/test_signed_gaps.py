"""Signed gaps and other scores, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from dpfair_cli.metrics.classification import tabulate
from dpfair_cli.papers.arcolezi2023.models import signed_gaps

# group, label, decision
COUNTS = np.array([[[6, 2], [1, 1]], [[2, 2], [2, 4]]], dtype=float)


def test_the_gaps_of_ten_against_ten_records_worked_by_hand():
    """Selected 3 and 6 of 10; true positives 1 of 2 and 4 of 6; right decisions 7 and 6 of 10."""
    assert signed_gaps.selection_gap(COUNTS) == pytest.approx(0.6 - 0.3)
    assert signed_gaps.opportunity_gap(COUNTS) == pytest.approx(4 / 6 - 1 / 2)
    assert signed_gaps.accuracy_gap(COUNTS) == pytest.approx(0.6 - 0.7)
    assert signed_gaps.disparate_impact(COUNTS) == pytest.approx(0.3 / 0.6)


def test_f1_and_auc_of_twenty_records_worked_by_hand():
    """Five hits, three misses, four false alarms; 8 of 12 negatives are right."""
    assert signed_gaps.f1(COUNTS) == pytest.approx(10 / 17)
    assert signed_gaps.auc_hard_labels(COUNTS) == pytest.approx((5 / 8 + 8 / 12) / 2)


def test_exchanging_the_groups_turns_every_gap_around():
    turned = COUNTS[::-1]
    for gap in (
        signed_gaps.selection_gap,
        signed_gaps.opportunity_gap,
        signed_gaps.accuracy_gap,
    ):
        assert gap(turned) == -gap(COUNTS)
    assert signed_gaps.disparate_impact(turned) == pytest.approx(2.0)


@pytest.mark.parametrize("seed", range(5))
def test_f1_and_auc_are_those_of_scikit_learn(seed):
    y, decision, group = np.random.default_rng(seed).integers(2, size=(3, 50))
    counts = tabulate(decision.astype(float), y, group, groups=2)
    assert signed_gaps.f1(counts) == pytest.approx(f1_score(y, decision))
    assert signed_gaps.auc_hard_labels(counts) == pytest.approx(roc_auc_score(y, decision))


def test_rates_of_an_empty_set_are_not_a_number_and_f1_without_hits_is_zero():
    nobody = COUNTS * np.array([1, 0])[:, None, None]
    assert np.isnan(signed_gaps.selection_gap(nobody))
    assert np.isnan(signed_gaps.disparate_impact(nobody))
    assert np.isnan(signed_gaps.auc_hard_labels(COUNTS * np.array([1, 0])[None, :, None]))
    assert signed_gaps.f1(COUNTS * np.array([1, 0])[None, None]) == 0.0
