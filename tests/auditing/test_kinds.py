"""Audits of methods for other kinds of data."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dpfair_cli.auditing.audit import audit_fit
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Domain
from dpfair_cli.mechanisms.laplace import laplace
from tests.models.embedding.graphs import blocks

PIXELS = 64


@dataclass(frozen=True, eq=False)
class Toy(NotSaved):
    """Something noisy, and something else."""

    total: Any
    more: Any = None


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(0)
    X, zeros = rng.integers(256, size=(40, PIXELS)).astype(np.uint8), np.zeros(40, dtype=np.int64)
    return Images(
        X,
        rng.integers(3, size=40),
        zeros,
        zeros == 1,
        (8, 8),
        ("a", "b", "c"),
        Domain((), {}, ("all",)),
    )


def brightness(moves, more=lambda images: 0):
    """The sum of all pictures, each pixel in [0, 1], if one picture moves it by `moves` in L1."""

    def fit(images, *, epsilon=1.0, rng):
        return Toy(
            laplace(images.X.sum(axis=0) / 255, l1_sensitivity=moves, epsilon=epsilon, rng=rng),
            more(images),
        )

    return fit


def degrees(moves, more=lambda graph: 0):
    """How many neighbours each node has, if one edge moves them by `moves` in L1."""

    def fit(graph, *, epsilon=1.0, rng):
        counts = np.bincount(graph.edges.ravel(), minlength=graph.nodes)
        return Toy(laplace(counts, l1_sensitivity=moves, epsilon=epsilon, rng=rng), more(graph))

    return fit


def audited(fit, data, relation):
    return audit_fit("toy", fit, data, relation=relation, params={"epsilon": 1.0}, neighbours=40)


def test_a_sum_of_pictures_is_audited(images):
    found = audited(brightness(PIXELS), images, Neighbours.REPLACE_ONE)
    assert found.problems == []
    assert found.largest_move > 0.3
    assert not audited(brightness(PIXELS / 4), images, Neighbours.REPLACE_ONE).holds


def test_what_is_read_of_pictures_without_noise_is_seen(images):
    leaks = {
        "a class": lambda data: int(data.y[-1]),
        "a pixel": lambda data: int(data.X[0, 0]),
        "size": lambda data: len(data),
    }
    found = {
        name: audited(brightness(PIXELS, leak), images, Neighbours.REPLACE_ONE).leaks
        for name, leak in leaks.items()
    }
    assert found == {"a class": ("the fitted model",), "a pixel": ("the fitted model",), "size": ()}


def test_degrees_of_a_graph_are_audited():
    graph = blocks(nodes=14)
    found = audited(degrees(2.0), graph, Neighbours.ONE_EDGE)
    assert found.problems == []
    assert found.found == pytest.approx(1)
    assert audited(degrees(1.0), graph, Neighbours.ONE_EDGE).found == pytest.approx(2)


def test_what_is_read_of_a_graph_without_noise_is_seen():
    graph = blocks(nodes=14)
    assert audited(degrees(2.0, lambda g: len(g.edges)), graph, Neighbours.ONE_EDGE).leaks == (
        "the fitted model",
    )
    assert audited(degrees(2.0, lambda g: g.nodes), graph, Neighbours.ONE_EDGE).leaks == ()
