"""Small networks against differences of their loss, and Adam against its printed steps."""

import numpy as np
import pytest

from dpfair_cli.contracts.training_context import NO_CONTEXT
from dpfair_cli.mechanisms.batches import ALL_RECORDS, Batch
from dpfair_cli.papers.ficiu2023.models.adam_steps import AdamSchedule, descend
from dpfair_cli.papers.ficiu2023.models.perceptrons import LabelledRecords, probabilities, start
from tests.oracles import networks

SIZES = {"logistic": (3, 1), "two_hidden_layers": (3, 6, 6, 1)}
each = pytest.mark.parametrize("network", list(SIZES))


@pytest.fixture
def crowd():
    rng = np.random.default_rng(0)
    return rng.random((7, 3)), rng.integers(0, 2, 7)


@each
@pytest.mark.parametrize("bound", [0.1, 0.5, 100.0])
def test_the_sum_is_that_of_clipped_differences_of_the_loss(network, bound, crowd):
    X, y = crowd
    parameters = 3 * start(3, network, copies=2, rng=np.random.default_rng(1))
    rows = np.array([0, 2, 5])
    found = LabelledRecords(X, y, network).clipped_sum(parameters, rows, bound)
    for copy, total in zip(parameters, found, strict=True):
        gradients = [
            networks.clipped(networks.gradient(copy.tolist(), SIZES[network], X[i], y[i]), bound)
            for i in rows
        ]
        np.testing.assert_allclose(total, np.sum(gradients, axis=0), atol=1e-7)


@each
def test_the_probabilities_are_those_of_the_oracle(network, crowd):
    X, _ = crowd
    parameters = start(3, network, copies=3, rng=np.random.default_rng(2))
    for copy, row in zip(parameters, probabilities(parameters, X, network), strict=True):
        layers = networks.unflattened(copy.tolist(), SIZES[network])
        np.testing.assert_allclose(row, [networks.probability(layers, x) for x in X])


@each
def test_the_sum_of_a_record_is_never_longer_than_the_bound(network):
    rng = np.random.default_rng(3)
    records = LabelledRecords(100 * rng.random((20, 3)), rng.integers(0, 2, 20), network)
    parameters = 10 * start(3, network, copies=4, rng=rng)
    for row in range(20):
        total = records.clipped_sum(parameters, np.array([row]), 0.7)
        assert (np.linalg.norm(total, axis=1) <= 0.7 * (1 + 1e-12)).all()


def test_an_empty_batch_gives_a_sum_of_zeros(crowd):
    total = LabelledRecords(*crowd, "two_hidden_layers").clipped_sum(
        start(3, "two_hidden_layers", copies=2, rng=np.random.default_rng(0)),
        np.array([], int),
        1.0,
    )
    assert total.shape == (2, 73)  # 6 (3 + 1) + 6 (6 + 1) + 1 (6 + 1)
    assert not total.any()


def test_adam_takes_the_printed_steps():
    gradients = [0.3, -0.2, 0.7, 0.0, 0.1]
    batches = [Batch(np.array([k]), ALL_RECORDS) for k in range(5)]
    found = descend(
        np.array([[0.5]]),
        lambda w, batch: np.array([[gradients[batch.rows[0]]]]),
        batches,
        learning_rate=0.01,
        epochs=1,
        steps_per_epoch=5,
        context=NO_CONTEXT,
        rng=np.random.default_rng(0),
    )
    assert found.item() == pytest.approx(networks.adam(0.5, gradients, 0.01), abs=1e-14)


def test_the_steps_of_the_paper_are_1954_an_epoch():
    """39,073 records in batches of 20, 100 epochs: rate 1/1,954 and 195,400 steps."""
    steps = AdamSchedule(epochs=100, batch_size=20).noisy_steps(39_073, 0.48)
    assert (steps.sampling_rate, steps.steps) == (1 / 1954, 195_400)


def test_a_batch_larger_than_the_data_is_refused():
    with pytest.raises(ValueError, match="batch_size must be from 1 to 5"):
        AdamSchedule(batch_size=6).noisy_steps(5, 1.0)
