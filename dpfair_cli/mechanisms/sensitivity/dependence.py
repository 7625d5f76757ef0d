"""Sensitivity of the dependence of two variables: the L1 distance of their table from independence.

Neighbours: replace-one, n records; n is public. With a and b the marginals of a contingency table
T, the dependence is |T - a b' / n|_1.

Replacing a record changes T by at most 2 in the L1 norm (counts.py), and also each marginal by at
most 2, say from a and b to c and d. Since c d' - a b' = (c - a) d' + a (d - b)', the product
divided by n changes by at most (2 n + 2 n) / n = 4. By the triangle inequality the dependence
changes by at most 2 + 4 = 6. (Over all tables of 2 x 2 and 2 x 3 cells and at most 7 records, the
largest change is 4 (1 - 1 / n). No table that reaches 6 is known to us.)
"""

from __future__ import annotations

L1_DEPENDENCE = 6  # L1 sensitivity for replacing one record
