"""The splits and the reports that the seeds of the authors' script give.

The script calls `np.random.seed(1)` for each data set, and then draws the splits of all repeats of
the first treatment, of the second, and of the third. The report of repeat k is drawn by a generator
with the seed k. The script in the repository has 10 repeats; 30 give the committed numbers.

Source: the authors' script, FairBalance/src/main.py, exp.py and opt_preprocessor.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import exp
from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp

from .attribute_records import AttributeRecords

REPEATS = 30
SEED = 1
EPSILON = 1.0
TEST_SHARE = 0.3  # of each group and label
Treatment = Literal["None", "FairBalance", "OPT"]
TREATMENTS: tuple[Treatment, ...] = ("None", "FairBalance", "OPT")  # in the order of the script


def splits(
    records: AttributeRecords, treatment: Treatment
) -> Iterator[tuple[AttributeRecords, AttributeRecords]]:
    """The training and the test records of each repeat of a treatment."""
    first = REPEATS * TREATMENTS.index(treatment)
    for train, test in islice(_all_splits(records), first, first + REPEATS):
        yield records.take(train), records.take(test)


def _all_splits(records: AttributeRecords) -> Iterator[tuple[dp.Ints, dp.Ints]]:
    """The rows of the training and the test records of one split after the other, without end."""
    cells: dict[tuple[int, int], list[int]] = {}  # in the order of their first records
    for row, cell in enumerate(zip(records.protected.tolist(), records.y.tolist(), strict=True)):
        cells.setdefault(cell, []).append(row)
    drawn = np.random.RandomState(SEED)
    while True:
        train: list[int] = []
        test: list[int] = []
        for rows in cells.values():
            held = drawn.choice(rows, int(len(rows) * TEST_SHARE), replace=False)
            test += held.tolist()
            # in the order of Python's sets, as in the script: reports follow the order of the rows
            train += list(set(rows) - set(held.tolist()))
        yield np.array(train), np.array(test)


def with_reports(records: AttributeRecords, *, repeat: int) -> AttributeRecords:
    """The training records with the reports that the script draws in a repeat."""
    columns = records.level_columns
    level = records.X[:, columns].argmax(axis=1)  # (n,)
    rarer = int(level.mean() < 1 / 2)
    # of keeping levels 0 and 1: the record of the rarer level keeps it more often
    kept = np.full(2, 1 / 2)
    kept[rarer] = 1 - exp(-EPSILON) / 2
    uniform = np.random.RandomState(repeat).rand(len(records))
    X = records.X.copy()
    X[:, columns] = np.eye(2)[np.where(uniform <= kept[level], level, 1 - level)]
    return replace(records, X=X)
