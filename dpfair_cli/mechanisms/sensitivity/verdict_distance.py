"""Sensitivity of the distance of a contingency table to the other decision of the G^2 test.

Source: xu2021, Equation 4.1 (after Johnson and Shmatikov 2013); the certified bound and its proof
    are ours.

Neighbours: replace-one, so that the number of records n, the levels and hence the critical value c
are public. Two variables count as independent while G^2 < c. The score is positive for independent,
so that the exponential mechanism prefers what should be removed. (Equation 4.1 prints the
opposite.)

The distance d to the nearest table with the other decision is at least 1 and changes by at most 1
within a decision (triangle inequality). Across decisions the published score jumps from +1 to -1:
its sensitivity is 2, not the 1 that is stated. The signed score subtracts 1/2: +(d - 1/2) and
-(d - 1/2) differ by 1 there, so that its sensitivity is 1 everywhere. So is that of the largest of
several such scores, and of the larger of two: a maximum changes by at most the largest change.

The certified distance d_low is a lower bound of d with the same sensitivity. Collapse the table
around a cell to 2 x 2: O is its count, R and Q the rest of its row and column, Z the rest of its
stratum. Adding a record there raises G^2 by 2 g, removing one again lowers it by 2 g, with

    g(O, R, Q, Z) = D(O) - D(O + R) - D(O + Q) + D(O + R + Q + Z),
    D(x) = (x + 1) ln(x + 1) - x ln x.

After u replacements each of the four counts has changed by at most u (u + 1 downwards, once a
record is removed), so the next replacement changes G^2 by at most L_u = 2 (max g - min g) over
these boxes and all cells. Let d_low be the least t >= 1 with L_0 + ... + L_{t-1} >= |c - G^2|. It
is a lower bound of d. A neighbour's boxes for u lie within this table's for u + 1, so L'_u <=
L_{u+1}, and its gap is at most L_0 smaller; hence d_low <= d'_low + 1, and by symmetry
|d_low - d'_low| <= 1. Neighbours of different decisions have d = 1, so d_low = 1 for both.

Far from independence L_u is too large, and distances to the set of independent tables give better
bounds. Merge rows and columns of a stratum to 2 x 2 counts a, b, c, d: s = |a d - b c| / max(a, b,
c, d) changes by at most 1 when one count changes by 1 (the derivatives of d - b c / a lie in
[-1, 1] for a the largest), and is 0 for independent tables. So it is at most the L1 distance of the
stratum to independence. A table with G^2 < c is by Pinsker's inequality within sqrt(c n) of its
independent projection, in L1, and a replacement is 2 in L1: d >= (sum over strata of max s -
sqrt(c n)) / 2, which again has sensitivity 1; so has the larger of the two bounds.

Number of edges. q2 (Equations 4.2 to 4.4) sorts signed scores and takes minima of them and of their
negatives: neither raises the sensitivity above 1.
"""

from __future__ import annotations

SIGNED_DISTANCE = 1  # sensitivity of a signed distance, exact or certified; of a maximum of several
EDGE_NUMBER = 1  # sensitivity of the scores q2 for removing 0, 1, ... edges
