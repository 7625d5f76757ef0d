"""Error and unfairness of a model on its training records, compared with the bounds of a theorem.

A theorem about the model bounds the error and the differences of rates between groups on the
training records. The score `within_bounds` is 1 if all bounds hold. If the assumption of the
theorem fails, there are no bounds.
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
ROUNDING = 1e-9  # by which a value may exceed its bound


class Guaranteed(Classifier, Protocol):
    """A classifier with a theorem that bounds its error and its unfairness."""

    def guarantee(self, records: Records) -> tuple[float, Floats]:
        """The bound on the error, and the bounds on the differences of rates, (groups - 1, 2).

        The rate of a group at label y is the share of decisions 1 among the group's records with
        label y. Entry [k - 1, y] of the array bounds the absolute difference between the rates of
        group k and of group 0 at label y; the entry is infinite if the theorem of the model does
        not bound this difference. All bounds are NaN if the assumption of the theorem fails.
        """
        ...


split = in_sample.split


def score(model: Guaranteed, case: TrainTestSplit) -> dict[str, float]:
    """The scores of a classifier whose error and unfairness a theorem bounds, by name.

    `violation` is the largest difference among the rates that have a bound. `vacuous` is 1 if no
    bound is below 1.
    """
    measured = in_sample.score(model, case)
    error_bound, gap_bounds = model.guarantee(case.test)
    test, groups = case.test, len(case.test.domain.groups)
    counts = metrics.tabulate(model.predict(test), test.y, test.protected, groups=groups)
    rates = counts[:, :, 1] / counts.sum(axis=2)
    differences, bounded = np.abs(rates[1:] - rates[0]), ~np.isinf(gap_bounds)
    error_holds = measured["error"] <= error_bound + ROUNDING
    # rounding errors of sums over records must not refute a theorem
    held = error_holds and (differences <= gap_bounds + ROUNDING).all()
    known = not np.isnan(error_bound)
    return measured | {
        "error_bound": error_bound,
        "violation": float(differences[bounded].max()),
        "violation_bound": float(gap_bounds[bounded].max()),
        "within_bounds": float(held) if known else float("nan"),
        "vacuous": float(not known or min(error_bound, float(np.min(gap_bounds))) >= 1),
    }


TASK = Study(split=split, study=fitted_once(score), scores=SCORES)
