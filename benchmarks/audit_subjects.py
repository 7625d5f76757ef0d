"""Methods of diffprivlib 0.6.6 and Opacus 1.6.0 for the audit, each a function of (X, y, epsilon,
rng).

X is (n, 3) in [0, 1], y (n,) in {0, 1}. `METHODS` says of each what its neighbours are, and what an
audit should say, for the reason that stands in its docstring.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

REPLACE, REMOVE = "replace-one", "add-or-remove-one"
SOUND, BROKEN, NOT_FOLLOWED = "holds", "refuted", "cannot be followed"
D = 3
METHODS: dict[str, tuple[str, str]] = {}  # name -> (neighbours, what an audit should say)


def subject(relation: str, expected: str):
    """Put a function into METHODS."""

    def add(function):
        METHODS[function.__name__] = relation, expected
        return function

    return add


def seed(rng) -> int:
    """A seed for the libraries, which take no Generator."""
    return int(rng.integers(2**31))


if find_spec("diffprivlib"):
    from diffprivlib import mechanisms, models, tools

    @subject(REPLACE, BROKEN)
    def linear_regression(X, y, epsilon, rng):
        """LinearRegression on features from 0 to 1: noise for x^2 is scaled to the lower bound
        twice, so to 0.

        Its sums of squares come out exact: changing one record from 0 to 1 moves one of them by 1.
        With one feature the coefficient is (x'y + noise) / x'x, whose scale then depends on the
        record: far out, the ratio has no bound.
        https://github.com/IBM/differential-privacy-library/issues/105
        """
        bounds = {"bounds_X": (np.zeros(D), np.ones(D)), "bounds_y": (0, 1)}
        return fitted_line(
            models.LinearRegression(epsilon=epsilon, fit_intercept=False, **bounds), X, y, rng
        )

    @subject(REPLACE, BROKEN)
    def linear_regression_with_intercept(X, y, epsilon, rng):
        """LinearRegression with an intercept: the same, as a noisy mean, which may be a bound, is
        taken off the bounds.

        Besides, the means of X and of y cost epsilon / (d + 1) each, and one is paid.
        https://github.com/IBM/differential-privacy-library/issues/104
        """
        bounds = {"bounds_X": (-np.ones(D), np.ones(D)), "bounds_y": (-1, 1)}
        return fitted_line(
            models.LinearRegression(epsilon=epsilon, **bounds), 2 * X - 1, 2 * y - 1, rng
        )

    @subject(REPLACE, SOUND)
    def linear_regression_on_symmetric_bounds(X, y, epsilon, rng):
        """LinearRegression without an intercept on [-1, 1]: there max(|lower|, |upper|) is |lower|."""
        bounds = {"bounds_X": (-np.ones(D), np.ones(D)), "bounds_y": (-1, 1)}
        line = models.LinearRegression(epsilon=epsilon, fit_intercept=False, **bounds)
        return fitted_line(line, 2 * X - 1, 2 * y - 1, rng)

    def fitted_line(line, X, y, rng):
        line.random_state = seed(rng)
        fitted = line.fit(X, y)
        return fitted.coef_, fitted.intercept_

    @subject(REPLACE, BROKEN)
    def k_means(X, y, epsilon, rng):
        """KMeans: a record that goes from one cluster to another moves two counts and two sums, and
        one is paid.

        Whether a cluster is empty is read without noise besides, and changes how much is released.
        So much is lost by the counts and sums of all iterations; of the last centres alone no more
        than epsilon was shown.
        """
        return (
            models.KMeans(2, epsilon=epsilon, bounds=(0, 1), random_state=seed(rng))
            .fit(X)
            .cluster_centers_
        )

    @subject(REPLACE, BROKEN)
    def naive_bayes(X, y, epsilon, rng):
        """GaussianNB: a record that changes its label moves counts, sums and squares of two
        classes: up to 2 epsilon.

        By its result alone 4/3 epsilon: of 6 and 6 people, or 5 and 7, counts of 1 and 11 have
        probabilities that differ by a factor of exp(2/3 epsilon) (all outcomes of the two noisy
        counts added up), and so do means of exactly 0 and 1, where both sums are cut off. Of one
        record more or less it does not speak either: its noisy counts are made to add up to the
        exact number.
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
        """tools.histogram of one feature: one record more or less moves one bin by 1."""
        return tools.histogram(
            X[:, 0], epsilon=epsilon, bins=5, range=(0, 1), random_state=seed(rng)
        )

    @subject(REMOVE, SOUND)
    def histogram2d(X, y, epsilon, rng):
        """tools.histogram2d of two features."""
        sides = {"bins": 3, "range": [(0, 1), (0, 1)]}
        return tools.histogram2d(X[:, 0], X[:, 1], epsilon=epsilon, **sides, random_state=seed(rng))

    @subject(REPLACE, BROKEN)
    def histogram_of_so_many(X, y, epsilon, rng):
        """The same histogram where the number of records is public: a record that is replaced moves
        two bins.
        """
        return tools.histogram(
            X[:, 0], epsilon=epsilon, bins=5, range=(0, 1), random_state=seed(rng)
        )

    @subject(REPLACE, SOUND)
    def standard_scaler(X, y, epsilon, rng):
        """StandardScaler: half of epsilon for the means, half for the variances."""
        fitted = models.StandardScaler(epsilon=epsilon, bounds=(0, 1), random_state=seed(rng)).fit(
            X
        )
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
        return mechanisms.GaussianAnalytic(**settings, random_state=seed(rng)).randomise(
            float(y.mean())
        )

    @subject(REPLACE, SOUND)
    def exponential(X, y, epsilon, rng):
        """mechanisms.Exponential: the feature with the largest sum, from numbers of the operating
        system.
        """
        scores = X.sum(axis=0).tolist()
        names = ["a", "b", "c"]
        return mechanisms.Exponential(
            epsilon=epsilon, sensitivity=1, utility=scores, candidates=names
        ).randomise()

    @subject(REPLACE, NOT_FOLLOWED)
    def logistic_regression(X, y, epsilon, rng):
        """LogisticRegression: its noise is a vector that is added to the objective."""
        model = models.LogisticRegression(epsilon=epsilon, data_norm=D**0.5, random_state=seed(rng))
        return model.fit(X, y).coef_

    @subject(REMOVE, NOT_FOLLOWED)
    def random_forest(X, y, epsilon, rng):
        """RandomForestClassifier: it permutes and flips, in the leaves that hold anybody."""
        settings = {"n_estimators": 2, "max_depth": 2, "bounds": (0, 1), "classes": [0, 1]}
        fitted = models.RandomForestClassifier(
            epsilon=epsilon, **settings, random_state=seed(rng)
        ).fit(X, y)
        return [tree.tree_.value for tree in fitted.estimators_]

    @subject(REPLACE, NOT_FOLLOWED)
    def median(X, y, epsilon, rng):
        """tools.median: a choice among intervals that the data make."""
        return tools.median(X[:, 0], epsilon=epsilon, bounds=(0, 1), random_state=seed(rng))

    @subject(REPLACE, NOT_FOLLOWED)
    def k_means_of_the_system(X, y, epsilon, rng):
        """KMeans with random_state None: where it begins is drawn from numbers that nobody can draw
        again.
        """
        return models.KMeans(2, epsilon=epsilon, bounds=(0, 1)).fit(X).cluster_centers_


if find_spec("opacus"):
    import torch
    from opacus import GradSampleModule, PrivacyEngine
    from opacus.accountants.utils import get_noise_multiplier
    from opacus.optimizers import DPOptimizer
    from torch.utils.data import DataLoader, TensorDataset

    def noise_multiplier(epsilon, delta):
        """What Opacus' own accountant asks for one step on everybody, a little more than the least
        that is private.

        With that least the audit finds some 1e-5 of epsilon too much: gradients are added up in 32
        bits.
        """
        return get_noise_multiplier(
            target_epsilon=epsilon, target_delta=delta, sample_rate=1.0, steps=1
        )

    def tensors(X, y):
        return torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)[:, None]

    def stepped(model, optimizer, X, y):
        """The weights after one step on everybody."""
        optimizer.zero_grad()
        torch.nn.BCEWithLogitsLoss()(model(X), y).backward()
        optimizer.step()
        return [parameter.detach().numpy() for parameter in model.parameters()]

    def linear(rng):
        torch.manual_seed(seed(rng))
        return torch.nn.Linear(D, 1)

    @subject(REMOVE, SOUND)
    def dp_optimizer(X, y, epsilon, delta, rng):
        """DPOptimizer: one step on everybody, with the expected size of a batch from the
        documentation of the data.
        """
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
        """PrivacyEngine.make_private: it divides by the exact number of records, which one record
        more or less changes.

        The deviation of the weights is s for one record, s / 2 for two: beyond 3 s lie 0.3 % or a
        few in a hundred million, against a delta of 1 in 100,000.
        https://github.com/meta-pytorch/opacus/issues/571
        """
        model, data = linear(rng), TensorDataset(*tensors(X, y))
        model, optimizer, _ = PrivacyEngine().make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=0.5),
            data_loader=DataLoader(data, batch_size=len(data)),
            noise_multiplier=noise_multiplier(epsilon, delta),
            max_grad_norm=0.5,
            poisson_sampling=False,
        )
        return stepped(model, optimizer, *tensors(X, y))
