"""Results with one record in the training, the validation or the test part.

The record is the only one of group 0 with the value 1 in a column. A run is a split, and the record
changes places with one other record to get into a part; everything else is the same, initial
weights, batches and noise included. The scores are curves over the parts, and are those of
copies_on_split.py.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

import dpfair_cli.plugin as dp

from ..models.perceptron_copies import PerceptronCopies
from .copies_on_split import MEASURED, fitted_copies, of_each_copy

AXIS = "part"
PARTS = ("training", "validation", "test")
SCORES = (AXIS, *MEASURED)


@dataclass(frozen=True, eq=False)
class Placements:
    """A split in three versions, which differ in the place of one record."""

    train: dp.Records  # the records to fit to, with the record among the training records
    fitted: tuple[dp.Records, ...]  # the records to fit to, with the record first, last, or absent
    held_out: tuple[dp.Records, ...]  # the test records that go with them


@dp.checked
def split(
    records: dp.Records,
    *,
    test_share: dp.Fraction = 0.2,
    column: str = "relationship=Husband",
    rng: np.random.Generator,
) -> Placements:
    """A random split, with the record in each of the parts.

    A method with a validation part takes the last of the records that it is fitted to.

    Args:
        records: The records of the data set.
        test_share: The share of the records that is held out.
        column: The feature that only one record of group 0 has.
        rng: The source of randomness.

    Raises:
        ValueError: no record of group 0 has the feature, or the column is unknown.
    """
    if column not in records.columns:
        raise ValueError(f"unknown column {column!r}: use one of the columns of the data")
    marked = records.X[:, records.columns.index(column)] == 1
    # in Adult it is one woman whose relationship is Husband
    holders = np.flatnonzero(marked & (records.protected == 0))
    if not len(holders):
        raise ValueError(f"no record of the first group has {column}: use another column")
    size = int((1 - test_share) * len(records))  # of the records to fit to
    order = rng.permutation(len(records))
    orders = [_with_holder_at(order, holders[0], place) for place in (0, size - 1, size)]
    fitted = tuple(records.take(places[:size]) for places in orders)
    return Placements(
        train=fitted[0],
        fitted=fitted,
        held_out=tuple(records.take(places[size:]) for places in orders),
    )


def _with_holder_at(order: dp.Ints, holder: int, place: int) -> dp.Ints:
    """The order in which the record `holder` and the one at `place` have changed places."""
    # changing places keeps the other records where they are in all three versions
    found = order.copy()
    found[order == holder], found[place] = order[place], holder
    return found


def study(fit: dp.BoundFit, case: Placements, *, rng: np.random.Generator) -> dp.Outcome:
    """The copies fitted with the record in training, and the scores of all three placements."""
    models = []
    for part, records, test in zip(PARTS, case.fitted, case.held_out, strict=True):
        models.append(
            (fitted_copies(_with_checkpoints_of(part, fit), records, deepcopy(rng)), test)
        )
    means = np.array([of_each_copy(model, test).mean(axis=0) for model, test in models])
    curves: dict[str, dp.Curve] = {AXIS: list(PARTS)}
    curves |= {name: means[:, k].tolist() for k, name in enumerate(MEASURED)}
    return dp.Outcome(models[0][0], {}, curves=curves)


def _with_checkpoints_of(part: str, fit: dp.BoundFit) -> dp.BoundFit:
    """The fit with separate checkpoints, since the fits to all placements have one generator."""
    return replace(fit, context=replace(fit.context, measurement_name=f"record in {part}"))


TASK = dp.Study(
    split=split,
    study=study,
    scores=SCORES,
    axis=AXIS,
    result=PerceptronCopies,
    fits=lambda protocol: len(PARTS),
)
