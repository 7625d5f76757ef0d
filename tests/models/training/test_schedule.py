"""The number of steps of a schedule, the ends of its epochs, and its refusals."""

import numpy as np
import pytest

from dpfair_cli.models.training.schedule import PlannedSteps, TrainingSchedule


def planned(n=100, skipped_steps=0, **given):
    return PlannedSteps(
        TrainingSchedule(**{"epochs": 3, "batch_size": 32, "learning_rate": 1.0, **given}),
        n,
        skipped_steps,
    )


ENDS = [("poisson", (4, 7, 10)), ("shuffled", (4, 8, 12))]  # ceil(100 k / 32); ceil(100 / 32) k


@pytest.mark.parametrize(("batches", "ends"), ENDS)
def test_an_epoch_ends_when_a_pass_is_over(batches, ends):
    assert planned(batches=batches).ends == ends
    assert planned(batches=batches, skipped_steps=2).count == ends[-1] - 2


def test_the_rate_is_divided_by_the_root_of_the_number_of_steps():
    assert planned(schedule="inverse_root", learning_rate=2.0).rate(3) == pytest.approx(
        2 / np.sqrt(10)
    )
    assert planned(schedule="decaying", learning_rate=2.0).rate(3) == pytest.approx(2 / np.sqrt(3))
    assert planned(learning_rate=2.0).rate(3) == 2.0


@pytest.mark.parametrize(("schedule", "rate"), [("t^-0.25", 1.0), ("t^-0.75", 0.25)])
def test_the_rate_falls_with_a_power_of_the_step(schedule, rate):
    """2 / 16^(1/4) = 1 and 2 / 16^(3/4) = 1/4."""
    assert planned(n=500, schedule=schedule, learning_rate=2.0).rate(16) == rate


def test_steps_of_published_runs():
    """xu2021, Section 9.5.1.3: T = epochs n / b, 2,827 for 20 epochs of 80 % of Adult, b = 256."""
    assert planned(n=36_177, epochs=20, batch_size=256).count == 2827


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"batch_size": 101}, "batch_size must be from 1 to 100, the number of records, got 101"),
        ({"batch_size": 0}, "batch_size must be at least 1, got 0"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"learning_rate": 0.0}, "learning_rate must be positive"),
        ({"momentum": 1.0}, "momentum must be below 1"),
        ({"regularisation": -1.0}, "regularisation must be at least 0"),
        ({"batches": "sorted"}, "batches 'sorted'"),
        ({"skipped_steps": 10}, "skipped_steps must be from 0 to 9, got 10"),
    ],
)
def test_a_setting_outside_its_range_is_refused(given, says):
    with pytest.raises(ValueError, match=says):
        planned(**given)


def test_an_epoch_whose_steps_are_all_skipped_is_none():
    """Epochs end at 4, 7 and 10 of 10 steps: with 5 steps the second is cut short."""
    assert planned(skipped_steps=5).ends == (4, 5)
    assert planned(skipped_steps=3).ends == (4, 7)
