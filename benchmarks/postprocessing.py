"""The bars of fair post-processing: fairlearn, and jagielski2019's Figure 1 right."""

from __future__ import annotations

import itertools
import warnings
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from benchmarks.commands import WORKERS, command, places
from benchmarks.data import adult_case, here
from benchmarks.ratio import (
    Bar,
    Cost,
    in_yards,
    rival_bar,
    stopwatch,
    times_faster,
    yard_bar,
    yardstick,
)
from benchmarks.score_postprocessing import score_bars

CELLS = 300  # fits in one turn
SECONDS_OF_CELL = 0.002
LOOSER = (
    0.6  # the bound of fairlearn, as a share of our violation, that leads to about the same one
)


def postprocessing_bars(folder: Path) -> list[Bar]:
    """The oracle learner, post-processing of scores and of decisions, and 43,200 cells of it."""
    return [*reductions_bars(), *score_bars(folder), *cell_bars(), *figure_bars(folder)]


def reductions_bars() -> list[Bar]:
    """The oracle learner without privacy against fairlearn's reductions, at the same violation.

    fairlearn bounds differences to the whole population, so that groups end up further apart.
    """
    import numpy as np
    from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.postprocessing.dp_oracle_learner import fit
    from dpfair_cli.metrics.classification import equalized_odds_violation, tabulate
    from dpfair_cli.tasks import in_sample

    records = adult_case().train
    case = in_sample.split(records, rng=np.random.default_rng(0))
    found: dict = {}

    def ours() -> None:
        fresh = records.take(np.arange(len(records)))
        model = fit(fresh, epsilon=np.inf, fairness_gap=0.5, rng=np.random.default_rng(0))
        found["scores"] = in_sample.score(model, case)

    def theirs() -> None:
        ours_reached = found["scores"]["equalized_odds_violation"]
        bound = EqualizedOdds(difference_bound=LOOSER * ours_reached)
        rival = ExponentiatedGradient(LogisticRegression(max_iter=1000), bound, eps=0.01)
        rival.fit(records.X, records.y, sensitive_features=records.protected)
        found["decision"] = rival._pmf_predict(records.X)[:, 1]

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ratios = times_faster(stopwatch(ours), stopwatch(theirs))
    decision, scores = found["decision"], found["scores"]
    behind = scores["error"] - float(np.mean(np.abs(decision - records.y)))
    violation = equalized_odds_violation(tabulate(decision, records.y, records.protected, groups=2))
    violations = f"{scores['equalized_odds_violation']:.3f}, {violation:.3f}"
    what = f"oracle learner against the reductions of fairlearn {version('fairlearn')}"
    error = f"  its error less fairlearn's (violations {violations})"
    return [
        rival_bar(what, ratios, 5),
        (error, f"{behind:+.4f}", "<= 0.01", behind <= 0.01),
    ]


def cell_bars() -> list[Bar]:
    """Cells (epsilon, gamma, draw) of jagielski2019's Figure 1 right: fits with one base.

    The same for the scores of the base in place of its decisions.
    """
    from dpfair_cli.algorithms.postprocessing import dp_postprocessing, dp_score_postprocessing

    decisions, scores = _cells(dp_postprocessing), _cells(dp_score_postprocessing)
    return [
        yard_bar(f"{CELLS} cells of DP-postprocessing", decisions, SECONDS_OF_CELL * CELLS),
        yard_bar(f"{CELLS} cells of post-processing of scores", scores, SECONDS_OF_CELL * CELLS),
    ]


def _cells(method: ModuleType) -> list[Cost]:
    import numpy as np
    from threadpoolctl import threadpool_limits

    records, seeds = adult_case().train, itertools.count()

    def cells() -> None:
        for _ in range(CELLS):
            method.fit(records, epsilon=5.0, rng=np.random.default_rng(next(seeds)))

    with threadpool_limits(1):
        method.fit(records, rng=np.random.default_rng(0))
        return in_yards(stopwatch(cells), yardstick())


def figure_bars(folder: Path) -> list[Bar]:
    """All cells of the figure, in one command."""
    if not here("communities"):
        return []
    plot = ("plot", "jagielski2019/figure1-right", "--jobs", str(WORKERS))
    figure = command(places(folder / "figures"), *plot)
    ratios = in_yards(figure, yardstick(WORKERS))
    return [yard_bar("  figure1-right, 72 gammas x 6 epsilons x 100", ratios, 60, WORKERS)]
