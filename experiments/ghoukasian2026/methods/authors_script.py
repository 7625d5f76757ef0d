"""One treatment of the authors' script, with its seeds: the scores of all repeats.

Source: ghoukasian2026, the authors' script FairBalance/src/main.py
Differs: 30 repeats, where the script in the repository has 10: they give the committed numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpfair_cli.plugin as dp

from ..models.attribute_records import AttributeRecords
from ..models.authors_draws import Treatment, splits, with_reports
from ..models.reported_rule import ReportedRule, balanced_weights, fitted


@dataclass(frozen=True, eq=False)
class Repeats(dp.NotSaved):
    """The rule and the test records of each repeat."""

    rules: tuple[ReportedRule, ...]
    tests: tuple[AttributeRecords, ...]


@dp.checked
def fit(
    records: AttributeRecords, *, treatment: Treatment = "None", rng: np.random.Generator
) -> Repeats:
    """The rules of all repeats of a treatment; `rng` is not used, since the script has seeds.

    Args:
        records: All records; the script splits them.
        treatment: "None", "FairBalance" (weights) or "OPT" (reports).
        rng: The source of randomness.
    """
    rules: list[ReportedRule] = []
    tests: list[AttributeRecords] = []
    for repeat, (train, test) in enumerate(splits(records, treatment)):
        if treatment == "OPT":
            train = with_reports(train, repeat=repeat)
        weights = balanced_weights(train) if treatment == "FairBalance" else None
        rules.append(fitted(train, weights=weights, solver="lbfgs"))
        tests.append(test)
    return Repeats(tuple(rules), tuple(tests))


ALGORITHM = dp.Algorithm(fit, source="ghoukasian2026, the authors' script FairBalance/src/main.py")
