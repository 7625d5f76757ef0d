"""The audit passes every private method that claims it, and refutes those that are refuted."""

from dataclasses import replace
from math import inf
from typing import get_args

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import audit
from dpfair_cli.auditing.finding import Finding
from dpfair_cli.catalog import matching
from dpfair_cli.kinds.records import Records
from tests.example_data import data_for

PRIVATE = [
    name for name in catalog.algorithms.names if catalog.algorithm(name).guarantee.is_private
]
REFUTED = [name for name in PRIVATE if catalog.algorithm(name).guarantee.status == "refuted"]
UNREFUTED = [name for name in PRIVATE if name not in REFUTED]
PAIRS = 30  # every refuted method fails on as many


def data(records, method):
    return (
        records
        if Records in matching.fitted_types(catalog.algorithm(method))
        and not catalog.algorithm(method).data_options
        else data_for(method, 300)
    )


def brief(method):
    """Ten epochs for a method that trains: each step, a broken one too, is in every epoch.

    A mixture has few components and steps: it is fitted to what was released.
    """
    few = {"epochs": 10, "components": 10}
    own = catalog.algorithm(method).parameters
    return {name: value for name, value in few.items() if name in own} | (
        {"steps": 10} if "components" in own else {}
    )


def sensitivities(method):
    """The values of a private method's `sensitivity`, except those whose status is refuted."""
    parameter = catalog.algorithm(method).parameters.get("sensitivity")
    choices = (
        [{"sensitivity": word} for word in get_args(parameter.annotation)] if parameter else [{}]
    )
    return [
        chosen
        for chosen in choices
        if catalog.algorithm(method).guarantee.status_with(chosen) != "refuted"
    ]


@pytest.mark.parametrize(
    ("method", "chosen"), [(name, chosen) for name in UNREFUTED for chosen in sensitivities(name)]
)
def test_every_private_method_passes(records, method, chosen):
    params = catalog.algorithm(method).complete(brief(method) | chosen)
    pairs = PAIRS // 4 if method == "dp_marginal_records" else PAIRS  # its fits take longest
    found = audit(method, data(records, method), params=params, neighbours=pairs)
    assert found.holds
    assert not found.leaks
    assert not found.noise
    assert 0 < found.largest_move <= 1 + 1e-9
    assert 0 < found.found <= found.accounted * (1 + 1e-6) <= 1 + 1e-5
    assert found.claimed == 1.0
    assert found.delta <= params.get("delta", 0.0)


@pytest.mark.parametrize("method", REFUTED)
def test_a_refuted_method_fails(records, method):
    params = catalog.algorithm(method).complete(brief(method))
    pairs = PAIRS // 4 if method == "dp_marginal_records" else PAIRS  # its fits take longest
    found = audit(method, data(records, method), params=params, neighbours=pairs)
    assert not found.holds
    assert found.found > found.claimed


@pytest.mark.parametrize("sensitivity", ["published", "tight"])
def test_linear_coefficients_without_noise_are_found_in_pflr_star(records, sensitivity):
    """Their release is paid for, and what is used instead is not released: only the model tells."""
    params = catalog.algorithm("pflr_star").complete(
        {"noise": "quadratic", "sensitivity": sensitivity}
    )
    found = audit("pflr_star", records, params=params, neighbours=12)
    assert "the fitted model" in found.leaks
    assert not found.holds
    assert found.found <= found.claimed


@pytest.mark.parametrize("weights", ["exact", "noisy"])
def test_weighted_groups_move_the_sum_of_dpsgd_f_by_more_than_is_declared(records, weights):
    params = catalog.algorithm("dpsgd_f").complete({"weights": weights})
    found = audit("dpsgd_f", records, params=params, neighbours=30)
    assert found.largest_move > 1.5
    assert found.found > found.claimed
    assert not found.holds


@pytest.mark.parametrize("method", UNREFUTED)
def test_a_method_without_noise_keeps_its_empty_promise(records, method):
    params = catalog.algorithm(method).complete(brief(method) | {"epsilon": inf})
    found = audit(method, data(records, method), params=params, neighbours=4)
    assert found.found == found.claimed == inf
    assert found.holds


def test_fewer_records_than_a_sample_are_no_problem(records):
    assert audit(
        "pflr",
        records.take(np.arange(3)),
        params=catalog.algorithm("pflr").complete({}),
        neighbours=6,
    ).holds


def test_an_audit_can_be_repeated_and_says_how_far_it_is(records):
    params, ticks = catalog.algorithm("pflr").complete({}), []
    one, two = (
        audit("pflr", records, params=params, neighbours=9, tick=lambda: ticks.append(1))
        for _ in range(2)
    )
    assert one == two
    assert len(ticks) == 18
    random_pairs = [
        audit("pflr", records, params=params, neighbours=1, seed=seed) for seed in (0, 1)
    ]
    assert random_pairs[0] != random_pairs[1]


def test_a_finding_holds_up_to_rounding_and_no_further():
    found = Finding("toy", 1.0, 0.0, 1.0, 1.0 + 1e-12, 1.0, (), (), 9)
    assert found.holds
    for broken in ({"found": 1.0 + 1e-5}, {"accounted": 1.0 + 1e-5}, {"largest_move": 1.0 + 1e-5}):
        assert not replace(found, **broken).holds
        assert not replace(found, **dict.fromkeys(broken, np.nan)).holds
    assert not replace(found, leaks=("what the fit prints",)).holds
    assert not replace(found, noise=("two releases share noise",)).holds
