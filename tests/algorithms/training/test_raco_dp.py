"""raco_dp: one step by hand, releases of Poisson batches and their cost, and the gaps it closes."""

import math

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.metrics import classification
from tests.algorithms import mixed_people
from tests.algorithms.mixed_people import EXTREME, fitted, mixed, replaced
from tests.example_data import state

METHOD = catalog.algorithm("raco_dp")
GAPS = {
    "demographic_parity": classification.demographic_parity_difference,
    "equal_opportunity": classification.equal_opportunity_difference,
    "equalized_odds": classification.equalized_odds_difference,
}
SMALL = {"batch_size": 20, "epochs": 2}
every_form = pytest.mark.parametrize("fairness", GAPS)


def whole_batch(people, **options):
    """A fit of one step on all records, without noise."""
    given = {"epsilon": math.inf, "inputs": "linear", "epochs": 1, "batch_size": len(people)}
    return fitted(METHOD, people, **given | options)


@pytest.fixture
def four():
    """The inputs are (x, 1); at w = 0 the gradients are +-(x, 1) / 2, and all decisions are 0."""
    domain = Domain(("x",), {"x": (0,)}, ("a", "b"))
    X = np.array([[0.0], [0.6], [0.8], [1.0]])
    return Records(X, np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), domain)


def test_the_first_releases_without_noise_are_those_by_hand(four):
    """(0 + 0.6 - 0.8 - 1, 1 + 1 - 1 - 1) / 2, with multipliers that are still 0."""
    _, tape = whole_batch(four)
    assert tape[0].value.tolist() == [[[1, 0], [0, 0]], [[1, 0], [2, 0]]]
    assert tape[1].value == pytest.approx([-0.6, 0.0])


def test_the_first_clipped_gradients_are_those_by_hand(four):
    """Norms sqrt(x^2 + 1) / 2 are at least 1/2: clipped to 1/4, each has its direction only."""
    _, tape = whole_batch(four, clip_norm=0.25)
    z = np.column_stack([four.X[:, 0], np.ones(4)])
    lengths = np.sqrt(four.X[:, 0] ** 2 + 1)
    expected = (np.array([1, 1, -1, -1]) * 0.25 / lengths) @ z
    np.testing.assert_allclose(tape[1].value, expected, atol=1e-9)


def test_one_step_divides_the_sum_by_the_batch_size(four):
    """w = 0 - 2 (-0.6, 0) / 4."""
    model, _ = whole_batch(four, learning_rate=2.0)
    assert [*model.weights, model.intercept] == pytest.approx([0.3, 0.0])


def test_each_batch_has_a_histogram_and_a_gradient():
    """60 records in batches of 20: three steps an epoch."""
    _, tape = fitted(METHOD, mixed(), **SMALL, clip_norm=1.5, count_noise_ratio=4.0)
    assert [entry.mechanism for entry in tape] == ["gaussian"] * 12
    assert [entry.sensitivity for entry in tape] == [1.0, 1.5] * 6
    assert [entry.draw.step for entry in tape] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert {(entry.draw.sampling, entry.draw.sampling_rate) for entry in tape} == {
        ("poisson", 1 / 3)
    }
    for histogram, gradient in zip(tape[::2], tape[1::2], strict=True):
        assert histogram.draw.sample == gradient.draw.sample
        assert histogram.scale == pytest.approx(4.0 * gradient.scale / 1.5)


@pytest.mark.parametrize("calibration", ["pld", "rdp", "moments"])
def test_all_batches_cost_at_most_epsilon_by_dp_accounting(calibration):
    options = {"epsilon": 1.5, "delta": 1e-5, "epochs": 5, "batch_size": 20}
    _, tape = fitted(METHOD, mixed(200), **options, calibration=calibration)
    found = [entry.scale / entry.sensitivity for entry in tape]
    pairs = [mixed_people.joint(pair) for pair in zip(found[::2], found[1::2], strict=True)]
    assert len(pairs) == 50
    cost = mixed_people.cost_by_dp_accounting(pairs, 1e-5, sampling_rate=0.1)
    assert cost <= 1.5 * (1 + 1e-3)  # losses are rounded up there
    if calibration == "pld":
        assert cost == pytest.approx(1.5, rel=1e-3)


