"""Generated records beside the real ones: how fair they are, whether their group can be told, and
how like they are.

A generator learns from all records and gives as many (xu2021, Section 6.4.1). Scores, of the
generated records:

    data_demographic_parity_difference   difference of the groups' shares of label 1 (RD)
    balanced_error_rate     of a linear SVM that tells the group from the attributes (BER)
    dist_xy, dist_xys       Euclidean distance of joint probabilities from the real records; cells
    are the distinct rows
    largest_marginal_difference, collapsed   of an attribute, in total variation; 1 where it is
    above COLLAPSED
    share_of_copies, share_of_copies_by_chance   generated records who are some real person in every
    column, and real
                            records who are one of the other half of the real records

and, along the features, the share of each among real and generated records: `real_share`,
`generated_share`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import Outcome, RecordGenerator
from dpfair_cli.kinds.records import Records
from dpfair_cli.metrics import generated_data as metrics
from dpfair_cli.models.synthesis.likeness import (
    COLLAPSED,
    chance_shares,
    marginal_differences,
    nearest_shares,
)

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
    """All records: nothing is held out."""

    train: Records


@checked
def split(records: Records, *, rng: np.random.Generator) -> WholeData:
    """All records; nothing is drawn.

    Raises:
        ValueError: they cannot be decoded, so that no generator knows their columns.
    """
    if not records.domain.values:
        raise ValueError(
            "a generator takes levels and bins, a column for each: load the data with encoding=binned"
        )
    return WholeData(records)


def study(fit: BoundFit, case: WholeData, *, rng: np.random.Generator) -> Outcome:
    """The generator and all scores."""
    model = fit(
        case.train, rng=rng
    )  # as in real_data_classification, which goes on from the same checkpoint
    made = model.sample(len(case.train), rng=rng.spawn(1)[0])
    return Outcome(model, score(made, case.train), curves=shares(made, case.train))


def score(made: Records, real: Records) -> dict[str, float]:
    """Every number of SCORES."""
    worst = float(marginal_differences(made, real).max())
    return {
        "data_demographic_parity_difference": metrics.risk_difference(made.y, made.protected),
        "balanced_error_rate": metrics.balanced_error_rate(made.X, made.protected),
        "dist_xy": metrics.joint_distance(labelled(made), labelled(real)),
        "dist_xys": metrics.joint_distance(whole(made), whole(real)),
        "largest_marginal_difference": worst,
        "collapsed": float(worst > COLLAPSED),
        "share_of_copies": float(nearest_shares(made, real)[0]),
        "share_of_copies_by_chance": float(chance_shares(real)[0]),
    }


def shares(made: Records, real: Records) -> dict[str, list[float] | list[str]]:
    """The share of each feature, of the label and of the protected group among real and generated
    records.
    """
    names = list(real.domain.values)[-2:]
    return {
        AXIS: [*real.columns, *(f"{name}={real.domain.values[name][1]}" for name in names)],
        "real_share": whole(real)[:, [*range(real.X.shape[1]), -1, -2]].mean(axis=0).tolist(),
        "generated_share": whole(made)[:, [*range(made.X.shape[1]), -1, -2]].mean(axis=0).tolist(),
    }


def labelled(records: Records) -> np.ndarray:
    """Attributes and label, (n, d + 1)."""
    return np.column_stack([records.X, records.y])


def whole(records: Records) -> np.ndarray:
    """Attributes, label and group, (n, d + 2)."""
    return np.column_stack([records.X, records.y, records.protected])


TASK = Study(
    split=split,
    study=study,
    scores=SCORES,
    unbounded=("dist_xy", "dist_xys"),
    result=RecordGenerator,
    axis=AXIS,
)
