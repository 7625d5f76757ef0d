"""Interventions on private synthetic records, scored on real test records.

A rule is fitted to as many synthetic records as there are training records. Interventions after the
training also read the labels and groups of real calibration records, which no noise protects. Run k
has the split of the k-th seed of the authors. `tradeoff_eod` is their trade-off of accuracy and
EOD, sqrt((1 - accuracy)^2 / 2 + EOD^2 / 2), and `tradeoff_spd` that of SPD; smaller is better.

Source: verona2026, Benchmark/benchmark.py of BenchmarkDPFair 0.2.7, and main_claim_2.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any

import numpy as np

import dpfair_cli.plugin as dp

from ..models import framework_draws
from ..models.coded import coded
from ..models.interventions import Intervened, decisions
from .seed_gaps import RANGES, SCORES, gaps

TRADE_OFFS = ("tradeoff_eod", "tradeoff_spd")


@dataclass(frozen=True, eq=False)
class ThreeParts:
    """Records to make private records from, to calibrate a rule, and to test it."""

    train: dp.Records  # the records that the method protects
    calibration: dp.Records  # real records that interventions after the training read
    test: dp.Records
    seed: int  # of the split, the solver and the intervention


@dp.checked
def split(records: dp.Records, *, rng: np.random.Generator) -> ThreeParts:
    """The three parts of a run, whose number is the seed of `rng`.

    Args:
        records: All records.
        rng: The source of randomness.
    """
    number: Any = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
    known = isinstance(number, int) and number < len(framework_draws.SEEDS)
    # the authors have 20 seeds; further runs have seeds of their own
    seed = framework_draws.SEEDS[number] if known else int(rng.integers(2**31))
    parts = framework_draws.split(len(records), seed=seed)
    train, calibration, test = (records.take(part) for part in parts)
    return ThreeParts(train, calibration, test, seed)


def study(fit: dp.BoundFit, case: ThreeParts, *, rng: np.random.Generator) -> dp.Outcome:
    """The private records with the scores of the rule that is fitted to a sample of them."""
    model: Intervened = fit(case.train, rng=rng)
    # a child of the generator that the fit used, so that the sample has other numbers
    made = model.source.sample(len(case.train), rng=rng.spawn(1)[0])
    test = coded(case.test)
    found = decisions(
        model.intervention, coded(made), coded(case.calibration), test, seed=case.seed
    )
    scores = gaps(found, test)
    error = 1 - scores["accuracy"]
    of_both = {name: hypot(error, scores[name[-3:]]) / sqrt(2) for name in TRADE_OFFS}
    return dp.Outcome(model, {**scores, **of_both})


TASK = dp.Study(
    split=split,
    study=study,
    scores=(*SCORES, *TRADE_OFFS),
    ranges={**RANGES, **dict.fromkeys(TRADE_OFFS, (0.0, 1.0))},
    result=Intervened,
    sweep=dp.Sweep(
        title="Accuracy and gaps of a rule fitted to private records",
        methods=("aim",),
        values=("accuracy", "eod"),
        also=("mad", "spd", *TRADE_OFFS),
        panels=("accuracy", "eod"),
        labels={
            **{name: name.upper() for name in SCORES[1:]},
            **{name: f"trade-off of {name[-3:].upper()}" for name in TRADE_OFFS},
        },
    ),
)
