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
from dpfair_cli.mechanisms.accounting.composition import basic_composition
from dpfair_cli.release import guarantee
from tests.example_data import people

PACKAGE = Path(dpfair_cli.__file__).parent
PRIVATE = [
    name for name in catalog.names("algorithms") if catalog.algorithm(name).guarantee.is_private
]
every_private = pytest.mark.parametrize("name", PRIVATE)


def stated(name, *, seed=None, broken=(), mechanisms=("laplace",), **params):
    complete = catalog.complete("algorithms", name, params)
    return guarantee.of_fit(
        name, complete, bounds="of the test", mechanisms=mechanisms, seed=seed, broken=broken
    )


@every_private
def test_a_statement_says_all_that_a_claim_is_about(name):
    found = stated(name)
    assert found.status == catalog.algorithm(name).guarantee.status_with(
        catalog.complete("algorithms", name, {})
    )
    assert catalog.algorithm(name).guarantee.neighbours == found.neighbours.split(",")[0]
    assert found.released in found.promise
    assert len(found.released) > 3
    assert found.public.endswith("bounds: of the test")
    assert ("delta" in found.in_words()) == ("delta" in catalog.parameters("algorithms", name))


@every_private
def test_a_proof_is_where_the_statement_says(name):
    found = stated(name)
    assert bool(found.proof) == (found.status != "refuted")
    files = re.findall(r"[\w/]+\.py", found.proof)
    assert bool(files) == bool(found.proof)
    assert [file for file in files if not (PACKAGE / file).is_file()] == []


@every_private
def test_the_tests_of_a_method_are_where_the_statement_says(name):
    folder = PACKAGE.parent / stated(name).tests
    assert [
        file
        for file in folder.glob("test_*.py")
        if re.search(rf"\b{name}\b", file.read_text(encoding="utf-8"))
    ]


def test_what_claims_nothing_states_that_alone():
    for found in (stated("logistic_regression", seed=3), stated("pflr", epsilon=inf)):
        assert set(found.in_words()) == {"status", "promise", "source"}
        assert (found.status, found.promise) == ("not private", "none")


def test_a_broken_condition_stands_in_the_status():
    assert stated("pflr", broken=guarantee.broken_by_bounds("public")).status == "proved"
    broken = guarantee.broken_by_bounds("data")
    assert (
        stated("pflr", seed=0, broken=broken).status
        == "not private: bounds from data, known seed 0"
    )


def test_noise_is_exact_where_a_secure_generator_and_the_mechanism_make_it_so():
    floating = "floating-point, whose last bits may tell values apart: "
    assert stated("pflr").arithmetic == "exact on a grid: laplace"
    assert stated("pflr", seed=3).arithmetic == floating + "laplace"
    both = ("row_laplace", "gaussian", "laplace")
    assert (
        stated("pflr", mechanisms=both).arithmetic
        == f"exact on a grid: gaussian, laplace; {floating}row_laplace"
    )


def test_batches_are_drawn_as_the_statement_says():
    assert stated("dpsgd").sampling == "poisson"
    assert stated("dpsgd", batches="shuffled").sampling == "shuffled"
    assert stated("pflr").sampling == "none"


@pytest.mark.parametrize(
    ("task", "method", "protocol"),
    [
        ("classification", "pflr", {}),
        ("fairness_frontier", "dp_postprocessing", {"gaps": (0.1, 0.2, 0.1, 0.4)}),
        ("private_gap", "output_perturbation", {"draws": 5}),
    ],
)
def test_a_task_says_how_often_its_run_spends_the_budget(task, method, protocol):
    declared, calls = catalog.task(task), []
    complete = catalog.complete("tasks", task, protocol)

    def fit(data, **given):
        calls.append(given)
        return catalog.algorithm(method).fit(data, **given)

    case = declared.split(people(200), **complete, rng=np.random.default_rng(0))
    declared.study(fit, case, rng=np.random.default_rng(0))
    assert len(calls) == declared.fits(complete)


def fits(name, *epsilons, **params):
    return [
        (name, catalog.complete("algorithms", name, {"epsilon": epsilon, **params}))
        for epsilon in epsilons
    ]


def test_budgets_add_up():
    assert basic_composition([(0.1, 0.0)] * 10) == (1.0, 0.0)  # not 0.9999999999999999
    assert basic_composition([(1, 1e-6), (2, 0), (inf, 1e-6)]) == (inf, 2e-6)


def test_a_price_adds_up_for_each_kind_of_neighbours_and_has_no_bound_for_what_is_not_private():
    spent = [*fits("pflr", 0.01, 0.1, 1, 10, 100), *fits("adfc", 1, delta=1e-5), *fits("pflr", 1)]
    assert (
        guarantee.price(spent)
        == "epsilon 113.11, delta 1e-05 for 7 (replace-one, basic composition)"
    )
    others = [
        *fits("dpsgd", 1),
        *fits("dpne", 1, 2),
        *fits("pflr", inf),
        ("logistic_regression", {}),
    ]
    assert guarantee.price(others) == (
        "epsilon 1, delta 1e-06 for 1 (add-or-remove-one, basic composition); without bound for 4 (not private)"
    )
