"""L2 sensitivity of the lower triangle of the sum of z z' over records.

Neighbours: add-or-remove-one. A record has inputs z >= 0 in which every attribute contributes at
most 1 to |z|^2 and to the sum of the fourth powers z_j^4: a number in [0, 1], indicators of levels
of which at most one is 1, or weights of knots that add up to at most 1.

A record that is added changes the triangle by the entries z_i z_j, i <= j, whose sum of squares is

    sum_{i <= j} z_i^2 z_j^2 = (|z|^4 + sum_i z_i^4) / 2 <= (A^2 + A) / 2

for A attributes, a constant input 1 included. It is reached by a record with A inputs equal to 1.
"""

from __future__ import annotations

import math


def l2_second_moment(attributes: int) -> float:
    """The L2 sensitivity of the lower triangle of a second moment of records with `attributes`.

    >>> l2_second_moment(1)  # one number in [0, 1], whose square is summed
    1.0
    """
    return math.sqrt(attributes * (attributes + 1) / 2)
