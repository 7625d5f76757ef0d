"""Sensitivity of the dependence of two variables: the L1 distance of their table from independence.

Neighbours: replace-one, n records; n is public. With a and b the marginals of a contingency table
T, the dependence is |T - a b' / n|_1.

Replacing a record changes T by at most 2 in the L1 norm (counts.py), and also each marginal by at
most 2, say from a and b to c and d. Since c d' - a b' = (c - a) d' + a (d - b)', the product
divided by n changes by at most (2 n + 2 n) / n = 4. By the triangle inequality the dependence
changes by at most 2 + 4 = 6.

No smaller bound holds for all n. Let two variables have the levels 0, 1 and 2, and s = sqrt(n)
records have level 0 of each, one record level 1 of both, and all others level 2 of both. One record
has level 0 of both, and the two levels 0 meet nowhere else. If this record is replaced by one with
level 1 of both, the dependence rises by 6 (1 - O(1 / s)): by 5.6 for n = 200, by 5.9 for n = 4000.
For two levels the largest change that is known is 4 (1 - 1 / n).
"""

from __future__ import annotations

L1_DEPENDENCE = 6  # L1 sensitivity for replacing one record
