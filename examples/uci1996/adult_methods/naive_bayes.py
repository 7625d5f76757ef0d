"""Naive Bayes on 0/1 features: the product of what each says alone.

Source: Naive-Bayes of MLC++, as adult.names prints it.
Differs: MLC++ discretises numbers by entropy; here each feature is a Bernoulli variable, a number
    cut at half of its range.
"""

from __future__ import annotations

import numpy as np

from adult_methods.fitted import Fitted, features
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.records import Records


@checked
def fit(records: Records, *, rng: np.random.Generator) -> Fitted:
    """Fit the classifier to the features and the group of people."""
    from sklearn.naive_bayes import BernoulliNB

    return Fitted(BernoulliNB(binarize=0.5).fit(features(records), records.y))


ALGORITHM = Algorithm(fit, version=1, source="Naive-Bayes of MLC++, as adult.names prints it")
