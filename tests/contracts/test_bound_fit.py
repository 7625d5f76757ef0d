"""A bound fit has its parameters, and hands its context to the algorithms that train for epochs."""

import inspect

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import Algorithm, BoundFit
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext


def closed_form(data, *, epsilon=1.0, rng):
    return data, epsilon


def for_epochs(data, *, epsilon=1.0, epochs=2, context=NO_CONTEXT, rng):
    return context


def test_only_an_algorithm_that_takes_a_context_gets_one():
    context = TrainingContext(measurement_name="losses")
    found = BoundFit("sgd", Algorithm(for_epochs, version=3), {"epochs": 5}, context)(
        0, rng=np.random.default_rng(0)
    )
    assert found.measurement_name == "losses"
    assert found.fit_name == "sgd 3 {'epochs': 5}"
    assert BoundFit("lr", Algorithm(closed_form), {"epsilon": 0.5}, context)(
        7, rng=np.random.default_rng(0)
    ) == (
        7,
        0.5,
    )


def test_a_parameter_that_a_task_changes_takes_the_place_of_its_own():
    fit = BoundFit("lr", Algorithm(closed_form), {"epsilon": 0.5})
    assert fit(7, epsilon=2.0, rng=np.random.default_rng(0)) == (7, 2.0)


@pytest.mark.parametrize("name", catalog.algorithms.names)
def test_a_context_stands_just_before_the_generator_and_is_no_parameter(name):
    algorithm = catalog.algorithm(name)
    assert "context" not in catalog.algorithm(name).parameters
    if algorithm.takes_context:
        assert list(inspect.signature(algorithm.fit).parameters)[-2:] == ["context", "rng"]


def test_the_methods_that_train_for_epochs_take_a_context():
    takes = {name for name in catalog.algorithms.names if catalog.algorithm(name).takes_context}
    epochs = {
        name for name in catalog.algorithms.names if "epochs" in catalog.algorithm(name).parameters
    }
    assert takes == epochs
