"""The best mixture of few decision rules with nearly equal false positive rates, computed exactly.

Source: jagielski2019, Section 4.2. Records are counted in a table (2, 2, 2): the feature X is V or
U, the group is R or B, and the label is 0 or 1. A hypothesis is a decision rule: decision 1 for no
record (h0), for records with X = U (hU), and, if rules may use the group, for all records of a
group (hR and hB). The optimum under one two-sided constraint mixes at most two hypotheses, so that
all candidates can be listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import SavedFields
from dpfair_cli.kinds.records import Records

X, GROUP = np.indices((2, 2))
BLIND = np.stack([np.zeros((2, 2)), X])  # decisions of h0 and hU, (hypotheses, X, group)
AWARE = np.concatenate([BLIND, np.stack([GROUP == 0, GROUP == 1])])  # and of hR and hB
ROUNDING = 1e-12  # errors and gaps that differ by less are equal


@dataclass(frozen=True, eq=False)
class HypothesisMixture(SavedFields):
    """A decision by a randomly drawn rule: h0, hU, hR or hB."""

    form: ClassVar[str] = "fair_mixture"  # module whose `restore` reads a model file of this class
    shares: Floats  # the probability of each hypothesis, (2,) or (4,)
    fairness_gap: float  # the fairness slack for which the probabilities are optimal

    @property
    def reads_group(self) -> bool:
        """Whether the mixture may use rules that depend on the group (hR and hB)."""
        return len(self.shares) == len(AWARE)

    def predict(self, records: Records) -> Floats:
        """The probability of decision 1 for each record, (n,)."""
        table = np.einsum("h,hxa->xa", self.shares, hypotheses(len(self.shares)))
        decision: Floats = table[(records.X[:, 0] > 0.5).astype(int), records.protected]
        return np.clip(decision, 0, 1)


def restore(saved: Mapping[str, Any]) -> HypothesisMixture:
    """The mixture of decision rules that a model file holds."""
    found = HypothesisMixture.from_saved(saved)
    if found.shares.shape not in ((len(BLIND),), (len(AWARE),)):
        raise ValueError("the mixture in the model file must have two or four shares")
    return found


def hypotheses(count: int) -> Floats:
    """The decisions of the first 2 or of all 4 rules h0, hU, hR and hB, (rules, X, group)."""
    return AWARE[:count]


def count_table(records: Records) -> Floats:
    """The number of records with each X, group and label, (2, 2, 2)."""
    cell = ((records.X[:, 0] > 0.5) * 2 + records.protected) * 2 + records.y
    return np.bincount(cell, minlength=8).reshape(2, 2, 2).astype(float)


def errors_and_gaps(tables: Floats, decisions: Floats) -> tuple[Floats, Floats]:
    """The errors of decision rules on k tables, and their differences of false positive rates.

    Both arrays have the shape (k, rules). `tables` (k, 2, 2, 2) count records by X, group and
    label, and `decisions` are (rules, X, group).
    """
    total = tables.sum(axis=(1, 2, 3))[:, None]
    missed = np.einsum("kxa,hxa->kh", tables[..., 1], 1 - decisions)
    false = np.einsum("kxa,hxa->kha", tables[..., 0], decisions)
    rates = false / np.maximum(tables[..., 0].sum(axis=1), 1)[:, None, :]  # (k, hypotheses, groups)
    return (missed + false.sum(axis=2)) / total, rates[..., 0] - rates[..., 1]


def optimal_mixtures(tables: Floats, gap: float, decisions: Floats) -> tuple[Floats, Floats]:
    """The least error of a fair mixture for each table, (k,), and the mixtures, (k, rules).

    A mixture is fair if its false positive rates differ by at most `gap`.

    Args:
        tables: k tables of counts, (k, 2, 2, 2).
        gap: the fairness slack.
        decisions: the decisions of the hypotheses, (hypotheses, X, group).
    """
    error, difference = errors_and_gaps(tables, decisions)
    best, shares = np.full(len(tables), np.inf), np.zeros_like(error)
    for i, j in permutations(range(len(decisions)), 2):
        # an optimum is at an end of the constraint, or is a single hypothesis
        for limit in (gap, -gap, difference[:, i]):  # the last is hypothesis i alone
            part = _first_share(limit, difference[:, i], difference[:, j])
            mixed = part * error[:, i] + (1 - part) * error[:, j]
            fair = np.abs(part * difference[:, i] + (1 - part) * difference[:, j]) <= gap + ROUNDING
            better = fair & (mixed < best - ROUNDING)  # of mixtures that are as good, the first
            best[better], shares[better] = mixed[better], 0
            shares[better, i], shares[better, j] = part[better], 1 - part[better]
    return best, shares


def _first_share(limit: Floats | float, first: Floats, second: Floats) -> Floats:
    """The share in [0, 1] of the first of two rules whose mixture has the difference `limit`."""
    difference = first - second
    divisor = np.where(difference != 0, difference, 1)
    share: Floats = np.where(difference != 0, (limit - second) / divisor, 1.0)
    return np.clip(share, 0, 1)
