"""The factorisation: its form, its optimum from singular values, and numbers worked by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from dpfair_cli.models.embedding.factorisation import factorise, random_rows, walks_of
from tests.models.embedding.graphs import (
    blocks,
    clique,
    graph,
    path,
    random_graph,
    star,
    two_triangles,
)
from tests.oracles.walks import least_objective, objective, ridge, walks

CASES = {
    "two triangles": (two_triangles(), 2),
    "two triangles in full": (two_triangles(), 6),
    "path": (path(20), 4),
    "star": (star(8), 3),
    "clique": (clique(6), 3),
    "blocks": (blocks(nodes=40), 5),
    "random": (random_graph(30, 0.15), 8),
    "isolated nodes": (graph([(0, 1), (1, 2), (4, 5), (5, 6), (4, 6)], 9), 3),
}
FEWER = {name: case for name, case in CASES.items() if name != "two triangles in full"}
every_case = pytest.mark.parametrize(("found", "dimension"), CASES.values(), ids=CASES.keys())
regularisations = pytest.mark.parametrize("regularisation", [0.001, 0.05])


def factors(found, dimension, regularisation=0.001, seed=0):
    start = random_rows(found.nodes, dimension, rng=np.random.default_rng(seed))
    return factorise(walks_of(found), start, regularisation=regularisation)


def dense(found):
    return walks(found.edges, found.nodes)


@every_case
def test_the_factors_have_the_asked_form(found, dimension):
    W, H = factors(found, dimension).W, factors(found, dimension).H
    assert W.shape == H.shape == (found.nodes, dimension)
    assert np.isfinite(W).all()


@every_case
@regularisations
def test_w_is_the_ridge_solution_given_h(found, dimension, regularisation):
    made = factors(found, dimension, regularisation)
    left = made.W @ (made.H.T @ made.H + regularisation * np.eye(dimension))
    np.testing.assert_allclose(left, dense(found) @ made.H, atol=1e-10)


@every_case
@regularisations
def test_no_row_of_h_is_longer_than_one(found, dimension, regularisation):
    made = factors(found, dimension, regularisation)
    assert np.linalg.norm(made.H, axis=1).max() <= 1 + 1e-12


@every_case
@regularisations
def test_the_columns_of_h_are_orthogonal_and_shorter_and_shorter(found, dimension, regularisation):
    made = factors(found, dimension, regularisation)
    gram = made.H.T @ made.H
    squares = np.diag(gram)
    np.testing.assert_allclose(gram, np.diag(squares), atol=1e-9 * squares[0])
    assert (np.diff(squares) <= 1e-9 * squares[0]).all()


def least_over_a_common_factor(M, H, regularisation):
    """The objective at the best c H with the ridge solution given it, because H is rescaled."""

    def at(log_c):
        scaled = np.exp(log_c) * H
        return objective(M, ridge(M, scaled, regularisation), scaled, regularisation)

    return minimize_scalar(at, bounds=(-6, 6), method="bounded", options={"xatol": 1e-6}).fun


@pytest.mark.parametrize(("found", "dimension"), FEWER.values(), ids=FEWER.keys())
@regularisations
def test_the_optimum_that_the_singular_values_tell_is_reached(found, dimension, regularisation):
    M = dense(found)
    least = least_objective(M, dimension, regularisation)
    reached = least_over_a_common_factor(
        M, factors(found, dimension, regularisation).H, regularisation
    )
    assert least * (1 - 1e-9) <= reached <= 1.01 * least


def test_the_optimum_is_reached_with_all_dimensions_too():
    """Only the penalty remains there; a large one, because sweeps distribute a small one slowly."""
    M = dense(two_triangles())
    least = least_objective(M, 6, 0.05)
    assert (
        least * (1 - 1e-9)
        <= least_over_a_common_factor(M, factors(two_triangles(), 6, 0.05).H, 0.05)
        <= 1.01 * least
    )


def test_the_known_optimum_is_that_of_the_thresholded_singular_vectors():
    """The oracle itself: W = U sqrt(s - r) and H = V sqrt(s - r) reach it, neighbours do not."""
    M, rng = dense(blocks(nodes=15)), np.random.default_rng(0)
    U, s, V = np.linalg.svd(M)
    roots = np.sqrt(np.maximum(s[:4] - 0.05, 0))
    W, H = U[:, :4] * roots, V[:4].T * roots
    assert objective(M, W, H, 0.05) == pytest.approx(least_objective(M, 4, 0.05), rel=1e-12)
    for _ in range(50):
        dW, dH = 0.1 * rng.normal(size=W.shape), 0.1 * rng.normal(size=H.shape)
        assert objective(M, W + dW, H + dH, 0.05) > least_objective(M, 4, 0.05)


def test_with_all_dimensions_and_hardly_a_penalty_the_product_is_m():
    made = factors(two_triangles(), 6, regularisation=1e-7)
    np.testing.assert_allclose(made.W @ made.H.T, dense(two_triangles()), atol=1e-3)


def test_the_path_of_three_nodes_by_hand():
    """M = (1, 1, 1)'(1/4, 1/2, 1/4) = u h', H = c h, and W H' = M |H|^2 / (|H|^2 + r)."""
    made = factors(path(3), 1, regularisation=0.01)
    h = made.H[:, 0]
    np.testing.assert_allclose(h / h[1], [0.5, 1, 0.5], rtol=1e-6)
    np.testing.assert_allclose(made.W, np.full((3, 1), made.W[0, 0]), rtol=1e-9)
    q = (h**2).sum()
    np.testing.assert_allclose(
        made.W @ made.H.T, np.outer(np.ones(3), [0.25, 0.5, 0.25]) * q / (q + 0.01), rtol=1e-6
    )


