"""Sensitivity of M = (P + P^2) / 2, the mean of the one-step and two-step transition probabilities.

Neighbours: one edge. P is the transition matrix of an undirected graph, with a row of zeros for a
node without an edge.

**In the sum of absolute entries the sensitivity is exactly 5/2.** Let an edge between the nodes r
and s be added. Let d_u be the degree of a node u before, p = d_r + 1, q = d_s + 1, c_u the sum of
1 / d_i over the neighbours i of u, and e_u the unit row with a 1 at u.

First case: both r and s have an edge before (p, q >= 2). Row r of P becomes P'_r = P_r + (e_s -
P_r) / p, a change of 2 / p. Row r of P^2 changes by P'_r P' - P_r P = (P'_s - P_r P) / p. P'_s and
P_r P are distributions that share the mass min(c_r / d_r, 1 / q) at r. Row r of P^2 therefore
changes by at most 2 (1 - min(x, 1 / q)) / p, where x = c_r / d_r <= 1. The row of P^2 of another
neighbour i of r changes by 2 / (d_i p), and all these rows together by 2 c_r / p = 2 (p - 1) x / p.
With y = c_s / d_s for s, twice the change of M is thus at most

    (2 / p) (2 + (p - 1) x - min(x, 1 / q)) + (2 / q) (2 + (q - 1) y - min(y, 1 / p)),

which grows in x and y. At x = y = 1 this bound is 4 + 2/p + 2/q - 4/(pq), which does not grow in p
and q and is 5 at p = 2 for every q. Second case: s has no edge before. Row s of M changes by 1, and
twice the change of the other rows is at most (2 / p) (2 + (p - 2) x) <= 2. The sum of the changes
is at most 2. Third case: neither r nor s has an edge before. All four entries between r and s rise
from 0 to 1/2, a change of 2. The change 5/2 is reached by the edges a - r and s - b that the edge
rs joins.

**xu2021, Lemma 1** states sqrt(2) for the Frobenius norm, with the empty graph as the worst case.
In the Frobenius norm the empty graph gives 1, and no graph of up to six nodes gives more. Theorem 7
and Laplace noise on every entry, however, need the sum of absolute entries, for which the empty
graph already gives 2.
"""

from __future__ import annotations

import math

L1_WALKS = 2.5  # of M between graphs that differ by one edge, in the sum of absolute entries
FROBENIUS = 1.0  # of M in the Frobenius norm; the largest found (first edge of an empty graph)
L2_PUBLISHED = math.sqrt(2)  # xu2021, Lemma 1, which the dissertation uses for the sum of entries
