"""The sensitivity of the optimal fair error f(D) to the group of one record.

Source: jagielski2019, Theorem 4.6. f(D) is the least error of a fair mixture on the data set D
(algorithms/postprocessing/optimal_fair_mixture.py). The sensitivity is the largest change of f over
a family of data sets. The data sets of the family have as many records of each group and label as
the given records. All records with label 1 have X = U, and any number of the records with label 0
in the groups R and B have X = U.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import fitted_once
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.postprocessing import fair_mixture
from dpfair_cli.tasks.classification import TrainTestSplit

SCORES = ("error", "sensitivity", "sensitivity_times_people", "sensitivity_times_people_and_gap")


@checked
def split(records: Records, *, rng: np.random.Generator) -> TrainTestSplit:
    """All records, for fitting and scoring; `rng` is not used."""
    return TrainTestSplit(train=records, test=records)


def score(model: fair_mixture.HypothesisMixture, case: TrainTestSplit) -> dict[str, float]:
    """The error of the optimal fair mixture, and its sensitivity to the group of one record.

    The sensitivity is given unscaled, times m, and times gamma m, where m is the number of records
    and gamma is the fairness gap.
    """
    table, decisions = (
        fair_mixture.count_table(case.train),
        fair_mixture.hypotheses(len(model.shares)),
    )
    error = fair_mixture.optimal_mixtures(table[None], model.fairness_gap, decisions)[0][0]
    change = sensitivity(family(table), model.fairness_gap, decisions)
    scaled = change * len(case.train)
    return {
        "error": float(error),
        "sensitivity": change,
        "sensitivity_times_people": scaled,
        "sensitivity_times_people_and_gap": scaled * model.fairness_gap,
    }


def family(table: Floats) -> Floats:
    """The tables of all data sets with the group and label counts of `table`, (k, 2, 2, 2).

    The axes are the feature X, the group and the label. The tables have each possible number of
    records of each group with label 0 and X = U.
    """
    red, blue = table[:, :, 0].sum(axis=0).astype(int)
    pairs = list(product(range(red + 1), range(blue + 1)))
    splits = np.array(pairs, dtype=float)  # negatives with X = U of each group, (k, 2)
    tables = np.zeros((len(splits), 2, 2, 2))
    # all records with label 1 have X = U
    tables[:, 1, :, 1] = table[:, :, 1].sum(axis=0)
    tables[:, 1, :, 0] = splits
    tables[:, 0, :, 0] = np.array([red, blue]) - splits
    return tables


def sensitivity(tables: Floats, gap: float, decisions: Floats) -> float:
    """The largest change of the optimal fair error if the group of one record changes.

    The change is the largest between tables in `tables` (k, 2, 2, 2) that differ in the group of
    one record. `gap` is the fairness slack, and `decisions` are those of the rules that are mixed.
    """
    error, largest = fair_mixture.optimal_mixtures(tables, gap, decisions)[0], 0.0
    for x, group, y in product(range(2), repeat=3):
        has_record = tables[:, x, group, y] > 0
        is_not_the_last = tables[:, :, group, y].sum(axis=1) > 1  # no cell may become empty
        possible = has_record & is_not_the_last
        changed = tables[possible].copy()
        changed[:, x, group, y] -= 1
        changed[:, x, 1 - group, y] += 1
        changes = np.abs(
            fair_mixture.optimal_mixtures(changed, gap, decisions)[0] - error[possible]
        )
        largest = max(largest, float(changes.max(initial=0.0)))
    return largest


TASK = Study(split=split, study=fitted_once(score), scores=SCORES, exact=True)
