"""What the printed values of the notebooks and charts say, from the lines of both files alone.

The privacy loss of a notebook is computed as in src/dpraco/accounting/dpraco.py of the authors'
repository, with the settings of examples/conf: the Gaussian noise of the gradients and the Laplace
noise of the histogram, each on Poisson batches, composed over the steps.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, spent_epsilon

WORKS = Path(__file__).parents[2]
ADULT, FOLKTABLES, HEART = "adult_training_twice", "acs_employment_al", "heart"
DELTA = 1e-4
# batch, training rows (as the accuracies say), sigma, laplace_parameter_b, steps
SETTINGS = {
    ADULT: (4096, 39_587, 4, 0.5, 1000),
    FOLKTABLES: (1024, 156_416, 4, 0.1, 3000),
    HEART: (1024, 155_379, 3, 0.1, 1000),
}


@cache
def lines(work: str) -> list[dict[str, str]]:
    """The lines of published.csv and of examined.csv."""
    found: list[dict[str, str]] = []
    for name in ("published.csv", "examined.csv"):
        with (WORKS / work / name).open(encoding="utf-8") as file:
            found += csv.DictReader(file)
    return found


def printed(dataset: str, metric: str) -> list[str]:
    own = lines("yaghini2025")
    return [r["printed"] for r in own if (r["dataset"], r["metric"]) == (dataset, metric)]


def smallest_count(values: list[str], at_most: int) -> list[int]:
    """The smallest numbers of records of which every value is a share, to six digits."""

    def fits(n: int) -> bool:
        return all(f"{round(float(one) * n) / n:.6f}" == one for one in values)

    return [n for n in range(1, at_most + 1) if fits(n)]


def cost(dataset: str, steps: int) -> tuple[float, float]:
    """The epsilon of the gradients alone, and of gradients and histogram, by their formula."""
    batch, n, sigma, b, _ = SETTINGS[dataset]
    noise: dict[str, Any] = {"sampling_prob": batch / n, "use_connect_dots": True}
    gradients = pld.from_gaussian_mechanism(sigma, sensitivity=1, **noise).self_compose(steps)
    counts = pld.from_laplace_mechanism(1 / b, sensitivity=1, **noise).self_compose(steps)
    both = gradients.compose(counts)
    return gradients.get_epsilon_for_delta(DELTA), both.get_epsilon_for_delta(DELTA)


def test_the_accuracies_on_adult_are_of_a_file_with_each_record_twice() -> None:
    trained = smallest_count(printed(ADULT, "train_accuracy"), 70_000)
    tested = smallest_count(printed(ADULT, "accuracy"), 30_161)
    assert (trained, tested) == ([39_587], [15_081])
    # a quarter of twice 30,162 rows is tested, and seven eighths of the rest, rounded, are trained
    assert 4 * 15_081 == 2 * 30_162
    assert 39_587 == 7 * (60_324 - 15_081) // 8


def test_the_steps_on_adult_cost_more_than_the_epsilon_of_the_notebook() -> None:
    gradients, both = cost(ADULT, 1000)
    assert both == pytest.approx(7.533, abs=5e-4)
    batch, n, sigma, _, steps = SETTINGS[ADULT]
    ours = spent_epsilon([NoisySteps(sigma, batch / n, steps)], DELTA)
    assert ours == pytest.approx(gradients, rel=1e-3)
    assert 3.08 < ours < 3.09
    assert cost(ADULT, 31)[1] < 1 < cost(ADULT, 32)[1]


@pytest.mark.parametrize(("dataset", "expected"), [(FOLKTABLES, 0.270), (HEART, 0.200)])
def test_the_other_notebooks_cost_less_than_their_epsilon(dataset: str, expected: float) -> None:
    n = SETTINGS[dataset][1]
    assert n in smallest_count(printed(dataset, "train_accuracy"), 160_000)
    assert cost(dataset, SETTINGS[dataset][-1])[1] == pytest.approx(expected, abs=1e-3)


def test_the_chart_of_parkinsons_has_the_points_of_lowy() -> None:
    """DP-FERMI and Tran et al. at epsilon 1: values released by lowy2023, to six digits of each."""
    names = {
        "DP-FERMI (2023)": "DP-FERMI",
        "Tran et al. (2021)": "Tran et al. 2021a (mitigation)",
    }
    chart = [row for row in lines("yaghini2025") if row["method"] in names]
    assert len(chart) == 7 * 4
    for row in chart:
        released = [
            float(one["mean"])
            for one in lines("lowy2023")
            if (one["dataset"], one["epsilon"]) == ("parkinsons", "1")
            and (one["method"], one["metric"]) == (names[row["method"]], row["metric"])
        ]
        assert min(abs(float(row["mean"]) - one) for one in released) < 6e-7
