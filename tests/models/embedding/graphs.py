"""Small graphs for the tests of embeddings."""

from itertools import combinations

import numpy as np

from dpfair_cli.kinds.graphs import Graph

# a bridge joins them; M is not singular
TWO_TRIANGLES = ((0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5))
BRIDGE = ((0, 1), (2, 3))  # two paths a - r and s - b; 1 - 2 is the bridge


def graph(pairs, nodes, labels=()):
    """The graph of these pairs; labels 0, 1, ... are the classes a, b, ..."""
    pairs = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    if not len(labels):
        return Graph.from_pairs(pairs, nodes)
    labels = np.array(labels, dtype=np.int64)
    return Graph.from_pairs(
        pairs, nodes, labels=labels, classes=tuple("abcdefghij"[: labels.max() + 1])
    )


def two_triangles():
    return graph(TWO_TRIANGLES, 6)


def path(nodes):
    return graph([(i, i + 1) for i in range(nodes - 1)], nodes)


def star(nodes):
    """Node 0 in the middle."""
    return graph([(0, i) for i in range(1, nodes)], nodes)


def clique(nodes):
    return graph(combinations(range(nodes), 2), nodes)


def matching(edges, labels=()):
    """The edges 0 - 1, 2 - 3, ..."""
    return graph([(2 * k, 2 * k + 1) for k in range(edges)], 2 * edges, labels)


def two_cliques(nodes):
    """All pairs within the first half and all within the second, which are the classes a and b."""
    labels = np.arange(nodes) * 2 // nodes
    return graph(
        [(i, j) for i, j in combinations(range(nodes), 2) if labels[i] == labels[j]], nodes, labels
    )


def random_graph(nodes, share, seed=0):
    """Each pair is an edge with probability `share`."""
    chosen = np.random.default_rng(seed).random(nodes * (nodes - 1) // 2) < share
    return graph(
        [pair for pair, there in zip(combinations(range(nodes), 2), chosen, strict=True) if there],
        nodes,
    )


def blocks(nodes=40, classes=4, within=0.5, between=0.03, seed=0):
    """A block model with labels."""
    rng, labels = np.random.default_rng(seed), np.arange(nodes) % classes
    pairs = [
        (i, j)
        for i, j in combinations(range(nodes), 2)
        if rng.random() < (within if labels[i] == labels[j] else between)
    ]
    return graph(pairs, nodes, labels)


def edge_set(found):
    return {(int(i), int(j)) for i, j in found.edges}


def with_edge(found, i, j):
    """The same nodes with one edge more."""
    return graph([*edge_set(found), (i, j)], found.nodes)
