"""Methods of diffprivlib and Opacus that are audited.

Each is a function of (X, y, epsilon, rng), some with delta; X is (n, 3) in [0, 1], y (n,) in
{0, 1}. `METHODS` has the neighbouring relation and the expected verdict of each; the docstring of
the function gives the reason. diffprivlib 0.6.6 states no relation; that of a method is the one for
which its sensitivities are.
"""

from __future__ import annotations

import inspect
from importlib.util import find_spec

import numpy as np

from benchmarks.audited import DELTA, EPSILON, Audited
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

REPLACE, REMOVE = "replace-one", "add-or-remove-one"
SOUND, BROKEN, NOT_FOLLOWED = "holds", "refuted", "cannot be followed"
D = 3  # features
METHODS: dict[str, tuple[str, str]] = {}  # name -> (neighbouring relation, expected verdict)
UNCLAIMED = ("histogram_of_fixed_size",)  # under a relation for which the library claims nothing


def subject(relation: str, expected: str):
    """A decorator that puts a function into METHODS."""

    def add(function):
        METHODS[function.__name__] = relation, expected
        return function

    return add


def mechanisms() -> dict[str, Audited]:
    """The mechanisms by name."""
    return {name: mechanism(name) for name in METHODS}


def mechanism(name: str) -> Audited:
    """The mechanism of this name."""
    function, (relation, expected) = globals()[name], METHODS[name]
    delta = DELTA if "delta" in inspect.signature(function).parameters else 0.0
    why = " ".join(inspect.getdoc(function).split())
    by = "outcomes" if expected == NOT_FOLLOWED else "noise or outcomes"
    claim = ClaimedPrivacy(EPSILON, delta)
    return Audited(function, claim, relation, relation, why, by, name not in UNCLAIMED)


def seed(rng) -> int:
    """A seed for the libraries, which take no Generator."""
    return int(rng.integers(2**31))


