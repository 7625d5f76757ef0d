"""Sensitivity of the distance of a contingency table to the other decision of the G^2 test.

Source: xu2021, Equation 4.1 (after Johnson and Shmatikov 2013); the certified bound and its proof
    are ours.

Neighbours: replace-one. The number of records n, the levels and hence the critical value c are
public. The test decides that two variables are independent if G^2 < c. The score is positive for
this decision, so that the exponential mechanism prefers edges that should be removed. (Equation 4.1
prints the opposite sign.)

The distance d is the number of records that must be replaced until the test decides otherwise. It
is at least 1, and between two neighbours with the same decision it changes by at most 1 (triangle
inequality). Between two neighbours with different decisions the published score jumps from +1 to
-1: its sensitivity is 2, not the stated 1. The signed score here is +(d - 1/2) or -(d - 1/2), which
changes by 1 in this case. Its sensitivity is therefore 1. The maximum of several such scores also
has sensitivity 1, because a maximum changes by at most the largest change.

The certified distance d_low is a lower bound of d with the same sensitivity. Collapse the table
around a cell to 2 x 2: O is the count of the cell, R and Q the rest of its row and column, Z the
rest of its stratum. Adding a record to the cell raises G^2 by 2 g, and removing this record lowers
G^2 by 2 g, with

    g(O, R, Q, Z) = D(O) - D(O + R) - D(O + Q) + D(O + R + Q + Z),
    D(x) = (x + 1) ln(x + 1) - x ln x.

After u replacements each of the four counts has changed by at most u (by at most u + 1 downwards
after the removal of the next record). The next replacement therefore changes G^2 by at most L_u = 2
(max g - min g), where maximum and minimum are over these ranges of the four counts (a box) and over
all cells. Let d_low be the least t >= 1 with L_0 + ... + L_{t-1} >= |c - G^2|. Then d_low is a
lower bound of d. Let L'_u and d'_low be the values of a neighbour. The boxes of the neighbour for u
lie within the boxes of this table for u + 1, hence L'_u <= L_{u+1}. The gap |c - G^2| of the
neighbour is at most L_0 smaller. Hence d_low <= d'_low + 1, and by symmetry |d_low - d'_low| <= 1.
Two neighbours with different decisions have d = 1, and d_low = 1 for both.

Far from independence L_u is too large, and distances to the set of independent tables give better
bounds. Merge rows and columns of a stratum to 2 x 2 counts a, b, c, d. The number s = |a d - b c| /
max(a, b, c, d) changes by at most 1 if one count changes by 1, because the derivatives of d - b c /
a lie in [-1, 1] if a is the largest count. For independent tables s is 0. Therefore s is at most
the L1 distance of the stratum to independence. By Pinsker's inequality, a table with G^2 < c lies
within an L1 distance of sqrt(c n) from its independent projection, and a replacement moves a table
by 2 in L1. Hence d >= (sum over strata of max s - sqrt(c n)) / 2. This second bound has sensitivity
1 too, and so has the larger of both bounds.

Number of edges. The score q2 (Equations 4.2 to 4.4) of a number of edges sorts the signed scores
and takes minima of these scores and of their negatives. Neither step raises the sensitivity above
1.
"""

from __future__ import annotations

SIGNED_DISTANCE = 1  # sensitivity of a signed distance, exact or certified; of a maximum of several
EDGE_NUMBER = 1  # sensitivity of the scores q2 for removing 0, 1, ... edges
