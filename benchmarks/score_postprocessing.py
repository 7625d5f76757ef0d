"""The bars of post-processing scores: the class ThresholdOptimizer of fairlearn with our scores.

All methods equalise both rates of the two groups on the training part of Adult, after the same base
classifier, and the time of fitting this classifier counts for neither side. fairlearn searches a
grid of 1,000 rates, its default. Our violation at epsilon 1 is not 0, because of the noise.
"""

from __future__ import annotations

import warnings
from importlib.metadata import version
from typing import TYPE_CHECKING

from benchmarks.data import adult_case
from benchmarks.ratio import Bar, rival_bar, stopwatch, times_faster

if TYPE_CHECKING:
    from dpfair_cli.contracts.arrays import Floats
    from dpfair_cli.kinds.records import Records

DRAWS = 20  # of the noise
LEAST = 20  # times faster
WORSE = 0.002  # the largest error by which ours may exceed fairlearn's
BETTER = 0.008  # the least error by which post-processing of decisions exceeds ours


def score_bars() -> list[Bar]:
    """The duration of a fit, and the errors at epsilon 1, at infinity, and of decisions alone."""
    from threadpoolctl import threadpool_limits

    records = adult_case().train
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [_duration(records), *_errors(records)]


def _duration(records: Records) -> Bar:
    import numpy as np

    from dpfair_cli.algorithms.postprocessing.dp_score_postprocessing import fit
    from dpfair_cli.models.regression.logistic_rule import logistic

    def ours() -> float:
        fresh = records.take(np.arange(len(records)))  # nothing of these is in a cache
        scores(fresh)

        def post_process() -> None:
            fit(fresh, fairness_gap=0.0, rng=np.random.default_rng(0))

        return stopwatch(post_process)()

    def scores(people: Records) -> Floats:
        base = logistic(people, l2=1.0)
        return people.X @ base.weights + base.intercept

    known = scores(records)
    ours()  # imports the solver
    ratios = times_faster(ours, stopwatch(lambda: thresholds_of_fairlearn(known, records)))
    what = f"post-processing of scores against fairlearn {version('fairlearn')}"
    return rival_bar(what, ratios, LEAST)


def _errors(records: Records) -> list[Bar]:
    import numpy as np

    from dpfair_cli.algorithms.postprocessing import dp_postprocessing, dp_score_postprocessing
    from dpfair_cli.models.regression.logistic_rule import logistic
    from dpfair_cli.tasks import in_sample

    case = in_sample.split(records, rng=np.random.default_rng(0))
    base = logistic(records, l2=1.0)
    decision = thresholds_of_fairlearn(records.X @ base.weights + base.intercept, records)
    theirs = float(np.mean(np.abs(decision - records.y)))

    def mean_of(score: str, method, epsilon: float) -> float:
        found = []
        for seed in range(DRAWS):
            rng = np.random.default_rng(seed)
            model = method.fit(records, epsilon=epsilon, fairness_gap=0.0, rng=rng)
            found.append(in_sample.score(model, case)[score])
        return float(np.mean(found))

    private = mean_of("error", dp_score_postprocessing, 1.0)
    violation = mean_of("equalized_odds_violation", dp_score_postprocessing, 1.0)
    public = mean_of("error", dp_score_postprocessing, np.inf)
    gain = mean_of("error", dp_postprocessing, np.inf) - public
    words = f"  error less fairlearn's, epsilon 1 (violation {violation:.4f})"
    return [
        _no_worse(words, private - theirs),
        _no_worse("  error less fairlearn's, epsilon infinity", public - theirs),
        ("  error of decisions less its own", f"{gain:+.4f}", f">= {BETTER}", gain >= BETTER),
    ]


def _no_worse(what: str, behind: float) -> Bar:
    return what, f"{behind:+.4f}", f"<= {WORSE}", behind <= WORSE


def thresholds_of_fairlearn(scores: Floats, records: Records) -> Floats:
    """The probability of decision 1 for each record by fairlearn's thresholds on `scores`, (n,)."""
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Known(ClassifierMixin, BaseEstimator):
        """The known score, which is the only feature."""

        fitted_ = True

        def fit(self, X, y):
            return self

        def predict(self, X):
            return X[:, 0]

    only, groups = scores[:, None], {"sensitive_features": records.protected}
    rival = ThresholdOptimizer(
        estimator=Known(), constraints="equalized_odds", prefit=True, predict_method="predict"
    )
    rival.fit(only, records.y, **groups)
    chances: Floats = rival._pmf_predict(only, **groups)[:, 1]
    return chances
