"""How many replays end with which outcome, as a mean over the seeds.

benchmarks/there_dpmm.py defines the outcomes.

    passed                replays without another outcome, also with another scale
    failed                all other replays
    cast_errors           a number that is not finite cannot be converted
    other_errors          another error
    domain_differences    the model uses other numbers of levels
    call_differences      the mechanisms are called in another order or another number of times
    distance_violations   an input changes by more than the sensitivity
    scale_differences     a mechanism has another scale of its noise, whatever the outcome
    failed_or_scale       replays that fail or have another scale
"""

from __future__ import annotations

from dataclasses import dataclass

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
SCORES = ("passed", "failed", *OUTCOMES, "scale_differences", "failed_or_scale")


@dataclass(frozen=True, eq=False)
class ReplayCase:
    """The replays of all models."""

    train: Replays


@dp.checked
def split(replays: Replays, *, rng: np.random.Generator) -> ReplayCase:
    """The replays, without a split; `rng` is not used."""
    return ReplayCase(replays)


def score(model: ModelReplays, case: ReplayCase) -> dict[str, float]:
    """The numbers of replays by outcome, per seed."""
    outcomes = [one["outcome"] for one in model.lines]
    has_other_scale = [one["scale"] == "differs" for one in model.lines]
    passed = [outcome == "passes" for outcome in outcomes]
    unchanged = [ok and not other for ok, other in zip(passed, has_other_scale, strict=True)]
    numbers = {
        "passed": sum(passed),
        "failed": len(outcomes) - sum(passed),
        **{name: outcomes.count(outcome) for name, outcome in OUTCOMES.items()},
        "scale_differences": sum(has_other_scale),
        "failed_or_scale": len(outcomes) - sum(unchanged),
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
