"""dp_fair_descent: its releases and their cost, and the gaps that it closes without noise."""

import math

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.sensitivity.second_moment import l2_second_moment
from dpfair_cli.metrics import classification
from tests.algorithms import mixed_people
from tests.algorithms.mixed_people import EXTREME, fitted, mixed, parted, replaced
from tests.example_data import state

METHOD = catalog.algorithm("dp_fair_descent")
UNFAIR = catalog.algorithm("dp_whitened_descent")
GAPS = {
    "demographic_parity": classification.demographic_parity_difference,
    "equal_opportunity": classification.equal_opportunity_difference,
    "equalized_odds": classification.equalized_odds_difference,
}
every_form = pytest.mark.parametrize("fairness", GAPS)


def table(model, people, groups=2):
    decisions = model.predict(people)
    return classification.tabulate(decisions, people.y, people.protected, groups=groups)


def test_a_histogram_and_a_gradient_are_released_in_each_step():
    _, tape = fitted(METHOD, mixed(), steps=3, clip_norm=1.5, inputs="linear")
    assert [entry.mechanism for entry in tape] == ["gaussian"] * 7
    assert [entry.sensitivity for entry in tape] == [l2_second_moment(5)] + [1.0, 1.5] * 3
    assert [np.size(entry.value) for entry in tape] == [28] + [8, 7] * 3


def test_the_histogram_counts_each_record_by_group_label_and_decision():
    people = mixed(groups=3)
    _, tape = fitted(METHOD, people, steps=4)
    expected = [
        [((people.protected == group) & (people.y == label)).sum() for label in (0, 1)]
        for group in range(3)
    ]
    for entry in tape[1::2]:
        np.testing.assert_array_equal(entry.value.reshape(3, 2, 2).sum(axis=2), expected)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (4.0, 1e-3)])
def test_all_releases_cost_epsilon_by_dp_accounting(epsilon, delta):
    options = {"moment_share": 0.2, "histogram_share": 0.25, "steps": 9}
    _, tape = fitted(METHOD, mixed(), epsilon=epsilon, delta=delta, **options)
    found = [entry.scale / entry.sensitivity for entry in tape]
    assert mixed_people.joint(found[1::2]) > mixed_people.joint(found[2::2])  # the smaller share
    assert (mixed_people.joint(found) / found[0]) ** 2 == pytest.approx(0.2)
    assert mixed_people.cost_by_dp_accounting(found, delta) == pytest.approx(epsilon, rel=1e-3)


def test_the_noise_has_its_declared_deviation():
    tapes = [fitted(METHOD, mixed(), seed, steps=20)[1] for seed in range(3)]
    noise = np.concatenate([mixed_people.noise_in_deviations(tape) for tape in tapes])
    assert noise.mean() == pytest.approx(0, abs=4 / np.sqrt(len(noise)))
    assert noise.std() == pytest.approx(1, abs=4 / np.sqrt(2 * len(noise)))


@every_form
@pytest.mark.parametrize("x", EXTREME.values(), ids=EXTREME)
def test_a_record_is_read_by_its_releases_alone(fairness, x):
    people = replaced(mixed(groups=3), 7, x)
    options = {"fairness": fairness, "steps": 4, "clip_norm": 0.1, "multiplier_rate": 50.0}
    moves = mixed_people.check_that_releases_are_all(METHOD, people, 7, **options)
    assert moves[1::2] == [1.0] * 4
    assert max(moves[2::2]) == pytest.approx(1)  # a gradient longer than the clipping bound


@every_form
@pytest.mark.parametrize("k", [0, 2, 7])
def test_multipliers_and_pulls_read_a_record_by_noisy_counts_alone(fairness, k):
    """With little noise and few records multipliers are within their bounds, and move gradients."""
    options = {"epsilon": 20.0, "fairness": fairness, "clip_norm": 1.0, "steps": 8}
    mixed_people.check_that_releases_are_all(METHOD, mixed(groups=3), k, **options)


def test_the_only_record_of_a_group_is_read_by_its_releases_alone():
    people = mixed(30)
    alone = Records(people.X, people.y, (np.arange(30) == 4).astype(int), people.domain)
    for k in (4, 5):
        moves = mixed_people.check_that_releases_are_all(METHOD, alone, k, epsilon=9.0, steps=6)
        assert min(moves) > 0


@every_form
def test_without_noise_the_gap_is_less_than_half(fairness):
    people, options = mixed(2000, lean=3.0), {"epsilon": math.inf, "steps": 100}
    unfair, _ = fitted(UNFAIR, people, **options)
    fair, tape = fitted(METHOD, people, **options, fairness=fairness, multiplier_rate=0.3)
    before, after = (table(model, people) for model in (unfair, fair))
    assert {entry.scale for entry in tape} == {0.0}
    assert GAPS[fairness](before) > 0.2
    assert GAPS[fairness](after) < 0.5 * GAPS[fairness](before)
    assert classification.accuracy(after) > classification.majority_accuracy(after) + 0.05


def test_shares_that_leave_nothing_for_the_gradients_are_refused():
    for epsilon in (1.0, math.inf):
        with pytest.raises(ValueError, match="share"):
            fitted(METHOD, mixed(), epsilon=epsilon, moment_share=0.6, histogram_share=0.4)


def test_without_noise_the_gap_of_three_groups_is_less_than_half():
    people, options = mixed(2000, groups=3, lean=3.0), {"epsilon": math.inf, "steps": 100}
    models = [fitted(method, people, **options)[0] for method in (UNFAIR, METHOD)]
    gap = classification.demographic_parity_difference
    before, after = (gap(table(model, people, groups=3)) for model in models)
    assert after < 0.5 * before


def test_a_gap_that_is_wide_enough_leaves_the_unfair_model():
    """With noise-free releases and no constraint in force both methods take the same steps."""
    people, options = mixed(500, lean=3.0), {"epsilon": math.inf, "steps": 15}
    unfair, fair = (
        fitted(method, people, **options, **more)[0]
        for method, more in ((UNFAIR, {}), (METHOD, {"fairness_gap": 0.999}))
    )
    shares = table(unfair, people)[:, :, 1].sum(axis=1) / np.bincount(people.protected)
    assert np.abs(np.diff(shares)).max() < 0.999
    np.testing.assert_allclose(state(fair), state(unfair), atol=1e-9)


@pytest.mark.parametrize("epsilon", [1.0, math.inf])
@every_form
def test_partitions_give_the_model_of_one_table(epsilon, fairness):
    people, options = mixed(70), {"epsilon": epsilon, "fairness": fairness, "steps": 5}
    whole, _ = fitted(METHOD, people, **options)
    parts, _ = fitted(METHOD, parted(people, 40, 0, 1, 29), **options)
    np.testing.assert_allclose(state(whole), state(parts), atol=1e-9)


def test_a_seed_gives_the_same_model_and_another_seed_another():
    one, again, other = (state(fitted(METHOD, mixed(), seed)[0]) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.filterwarnings("error")
@every_form
@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_one_record_or_one_label_or_an_empty_group_is_enough(fairness, epsilon):
    people = mixed(40, groups=3)
    same = Records(people.X, np.ones(40, int), np.zeros(40, int), people.domain)
    for some in (same, people.take(np.array([3]))):
        model, _ = fitted(METHOD, some, epsilon=epsilon, fairness=fairness, steps=10)
        assert np.isfinite(state(model)).all()
