"""Classification with signed gaps between two groups, on a split that keeps the shares of labels.

A gap is the rate of group 1 minus the rate of group 0, and may be negative. `disparate_impact` is
the selection rate of group 0 divided by that of group 1. `auc_hard_labels` is the area under the
ROC curve of the decisions 0 and 1: the mean of the true positive and the true negative rate.

Source: arcolezi2023 and the authors' code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.kinds.local_records import LocalRecords
from dpfair_cli.metrics import classification as metrics

from ..models import signed_gaps

PLAIN = ("accuracy", "majority_accuracy", "selection_rate")
SIGNED = ("selection_gap", "opportunity_gap", "accuracy_gap")
OTHERS = ("f1", "auc_hard_labels", "disparate_impact")
SCORES = (*PLAIN, *OTHERS, *SIGNED)
Splits = Literal["drawn", "numbered"]


@dataclass(frozen=True, eq=False)
class LocalSplit:
    """Records for training, some of whose attributes a method randomises, and for testing."""

    train: LocalRecords  # the records to which a method is fitted
    test: LocalRecords  # the records on which the model is scored; nothing of them is randomised


@dp.checked
def split(
    records: LocalRecords,
    *,
    test_fraction: dp.Fraction = 0.2,
    splits: Splits = "drawn",
    rng: np.random.Generator,
) -> LocalSplit:
    """A random split into training and test records with the same share of each label.

    Args:
        records: The records.
        test_fraction: The share of the records that are in the test part.
        splits: "drawn" draws the split with `rng`. "numbered" uses scikit-learn's split with the
            number of the run as its seed: run k has the split of every other program that does the
            same.
        rng: The source of randomness.

    Raises:
        ValueError: a part would be empty, or a label has fewer than two records.
    """
    from sklearn.model_selection import train_test_split  # slow to import

    known = rng.bit_generator.seed_seq.entropy if splits == "numbered" else None  # type: ignore[attr-defined]
    # scikit-learn takes no generator of NumPy, but a seed below 2^32
    seed = known if isinstance(known, int) else int(rng.integers(2**32))
    train, test = train_test_split(
        np.arange(len(records)), test_size=test_fraction, random_state=seed, stratify=records.y
    )
    return LocalSplit(train=records.take(train), test=records.take(test))


def score(model: dp.Classifier, case: LocalSplit) -> dict[str, float]:
    """The scores of a classifier on the held-out records, by name."""
    test = case.test
    counts = metrics.tabulate(
        model.predict(test), test.y, test.protected, groups=len(test.domain.groups)
    )
    found = {name: getattr(metrics, name)(counts) for name in PLAIN}
    return found | {name: getattr(signed_gaps, name)(counts) for name in (*OTHERS, *SIGNED)}


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=SCORES,
    unbounded=("disparate_impact",),
    ranges=dict.fromkeys(SIGNED, (-1.0, 1.0))
    | {
        "disparate_impact": (0.0, np.inf),
        "auc_hard_labels": (0.0, 1.0),
    },
    sweep=dp.Sweep(
        title="Accuracy and gaps between groups",
        methods=("grr",),
        values=("accuracy", "selection_gap"),
        also=("accuracy_gap", "selection_rate", "majority_accuracy"),
        panels=("accuracy", "selection_gap"),
        reference_methods=("gradient_boosting", "majority_class"),
        baselines={"accuracy": "majority_accuracy"},
    ),
)
