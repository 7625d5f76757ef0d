"""The majority among the nearest neighbours.

Source: Nearest-neighbor (1) and (3) of MLC++, as adult.names prints them.
Differs: MLC++'s distance is not printed; here it is Euclidean on one-hot features and numbers
    scaled to [0, 1].
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp
from adult_methods.fitted import Fitted, features


@dp.checked
def fit(records: dp.Records, *, neighbours: dp.Count = 1, rng: np.random.Generator) -> Fitted:
    """Fit the classifier to the features and the group of people."""
    from sklearn.neighbors import KNeighborsClassifier

    return Fitted(KNeighborsClassifier(neighbours).fit(features(records), records.y))


ALGORITHM = dp.Algorithm(
    fit, version=1, source="Nearest-neighbor (1) and (3) of MLC++, as adult.names prints them"
)
