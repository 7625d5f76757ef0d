"""Extreme graphs: no edge, isolated nodes, one clique, more dimensions than nodes."""

import warnings

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DpfairError
from tests.algorithms.embedding.fitting import METHODS, PRIVATE, fit
from tests.models.embedding.graphs import blocks, clique, graph, matching, path, star

UNUSUAL = {
    "no edge": graph([], 5),
    "one edge": path(2),
    "isolated nodes": graph([(1, 4), (4, 6)], 9),
    "clique": clique(6),
    "star": star(7),
    "matching": matching(4),
}
every_method = pytest.mark.parametrize("method", METHODS)
every_graph = pytest.mark.parametrize("found", UNUSUAL.values(), ids=UNUSUAL.keys())


@every_method
@every_graph
def test_every_graph_has_finite_vectors_and_no_warning(method, found):
    budgets = (1e-3, 1.0, np.inf) if method in PRIVATE else (None,)
    for epsilon in budgets:
        options = {} if epsilon is None else {"epsilon": epsilon}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            vectors = fit(method, found, **options)
        assert vectors.shape == (found.nodes, 2)
        assert np.isfinite(vectors).all()


@every_method
def test_a_graph_without_edges_is_all_at_the_origin_without_noise(method):
    options = {"epsilon": np.inf} if method in PRIVATE else {}
    if "gsvd" in method:
        options["regularisation"] = 0.0  # which would add edges
    assert not fit(method, graph([], 4), **options).any()


@every_method
def test_more_dimensions_than_nodes_are_refused_or_have_vectors(method):
    try:
        vectors = fit(method, path(4), dimension=9)
    except (ValueError, DpfairError) as error:
        assert "dimension" in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert vectors.shape in {(4, 9), (4, 4)}
        assert np.isfinite(vectors).all()


@every_method
def test_as_many_dimensions_as_nodes_are_no_mistake(method):
    vectors = fit(method, blocks(nodes=12), dimension=12)
    assert vectors.shape == (12, 12)
    assert np.isfinite(vectors).all()


@pytest.mark.parametrize("method", PRIVATE)
def test_noise_reaches_isolated_nodes_too(method):
    """An isolated node that stayed at the origin would show that it has no edge."""
    found, reached = graph([(0, 1), (1, 3), (0, 3)], 6), 0
    for seed in range(20):
        reached += fit(method, found, epsilon=0.5, seed=seed)[[2, 4, 5]].any()
    assert reached > 0


@every_method
def test_the_same_seed_gives_the_same_vectors(method):
    assert fit(method, blocks(), seed=7).tobytes() == fit(method, blocks(), seed=7).tobytes()


@pytest.mark.parametrize("method", PRIVATE)
def test_another_seed_gives_another_noise(method):
    assert (
        fit(method, blocks(), epsilon=1.0, seed=7) != fit(method, blocks(), epsilon=1.0, seed=8)
    ).any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "options", [{"dimension": 0}, {"dimension": -2}, {"regularisation": -1.0}], ids=str
)
def test_numbers_out_of_range_are_refused_by_name(method, options):
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name} must be"):
        fit(method, path(4), **options)
