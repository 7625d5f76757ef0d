"""The audit of embeddings, whose neighbours differ by one edge."""

from functools import cache

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import audit
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from tests.models.embedding.graphs import blocks

PRIVATE = ("dpne", "dpne_public_context", "dpm", "top_m_filter", "top_m_gsvd")
PROVED = {"sensitivity": "proved"}


@cache
def findings(method, epsilon, options):
    params = {"epsilon": epsilon, "dimension": 2, **dict(options)}
    return audit(method, blocks(nodes=14, classes=2), params=params, neighbours=18)


def found(method, epsilon=1.0, **options):
    return findings(method, epsilon, tuple(sorted(options.items())))


@pytest.mark.parametrize("method", PRIVATE)
def test_an_embedding_protects_one_edge(method):
    assert catalog.algorithm(method).guarantee.neighbours is Neighbours.ONE_EDGE


@pytest.mark.parametrize("method", ["top_m_filter", "top_m_gsvd"])
@pytest.mark.parametrize(("epsilon", "share"), [(1.0, 0.1), (0.3, 0.5)])
def test_the_noisy_graph_holds_and_spends_its_whole_budget(method, epsilon, share):
    finding = found(method, epsilon, count_share=share)
    assert finding.holds
    assert finding.largest_move == pytest.approx(1)
    assert finding.found == pytest.approx(epsilon)
    assert finding.accounted == pytest.approx(epsilon)


def test_dpm_holds_with_the_proved_sensitivity():
    finding = found("dpm", **PROVED)
    assert finding.holds
    assert 0.7 < finding.largest_move <= 1 + 1e-9  # the first edge of an empty graph alone: 2 / 2.5
    assert finding.accounted == pytest.approx(1)


def test_dpm_does_not_hold_with_the_published_sensitivity():
    """sqrt(2) is a bound in L2, and Laplace noise needs one in L1."""
    finding = found("dpm", sensitivity="published")
    assert not finding.holds
    assert finding.largest_move >= np.sqrt(2) - 1e-9
    assert finding.found >= np.sqrt(2) - 1e-9
    assert not finding.leaks


def test_dpne_does_not_hold_with_a_context_that_was_trained_on_the_graph():
    """W is read off its release with H, which no noise was added to."""
    finding = found("dpne")
    assert not finding.holds
    assert "the fitted model" in finding.leaks


def test_dpne_holds_with_a_random_context_and_the_proved_sensitivity():
    finding = found("dpne_public_context")
    assert finding.holds
    assert 0 < finding.largest_move <= 1 + 1e-9
    assert 0 < finding.found <= 1 + 1e-9
    assert finding.accounted == pytest.approx(1)


def test_dpne_does_not_hold_with_the_absolute_noise_term():
    """Most of the noise cancels, by how much depends on the graph: that is no post-processing."""
    finding = found("dpne", noise_term="absolute")
    assert not finding.holds
    assert "the fitted model" in finding.leaks


@pytest.mark.parametrize("method", ["dpm", "top_m_filter", "top_m_gsvd"])
def test_without_noise_an_empty_promise_is_kept(method):
    finding = found(method, np.inf)
    assert finding.found == finding.claimed == np.inf
    assert not finding.leaks


@pytest.mark.parametrize("method", PRIVATE)
def test_an_audit_can_be_repeated(method):
    params = {"epsilon": 1.0, "dimension": 2}
    one, two = (
        audit(method, blocks(nodes=10, classes=2), params=params, neighbours=6) for _ in range(2)
    )
    assert one == two


def test_the_statuses_are_what_the_audit_finds():
    assert catalog.algorithm("top_m_filter").guarantee.status_with({}) == "proved"
    assert catalog.algorithm("dpm").guarantee.status_with({"sensitivity": "published"}) == "refuted"
    assert catalog.algorithm("dpm").guarantee.status_with(PROVED) == "proved"
    assert catalog.algorithm("dpne").guarantee.status_with({}) == "refuted"
    assert catalog.algorithm("dpne_public_context").guarantee.status_with({}) == "proved"
    assert catalog.algorithm("top_m_gsvd").guarantee.status_with({}) == "proved"
    assert not catalog.algorithm("matrix_factorisation").guarantee.is_private
    assert not catalog.algorithm("gsvd").guarantee.is_private


def test_a_whole_node_is_not_what_an_edge_protects():
    """Neighbours that differ in all edges of a node are refused."""
    with pytest.raises((DpfairError, ValueError), match=r"^[^\n]+$"):
        list(
            blocks(nodes=10).neighbours(
                Neighbours.REPLACE_ONE, count=2, rng=np.random.default_rng(0)
            )
        )
