"""Random walks and the objectives of xu2021, chapter 5, by loops and linear algebra."""

from itertools import combinations

import numpy as np


def walks(pairs, nodes):
    """M = (P + P^2) / 2, (nodes, nodes), by a loop over every walk of one and of two steps."""
    around = {i: [] for i in range(nodes)}
    for i, j in pairs:
        around[int(i)].append(int(j))
        around[int(j)].append(int(i))
    M = np.zeros((nodes, nodes))
    for start in range(nodes):
        for first in around[start]:
            M[start, first] += 1 / len(around[start]) / 2
            for second in around[first]:
                M[start, second] += 1 / len(around[start]) / len(around[first]) / 2
    return M


def dense_walks(adjacency):
    """M of many adjacency matrices at once, (graphs, nodes, nodes)."""
    degrees = adjacency.sum(axis=-1, keepdims=True)
    P = np.divide(adjacency, degrees, out=np.zeros(adjacency.shape), where=degrees > 0)
    return (P + P @ P) / 2


def changes_of_all_graphs(nodes):
    """M' - M for every graph of n nodes and every missing edge, and whether the graph was empty."""
    pairs = list(combinations(range(nodes), 2))
    there = (np.arange(2 ** len(pairs))[:, None] >> np.arange(len(pairs))) & 1  # (graphs, pairs)
    adjacency = np.zeros((len(there), nodes, nodes))
    for k, (i, j) in enumerate(pairs):
        adjacency[:, i, j] = adjacency[:, j, i] = there[:, k]
    M = dense_walks(adjacency)
    for k in range(len(pairs)):
        without = np.flatnonzero(there[:, k] == 0)
        yield M[without | (1 << k)] - M[without], without == 0


def objective(M, W, H, regularisation):
    """Equation 5.4 with lambda = mu, over all pairs."""
    return ((M - W @ H.T) ** 2).sum() + regularisation * ((W**2).sum() + (H**2).sum())


def ridge(M, H, regularisation):
    """The W that minimises Equation 5.4 given H: W (H'H + r) = M H."""
    return np.linalg.solve(H.T @ H + regularisation * np.eye(H.shape[1]), (M @ H).T).T


def least_objective(M, dimension, regularisation):
    """The minimum of Equation 5.4: the first k singular values s become s - r, others 0."""
    s = np.linalg.svd(M, compute_uv=False)
    kept = np.maximum(s[:dimension] - regularisation, 0)
    return ((s[:dimension] - kept) ** 2 + 2 * regularisation * kept).sum() + (
        s[dimension:] ** 2
    ).sum()


def perturbed_objective(M, W, H, regularisation, noise_term):
    """Equation 5.7, term by term; `noise_term` is what the noise adds."""
    total = noise_term
    for i in range(len(M)):
        for j in range(len(M)):
            total += (M[i, j] - sum(W[i] * H[j])) ** 2
    return (
        total
        + regularisation * sum(sum(w**2) for w in W)
        + regularisation * sum(sum(h**2) for h in H)
    )


def perturbed_gradient(M, W, H, noise, regularisation):
    """The gradient of Equation 5.7 in W, (nodes, dimension), row by row (Equation 5.8)."""
    rows = []
    for i in range(len(M)):
        pulls = sum(H[j] * (M[i, j] - sum(W[i] * H[j])) for j in range(len(M)))
        rows.append(-2 * pulls + 2 * regularisation * W[i] + noise[i])
    return np.array(rows)
