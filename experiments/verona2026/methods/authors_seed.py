"""Logistic regression on the real records, with an intervention, for one seed of the authors.

Source: verona2026, BenchmarkDPFair 0.2.7 and example/DPF_Benchmark-Compas.py
Differs: Two interventions are those of fairlearn; the others are our own code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpfair_cli.plugin as dp

from ..models import framework_draws
from ..models.coded import Coded, coded
from ..models.interventions import MODULE, Intervention, decisions


@dataclass(frozen=True, eq=False)
class Decided(dp.NotSaved):
    """The test records of a seed with the decisions on them."""

    decisions: dp.Ints  # (n,)
    test: Coded


@dp.checked
def fit(
    records: dp.Records,
    *,
    intervention: Intervention = "no intervention",
    random_seed: dp.CountOrZero = 42,
    rng: np.random.Generator,
) -> Decided:
    """The decisions on the test records of a seed; `rng` is not used.

    Args:
        records: All records, which the framework splits.
        intervention: What is done before, in or after the training.
        random_seed: The seed of the split, the solver and the intervention.
        rng: The source of randomness.
    """
    rows = framework_draws.split(len(records), seed=random_seed)
    train, calibration, test = (coded(records.take(part)) for part in rows)
    found = decisions(intervention, train, calibration, test, seed=random_seed)
    return Decided(found, test)


ALGORITHM = dp.Algorithm(
    fit,
    source="verona2026, BenchmarkDPFair 0.2.7 and example/DPF_Benchmark-Compas.py",
    uses_groups=True,
    data_options={"encoding": "binned"},
    needs=MODULE,
)