def test_given_noise_is_taken_if_it_keeps_epsilon_and_else_refused():
    given = SMALL | {"calibration": "given", "count_noise_ratio": 10.0}
    _, tape = fitted(METHOD, mixed(), **given, noise_multiplier=50.0, clip_norm=1.5)
    assert {entry.scale for entry in tape[1::2]} == {75.0}
    with pytest.raises(ValueError, match="must cost at most epsilon"):
        fitted(METHOD, mixed(), **given, epsilon=0.1, noise_multiplier=1.0)


def test_the_noise_has_its_declared_deviation():
    tapes = [fitted(METHOD, mixed(), seed, **SMALL)[1] for seed in range(10)]
    noise = np.concatenate([mixed_people.noise_in_deviations(tape) for tape in tapes])
    assert noise.mean() == pytest.approx(0, abs=4 / np.sqrt(len(noise)))
    assert noise.std() == pytest.approx(1, abs=4 / np.sqrt(2 * len(noise)))


@every_form
@pytest.mark.parametrize("x", EXTREME.values(), ids=EXTREME)
def test_a_record_is_read_by_its_releases_alone(fairness, x):
    people = replaced(mixed(groups=3), 7, x)
    options = SMALL | {"fairness": fairness, "clip_norm": 0.1, "multiplier_rate": 50.0}
    moves = mixed_people.check_that_releases_are_all(METHOD, people, 7, **options)
    assert set(moves[::2]) == {0.0, 1.0}  # in the batch, or not
    assert max(moves[1::2]) == pytest.approx(1)  # a gradient longer than the clipping bound


@every_form
@pytest.mark.parametrize("k", [0, 2, 7])
def test_multipliers_and_pulls_read_a_record_by_noisy_counts_alone(fairness, k):
    """With little noise and few records multipliers are within their bounds, and move gradients."""
    options = SMALL | {"epsilon": 20.0, "epochs": 3, "fairness": fairness, "clip_norm": 1.0}
    mixed_people.check_that_releases_are_all(METHOD, mixed(groups=3), k, **options)


def test_a_batch_without_records_is_released_like_any_other():
    """Batches of one of four records: a third of them are empty."""
    _, tape = fitted(METHOD, mixed(4), epochs=10, batch_size=1)
    sizes = [entry.value.sum() for entry in tape[::2]]
    assert len(sizes) == 40
    assert 0 in sizes


@every_form
def test_without_noise_the_gap_is_less_than_half(fairness):
    people = mixed(2000, lean=3.0)
    options = {"epsilon": math.inf, "batch_size": 500, "multiplier_rate": 0.3}
    unfair, fair = (
        fitted(METHOD, people, **options, epochs=50, fairness=fairness, fairness_gap=gap)[0]
        for gap in (0.999, 0.01)
    )
    before, after = (
        classification.tabulate(model.predict(people), people.y, people.protected, groups=2)
        for model in (unfair, fair)
    )
    assert GAPS[fairness](before) > 0.2
    assert GAPS[fairness](after) < 0.5 * GAPS[fairness](before)
    assert classification.accuracy(after) > classification.majority_accuracy(after) + 0.05


def test_a_seed_gives_the_same_model_and_another_seed_another():
    one, again, other = (state(fitted(METHOD, mixed(), s, **SMALL)[0]) for s in (3, 3, 4))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.filterwarnings("error")
@every_form
def test_one_record_or_one_label_or_an_empty_group_is_enough(fairness):
    people = mixed(40, groups=3)
    same = Records(people.X, np.ones(40, int), np.zeros(40, int), people.domain)
    for some, batch_size in ((same, 10), (people.take(np.array([3])), 1)):
        model, _ = fitted(METHOD, some, fairness=fairness, epochs=3, batch_size=batch_size)
        assert np.isfinite(state(model)).all()
