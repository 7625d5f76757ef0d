"""Fairness of generated records, and how similar they are to the real records.

A generator learns from all records and draws as many records (xu2021, Section 6.4.1). The scores of
the generated records are:

    data_demographic_parity_difference  difference of the groups' shares of label 1 (RD)
    balanced_error_rate                 of a linear SVM that predicts the group from the attributes
    dist_xy, dist_xys                   Euclidean distance between the joint distributions of
                                        generated and real rows, without and with the group
    largest_marginal_difference         largest total variation distance of an attribute
    collapsed                           1 if this distance exceeds COLLAPSED, else 0
    share_of_copies                     share of records that equal a real record in every column
    share_of_copies_by_chance           share of one half of the real records that equals a record
                                        of the other half

The curves `real_share` and `generated_share` have the share of each feature among the real and the
generated records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import Outcome, RecordGenerator
from dpfair_cli.kinds.records import Records
from dpfair_cli.metrics import generated_data as metrics
from dpfair_cli.models.synthesis import likeness

AXIS = "feature"
SCORES = (
    "data_demographic_parity_difference",
    "balanced_error_rate",
    "dist_xy",
    "dist_xys",
    "largest_marginal_difference",
    "collapsed",
    "share_of_copies",
    "share_of_copies_by_chance",
    AXIS,
    "real_share",
    "generated_share",
)


@dataclass(frozen=True, eq=False)
class WholeData:
    """A data set without held-out records."""

    train: Records  # all records


@checked
def split(records: Records, *, rng: np.random.Generator) -> WholeData:
    """All records; no part is held out, and `rng` is not used.

    Raises:
        ValueError: the records do not have the encoding "binned".
    """
    if not records.domain.values:
        raise ValueError(
            "a generator needs records with a 0/1 column for each level and bin: load the data set "
            "with encoding=binned"
        )
    return WholeData(records)


def study(fit: BoundFit, case: WholeData, *, rng: np.random.Generator) -> Outcome:
    """The fitted generator of records with all its scores."""
    model = fit(case.train, rng=rng)  # the same fit, and checkpoint, as real_data_classification
    # a child of the generator that the fit used, so that the sample has other numbers
    made = model.sample(len(case.train), rng=rng.spawn(1)[0])
    return Outcome(model, score(made, case.train), curves=shares(made, case.train))


def score(made: Records, real: Records) -> dict[str, float]:
    """The scores of generated records, compared with real records."""
    worst = float(likeness.marginal_differences(made, real).max())
    return {
        "data_demographic_parity_difference": metrics.risk_difference(made.y, made.protected),
        "balanced_error_rate": metrics.balanced_error_rate(made.X, made.protected),
        "dist_xy": metrics.joint_distance(labelled(made), labelled(real)),
        "dist_xys": metrics.joint_distance(whole(made), whole(real)),
        "largest_marginal_difference": worst,
        "collapsed": float(worst > likeness.COLLAPSED),
        # a share of copies means little without the share that real records have of each other
        "share_of_copies": float(likeness.nearest_shares(made, real)[0]),
        "share_of_copies_by_chance": float(likeness.chance_shares(real)[0]),
    }


def shares(made: Records, real: Records) -> dict[str, list[float] | list[str]]:
    """The share of the value 1 of each feature, label and group, real and generated."""
    protected, label = list(real.domain.values.items())[-2:]
    names = [f"{name}={values[1]}" for name, values in (protected, label)]
    order = [*range(real.X.shape[1]), -1, -2]  # features, group, label
    return {
        AXIS: [*real.columns, *names],
        "real_share": whole(real)[:, order].mean(axis=0).tolist(),
        "generated_share": whole(made)[:, order].mean(axis=0).tolist(),
    }


def labelled(records: Records) -> np.ndarray:
    """The features and the label of each record, as one array (n, d + 1)."""
    return np.column_stack([records.X, records.y])


def whole(records: Records) -> np.ndarray:
    """The features, the label and the group of each record, as one array (n, d + 2)."""
    return np.column_stack([records.X, records.y, records.protected])


TASK = Study(
    split=split,
    study=study,
    scores=SCORES,
    unbounded=("dist_xy", "dist_xys"),
    result=RecordGenerator,
    axis=AXIS,
)
