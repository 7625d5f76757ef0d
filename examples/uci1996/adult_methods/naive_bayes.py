"""Naive Bayes on 0/1 features: the product of what each says alone.

Source: Naive-Bayes of MLC++, as adult.names prints it.
Differs: MLC++ discretises numbers by entropy; here each feature is a Bernoulli variable, a number
    cut at half of its range.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp
from adult_methods.fitted import Fitted, features


@dp.checked
def fit(records: dp.Records, *, rng: np.random.Generator) -> Fitted:
    """Fit the classifier to the features and the group of people."""
    from sklearn.naive_bayes import BernoulliNB

    return Fitted(BernoulliNB(binarize=0.5).fit(features(records), records.y))


ALGORITHM = dp.Algorithm(fit, version=1, source="Naive-Bayes of MLC++, as adult.names prints it")