def test_an_isolated_node_is_at_the_origin():
    made = factors(graph([(0, 1), (1, 3), (0, 3)], 5), 2)
    assert not made.W[[2, 4]].any()
    assert made.W[[0, 1, 3]].any(axis=1).all()


def test_a_graph_without_edges_has_factors_that_multiply_to_zero():
    made = factors(graph([], 5), 2)
    assert not made.W.any()
    assert np.isfinite(made.H).all()


def test_more_dimensions_fit_better():
    found = blocks(nodes=30)
    models = [factors(found, k) for k in (1, 4, 12)]
    errors = [((dense(found) - made.W @ made.H.T) ** 2).sum() for made in models]
    assert errors[0] > errors[1] > errors[2]


def test_the_same_seed_gives_the_same_factors():
    one, two = (factors(blocks(), 4, seed=3) for _ in range(2))
    assert one.W.tobytes() == two.W.tobytes()
    assert one.H.tobytes() == two.H.tobytes()


def test_the_optimum_does_not_depend_on_the_seed():
    models = [factors(two_triangles(), 2, 0.05, seed=seed) for seed in range(3)]
    products = [made.W @ made.H.T for made in models]
    for product in products[1:]:
        np.testing.assert_allclose(product, products[0], atol=0.05)


@pytest.mark.parametrize(
    "found", [two_triangles(), blocks(nodes=20)], ids=["two triangles", "blocks"]
)
def test_a_dense_matrix_has_the_factors_of_its_walks(found):
    start = random_rows(found.nodes, 3, rng=np.random.default_rng(0))
    sparse = factorise(walks_of(found), start, regularisation=0.001)
    same = factorise(dense(found), start, regularisation=0.001)
    np.testing.assert_allclose(same.W, sparse.W, atol=1e-7)
    np.testing.assert_allclose(same.H, sparse.H, atol=1e-7)


def test_a_matrix_that_is_no_walk_is_factorised_as_well():
    M = np.random.default_rng(0).normal(size=(12, 12))
    start = random_rows(len(M), 5, rng=np.random.default_rng(0))
    made = factorise(M, start, regularisation=0.01)
    least = least_objective(M, 5, 0.01)
    assert least * (1 - 1e-9) <= least_over_a_common_factor(M, made.H, 0.01) <= 1.01 * least
    assert np.linalg.norm(made.H, axis=1).max() <= 1 + 1e-12
