"""Classification on a split that keeps the shares of groups and labels, as in the authors' script.

`average_odds_difference` is the largest minus the smallest mean of the true and the false positive
rate of a group. `label_gap` is the difference of the shares of label 1 between the two reported
levels of the randomised attribute, in the training records.

Source: the authors' script FairBalance/src/exp.py; metrics of Yu, Chakraborty and Menzies 2024.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.metrics import classification as metrics

from ..models.attribute_records import AttributeRecords
from ..models.authors_draws import TEST_SHARE
from ..models.reported_rule import ReportedRule

RATES = ("accuracy", "majority_accuracy", "equal_opportunity_difference")
SCORES = (*RATES, "average_odds_difference", "auc", "label_gap")


@dataclass(frozen=True, eq=False)
class GroupSplit:
    """Records for training, whose attribute a method may randomise, and for testing."""

    train: AttributeRecords  # the records to which a method is fitted
    test: AttributeRecords  # the records on which the rule is scored; nothing of them is randomised


@dp.checked
def split(records: AttributeRecords, *, rng: np.random.Generator) -> GroupSplit:
    """A random split into training and test records with the same shares of groups and labels.

    Args:
        records: The records.
        rng: The source of randomness.
    """
    cells = records.protected * 2 + records.y  # (n,)
    order = rng.permutation(len(records))
    held = [
        own[: int(len(own) * TEST_SHARE)] for own in (order[cells[order] == k] for k in set(cells))
    ]
    is_test = np.zeros(len(records), dtype=bool)
    is_test[np.concatenate(held)] = True
    return GroupSplit(records.take(np.flatnonzero(~is_test)), records.take(np.flatnonzero(is_test)))


def rates(rule: ReportedRule, test: AttributeRecords) -> dict[str, float]:
    """The scores of a rule on test records, by name."""
    from sklearn.metrics import roc_auc_score  # slow to import

    counts = metrics.tabulate(
        rule.predict(test), test.y, test.protected, groups=len(test.domain.groups)
    )
    found = {name: getattr(metrics, name)(counts) for name in RATES}
    shares = counts[:, :, 1] / counts.sum(axis=2)  # of decision 1, (groups, labels)
    margin = test.X @ rule.weights + rule.intercept
    return {
        **found,
        "average_odds_difference": float(np.ptp(shares.mean(axis=1))),
        "auc": float(roc_auc_score(test.y, margin)),
    }


def score(rule: ReportedRule, case: GroupSplit) -> dict[str, float]:
    """The scores of a rule on the held-out records, and the gap of labels that it was fitted to."""
    return {**rates(rule, case.test), "label_gap": rule.label_gap}


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=SCORES,
    ranges={"label_gap": (0.0, 1.0), "average_odds_difference": (0.0, 1.0)},
    result=ReportedRule,
    sweep=dp.Sweep(
        title="Accuracy and gaps between groups",
        methods=("optimal_response",),
        values=("accuracy", "equal_opportunity_difference"),
        also=("average_odds_difference", "auc", "majority_accuracy"),
        panels=("accuracy", "equal_opportunity_difference"),
        reference_methods=("scaled_logistic",),
        baselines={"accuracy": "majority_accuracy"},
    ),
)
