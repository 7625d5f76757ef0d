"""Several formulas for the distance chi2 of generated from real records, on the same fits.

xu2021, Section 7.3.1, prints no formula. The records and fits are those of causal_fairness, so that
the score `chi2` of a seed is the one there. The scores are:

    chi2                the statistic of two samples, as in causal_fairness
    chi2_pearson        Pearson's statistic, where cells without real records are left out
    chi2_half_pearson   half of Pearson's statistic
    chi2_sample         Pearson's statistic of a sample with as many records
    chi2_half_sample    Pearson's statistic of a sample with half as many records
    share_outside       the probability of the cells without real records

The scores are defined in metrics/generated_data.py.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.results import Outcome, RecordGenerator
from dpfair_cli.metrics import generated_data as metrics
from dpfair_cli.tasks.causal_fairness import CausalCase, joint_of, split

DISTANCES = ("chi2", "chi2_pearson", "chi2_half_pearson", "chi2_sample", "chi2_half_sample")


def study(fit: BoundFit, case: CausalCase, *, rng: np.random.Generator) -> Outcome:
    """The fitted distribution of records with its distance from the real records."""
    model = fit(case.train, rng=rng)
    n = len(case.train)
    of_model, of_sample, of_half = rng.spawn(3)
    ours = joint_of(model, n, rng=of_model)
    pearson = metrics.pearson_distance(ours, case.joint, n)
    scores = {
        "chi2": metrics.chi2_distance(ours, case.joint, n),
        "chi2_pearson": pearson,
        "chi2_half_pearson": pearson / 2,
        "chi2_sample": metrics.sampled_pearson_distance(ours, case.joint, n, rng=of_sample),
        "chi2_half_sample": metrics.sampled_pearson_distance(ours, case.joint, n // 2, rng=of_half),
        "share_outside": metrics.share_outside(ours, case.joint),
    }
    return Outcome(model, scores)


TASK = Study(
    split=split,
    study=study,
    scores=(*DISTANCES, "share_outside"),
    unbounded=DISTANCES,
    result=RecordGenerator,
    version=2,
)
