"""Classification with one split into training and test records for all runs, as in lowy2023.

The training records are a sample that pandas draws with a fixed seed, `split_seed`. The runs of a
method differ only in the randomness of the fit. Standard deviations over runs therefore do not
contain the randomness of the split.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.parameters import CountOrZero, Fraction, checked
from dpfair_cli.contracts.results import Classifier, fitted_once
from dpfair_cli.kinds.records import Records
from dpfair_cli.tasks import classification
from dpfair_cli.tasks.classification import TrainTestSplit

SCORES = ("error", *classification.SCORES)


@checked
def split(
    records: Records,
    *,
    train_fraction: Fraction = 0.75,
    split_seed: CountOrZero = 100,
    rng: np.random.Generator,
) -> TrainTestSplit:
    """The split that pandas makes of the rows of a table; `rng` is not used.

    The training records are those of `DataFrame.sample(frac=train_fraction,
    random_state=split_seed)`, in the order of the sample. The test records are all others, in the
    order of the data.

    Raises:
        ValueError: the training part or the test part would be empty.
    """
    n = len(records)
    trained = round(train_fraction * n)
    if not 0 < trained < n:
        raise ValueError(
            "`train_fraction` must leave records to train on and to test on, got "
            f"{train_fraction} of {n} records: use another fraction or more records"
        )
    # pandas itself, because its sample is part of the published protocol
    rows = pd.Series(np.arange(n))
    train = rows.sample(frac=train_fraction, random_state=split_seed).to_numpy()
    test = rows.drop(train).to_numpy()
    return TrainTestSplit(train=records.take(train), test=records.take(test))


def score(model: Classifier, case: TrainTestSplit) -> dict[str, float]:
    """The scores of a classifier on the test records, by name; `error` is 1 - accuracy."""
    found = classification.score(model, case)
    return {"error": 1 - found["accuracy"], **found}


TASK = Study(split=split, study=fitted_once(score), scores=SCORES)
