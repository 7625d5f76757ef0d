"""Six frequency oracles: each individual reports sets of levels, and boosted trees learn from them.

Source: arcolezi2023 and its code (SUE, OUE, SS, BLH, OLH and THE).
Differs: Reports have the laws of the authors' reports, but are drawn in another way: all but those
    of "the" are drawn as subsets. Random functions are independent of each other, where the authors
    have xxHash with a random seed. At epsilon = infinity the report is the own level alone. Labels
    and all other attributes are used as they are: the guarantee does not cover them.

A report has a 1 for each level of a set. Let k be the number of levels, epsilon the share of the
attribute, and e = exp(epsilon).

- sue (Erlingsson, Pihur and Korolova 2014): The bits of the levels, 1 for the own one, are each
  flipped with probability 1 / (sqrt(e) + 1).
- oue (Wang, Blocki, Li and Jha 2017, as the next three): The bit 1 is flipped with probability
  1 / 2, and each bit 0 with probability 1 / (e + 1).
- blh, olh: A random function gives each level one of 2 values (blh) or of round(e) + 1 values
  (olh). The report has the levels whose value generalised randomised response reports in place of
  the value of the own level.
- the: The levels whose bit plus Laplace noise of scale 2 / epsilon is above a threshold.
- ss (Wang et al. 2016, Ye and Barg 2018): A set of round(k / (e + 1)) levels, at least 1. A set
  with the own level is e times as likely as a set without it.
"""

from __future__ import annotations

from math import exp, isinf
from typing import Literal

import numpy as np
from scipy import optimize

import dpfair_cli.plugin as dp
from dpfair_cli.kinds.local_records import LocalRecords
from dpfair_cli.mechanisms.subset_selection import subset_selection, unary_sizes

from ..models.budget_split import BudgetSplit, shares
from ..models.trees import (
    DEFAULT_TREES,
    MODULE,
    BoostedTrees,
    TreeSettings,
    boosted_trees,
)

Protocol = Literal["sue", "oue", "ss", "blh", "olh", "the"]
LARGEST = 50.0  # public parameters of a protocol are those of this epsilon if epsilon is larger


@dp.checked
def fit(
    records: LocalRecords,
    *,
    epsilon: dp.Epsilon = 1.0,
    protocol: Protocol = "sue",
    budget_split: BudgetSplit = "k_based",
    settings: TreeSettings = DEFAULT_TREES,
    rng: np.random.Generator,
) -> BoostedTrees:
    """Boosted trees fitted to records whose randomised attributes are reports.

    Args:
        epsilon: The privacy loss of all randomised attributes of a record together.
        protocol: How a report is drawn.
        budget_split: "k_based" gives an attribute a share of epsilon proportional to its number of
            levels, "uniform" gives all attributes the same share.

    Raises:
        DpfairError: LightGBM is not installed.
    """
    blocks = [list(records.domain.attributes[name]) for name in records.randomised]
    # inputs are never changed
    X = records.X.copy()
    for block, share in zip(blocks, shares(blocks, budget_split), strict=True):
        X[:, block] = _reports(records.X[:, block], protocol, share * epsilon, rng)
    return boosted_trees(X, records.y, settings)  # post-processing


def _reports(
    rows: dp.Floats, protocol: Protocol, epsilon: float, rng: np.random.Generator
) -> dp.Floats:
    """The reports of all records, one 0/1 column for each level, (n, k)."""
    if protocol == "the":
        # another level changes two bits: rows of LocalRecords have one 1
        noisy = dp.laplace(rows, l1_sensitivity=2, epsilon=epsilon, rng=rng)
        return np.asarray(noisy > _threshold(epsilon), dtype=float)
    return subset_selection(  # one record changes one row
        rows,
        size_chances=_size_chances(protocol, rows.shape[1], epsilon),
        hamming_sensitivity=1,
        epsilon=epsilon,
        rng=rng,
    )


def _size_chances(protocol: Protocol, k: int, epsilon: float) -> dp.Floats:
    """The probabilities of reports with 0 to k levels, (k + 1,)."""
    sizes = np.arange(k + 1)
    if isinf(epsilon):
        return np.asarray(sizes == 1, dtype=float)
    odds = exp(min(epsilon, LARGEST))
    if protocol == "ss":
        return np.asarray(sizes == max(1, round(k / (odds + 1))), dtype=float)
    if protocol == "sue":
        kept = odds**0.5 / (odds**0.5 + 1)
        return unary_sizes(k, own=kept, other=1 - kept)
    if protocol == "oue":
        return unary_sizes(k, own=1 / 2, other=1 / (odds + 1))
    # every other level has the reported value with equal chances of all values
    values = 2 if protocol == "blh" else round(odds) + 1
    return unary_sizes(k, own=odds / (odds + values - 1), other=1 / values)


def _threshold(epsilon: float) -> float:
    """The authors' threshold: that of the least variance of estimated frequencies."""
    strength = min(epsilon, LARGEST)

    def variance(threshold: float) -> float:
        none = 2 * exp(strength * threshold / 2)
        return (none - 1) / (1 + exp(strength * (threshold - 1 / 2)) - none) ** 2

    return float(optimize.minimize_scalar(variance, bounds=[0, 1], method="bounded").x)


ALGORITHM = dp.Algorithm(
    fit,
    source="arcolezi2023 and its code (SUE, OUE, SS, BLH, OLH and THE)",
    guarantee=dp.Guarantee(
        released="the reports of all records and the trees",
        neighbours=dp.Neighbours.RANDOMISED_ATTRIBUTES,
        remark="in any way (local differential privacy)",
        public="the labels, all other attributes and the number of records",
        status=dp.Status.PROVED,
        proof='mechanisms/subset_selection.py; protocol "the": mechanisms/laplace.py, for one 1 in '
        "each row",
    ),
    needs=MODULE,
)
