"""Bounds of what an audit can reach: by hand, and never below a pair that is found."""

from itertools import combinations

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing.attainable import BOUNDS, REACHED, attainable, largest_change
from dpfair_cli.auditing.audit import audit
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding.factorisation import random_rows, walks_of
from tests.auditing.subjects import D

GRAPH = Graph.from_pairs([(0, 1), (1, 2), (2, 3)], 8)
OBJECTIVES = ("functional_mechanism", "pflr", "pflr_star", "pdfc", "relaxed_functional_mechanism")


def bound(method, data, **given):
    return attainable(method, catalog.algorithm(method).complete(given), data)


def test_a_published_formula_is_compared_with_the_tight_one(records):
    found = bound("functional_mechanism", records)
    assert found.share == pytest.approx((D**2 / 8 + D / 2 + 0.5) / (D**2 / 4 + D))
    assert found.reason == "the published sensitivity is 24, and no change exceeds 12.5"


@pytest.mark.parametrize("method", OBJECTIVES)
def test_tight_sensitivities_in_the_box_can_be_reached(method, records):
    assert bound(method, records, sensitivity="tight") is REACHED


def test_a_method_without_a_known_gap_can_be_reached(records):
    assert bound("dpsgd", records) is REACHED


def test_the_bound_in_the_ball_is_above_random_pairs(records):
    rng = np.random.default_rng(0)
    share = bound("functional_mechanism", records, sensitivity="tight", bound="ball").share
    declared = np.sqrt(D) + D / 4
    for _ in range(3000):
        x, z = rng.random((2, D)) ** rng.integers(1, 9)
        x, z = x / max(np.linalg.norm(x), 1), z / max(np.linalg.norm(z), 1)
        change = np.abs(x + z).sum() / 2 + np.abs(np.outer(x, x) - np.outer(z, z)).sum() / 8
        assert change <= share * declared
    assert share < 0.8


def test_the_gradients_of_two_records_are_opposite_under_a_weak_penalty(records):
    shares = [
        bound("output_perturbation", records, mu=mu, clip_norm=1.0).share
        for mu in (1e-6, 0.01, 1.0, 100.0)
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.99
    assert shares[-1] == pytest.approx(0.5, abs=0.01)  # weights 0: every gradient is z / 2


def test_a_box_that_does_not_reach_the_clipping_norm_counts(records):
    longest = np.sqrt(D)  # of a record in the unit box
    near, far = (
        bound("output_perturbation", records, mu=1e4, clip_norm=norm).share
        for norm in (longest, 2 * longest)
    )
    assert far == pytest.approx(near / 2, rel=0.01)


def test_public_vectors_of_many_dimensions_are_far_from_the_worst():
    shares = [bound("dpne_public_context", GRAPH, dimension=k).share for k in (1, 100)]
    assert shares[1] < 0.6 < 0.95 < shares[0] <= 1


def row_norms_moved(edges, ends, H):
    graphs = (Graph.from_pairs(pairs, len(H)) for pairs in (edges, [*edges, ends]))
    before, after = (walks_of(graph) @ H for graph in graphs)
    return np.linalg.norm(after - before, axis=1).sum()


@pytest.mark.parametrize("dimension", [1, 3, 100])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 8, 12])
def test_no_graph_moves_public_vectors_by_more_than_the_bound(count, dimension):
    rng = np.random.default_rng(count)
    for _ in range(40):
        H = random_rows(7, dimension, rng=rng)
        pairs = rng.permutation(list(combinations(range(7), 2)))
        assert row_norms_moved(pairs[1 : 1 + count], pairs[0], H) <= largest_change(H) + 1e-12


def test_two_edges_joined_reach_the_bound_of_orthogonal_vectors():
    H = np.eye(7)
    moved = row_norms_moved([(0, 1), (2, 3)], (1, 2), H)
    assert moved == pytest.approx((np.sqrt(2) + np.sqrt(2.5)) / 2)  # by hand
    assert largest_change(H) == pytest.approx(moved)


@pytest.mark.parametrize("sensitivity", ["published", "tight"])
@pytest.mark.parametrize("limits", ["box", "ball"])
@pytest.mark.parametrize("method", OBJECTIVES)
def test_no_audit_of_an_objective_exceeds_its_bound(method, limits, sensitivity, records):
    params = catalog.algorithm(method).complete({"bound": limits, "sensitivity": sensitivity})
    found = audit(method, records, params=params, neighbours=48)
    assert 0.75 < found.tightness <= 1 + 1e-9


@pytest.mark.parametrize("mu", [0.01, 0.1, 1.0])
def test_no_audit_of_a_minimiser_exceeds_its_bound(mu, records):
    params = catalog.algorithm("output_perturbation").complete({"mu": mu, "clip_norm": 1.0})
    found = audit("output_perturbation", records, params=params, neighbours=48)
    assert 0.5 < found.tightness <= 1 + 1e-9


def test_every_bound_is_of_a_private_method():
    assert all(catalog.algorithm(name).guarantee.is_private for name in BOUNDS)
