"""The change of a query and the privacy loss of releases, worked by hand."""

from dataclasses import replace
from math import expm1, inf, log1p, sqrt

import numpy as np
import pytest

from dpfair_cli.addons.foreign_audits import library_laws  # noqa: F401 - of other libraries
from dpfair_cli.auditing.losses import privacy_loss, query_change
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, spent_epsilon
from dpfair_cli.mechanisms.batches import ALL_RECORDS, Draw
from dpfair_cli.mechanisms.gaussian import gaussian_epsilon
from dpfair_cli.mechanisms.ledger import Release


def tape(*scales, mechanism="laplace"):
    return [Release(mechanism, np.zeros(1), np.zeros(1), 1.0, scale) for scale in scales]


def test_laplace_losses_add_up():
    assert privacy_loss(tape(2.0, 4.0), [1.0, 3.0], 0.0) == 1 / 2 + 3 / 4


def test_no_change_costs_nothing_and_no_noise_costs_everything():
    assert privacy_loss(tape(0.0, 1.0), [0.0, 0.0], 0.0) == 0
    assert privacy_loss(tape(0.0), [1e-12], 0.0) == inf
    assert privacy_loss(tape(0.0, mechanism="gaussian"), [1.0], 1e-3) == inf
    assert privacy_loss([], [], 0.0) == 0


def test_gaussian_losses_are_those_of_one_joint_gaussian():
    joint = privacy_loss(
        tape(3.0, 4.0, mechanism="gaussian"), [0.6, 1.6], 1e-3
    )  # ratios 0.2 and 0.4
    assert joint == pytest.approx(gaussian_epsilon(1e-3, 1 / sqrt(0.2**2 + 0.4**2)))
    mixed = privacy_loss([*tape(2.0), *tape(5.0, mechanism="gaussian")], [1.0, 2.0], 1e-3)
    assert gaussian_epsilon(1e-3, 2.5) < mixed < 1 / 2 + gaussian_epsilon(1e-3, 2.5)


def test_geometric_and_bingham_releases_cost_as_laplace_and_scores():
    assert privacy_loss(tape(2.0, mechanism="geometric"), [3.0], 0.0) == 3 / 2
    before = Release("bingham", np.diag([1.0, 0.0, 0.0]), np.ones(3), 0.0, 4.0)
    change = query_change(
        before, replace(before, value=np.diag([0.0, 1.0, 0.0]))
    )  # x'Ax moves by -1 to 1
    assert change == pytest.approx(1.0)
    assert privacy_loss([before], [change], 0.0) == pytest.approx(2 / 4)


@pytest.mark.parametrize("mechanism", ["randomised_response", "subset_selection"])
def test_a_response_costs_one_over_its_scale_for_each_changed_row(mechanism):
    rows = np.eye(3)[[0, 1, 2, 2]]
    a = Release(mechanism, rows, np.zeros(4, int), 1.0, 0.5)
    assert query_change(a, replace(a, value=np.eye(3)[[0, 2, 2, 1]])) == 2
    assert query_change(a, a) == 0
    assert privacy_loss([a], [2.0], 0.0) == 4.0


def test_only_differences_of_exponential_scores_count():
    a = Release("exponential", np.array([0.0, 1.0]), 0, 1.0, 2.0)
    assert (
        query_change(a, replace(a, value=np.array([0.5, -1.0]))) == 1.25
    )  # +0.5 and -2: half of 2.5
    assert query_change(a, replace(a, value=a.value + 7)) == 0  # the law does not change
    assert privacy_loss([a], [1.25], 0.0) == 1.25  # exp(0.5 / 2) against exp(-2 / 2)


def test_changes_are_measured_in_the_norm_of_the_mechanism():
    a = Release("laplace", np.zeros(2), np.zeros(2), 1.0, 1.0)
    b = replace(a, value=np.array([3.0, -4.0]))
    assert query_change(a, b) == 7
    assert query_change(replace(a, mechanism="gaussian"), replace(b, mechanism="gaussian")) == 5


# Batches: what a sample hides, and what it hides only once.


def on_batches(*moves):
    """The loss of Gaussian releases, each with its draw and its change in standard deviations."""
    entries = [Release("gaussian", np.zeros(1), np.zeros(1), 1.0, 1.0, draw) for draw, _ in moves]
    return privacy_loss(entries, [move for _, move in moves], 1e-3)


def poisson(*samples, rate=0.1):
    return [Draw(step, rate, sample=sample) for step, sample in enumerate(samples, start=1)]


def test_releases_on_all_records_are_one_joint_gaussian():
    assert on_batches((ALL_RECORDS, 0.3), (ALL_RECORDS, 0.4)) == pytest.approx(
        gaussian_epsilon(1e-3, 2), rel=1e-7
    )
    assert on_batches() == on_batches((ALL_RECORDS, 0.0)) == 0
    assert on_batches((ALL_RECORDS, inf)) == inf


def test_releases_on_a_poisson_batch_are_joint_and_count_as_the_worst():
    draws = poisson(1, 2, 3)
    moves = [(draws[0], 0.3), (draws[0], 0.4), (draws[1], 0.1), (draws[2], 0.0)]
    assert on_batches(*moves) == pytest.approx(
        spent_epsilon([NoisySteps(2.0, 0.1, 3)], 1e-3), rel=1e-4
    )
    mixed = spent_epsilon([NoisySteps(2.0, 0.1, 3), NoisySteps(4.0, 1.0, 1)], 1e-3)
    assert on_batches(*moves, (ALL_RECORDS, 0.25)) == pytest.approx(mixed, rel=1e-4)


def test_a_batch_that_serves_every_step_hides_a_record_once():
    fresh, reused = (
        on_batches(*((draw, 0.5) for draw in poisson(*samples)))
        for samples in ((1, 2, 3, 4), (1,) * 4)
    )
    assert reused == pytest.approx(spent_epsilon([NoisySteps(1.0, 0.1, 1)], 1e-3), rel=1e-4)
    assert reused > 2 * fresh


def test_one_batch_of_a_shuffled_pass_counts():
    moves = [
        (Draw(step, 0.5, "shuffled", step), move)
        for step, move in ((1, 0.6), (2, 0.3), (3, 0.0), (4, 0.8))
    ]
    assert on_batches(*moves) == pytest.approx(gaussian_epsilon(1e-3, 1), rel=1e-7)


def test_a_batch_of_all_records_counts_in_every_step():
    assert on_batches(*((draw, 0.5) for draw in poisson(1, 2, 3, 4, rate=1.0))) == pytest.approx(
        gaussian_epsilon(1e-3, 1), rel=1e-7
    )


@pytest.mark.parametrize("samples", [(1, 2), (1, 1)], ids=["two parts", "one part twice"])
def test_a_sieve_on_the_same_part_is_not_amplified_again(samples):
    draws = [Draw(1, 0.1, "without_replacement", sample) for sample in samples]
    entries = [Release("above_threshold", np.zeros(1), 0, 1.0, 2.0, draw) for draw in draws]
    found = privacy_loss(entries, [1.0, 1.0], 0.0)
    on_part = log1p(expm1(0.5) / 0.1)  # what each costs those who are in the part
    assert found == pytest.approx(1.0 if samples == (1, 2) else log1p(0.1 * expm1(2 * on_part)))


def test_a_query_that_is_no_number_moves_infinitely_far():
    a = Release("laplace", np.array([np.nan]), np.zeros(1), 1.0, 1.0)
    assert query_change(a, replace(a, value=np.zeros(1))) == inf