if find_spec("diffprivlib"):
    from diffprivlib import mechanisms as noise
    from diffprivlib import models, tools

    @subject(REPLACE, BROKEN)
    def linear_regression(X, y, epsilon, rng):
        """LinearRegression on [0, 1]: noise for x^2 is scaled to the lower bound twice, so to 0.

        Its sums of squares are exact, and changing one record from 0 to 1 changes one of them by 1.
        With one feature the coefficient is (x'y + noise) / x'x, whose scale then depends on the
        record: in the tails, the ratio of densities is unbounded.
        https://github.com/IBM/differential-privacy-library/issues/105
        """
        bounds = {"bounds_X": (np.zeros(D), np.ones(D)), "bounds_y": (0, 1)}
        return fitted_line(
            models.LinearRegression(epsilon=epsilon, fit_intercept=False, **bounds), X, y, rng
        )

    @subject(REPLACE, BROKEN)
    def linear_regression_with_intercept(X, y, epsilon, rng):
        """LinearRegression with an intercept: the same, since a noisy mean shifts the bounds.

        That mean may equal a bound. Moreover, the means of X and of y cost epsilon / (d + 1) each,
        and only one of them is accounted for.
        https://github.com/IBM/differential-privacy-library/issues/104
        """
        bounds = {"bounds_X": (-np.ones(D), np.ones(D)), "bounds_y": (-1, 1)}
        return fitted_line(
            models.LinearRegression(epsilon=epsilon, **bounds), 2 * X - 1, 2 * y - 1, rng
        )

    @subject(REPLACE, SOUND)
    def linear_regression_on_symmetric_bounds(X, y, epsilon, rng):
        """LinearRegression without an intercept on [-1, 1], where max(|low|, |high|) is |low|."""
        bounds = {"bounds_X": (-np.ones(D), np.ones(D)), "bounds_y": (-1, 1)}
        line = models.LinearRegression(epsilon=epsilon, fit_intercept=False, **bounds)
        return fitted_line(line, 2 * X - 1, 2 * y - 1, rng)

    def fitted_line(line, X, y, rng):
        """The coefficients and the intercept of a regression."""
        line.random_state = seed(rng)
        fitted = line.fit(X, y)
        return fitted.coef_, fitted.intercept_

    @subject(REPLACE, BROKEN)
    def k_means(X, y, epsilon, rng):
        """KMeans: a record that changes clusters changes two counts and two sums; one is paid for.

        Moreover, whether a cluster is empty is read without noise, and decides how much is
        released. The loss is that of the counts and sums of all iterations; for the last centres
        alone, no loss above epsilon was found. Under add-or-remove-one, the noise costs no more
        than epsilon, but the number of releases depends on the data, too.
        """
        model = models.KMeans(2, epsilon=epsilon, bounds=(0, 1), random_state=seed(rng))
        return model.fit(X).cluster_centers_

    @subject(REPLACE, BROKEN)
    def naive_bayes(X, y, epsilon, rng):
        """GaussianNB: a record that changes its label changes the statistics of two classes.

        Counts, sums and squares of both lose up to 2 epsilon. The result alone loses 4/3 epsilon:
        with 6 and 6 records, or 5 and 7, the probabilities of counts 1 and 11 differ by a factor of
        exp(2/3 epsilon) (summed over all outcomes of the two noisy counts), and so do those of
        means of exactly 0 and 1, where both sums are clipped. Under add-or-remove-one it is not
        private either: its noisy counts are made to sum to the exact number of records.
        """
        fitted = models.GaussianNB(epsilon=epsilon, bounds=(0, 1), random_state=seed(rng)).fit(X, y)
        return fitted.theta_, fitted.var_, fitted.class_count_

    @subject(REPLACE, SOUND)
    def mean(X, y, epsilon, rng):
        """tools.mean of each feature, by LaplaceTruncated."""
        return tools.mean(X, axis=0, epsilon=epsilon, bounds=(0, 1), random_state=seed(rng))

    @subject(REPLACE, SOUND)
    def total(X, y, epsilon, rng):
        """tools.sum of each feature."""
        return tools.sum(X, axis=0, epsilon=epsilon, bounds=(0, 1), random_state=seed(rng))

    @subject(REPLACE, SOUND)
    def variance(X, y, epsilon, rng):
        """tools.var of each feature, by LaplaceBoundedDomain."""
        return tools.var(X, axis=0, epsilon=epsilon, bounds=(0, 1), random_state=seed(rng))

    @subject(REPLACE, SOUND)
    def deviation(X, y, epsilon, rng):
        """tools.std of one feature."""
        return tools.std(X[:, 0], epsilon=epsilon, bounds=(0, 1), random_state=seed(rng))

    @subject(REPLACE, SOUND)
    def count_nonzero(X, y, epsilon, rng):
        """tools.count_nonzero of the labels, by GeometricTruncated."""
        return tools.count_nonzero(y, epsilon=epsilon, random_state=seed(rng))

    @subject(REMOVE, SOUND)
    def histogram(X, y, epsilon, rng):
        """tools.histogram of one feature: adding or removing a record changes one bin by 1."""
        return tools.histogram(
            X[:, 0], epsilon=epsilon, bins=5, range=(0, 1), random_state=seed(rng)
        )

    @subject(REMOVE, SOUND)
    def histogram2d(X, y, epsilon, rng):
        """tools.histogram2d of two features."""
        sides = {"bins": 3, "range": [(0, 1), (0, 1)]}
        return tools.histogram2d(X[:, 0], X[:, 1], epsilon=epsilon, **sides, random_state=seed(rng))

    @subject(REPLACE, BROKEN)
    def histogram_of_fixed_size(X, y, epsilon, rng):
        """The histogram under replace-one, which diffprivlib does not claim: two bins change."""
        return tools.histogram(
            X[:, 0], epsilon=epsilon, bins=5, range=(0, 1), random_state=seed(rng)
        )

    @subject(REPLACE, SOUND)
    def standard_scaler(X, y, epsilon, rng):
        """StandardScaler: half of epsilon for the means, half for the variances."""
        model = models.StandardScaler(epsilon=epsilon, bounds=(0, 1), random_state=seed(rng))
        fitted = model.fit(X)
        return fitted.mean_, fitted.var_

    @subject(REPLACE, SOUND)
    def principal_components(X, y, epsilon, rng):
        """PCA of centred features, by LaplaceBoundedDomain and Bingham."""
        pca = models.PCA(epsilon=epsilon, centered=True, data_norm=D**0.5, random_state=seed(rng))
        fitted = pca.fit(2 * X - 1)
        return fitted.components_, fitted.explained_variance_

    @subject(REPLACE, SOUND)
    def analytic_gaussian(X, y, epsilon, delta, rng):
        """mechanisms.GaussianAnalytic on the mean of the labels."""
        settings = {"epsilon": epsilon, "delta": delta, "sensitivity": 1 / len(y)}
        mechanism = noise.GaussianAnalytic(**settings, random_state=seed(rng))
        return mechanism.randomise(float(y.mean()))

    @subject(REPLACE, SOUND)
    def exponential(X, y, epsilon, rng):
        """mechanisms.Exponential, with system randomness: the feature with the largest sum."""
        settings = {"epsilon": epsilon, "sensitivity": 1, "candidates": ["a", "b", "c"]}
        scores = X.sum(axis=0).tolist()
        return noise.Exponential(**settings, utility=scores).randomise()

    @subject(REPLACE, NOT_FOLLOWED)
    def logistic_regression(X, y, epsilon, rng):
        """LogisticRegression, which refuses records of one class; its noise was not refuted."""
        model = models.LogisticRegression(epsilon=epsilon, data_norm=D**0.5, random_state=seed(rng))
        return model.fit(X, y).coef_

    @subject(REMOVE, BROKEN)
    def random_forest(X, y, epsilon, rng):
        """RandomForestClassifier of two trees, to which records are dealt by their place.

        With one record less, another record moves between the trees: three leaves change, and one
        is paid for. The choice of a leaf's label is calibrated for this relation (`monotonic`).
        """
        settings = {"n_estimators": 2, "max_depth": 2, "bounds": (0, 1), "classes": [0, 1]}
        settings |= {"epsilon": epsilon, "random_state": seed(rng)}
        fitted = models.RandomForestClassifier(**settings).fit(X, y)
        return [tree.tree_.value for tree in fitted.estimators_]

    @subject(REPLACE, NOT_FOLLOWED)
    def median(X, y, epsilon, rng):
        """tools.median, which chooses among intervals that depend on the data."""
        return tools.median(X[:, 0], epsilon=epsilon, bounds=(0, 1), random_state=seed(rng))

    @subject(REPLACE, NOT_FOLLOWED)
    def k_means_of_the_system(X, y, epsilon, rng):
        """KMeans with random_state None, whose initial centres cannot be drawn again."""
        return models.KMeans(2, epsilon=epsilon, bounds=(0, 1)).fit(X).cluster_centers_


