"""A linear classifier with an intercept for each group whose decisions are flipped at random.

Source: ghoukasian2024, Algorithm 2. The flips bring the selection rate of every group to the same
target. A group whose rate v is above the target m loses decisions 1 with probability 1 - m/v. A
group whose rate u is below it gains decisions 1 with probability (m - u)/(1 - u).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import dpfair_cli.plugin as dp


@dataclass(frozen=True, eq=False)
class GroupFlips(dp.SavedFields):
    """The rule with decision 1 with probability `rule[yhat, a]` for a record of group a."""

    form: ClassVar[str] = "group_flips"  # module whose `restore` reads a model file of this class
    weights: dp.Floats  # the weights of the base decision yhat, (d,)
    intercepts: dp.Floats  # the intercept of the base decision for each group, (groups,)
    rule: dp.Floats  # the probability of decision 1 for each base decision and group, (2, groups)

    @property
    def reads_group(self) -> bool:
        """True, because the decision depends on the group of the record."""
        return True

    def predict(self, records: dp.Records) -> dp.Floats:
        """The probability of decision 1 for each record, (n,)."""
        groups = records.protected
        base = base_decision(records.X, groups, self.weights, self.intercepts)
        decision: dp.Floats = self.rule[base, groups]
        return decision


def base_decision(
    X: dp.Floats, groups: dp.Ints, weights: dp.Floats, intercepts: dp.Floats
) -> dp.Ints:
    """The decisions before the flips, (n,): 1 if X @ weights + intercepts[group] > 0.

    X (n, d) are the features of records and `groups` (n,) their groups.
    """
    return np.asarray(X @ weights + intercepts[groups] > 0, dtype=np.int64)


def flips(rates: dp.Floats) -> dp.Floats:
    """The probabilities of decision 1 that give all groups the mean rate, (2, groups).

    `rates` (groups,) are the selection rates of the base decision, in [0, 1].

    >>> flips(np.array([0.1, 0.3])).round(3)
    array([[0.111, 0.   ],
           [1.   , 0.667]])
    """
    target = rates.mean()
    # the smallest number in place of 0: a group without decisions 1 keeps all of them
    kept = np.minimum(1.0, target / np.maximum(rates, np.finfo(float).tiny))
    gained = np.maximum(0.0, target - rates) / np.maximum(1 - rates, np.finfo(float).tiny)
    # by base decision: 0 may be gained, 1 may be kept
    return np.vstack([np.minimum(gained, 1.0), kept])


def restore(saved: Mapping[str, Any]) -> GroupFlips:
    """The decision rule that a model file holds.

    Raises:
        ValueError: the weights or intercepts are not a vector, or the rule is not a table of two
            rows with an entry for each group.
    """
    found = GroupFlips.from_saved(saved)
    groups = found.intercepts.size
    if found.weights.ndim != 1 or found.intercepts.ndim != 1 or found.rule.shape != (2, groups):
        raise ValueError(
            "in the model file, the weights and intercepts must be lists of numbers, and the rule "
            "a table of two rows with a number for each group"
        )
    return found
