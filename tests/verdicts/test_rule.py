"""What a decision says in words: why the verdict is what it is, and what would decide it."""

from __future__ import annotations

import math

import pytest

from dpfair_cli.verdicts.cells.comparison import CellVerdict, Comparison, Decision, Sample

NAN = math.nan


def decision(mean: float, std: float, runs: int, *rivals: float, spread: float = NAN) -> Decision:
    """The decision on a published mean of 0.80 of two runs without a deviation.

    Of two runs with the deviation 0.001 the standard error is 0.001, and 6.3138 of them are the
    90 % interval.
    """
    ours, published = Sample(mean, std, runs), Sample(0.80, NAN, 2)
    return Decision(Comparison(ours, published, spread), rivals)


@pytest.mark.parametrize(
    ("mean", "rivals", "verdict", "end"),
    [
        (0.804, (), "reproduced", "equivalent"),
        (
            0.804,
            (0.75, 0.81),
            "reproduced",
            "equivalent, and the nearest other value is 0.0100 away",
        ),
        (
            0.806,
            (0.75, 0.81),
            "consistent",
            "equivalent, but another value is only 0.0100 away from the published value",
        ),
        (0.821, (0.83,), "undecided", "neither equivalent nor different"),
        (0.829, (0.83,), "differs", "different"),
    ],
)
def test_the_reason_has_the_interval_the_margin_and_the_result(
    mean: float, rivals: tuple[float, ...], verdict: str, end: str
) -> None:
    found = decision(mean, 0.001, 2, *rivals)
    start = f"the difference is {mean - 0.8:.4f} ± 0.0063 (90 % interval) and the margin is 0.0200"
    assert (found.verdict, found.reason) == (verdict, f"{start}: {end}")


@pytest.mark.parametrize("spread", [NAN, 0.001])
def test_the_reason_says_that_one_run_does_not_show_how_runs_vary(spread: float) -> None:
    reason = decision(0.81, NAN, 1, spread=spread).reason
    assert reason == "the difference is 0.0100, and one run does not show how much runs vary"


def test_one_run_that_differs_has_the_reason_of_its_interval() -> None:
    # 1.6449 * 0.001 * sqrt(1 + 1 / 2)
    assert decision(0.83, NAN, 1, spread=0.001).reason == (
        "the difference is 0.0300 ± 0.0020 (90 % interval) and the margin is 0.0200: different"
    )


@pytest.mark.parametrize(
    ("mean", "std", "runs", "spread", "remedy"),
    [
        (0.80, 0.001, 2, NAN, ""),
        (0.84, 0.001, 2, NAN, ""),
        (0.80, NAN, 1, NAN, "one more seed would show how much runs vary"),
        (0.80, NAN, 1, 0.001, "2 seeds would decide"),  # 0.02 / 0.001 = 20 of 6.31
        # 0.02 / (0.01 sqrt(1 / R + 1 / 2)): 2.191 of 2.920 at R = 3, 2.309 of 2.353 at 4, 2.390 of
        # 2.132 at 5
        (0.80, 0.01, 3, NAN, "5 seeds would decide"),
        (0.82, 0.001, 2, NAN, "no number of seeds up to 2,000 would decide"),
    ],
)
def test_the_remedy_of_an_undecided_cell_names_the_seeds(
    mean: float, std: float, runs: int, spread: float, remedy: str
) -> None:
    assert decision(mean, std, runs, spread=spread).remedy == remedy


def test_a_difference_is_fragile_if_wider_published_runs_would_not_differ() -> None:
    def decided(published: Sample) -> Decision:
        return Decision(Comparison(Sample(0.80, 0.01, 100), published))

    # 0.03 beyond the margin: three errors of 0.01, and one of 0.03
    assert decided(Sample(0.85, NAN, 1)).verdict is CellVerdict.DIFFERS
    assert decided(Sample(0.85, NAN, 1)).is_fragile
    assert not decided(Sample(0.95, NAN, 1)).is_fragile  # still far away
    assert not decided(Sample(0.85, 0.01, 1)).is_fragile  # the deviation is printed
    assert not decided(Sample(0.80, NAN, 1)).is_fragile  # does not differ
