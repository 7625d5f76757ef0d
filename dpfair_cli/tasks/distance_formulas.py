"""Several formulas for the distance chi2 of generated from real records, on the same fits.

xu2021, Section 7.3.1, prints no formula. The records and fits are those of causal_fairness, so that
the score `chi2` of a seed is the one there. The scores are:

    chi2                the statistic of two samples, as in causal_fairness
    chi2_pearson        Pearson's statistic, where cells without real records are left out
    chi2_half_pearson   half of Pearson's statistic
    share_outside       the probability of the cells without real records

The scores are defined in metrics/generated_data.py.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.results import Outcome, RecordGenerator
from dpfair_cli.metrics import generated_data as metrics
from dpfair_cli.tasks.causal_fairness import CausalCase, joint_of, split

DISTANCES = ("chi2", "chi2_pearson", "chi2_half_pearson")


def study(fit: BoundFit, case: CausalCase, *, rng: np.random.Generator) -> Outcome:
    """The fitted distribution of records with its distance from the real records."""
    model = fit(case.train, rng=rng)
    n = len(case.train)
    ours = joint_of(model, n, rng=rng.spawn(1)[0])
    pearson = metrics.pearson_distance(ours, case.joint, n)
    scores = {
        "chi2": metrics.chi2_distance(ours, case.joint, n),
        "chi2_pearson": pearson,
        "chi2_half_pearson": pearson / 2,
        "share_outside": metrics.share_outside(ours, case.joint),
    }
    return Outcome(model, scores)


TASK = Study(
    split=split,
    study=study,
    scores=(*DISTANCES, "share_outside"),
    unbounded=DISTANCES,
    result=RecordGenerator,
)
