"""Sensitivity of M = (P + P^2) / 2, the mean of the one-step and two-step transition probabilities.

Neighbours: one edge. P is the transition matrix of an undirected graph, with a row of zeros for a
node without an edge.

**In the sum of absolute entries the sensitivity is exactly 5/2.** Let the edge rs be added, d_u be
the degree of u before, p = d_r + 1, q = d_s + 1, c_u the sum of 1 / d_i over the neighbours i of u,
and e_u a unit row.

Both r and s have an edge before (p, q >= 2). Row r of P becomes P'_r = P_r + (e_s - P_r) / p, which
changes it by 2 / p. The second step adds P'_r P' - P_r P = (P'_s - P_r P) / p to row r: two
distributions that share the mass min(c_r / d_r, 1 / q) at r, so that it changes by at most
2 (1 - min(x, 1 / q)) / p, where x = c_r / d_r <= 1. A row i of another neighbour of r changes in
its second step by 2 / (d_i p), all of them together by 2 c_r / p = 2 (p - 1) x / p. Twice the
change of M is thus at most

    (2 / p) (2 + (p - 1) x - min(x, 1 / q)) + (2 / q) (2 + (q - 1) y - min(y, 1 / p)),

which grows in x and y; at x = y = 1 it is 4 + 2/p + 2/q - 4/(pq), which falls in p and in q, and is
5 at p = 2, whatever q is. If s has no edge before, row s of M changes by 1, and twice the rest by
(2 / p) (2 + (p - 2) x) <= 2: together 2. If neither has, all four entries between them rise from 0
to 1/2: 2. The path a - r, s - b, joined by rs, reaches 5/2.

**xu2021, Lemma 1** states sqrt(2) for the Frobenius norm, with the empty graph as the worst case.
There the empty graph gives 1, and no graph of up to six nodes gives more; but Theorem 7 and Laplace
noise on every entry need the sum of absolute entries, for which the empty graph already gives 2.
"""

from __future__ import annotations

import math

L1_WALKS = 2.5  # of M between graphs that differ by one edge, in the sum of absolute entries
FROBENIUS = 1.0  # of M: reached by the first edge of an empty graph, the largest found, not proved
L2_PUBLISHED = math.sqrt(2)  # xu2021, Lemma 1, which the dissertation uses for the sum of entries
