"""A method with a wrong accountant is refuted: the audit's own is used by no mechanism."""

import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing import laws, losses
from dpfair_cli.auditing.audit import audit
from dpfair_cli.mechanisms import above_threshold, gaussian
from dpfair_cli.mechanisms.accounting import accountant, privacy_loss, training_noise
from tests.example_data import data_for


def told(share):
    """The same, of which so much is told."""
    return lambda function: lambda *args, **options: share * function(*args, **options)


def passes_by_half(function):
    return lambda *args: function(*args) // 2


def the_noisier_alone(function):
    return max


def of_a_smaller_sample(function):
    return lambda epsilon, rate: function(epsilon, rate**2)


ANALYTIC, RDP, SHUFFLED = (
    {"calibration": "analytic"},
    {"calibration": "rdp"},
    {"batches": "shuffled"},
)
LEARNER = catalog.algorithms.module("dp_oracle_learner")
# the method, its parameters, and the function that is replaced in these modules
PLANTED = {
    "training": ("dpsgd", {}, [accountant], "spent_epsilon", told(0.7)),
    "the loss distribution": ("dpsgd_f", {}, [accountant], "loss_epsilon", told(0.7)),
    "renyi": ("dpsgd", RDP, [accountant], "renyi_epsilon", told(0.7)),
    "passes": ("dpsgd", SHUFFLED, [accountant], "_passes", passes_by_half),
    "a joint release": ("dpsgd_f", {}, [training_noise], "joint_multiplier", the_noisier_alone),
    "outcomes of a loss": ("dpsgd", {}, [privacy_loss], "_outcome", told(1.3)),
    "normal noise": (
        "relaxed_functional_mechanism",
        ANALYTIC,
        [gaussian],
        "gaussian_delta",
        told(0.1),
    ),
    "composition": ("dp_oracle_learner", {}, [LEARNER], "step_epsilon", told(1.5)),
    "amplification": (
        "sieve_pc",
        {},
        [above_threshold, laws, losses],
        "amplified",
        of_a_smaller_sample,
    ),
}


def forget():
    """Nothing is remembered of an accountant."""
    training_noise.training_noise.cache_clear()
    accountant.cost.cache_clear()


@pytest.fixture
def fresh():
    """Nothing is remembered of an accountant, before or after."""
    forget()
    yield
    forget()


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("method", "given", "modules", "name", "plant"), PLANTED.values(), ids=PLANTED
)
def test_a_method_that_pays_too_little_is_refuted(
    monkeypatch, records, method, given, modules, name, plant
):
    params = catalog.algorithm(method).complete(given)
    data = data_for(method, 300) if method == "sieve_pc" else records
    assert audit(method, data, params=params, neighbours=6).holds
    forget()
    planted = plant(getattr(modules[0], name))
    for module in modules:
        monkeypatch.setattr(module, name, planted)
    found = audit(method, data, params=params, neighbours=12)
    assert found.accounted > 1.05
    assert not found.holds
