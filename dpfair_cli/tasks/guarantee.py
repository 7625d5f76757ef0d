"""Measured error and unfairness beside the bound that a paper proves for them, on the records that
were fitted.

A model that has a guarantee gives, for the true records, the largest error and the largest
differences of rates that the theorem allows. `within_bounds` is 1 where all hold. Where the
theorem's assumption fails there is no bound.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.results import Classifier, fitted_once
from dpfair_cli.kinds.records import Records
from dpfair_cli.metrics import classification as metrics
from dpfair_cli.tasks import in_sample
from dpfair_cli.tasks.classification import TrainTestSplit

SCORES = (
    *in_sample.SCORES,
    "error_bound",
    "violation",
    "violation_bound",
    "within_bounds",
    "vacuous",
)
ROUNDING = 1e-9


class Guaranteed(Classifier, Protocol):
    """A classifier with a theorem."""

    def guarantee(self, records: Records) -> tuple[float, Floats]:
        """Bounds on the error and on each difference of rates (groups - 1, 2).

        Infinity is a rate that the theorem does not speak of, NaN everywhere a theorem whose
        assumption fails.
        """
        ...


split = in_sample.split


def score(model: Guaranteed, case: TrainTestSplit) -> dict[str, float]:
    """Every score of SCORES.

    `violation` is the largest difference of rates that the theorem speaks of; `vacuous` is 1 where
    no bound is below 1, so that it says nothing.
    """
    measured = in_sample.score(model, case)
    error_bound, gap_bounds = model.guarantee(case.test)
    counts = metrics.tabulate(model.predict(case.test), case.test.y, case.test.protected)
    rates = counts[:, :, 1] / counts.sum(axis=2)
    differences, bounded = np.abs(rates[1:] - rates[0]), ~np.isinf(gap_bounds)
    held = (
        measured["error"] <= error_bound + ROUNDING and (differences <= gap_bounds + ROUNDING).all()
    )
    known = not np.isnan(error_bound)
    return measured | {
        "error_bound": error_bound,
        "violation": float(differences[bounded].max()),
        "violation_bound": float(gap_bounds[bounded].max()),
        "within_bounds": float(held) if known else float("nan"),
        "vacuous": float(not known or min(error_bound, float(np.min(gap_bounds))) >= 1),
    }


TASK = Study(split=split, study=fitted_once(score), scores=SCORES)