if find_spec("opacus"):
    import torch
    from opacus import GradSampleModule, PrivacyEngine
    from opacus.accountants.utils import get_noise_multiplier
    from opacus.optimizers import DPOptimizer
    from torch.utils.data import DataLoader, TensorDataset

    def noise_multiplier(epsilon, delta):
        """The noise multiplier by Opacus' accountant for one step on all records.

        It is slightly larger than the smallest private one, with which the audit finds a loss some
        1e-5 of epsilon too large: gradients are summed in 32 bits.
        """
        return get_noise_multiplier(
            target_epsilon=epsilon, target_delta=delta, sample_rate=1.0, steps=1
        )

    def tensors(X, y):
        """The same as tensors, y as (n, 1)."""
        return torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)[:, None]

    def stepped(model, optimizer, X, y):
        """The weights after one step on all records."""
        optimizer.zero_grad()
        torch.nn.BCEWithLogitsLoss()(model(X), y).backward()
        optimizer.step()
        return [parameter.detach().numpy() for parameter in model.parameters()]

    def linear(rng):
        """A linear model with random weights."""
        torch.manual_seed(seed(rng))
        return torch.nn.Linear(D, 1)

    @subject(REMOVE, SOUND)
    def dp_optimizer(X, y, epsilon, delta, rng):
        """DPOptimizer: one step on all records, with a public expected batch size."""
        model = GradSampleModule(linear(rng))
        settings = {"noise_multiplier": noise_multiplier(epsilon, delta), "max_grad_norm": 0.5}
        sgd = torch.optim.SGD(model.parameters(), lr=0.5)
        return stepped(model, DPOptimizer(sgd, **settings, expected_batch_size=100), *tensors(X, y))

    @subject(REMOVE, SOUND)
    def dp_optimizer_of_two_layers(X, y, epsilon, delta, rng):
        """DPOptimizer on two layers, clipped together."""
        torch.manual_seed(seed(rng))
        model = GradSampleModule(
            torch.nn.Sequential(torch.nn.Linear(D, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
        )
        settings = {"noise_multiplier": noise_multiplier(epsilon, delta), "max_grad_norm": 0.5}
        sgd = torch.optim.SGD(model.parameters(), lr=0.5)
        return stepped(model, DPOptimizer(sgd, **settings, expected_batch_size=100), *tensors(X, y))

    @subject(REMOVE, BROKEN)
    def privacy_engine(X, y, epsilon, delta, rng):
        """PrivacyEngine.make_private, which divides by the exact number of records.

        The standard deviation of the weights is s for one record and s / 2 for two: the probability
        of a weight beyond 3 s is 0.3 % or a few in a hundred million, against a delta of 1 in
        100,000. https://github.com/meta-pytorch/opacus/issues/571
        """
        model, data = linear(rng), TensorDataset(*tensors(X, y))
        model, optimizer, _ = PrivacyEngine().make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=0.5),
            data_loader=DataLoader(data, batch_size=len(data)),
            noise_multiplier=noise_multiplier(epsilon, delta),
            max_grad_norm=0.5,
        )
        return stepped(model, optimizer, *tensors(X, y))
