"""Post-processing of the scores of a regression: the error, and how far groups are apart.

`ks_distance` is the largest Kolmogorov-Smirnov distance between the new scores of two groups.

Source: xian2024 and the authors' code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import dpfair_cli.plugin as dp

from ..models.group_scores import GroupScores
from ..models.score_errors import ks_distance, mean_squared_error
from ..models.score_rules import ScoreRule

SCORES = ("mean_squared_error", "ks_distance")
Seeds = Literal["drawn", "numbered"]


@dataclass(frozen=True, eq=False)
class ScoreSplit:
    """Scores for the fit, scores for testing, and the seed of the fit and of the new scores."""

    train: GroupScores  # the scores to which a method is fitted
    # the scores that the fitted rule replaces, and whose error and distance are measured
    test: GroupScores
    # the seed of the fit and of the new scores; empty if they use the generator of the run
    seeds: tuple[int, ...] = ()


@dp.checked
def split(
    data: GroupScores,
    *,
    test_fraction: dp.Fraction = 0.3,
    seeds: Seeds = "drawn",
    first_seed: dp.CountOrZero = 33,
    rng: np.random.Generator,
) -> ScoreSplit:
    """A random split into scores for the fit and scores for testing.

    Args:
        data: The scores.
        test_fraction: The share of the scores that are in the test part, rounded up to a score.
        seeds: "drawn" draws the split, the noise and the new scores with `rng`. "numbered" uses the
            seed `first_seed` + k in run k, with the split of scikit-learn for this seed, and one
            generator with this seed for the noise and then for the new scores: run k has the
            numbers of every other program that does the same.
        first_seed: The seed of the first run; used only with seeds "numbered".
        rng: The source of randomness.

    Raises:
        ValueError: a part would be empty.
    """
    n = len(data)
    tested = math.ceil(test_fraction * n)
    if not 0 < tested < n:
        raise ValueError(
            "`test_fraction` must leave scores to fit and scores to test, got "
            f"{test_fraction} of {n} scores: use another fraction or more scores"
        )
    known: tuple[int, ...] = ()
    if seeds == "numbered":
        known = (first_seed + _run(rng),)
        train, test = _split_of_scikit_learn(n, test_fraction, known[0])
    else:
        test, train = np.split(rng.permutation(n), [tested])
    return ScoreSplit(data.take(train), data.take(test), known)


def _split_of_scikit_learn(n: int, test_fraction: float, seed: int) -> tuple[dp.Ints, dp.Ints]:
    """The indices of the training and of the test scores that scikit-learn draws with a seed."""
    from sklearn.model_selection import train_test_split  # slow to import

    train, test = train_test_split(np.arange(n), test_size=test_fraction, random_state=seed)
    return train, test


def _run(rng: np.random.Generator) -> int:
    """The number of the run, from which its generators are made."""
    known = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
    return known if isinstance(known, int) else int(rng.integers(2**31))


def study(fit: Callable[..., Any], case: ScoreSplit, *, rng: np.random.Generator) -> dp.Outcome:
    """Fits a rule to the training scores and scores it on the test scores.

    If the split has a seed, all randomness comes from one generator with this seed, and `rng` is
    not used.
    """
    draws = np.random.default_rng(case.seeds[0]) if case.seeds else rng
    rule: ScoreRule = fit(case.train, rng=draws)
    found = rule.new_scores(case.test, rng=draws)
    scores = {
        "mean_squared_error": mean_squared_error(found, case.test.target),
        "ks_distance": ks_distance(found, case.test.protected),
    }
    return dp.Outcome(rule, scores)


TASK = dp.Study(
    split=split,
    study=study,
    scores=SCORES,
    ranges={"mean_squared_error": (0.0, math.inf), "ks_distance": (0.0, 1.0)},
    unbounded=("mean_squared_error",),
    result=ScoreRule,
    sweep=dp.Sweep(
        title="Error and distance between groups",
        methods=("fair_score_moves",),
        values=SCORES,
        also=(),
        panels=SCORES,
        reference_methods=("binned_scores", "given_scores"),
    ),
)
