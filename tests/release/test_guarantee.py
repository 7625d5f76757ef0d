"""A claim says its scope, names where its proof and its tests are, and a price says what claims
cost together.
"""

import re
from math import inf
from pathlib import Path

import numpy as np
import pytest

import dpfair_cli
from dpfair_cli import catalog
from dpfair_cli.contracts.guarantees import NOT_PRIVATE, price
from dpfair_cli.mechanisms.ledger import Usage
from dpfair_cli.release import guarantee
from tests.example_data import people

PACKAGE = Path(dpfair_cli.__file__).parent
PRIVATE = [
    name for name in catalog.algorithms.names if catalog.algorithm(name).guarantee.is_private
]
every_private = pytest.mark.parametrize("name", PRIVATE)


def fitted(name, *, seed=None, broken=(), mechanisms=("laplace",), samplings=(), **params):
    method = catalog.method(name, params)
    used = Usage(set(mechanisms), set(samplings))
    return guarantee.of_fit(
        method, bounds="of the test", used=used, seed=seed, broken=broken, records=100
    )


def test_a_capped_delta_is_stated_as_it_is_spent():
    assert fitted("output_perturbation", delta=1e-3).delta == "0.0001"  # 1 / 100^2
    assert fitted("output_perturbation", delta=1e-6).delta == "1e-06"


@every_private
def test_the_guarantee_of_a_fit_names_all_its_parts(name):
    found = fitted(name)
    assert found.status == catalog.algorithm(name).guarantee.status_with(
        catalog.algorithm(name).complete({})
    )
    assert catalog.algorithm(name).guarantee.neighbours == found.neighbours.split(",")[0]
    assert found.released in found.promise
    assert len(found.released) > 3
    assert found.public.endswith("bounds: of the test")
    assert ("delta" in found.in_words()) == ("delta" in catalog.algorithm(name).parameters)


@every_private
def test_the_files_of_a_proof_exist(name):
    found = fitted(name)
    assert bool(found.proof) == (found.status != "refuted")
    files = re.findall(r"[\w/]+\.py", found.proof)
    assert bool(files) == bool(found.proof)
    assert [file for file in files if not (PACKAGE / file).is_file()] == []


@every_private
def test_the_tests_of_a_method_are_in_the_named_folder(name):
    """Those of its own, or those that every method of its folder passes."""
    assert [*(PACKAGE.parent / fitted(name).tests).glob("test_*.py")]


def test_a_fit_without_privacy_has_no_further_parts():
    for found in (fitted("logistic_regression", seed=3), fitted("pflr", epsilon=inf)):
        assert set(found.in_words()) == {"status", "promise", "source"}
        assert (found.status, found.promise) == ("not private", "none")


def test_a_broken_condition_stands_in_the_status():
    assert fitted("pflr", broken=guarantee.broken_by_bounds("public")).status == "proved"
    broken = guarantee.broken_by_bounds("data")
    assert (
        fitted("pflr", seed=0, broken=broken).status
        == "not private: bounds from data, known seed 0"
    )


def test_noise_of_a_secure_generator_on_a_grid_is_exact():
    floating = "floating-point, whose last bits may tell values apart: "
    assert fitted("pflr").arithmetic == "exact on a grid: laplace"
    assert fitted("pflr", seed=3).arithmetic == floating + "laplace"
    both = ("row_laplace", "gaussian", "laplace")
    assert (
        fitted("pflr", mechanisms=both).arithmetic
        == f"exact on a grid: gaussian, laplace; {floating}row_laplace"
    )


def test_sampling_is_that_of_the_batches():
    assert fitted("dpsgd", samplings=["poisson"]).sampling == "poisson"
    assert fitted("priv_pc", samplings=["without_replacement", "poisson"]).sampling == (
        "poisson, without_replacement"
    )
    assert fitted("pflr").sampling == "none"


@pytest.mark.parametrize(
    ("task", "method", "protocol"),
    [
        ("classification", "pflr", {}),
        ("fairness_frontier", "dp_postprocessing", {"gaps": (0.1, 0.2, 0.1, 0.4)}),
        ("private_gap", "output_perturbation", {"draws": 5}),
    ],
)
def test_a_study_says_how_often_a_run_spends_the_budget(task, method, protocol):
    declared, calls = catalog.study(task), []
    complete = catalog.study(task).complete(protocol)

    def fit(data, **given):
        calls.append(given)
        return catalog.algorithm(method).fit(data, **given)

    case = declared.split(people(200), **complete, rng=np.random.default_rng(0))
    declared.study(fit, case, rng=np.random.default_rng(0))
    assert len(calls) == declared.fits(complete)


def fits(name, *epsilons, **params):
    declared = catalog.algorithm(name).guarantee
    return [
        (declared, catalog.algorithm(name).complete({"epsilon": epsilon, **params}))
        for epsilon in epsilons
    ]


def test_budgets_add_up():
    assert price(fits("pflr", *[0.1] * 10)) == "epsilon 1 for 10 (replace-one, basic composition)"
    approximate = fits("dpsgd", 1, 2, delta=1e-6)
    assert price(approximate).startswith("epsilon 3, delta 2e-06 for 2 (add-or-remove-one")


def test_a_price_adds_up_for_each_kind_of_neighbours():
    spent = [*fits("pflr", 0.01, 0.1, 1, 10, 100), *fits("adfc", 1, delta=1e-5), *fits("pflr", 1)]
    assert price(spent) == "epsilon 113.11, delta 1e-05 for 7 (replace-one, basic composition)"
    others = [
        *fits("dpsgd", 1),
        *fits("dpne", 1, 2),
        *fits("pflr", inf),
        (NOT_PRIVATE, {}),
    ]
    assert price(others) == (
        "epsilon 1, delta 1e-06 for 1 (add-or-remove-one, basic composition); without bound "
        "for 4 (not private)"
    )
