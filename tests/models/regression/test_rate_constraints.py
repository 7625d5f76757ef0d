"""Multipliers of rate constraints by hand, and their pulls by finite differences."""

import numpy as np
import pytest

from dpfair_cli.models.regression.rate_constraints import RateConstraints

FORMS = {"demographic_parity": 1, "equal_opportunity": 1, "equalized_odds": 2}
every_form = pytest.mark.parametrize("fairness", FORMS)


def constraints(fairness="demographic_parity", gap=0.1, rate=2.0, bound=5.0):
    return RateConstraints(
        fairness=fairness, fairness_gap=gap, multiplier_rate=rate, multiplier_bound=bound
    )


def counts(*groups):
    """The histogram of groups ((label 0: no, yes), (label 1: no, yes))."""
    return np.array(groups, dtype=float)


# selection rates 6/10 and 2/10, whose mean is 4/10; TPR 4/5 and 1/5; FPR 2/5 and 1/5
UNFAIR = counts([[3, 2], [1, 4]], [[4, 1], [4, 1]])
# rates 1/2 in every group and for every label
FAIR = counts([[2, 2], [3, 3]], [[1, 1], [4, 4]], [[5, 5], [1, 1]])


def rates(histogram, fairness):
    """Each rate of each group, with a denominator of at least 1: (rates, groups)."""
    some = {"demographic_parity": [[0, 1]], "equal_opportunity": [[1]]}
    sets = some.get(fairness, [[0], [1]])
    parts = [histogram[:, labels].sum(axis=1) for labels in sets]
    return np.array([part[:, 1] / np.maximum(part.sum(axis=1), 1.0) for part in parts])


@every_form
def test_multipliers_start_at_zero_for_each_side_rate_and_group(fairness):
    start = constraints(fairness).start(3)
    assert start.shape == (2, FORMS[fairness], 3)
    assert not start.any()


@pytest.mark.parametrize(
    ("fairness", "excess"),
    [
        ("demographic_parity", [0.15]),  # 6/10 - 4/10 - 0.05
        ("equal_opportunity", [0.25]),  # 4/5 - 1/2 - 0.05
        ("equalized_odds", [0.05, 0.25]),  # 2/5 - 3/10 - 0.05, and as above
    ],
)
def test_one_ascent_from_zero_by_hand(fairness, excess):
    """The rate of group 0 is too large by `excess`, and that of group 1 is too small by it."""
    some = constraints(fairness)
    upper, lower = some.ascended(some.start(2), UNFAIR, 0.0)
    assert sorted(upper[:, 0]) == pytest.approx([2 * part for part in excess])
    np.testing.assert_allclose(lower[:, 1], upper[:, 0])
    assert not upper[:, 1].any()
    assert not lower[:, 0].any()


def test_a_multiplier_falls_again_and_stays_within_its_bounds():
    """Each ascent adds 2 * 0.15 here, and takes 2 * 0.25 away from the opposite constraint."""
    some, given = constraints(bound=1.0), np.array([[[0.9, 0.6]], [[0.2, 0.0]]])
    upper, lower = some.ascended(given, UNFAIR, 0.0)
    assert upper[0] == pytest.approx([1.0, 0.1])
    assert lower[0] == pytest.approx([0.0, 0.3])
    assert given.tolist() == [[[0.9, 0.6]], [[0.2, 0.0]]]


@every_form
def test_fair_rates_leave_multipliers_at_zero(fairness):
    some = constraints(fairness)
    assert not some.ascended(some.start(3), FAIR, 0.0).any()
    assert (
        constraints(fairness, gap=0.7).ascended(some.start(2), UNFAIR, 0.0).tolist()
        == [[[0.0, 0.0]] * FORMS[fairness]] * 2
    )


def test_pulls_of_two_groups_by_hand():
    """c = upper - lower = (0.3, -0.1), mean 0.1: (0.2, -0.2) / 10 for records of both labels."""
    given = np.array([[[0.4, 0.1]], [[0.1, 0.2]]])
    found = constraints().pulls(given, UNFAIR, 0.0)
    np.testing.assert_allclose(found, [[0.02, 0.02], [-0.02, -0.02]], atol=1e-12)


def test_equal_opportunity_pulls_records_of_label_one_only():
    found = constraints("equal_opportunity").pulls(
        np.array([[[0.4, 0.0]], [[0.0, 0.0]]]), UNFAIR, 0.0
    )
    np.testing.assert_allclose(found, [[0, 0.04], [0, -0.04]], atol=1e-12)


@every_form
def test_pulls_of_three_groups_are_finite_differences(fairness):
    rng = np.random.default_rng(3)
    some, histogram = constraints(fairness), rng.integers(3, 40, (3, 2, 2)).astype(float)
    given = some.start(3) + 0  # both rates of equalized odds have the same multipliers
    given += rng.random((2, 1, 3))

    def penalty(histogram):
        found = rates(histogram, fairness)
        apart = found - found.mean(axis=1, keepdims=True)
        return float(((given[0] - given[1]) * apart).sum())

    expected = np.zeros((3, 2))
    for group, label in np.ndindex(3, 2):
        moved = histogram.copy()  # one record's probability of decision 1 grows by 1/1000
        moved[group, label] += [-1e-3, 1e-3]
        expected[group, label] = (penalty(moved) - penalty(histogram)) / 1e-3
    np.testing.assert_allclose(some.pulls(given, histogram, 0.0), expected, atol=1e-9)


@every_form
@pytest.mark.filterwarnings("error")
def test_a_group_without_records_counts_as_one_record(fairness):
    """Noise makes counts negative; a denominator is at least 1, and all numbers are finite."""
    some = constraints(fairness)
    for last in (np.zeros((2, 2)), np.array([[-3.0, 1.0], [-1.0, -2.0]])):
        histogram = np.array([*UNFAIR, last])
        moved = some.ascended(some.start(3), histogram, 0.0)
        assert ((moved >= 0) & (moved <= 5)).all()
        unit = np.zeros_like(moved)
        unit[0, :, 2] = 1.0
        largest = np.abs(some.pulls(unit, histogram, 0.0)[2]).max()
        assert largest == pytest.approx(2 / 3)  # 1 - 1/3, divided by 1


def test_a_group_that_is_smaller_than_the_noise_hardly_moves_multipliers():
    """99 records too few have the rate of all records: (1 + 99 * 1/2) / 100 is near 1/2."""
    histogram = counts([[500, 500], [0, 0]], [[500, 500], [0, 0]], [[0, 1], [0, 0]])
    some = constraints(gap=0.0, rate=1.0)
    alone = some.ascended(some.start(3), histogram, 0.0)
    noisy = some.ascended(some.start(3), histogram, 99.0)
    assert alone[0, 0, 2] == pytest.approx(1 / 3, abs=1e-3)  # 1 less the mean of 1/2, 1/2 and 1
    assert noisy[0, 0, 2] == pytest.approx(1 / 300, abs=2e-4)  # N is 2,001
