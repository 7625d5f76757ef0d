"""The reject option against a search over thresholds and margins, record by record."""

import numpy as np
import pytest

from dpfair_cli.papers.ficiu2023.models.reject_option import candidate_thresholds, chosen_thresholds
from tests.oracles.reject import decision, search


def pairs():
    """Rule 7: 100 thresholds from 0.01 to 0.99, with 50 margins from 0 to min(t, 1 - t) each."""
    for t in np.linspace(0.01, 0.99, 100):
        for m in np.linspace(0, min(t, 1 - t), 50):
            yield t, m


def test_the_candidates_are_a_hundred_thresholds_with_fifty_margins():
    expected = [(t - m, t + m) for t, m in pairs()]
    np.testing.assert_allclose(candidate_thresholds(), expected, atol=1e-12)


def test_a_band_is_a_threshold_for_each_group():
    rng = np.random.default_rng(0)
    for threshold, margin in [(0.5, 0.2), (0.3, 0.0), (0.7, 0.3)]:
        for score in rng.random(50):
            assert decision(score, 0, threshold, margin) == (score > threshold - margin)
            assert decision(score, 1, threshold, margin) == (score > threshold + margin)


@pytest.mark.parametrize("gaps", [(-0.05, 0.05), (-0.0003, 0.0005), (0.1, 0.3)])
@pytest.mark.parametrize("seed", range(2))
def test_the_chosen_pair_is_that_of_a_search(seed, gaps):
    rng = np.random.default_rng(seed)
    n = 41
    groups, labels = rng.integers(0, 2, n), rng.integers(0, 2, n)
    scores = np.clip(0.3 * labels + 0.1 * groups + 0.6 * rng.random(n), 0, 1)
    found = chosen_thresholds(scores, labels, groups, gaps=gaps)
    t, m = search(scores.tolist(), labels.tolist(), groups.tolist(), *gaps, pairs())
    np.testing.assert_allclose(found, (t - m, t + m), atol=1e-12)


def test_records_of_one_group_or_label_keep_one_half():
    scores, groups = np.linspace(0, 1, 6), np.arange(6) % 2
    ones, zeros = np.ones(6, int), np.zeros(6, int)
    for labels, own in ((ones, groups), (groups, zeros), (groups, ones)):
        assert chosen_thresholds(scores, labels, own, gaps=(-1, 1)).tolist() == [0.5, 0.5]
