"""A pruned decision tree.

Source: C4.5, as adult.names prints it.
Differs: C4.5 prunes by an error bound and splits by gain ratio; here CART splits by entropy, with
    at least `leaf` people in a leaf.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp
from adult_methods.fitted import Fitted, features


@dp.checked
def fit(records: dp.Records, *, leaf: dp.Count = 25, rng: np.random.Generator) -> Fitted:
    """Fit the classifier to the features and the group of people."""
    from sklearn.tree import DecisionTreeClassifier

    return Fitted(
        DecisionTreeClassifier(criterion="entropy", min_samples_leaf=leaf, random_state=0).fit(
            features(records), records.y
        )
    )


ALGORITHM = dp.Algorithm(fit, version=1, source="C4.5, as adult.names prints it")
