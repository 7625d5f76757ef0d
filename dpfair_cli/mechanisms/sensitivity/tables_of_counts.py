"""L2 sensitivity of several tables of counts, in each of which a record is in at most one cell.

Neighbours: add-or-remove-one.

- The cells of k tables, where table i is multiplied by w_i: a record that is added changes at most
  one cell of table i, by w_i. The L2 norm of all changes is at most sqrt(sum_i w_i^2), which is
  sqrt(k) for tables that are not multiplied.
- The L1 distances of k tables from tables that do not depend on the records: by the triangle
  inequality each distance changes by at most 1, and the L2 norm of all changes is at most sqrt(k).

Both are reached by a record that is in a cell of every table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable


def l2_tables(weights: Iterable[float]) -> float:
    """The L2 sensitivity of tables of counts that are multiplied by `weights`.

    >>> l2_tables([1, 1, 1, 1])
    2.0
    """
    return math.sqrt(math.fsum(weight**2 for weight in weights))


def l2_distances(tables: int) -> float:
    """The L2 sensitivity of the L1 distances of `tables` tables from tables that are public.

    >>> l2_distances(9)
    3.0
    """
    return math.sqrt(tables)
