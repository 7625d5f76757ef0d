"""The shared loop against the rule written out, and logistic gradients against differences."""

import numpy as np
import pytest

from dpfair_cli.algorithms.training import sgd
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.accounting.training_noise import NOTHING
from dpfair_cli.models.training.descent import LogisticDescent, train
from dpfair_cli.models.training.schedule import PlannedSteps, TrainingSchedule


def crowd(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    names = tuple(f"x{j}" for j in range(d))
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("a", "b"))
    return Records(rng.random((n, d)), rng.integers(0, 2, n), rng.integers(0, 2, n), domain)


def watch(records, **options):
    """The model and its view after every epoch."""
    epochs = []
    context = TrainingContext(measure=epochs.append)
    return sgd.fit(records, **options, context=context, rng=np.random.default_rng(0)), epochs


@pytest.mark.parametrize("intercept", ["with", "without"])
def test_a_gradient_is_the_slope_of_the_loss(intercept):
    records = crowd()
    model, rng = LogisticDescent(records, intercept=intercept), np.random.default_rng(1)
    w, rows = rng.normal(size=3 + (intercept == "with")), np.array([4, 7, 11])
    slopes = [
        (model.gradients(w + step, rows).losses - model.gradients(w - step, rows).losses) / 2e-6
        for step in 1e-6 * np.eye(len(w))
    ]
    gradients = np.array(slopes).T  # (b, p)
    found = model.gradients(w, rows)
    np.testing.assert_allclose(found.norms, np.linalg.norm(gradients, axis=1), rtol=1e-6)
    weights = np.array([0.3, 0.0, 2.0])
    np.testing.assert_allclose(found.total(weights), weights @ gradients, rtol=1e-5)


def test_the_classifier_decides_by_the_sign_of_the_score():
    records = crowd()
    rule = LogisticDescent(records, intercept="with").classifier(np.array([1.0, 2.0, 3.0, -2.5]))
    assert rule.weights.tolist() == [1.0, 2.0, 3.0]
    assert rule.intercept == -2.5
    assert LogisticDescent(records, intercept="without").classifier(np.ones(3)).intercept == 0


def test_descent_on_all_records_is_the_recursion_written_out():
    """v <- v / 2 + mean gradient + 0.1 w, w <- w - 0.3 v: momentum 0.5 and weight decay 0.1."""
    records = crowd()
    options = {
        "epochs": 4,
        "batch_size": 60,
        "learning_rate": 0.3,
        "momentum": 0.5,
        "regularisation": 0.1,
    }
    model, epochs = watch(records, **options)
    X = np.hstack([records.X, np.ones((60, 1))])
    w, v = np.zeros(4), np.zeros(4)
    for epoch in epochs:
        v = v / 2 + X.T @ (1 / (1 + np.exp(-X @ w)) - records.y) / 60 + 0.1 * w
        w = w - 0.3 * v
        np.testing.assert_allclose(epoch.parameters, w)
    np.testing.assert_allclose(np.append(model.weights, model.intercept), w)
    assert [(epoch.epoch, epoch.step) for epoch in epochs] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_a_step_divides_by_the_planned_batch_size():
    """The size of a Poisson batch is private. Every rule sums to 1: three steps of 0.5 / 4 each."""
    records, steps = (
        crowd(12),
        PlannedSteps(TrainingSchedule(epochs=1, batch_size=4, learning_rate=0.5), 12),
    )
    sizes = []

    def one(batch, bounds, rng):
        sizes.append(len(batch.norms))
        return np.ones(4), bounds

    model = LogisticDescent(records, intercept="with")
    options = {"clip_norm": 1.0, "spending": NOTHING, "context": NO_CONTEXT}
    for seed in range(4):
        found = train(model, one, steps, **options, rng=np.random.default_rng(seed))
        np.testing.assert_allclose([*found.weights, found.intercept], -3 * 0.5 / 4)
    assert len(set(sizes)) > 1


def test_every_epoch_is_measured_also_the_one_that_was_cut_short():
    _, epochs = watch(crowd(100), epochs=3, batch_size=32)
    assert [(epoch.epoch, epoch.step, epoch.is_last) for epoch in epochs] == [
        (1, 4, False),
        (2, 7, False),
        (3, 10, True),
    ]


def test_sgd_comes_to_the_minimum():
    from sklearn.linear_model import LogisticRegression

    records = crowd(400)
    y = (records.X[:, 0] + 0.3 * np.random.default_rng(5).normal(size=400) > 0.5).astype(int)
    records = Records(records.X, y, records.protected, records.domain)
    ours = sgd.fit(
        records, epochs=2000, batch_size=400, learning_rate=2.0, rng=np.random.default_rng(0)
    )
    theirs = LogisticRegression(C=np.inf, tol=1e-8).fit(records.X, records.y)
    np.testing.assert_allclose(ours.weights, theirs.coef_[0], atol=0.02)
