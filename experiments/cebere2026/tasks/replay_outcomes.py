"""How many replays end with which outcome, as a mean over the seeds.

benchmarks/there_dpmm.py defines the outcomes. `scales` says whether a replay fails in which a
mechanism has another scale of its noise for the neighbour.

    passed                replays without a difference
    failed                all other replays
    cast_errors           a number that is not finite cannot be converted
    other_errors          another error
    domain_differences    the model uses other numbers of levels
    call_differences      the mechanisms are called in another order or another number of times
    distance_violations   an input changes by more than the sensitivity
    scale_differences     a mechanism has another scale, whatever the outcome
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp

from ..methods.replayed_model import ModelReplays
from ..models.replays import Replays

OUTCOMES = {
    "cast_errors": "cast error",
    "other_errors": "error",
    "domain_differences": "domain",
    "call_differences": "calls",
    "distance_violations": "distance",
}
SCORES = ("passed", "failed", *OUTCOMES, "scale_differences")
Scales = Literal["compared", "not compared"]


@dataclass(frozen=True, eq=False)
class ReplayCase:
    """The replays of all models."""

    train: Replays
    scales: Scales


@dp.checked
def split(replays: Replays, *, scales: Scales = "compared", rng: np.random.Generator) -> ReplayCase:
    """The replays, without a split; `rng` is not used."""
    return ReplayCase(replays, scales)


def score(model: ModelReplays, case: ReplayCase) -> dict[str, float]:
    """The numbers of replays by outcome, per seed."""
    outcomes = [one["outcome"] for one in model.lines]
    has_other_scale = [one["scale"] == "differs" for one in model.lines]
    counted = has_other_scale if case.scales == "compared" else [False] * len(outcomes)
    pairs = zip(outcomes, counted, strict=True)
    passed = sum(outcome == "passes" and not differs for outcome, differs in pairs)
    numbers = {
        "passed": passed,
        "failed": len(outcomes) - passed,
        **{name: outcomes.count(outcome) for name, outcome in OUTCOMES.items()},
        "scale_differences": sum(has_other_scale),
    }
    return {name: number / model.seeds for name, number in numbers.items()}


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=SCORES,
    unbounded=SCORES,
    ranges=dict.fromkeys(SCORES, (0.0, np.inf)),
    result=ModelReplays,
    exact=True,
)
