"""The audit reaches the sensitivity of methods, and refutes mistakes of a factor of 1.2."""

from importlib import import_module

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import audit
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.kinds.variables import Observations

FACTOR = 1.2  # of a planted mistake
PAIRS = 48  # so that every constructed pair is tried
TRAINING = "dpfair_cli.algorithms.training"
TIGHT = {"sensitivity": "tight"}
BRIEF = {"epochs": 4}  # the gradients of the first steps are as long as allowed

# method -> parameters with which its sensitivity can be reached
REACHED = {
    "adfc": {},
    "dp_finite_learner": {},
    "dp_oracle_learner": {},
    "dp_postprocessing": {},
    "dpm": {},
    "dpsgd": BRIEF,
    "dpsgd_f": BRIEF,
    "dpsgd_global_adapt": {"clip_norm": 0.5},
    "dpsgd_quantile": BRIEF,
    "functional_mechanism": TIGHT,
    "lap_mech": {},
    "naive_dpsgd": BRIEF,
    "naive_pc": {},
    "output_perturbation": {"mu": 0.01},
    "pdfc": {},
    "pflr": TIGHT,
    "pflr_star": TIGHT,
    "priv_pc": {},
    "priv_pc_star": {},
    "relaxed_functional_mechanism": TIGHT,
    "sieve_pc": {},
    "top_m_filter": {},
    "tree_augmented_network": {},
}
NUMBERS, GRAPHS = ("priv_pc_star",), ("dpm", "top_m_filter")
CATEGORIES = ("lap_mech", "naive_pc", "priv_pc", "sieve_pc", "tree_augmented_network")


def wide(rng):
    """Records so long that they are clipped, and so many that one is little against the penalty."""
    names = tuple(f"x{j}" for j in range(40))
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("a", "b"))
    return Records(
        rng.random((1000, 40)), rng.integers(2, size=1000), rng.integers(2, size=1000), domain
    )


def data_for(method, records):
    rng = np.random.default_rng(0)
    if method in GRAPHS:
        return Graph.from_pairs([(0, 1), (1, 2), (2, 3), (0, 3), (4, 5)], 12)
    if method in NUMBERS:
        return Observations(rng.normal(size=(300, 3)), tuple("abc"))
    if method == "output_perturbation":
        return wide(rng)
    if method in CATEGORIES:
        return Observations(rng.integers(3, size=(300, 4)), tuple("abcd"), (3, 3, 3, 3))
    return records


def audited(method, records, **given):
    params = catalog.algorithm(method).complete(REACHED[method] | given)
    return audit(method, data_for(method, records), params=params, neighbours=PAIRS)


@pytest.mark.parametrize("method", REACHED)
def test_a_query_moves_by_nine_tenths_of_its_sensitivity(method, records):
    found = audited(method, records)
    assert found.largest_move > 0.9
    assert found.holds


@pytest.mark.parametrize(
    "name", ["dpsgd", "dpsgd_f", "naive_dpsgd", "dpsgd_global_adapt", "dpsgd_quantile"]
)
def test_a_clipping_bound_that_is_a_fifth_too_large_is_refuted(name, records, monkeypatch):
    module = import_module(f"{TRAINING}.{name}")
    clip = module.clipping_weights
    monkeypatch.setattr(module, "clipping_weights", lambda norms, to: clip(norms, FACTOR * to))
    found = audited(name, records)
    assert found.largest_move == pytest.approx(FACTOR, rel=1e-6)
    assert not found.holds


@pytest.mark.parametrize("intercept", ["with", "without"])
def test_global_adapt_is_audited_where_its_gradients_are_clipped(intercept, records):
    found = audited("dpsgd_global_adapt", records, intercept=intercept)
    assert sorted(found.moves) == ["gaussian of a number", "gaussian of a vector"]
    assert min(found.moves.values()) > 0.9


# method -> a module that uses a sensitivity, and the name of the sensitivity in it
SENSITIVITIES = {
    "adfc": ("models.regression.perturbation", "l2_fair_objective"),
    "dpm": ("algorithms.embedding.dpm", "SENSITIVITIES"),
    "functional_mechanism": ("models.regression.perturbation", "l1_objective"),
    "lap_mech": ("algorithms.causal_discovery.lap_mech", "L1_REPLACED"),
    "naive_pc": ("algorithms.causal_discovery.naive_pc", "L1_REPLACED"),
    "output_perturbation": ("algorithms.regression.output_perturbation", "l2_minimiser"),
    "pdfc": ("models.regression.perturbation", "l1_part"),
    "pflr": ("models.regression.perturbation", "l1_fair_objective"),
    "pflr_star": ("algorithms.regression.pflr_star", "l1_covariance"),
    "relaxed_functional_mechanism": ("models.regression.perturbation", "l2_objective"),
    "sieve_pc": ("algorithms.causal_discovery.sieve_pc", "kendall_sensitivity"),
}


def divided(sensitivity):
    """A sensitivity that is too small by FACTOR, as a number, a function or a mapping."""
    if callable(sensitivity):
        return lambda *args, **given: sensitivity(*args, **given) / FACTOR
    if isinstance(sensitivity, dict):
        return {name: value / FACTOR for name, value in sensitivity.items()}
    return sensitivity / FACTOR


@pytest.mark.parametrize("method", SENSITIVITIES)
def test_a_sensitivity_that_is_a_sixth_too_small_is_refuted(method, records, monkeypatch):
    folder, name = SENSITIVITIES[method]
    module = import_module(f"dpfair_cli.{folder}")
    monkeypatch.setattr(module, name, divided(getattr(module, name)))
    params = {"statistic": "z"} if method == "sieve_pc" else {}  # p-values follow from z
    found = audited(method, records, **params)
    assert 1.05 < found.largest_move <= FACTOR * (1 + 1e-9)
    assert not found.holds


def audited_tree(**given):
    """The audit of the choice of a tree of 12 variables with three levels."""
    levels = (3,) * 12
    values = np.random.default_rng(0).integers(levels, size=(300, 12))
    data = Observations(values, tuple("abcdefghijkl"), levels)
    params = catalog.algorithm("tree_augmented_network").complete(given)
    return audit("tree_augmented_network", data, params=params, neighbours=PAIRS)


def test_the_choice_of_a_tree_moves_by_nine_tenths_of_its_sensitivity():
    found = audited_tree()
    assert found.moves["exponential of a vector"] > 0.9
    assert found.holds


def test_a_choice_of_a_tree_with_a_sensitivity_a_sixth_too_small_is_refuted(monkeypatch):
    module = import_module("dpfair_cli.algorithms.synthesis.tree_augmented_network")
    monkeypatch.setattr(module, "L1_DEPENDENCE", module.L1_DEPENDENCE / FACTOR)
    found = audited_tree()
    assert 1.05 < found.moves["exponential of a vector"] <= FACTOR
    assert not found.holds
